"""Rewrite statements so that they see only the rows that a limited credential may see.

A `Limiter` is set for a whole request. Meanwhile, every statement that the thread sends reads `"limited_courses_item"`
in place of `"courses_item"`. That is a common table expression, put in front of the statement, with the allowed rows.
An UPDATE or DELETE gets the same rows as a condition. So no statement needs to know about limits, and new ones are
limited too. A statement that cannot be rewritten is refused.

`WholeMember` is the only exception. Each use gives a reason, and `tests/limits/test_declared.py` lists them.
"""

import re
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

from django.db import DEFAULT_DB_ALIAS, connections

WHOLE = "/* whole member */ "
"""Marks a table in a statement that reads all its rows (`whole_rows`)."""


class NotLimitedError(RuntimeError):
    """A statement cannot be limited, so it is refused. A bug in the service."""


@dataclass(frozen=True, slots=True)
class View:
    """The visible rows of a table.

    Attributes:
        sql: a SELECT of all columns of the table.
        params: names of its values, in order.
    """

    sql: str
    params: tuple[str, ...]


class Views(Hashable, Protocol):
    """The views for one kind of limits. Also the key of the cache of rewritten statements."""

    def of(self, table: str, vendor: str) -> View | None:
        """Return the view of a table, or None if all its rows may be seen."""

    def tables(self) -> re.Pattern[str]:
        """Return a pattern for the names of tables that have a view."""


@dataclass(frozen=True, slots=True)
class Limiter:
    """The limits of one credential.

    Attributes:
        views: for its kind of limits.
        values: by the names in `View.params`, in the form of each database's driver.
    """

    views: Views
    values: Callable[[str], Mapping[str, Any]]

    def limited(self, vendor: str, sql: str, params: Sequence[Any]) -> tuple[str, Sequence[Any]]:
        """Return the limited statement and its values."""
        found = _rewritten(self.views, vendor, sql)
        if not found.params:
            return found.body, params
        values = self.values(vendor)
        if not found.before:
            return _INLINED.sub(lambda place: f"'{values[place[1]]}'", found.body), params
        return f"WITH {found.before} {found.body}", [*(values[name] for name in found.params), *params]


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A limited statement.

    Attributes:
        before: its common table expressions; empty if it has none.
        params: the values of these, which come first; without `before`, values for placeholders in the body.
        body: the rest.
    """

    before: str
    params: tuple[str, ...]
    body: str


_LIMITER = ContextVar[Limiter | None]("limiter", default=None)


def current_limiter() -> Limiter | None:
    """Return the limiter for the statements that this thread sends now."""
    return _LIMITER.get()


@contextmanager
def limited_by(limiter: Limiter) -> Iterator[None]:
    """Limit every statement in the block."""
    token = _LIMITER.set(limiter)
    try:
        with connections[DEFAULT_DB_ALIAS].execute_wrapper(limit):
            yield
    finally:
        _LIMITER.reset(token)


def change_limiter(limiter: Limiter) -> None:
    """Replace the limiter within `limited_by`."""
    _LIMITER.set(limiter)


def limit(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Mapping[str, Any]) -> Any:
    """Limit each execution. Django defines the arguments of such wrappers."""
    limiter = _LIMITER.get()
    if limiter is None:
        return execute(sql, params, many, context)
    vendor = context["connection"].vendor
    if many or isinstance(params, Mapping):
        if _rewritten(limiter.views, vendor, sql).params:
            raise NotLimitedError(sql)
        return execute(sql, params, many, context)
    if params is None:
        found = _rewritten(limiter.views, vendor, sql)
        if not found.params:
            return execute(sql, params, many, context)
        sql, params = sql.replace("%", "%%"), ()
    sql, params = limiter.limited(vendor, sql, params)
    return execute(sql, params, many, context)


_WHOLES: list["WholeMember"] = []


class WholeMember:
    """An exception for rows that are counted or stored for the whole member, for any caller. Declared once, with a
    reason.
    """

    def __init__(self, reason: str) -> None:
        self.reason = reason
        _WHOLES.append(self)

    @contextmanager
    def rows(self) -> Iterator[None]:
        """Let statements in the block see every row of the member."""
        if _LIMITER.get() is None:
            yield
            return
        token = _LIMITER.set(None)
        try:
            yield
        finally:
            _LIMITER.reset(token)


def whole_reasons() -> list[str]:
    """Return every declared reason."""
    return sorted(one.reason for one in _WHOLES)


_NO_ALIAS = "ON|WHERE|INNER|LEFT|CROSS|JOIN|GROUP|HAVING|ORDER|LIMIT|OFFSET|UNION|FOR|RETURNING"
_SOURCE = re.compile(rf'\b(FROM|JOIN) "(\w+)"(?: (?!(?:{_NO_ALIAS})\b)(?:AS )?("\w+"|\w+))?')


def whole_rows(sql: str) -> str:
    """Mark `sql`, a part of a statement, to read every row of the member."""
    return _SOURCE.sub(lambda source: source[0].replace(' "', f' {WHOLE}"', 1), sql)


@lru_cache(maxsize=4096)
def _rewritten(views: Views, vendor: str, sql: str) -> Rewritten:
    """Return the limited form of a statement. Cached for each kind of limits.

    Raises:
        NotLimitedError: the statement uses a table in an unknown way.
    """
    if not views.tables().search(sql):
        return Rewritten("", (), sql)
    used: dict[str, View] = {}

    def source(match: re.Match[str]) -> str:
        verb, table, alias = match.groups()
        view = views.of(table, vendor)
        if view is None:
            return match[0]
        used[table] = view
        return f'{verb} "limited_{table}" {alias or _quoted(table)}'

    target = _TARGET.match(sql)
    start = target.end() if target else 0
    head, rest = sql[:start], _SOURCE.sub(source, sql[start:])
    if target is not None:
        if target[1] == "INSERT INTO" and used:
            raise NotLimitedError(sql)
        changed = None if target[1] == "INSERT INTO" else views.of(target[2], vendor)
        if changed is not None:
            used[target[2]] = changed
            rest = _only_limited(rest, target[2])
    for left in views.tables().finditer(rest):
        if views.of(left[0], vendor) is not None and not _is_known(rest, left):
            raise NotLimitedError(sql)
    if vendor == "sqlite" and target is not None:
        return _inlined(head + rest, used)
    before = ", ".join(f'"limited_{table}" AS NOT MATERIALIZED ({view.sql})' for table, view in used.items())
    return Rewritten(before, tuple(name for view in used.values() for name in view.params), head + rest)


def _quoted(table: str) -> str:
    return f'"{table}"'


_TARGET = re.compile(r'(UPDATE|DELETE FROM|INSERT INTO) "(\w+)"')


def _only_limited(rest: str, table: str) -> str:
    """Return the rest of an UPDATE or DELETE, after its table's name, restricted to the visible rows.

    Raises:
        NotLimitedError: it has no WHERE.
    """
    place = _where(rest)
    if place is None:
        raise NotLimitedError(rest)
    return f'{rest[:place]}"{table}"."id" IN (SELECT "id" FROM "limited_{table}") AND {rest[place:]}'  # noqa: S608 # nosec


def _inlined(sql: str, used: Mapping[str, View]) -> Rewritten:
    """Return a statement with its views as subqueries, and placeholders for their values.

    Python's SQLite driver returns a row count only if the statement begins with its verb.
    """
    for table, view in used.items():
        values = iter(view.params)
        rows = view.sql.replace("%s", "\x01{}\x02").format(*values)
        sql = sql.replace(f'"limited_{table}"', f"({rows})")
    return Rewritten("", tuple(name for view in used.values() for name in view.params), sql)


_INLINED = re.compile("\x01(\\w+)\x02")
"""Placeholders for ids and lists of ids that are inlined as constants."""


def _is_known(sql: str, name: re.Match[str]) -> bool:
    """Return whether the table's name qualifies a column, is an alias, or is marked for the whole member."""
    before, after = sql[: name.start()], sql[name.end() :]
    if not before.endswith('"') or not after.startswith('"'):
        return False
    before, after = before[:-1], after[1:]
    return after.startswith(".") or before.endswith((WHOLE, f'"limited_{name[0]}" '))


def _where(sql: str) -> int | None:
    """Return the position after the WHERE of the UPDATE or DELETE itself, outside parentheses."""
    depth = 0
    for token in _TOKEN.finditer(sql):
        if token[0] == "(":
            depth += 1
        elif token[0] == ")":
            depth -= 1
        elif depth == 0:
            return token.end()
    return None


_TOKEN = re.compile(r"[()]| WHERE ")
