"""Rewrite statements so that they see only the rows that a limited credential may see.

A `Limiter` is set for a whole request. Every statement that the thread sends meanwhile, compiled once or made by the
ORM, then reads `"limited_courses_item"` where it says `"courses_item"`: a common table expression put in front of it,
which holds the allowed rows. A change or a deletion gets the same rows as a condition. So a statement needs to know
nothing of limits, and a new one is limited too. What cannot be rewritten is refused.

`WholeMember` is the one way around, with a reason; `tests/limits/test_declared.py` lists the reasons.
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
"""Stands before a table in a statement that reads all rows of it (`whole_rows`)."""


class NotLimitedError(RuntimeError):
    """A statement cannot be limited: a fault of the service, and never an answer with too much in it."""


@dataclass(frozen=True, slots=True)
class View:
    """The rows of a table that may be seen.

    Attributes:
        sql: a SELECT of all columns of the table.
        params: names of its values, in order.
    """

    sql: str
    params: tuple[str, ...]


class Views(Hashable, Protocol):
    """The views of one kind of limits; what was rewritten is kept by it."""

    def of(self, table: str, vendor: str) -> View | None:
        """The view of a table, or None if all its rows may be seen."""

    def tables(self) -> re.Pattern[str]:
        """Matches the name of each table that has a view."""


@dataclass(frozen=True, slots=True)
class Limiter:
    """The limits of one credential.

    Attributes:
        views: for its kind of limits.
        values: by the names in `View.params`; for each kind of database as its driver takes them.
    """

    views: Views
    values: Callable[[str], Mapping[str, Any]]

    def limited(self, vendor: str, sql: str, params: Sequence[Any]) -> tuple[str, Sequence[Any]]:
        """The statement in its limited form, and its values."""
        found = _rewritten(self.views, vendor, sql)
        if not found.params:
            return found.body, params
        values = self.values(vendor)
        if not found.before:
            return _INLINED.sub(lambda place: f"'{values[place[1]]}'", found.body), params
        return f"WITH {found.before} {found.body}", [*(values[name] for name in found.params), *params]


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A statement in its limited form.

    Attributes:
        before: its common table expressions; empty if it has none.
        params: the values of these, which come first; without `before`, those that the body has places for.
        body: the rest.
    """

    before: str
    params: tuple[str, ...]
    body: str


_LIMITER = ContextVar[Limiter | None]("limiter", default=None)


def current_limiter() -> Limiter | None:
    """The limits that hold for what this thread sends now."""
    return _LIMITER.get()


@contextmanager
def limited_by(limiter: Limiter) -> Iterator[None]:
    """Limit every statement inside."""
    token = _LIMITER.set(limiter)
    try:
        with connections[DEFAULT_DB_ALIAS].execute_wrapper(limit):
            yield
    finally:
        _LIMITER.reset(token)


def change_limiter(limiter: Limiter) -> None:
    """Go on with other limits, inside `limited_by`."""
    _LIMITER.set(limiter)


def limit(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Mapping[str, Any]) -> Any:
    """Django's wrapper of each execution; Django defines the arguments."""
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
    """Rows that are counted or kept for the whole member, whoever calls; declared once with the reason."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        _WHOLES.append(self)

    @contextmanager
    def rows(self) -> Iterator[None]:
        """Let what is sent inside see every row of the member."""
        if _LIMITER.get() is None:
            yield
            return
        token = _LIMITER.set(None)
        try:
            yield
        finally:
            _LIMITER.reset(token)


def whole_reasons() -> list[str]:
    """Every declared reason."""
    return sorted(one.reason for one in _WHOLES)


_NO_ALIAS = "ON|WHERE|INNER|LEFT|CROSS|JOIN|GROUP|HAVING|ORDER|LIMIT|OFFSET|UNION|FOR|RETURNING"
_SOURCE = re.compile(rf'\b(FROM|JOIN) "(\w+)"(?: (?!(?:{_NO_ALIAS})\b)(?:AS )?("\w+"|\w+))?')


def whole_rows(sql: str) -> str:
    """`sql`, a part of a statement, marked so that it reads every row of the member."""
    return _SOURCE.sub(lambda source: source[0].replace(' "', f' {WHOLE}"', 1), sql)


@lru_cache(maxsize=4096)
def _rewritten(views: Views, vendor: str, sql: str) -> Rewritten:
    """The limited form of a statement, made once for each kind of limits.

    Raises:
        NotLimitedError: it names a table in a way that is not known here.
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
    """The rest of an UPDATE or a DELETE, after the name of its table, for the limited rows of this.

    Raises:
        NotLimitedError: it has no condition of its own.
    """
    place = _where(rest)
    if place is None:
        raise NotLimitedError(rest)
    return f'{rest[:place]}"{table}"."id" IN (SELECT "id" FROM "limited_{table}") AND {rest[place:]}'  # noqa: S608 # nosec


def _inlined(sql: str, used: Mapping[str, View]) -> Rewritten:
    """A change with the views as subqueries, and places for their values.

    Python's driver of SQLite counts the rows of a change that begins with its verb, and of no other.
    """
    for table, view in used.items():
        values = iter(view.params)
        rows = view.sql.replace("%s", "\x01{}\x02").format(*values)
        sql = sql.replace(f'"limited_{table}"', f"({rows})")
    return Rewritten("", tuple(name for view in used.values() for name in view.params), sql)


_INLINED = re.compile("\x01(\\w+)\x02")
"""The places of values, which are ids and lists of ids, in a statement that has them as constants."""


def _is_known(sql: str, name: re.Match[str]) -> bool:
    """Whether the name of a table stands for its column or an alias, or is marked as the whole member's."""
    before, after = sql[: name.start()], sql[name.end() :]
    if not before.endswith('"') or not after.startswith('"'):
        return False
    before, after = before[:-1], after[1:]
    return after.startswith(".") or before.endswith((WHOLE, f'"limited_{name[0]}" '))


def _where(sql: str) -> int | None:
    """The place after the WHERE of an UPDATE or DELETE itself, which is in no brackets."""
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
