"""Rewrite statements so that they see only the rows that a limited credential may see.

A `Limiter` is set for a whole request. Every statement that the thread sends meanwhile, compiled once or made by the
ORM, then reads `"limited_courses_item"` where it says `"courses_item"`: a common table expression put in front of it,
which holds the allowed rows. A change or a deletion gets the same rows as a condition. So a statement needs to know
nothing of limits, and a new one is limited too. What cannot be rewritten is refused.

`WholeMember` is the one way around, with a reason; `tests/limits/test_declared.py` lists the reasons.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
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


class Views(Protocol):
    """The views of one kind of limits; hashable, as what was rewritten is kept by it."""

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
        if not found.before:
            return found.body, params
        values = self.values(vendor)
        return f"WITH {found.before} {found.body}", [*(values[name] for name in found.params), *params]


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A statement in its limited form.

    Attributes:
        before: its common table expressions; empty if it has none.
        params: the values of these, which come first.
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
        if _rewritten(limiter.views, vendor, sql).before:
            raise NotLimitedError(sql)
        return execute(sql, params, many, context)
    if params is None:
        found = _rewritten(limiter.views, vendor, sql)
        if not found.before:
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
    tables = views.tables()
    if not tables.search(sql):
        return Rewritten("", (), sql)
    used: dict[str, View] = {}

    def is_limited(table: str) -> bool:
        view = views.of(table, vendor)
        if view is not None:
            used[table] = view
        return view is not None

    def source(match: re.Match[str]) -> str:
        verb, table, alias = match.groups()
        return f'{verb} "limited_{table}" {alias or chr(34) + table + chr(34)}' if is_limited(table) else match[0]

    target = _TARGET.match(sql)
    start = target.end() if target else 0
    head, rest = sql[:start], _SOURCE.sub(source, sql[start:])
    if target is not None and not sql.startswith("INSERT") and is_limited(target[1]):
        place = _where(rest)
        if place is None:
            raise NotLimitedError(sql)
        condition = f'"{target[1]}"."id" IN (SELECT "id" FROM "limited_{target[1]}") AND '  # noqa: S608 # nosec
        rest = f"{rest[:place]}{condition}{rest[place:]}"
    for left in tables.finditer(rest):
        if not _is_known(rest, left):
            raise NotLimitedError(sql)
    if head.startswith("INSERT") and used and " ON CONFLICT " in rest:
        raise NotLimitedError(sql)
    materialized = "AS NOT MATERIALIZED"
    before = ", ".join(f'"limited_{table}" {materialized} ({view.sql})' for table, view in used.items())
    return Rewritten(before, tuple(name for view in used.values() for name in view.params), head + rest)


_TARGET = re.compile(r'(?:UPDATE|DELETE FROM|INSERT INTO|INSERT OR IGNORE INTO) "(\w+)"')


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
