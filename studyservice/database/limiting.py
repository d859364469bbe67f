"""Restrict statements to the rows that a limited credential may see.

A `Limiter` is set for a whole request. Meanwhile, every statement of the thread, from a `Select` or the ORM, gets
common table expressions with the names of its tables and their allowed rows: `WITH "courses_item" AS (...) SELECT ...`.
They hide the tables, wherever the statement names them. The target of an UPDATE or DELETE is still the table, so the
statement gets the allowed rows as a condition. So no statement needs to know about limits, and new ones are limited
too. A statement that could bypass the names is refused.

`WholeMember` is the only exception. Each use gives a reason, and `tests/limits/test_declared.py` lists them.
"""

import re
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple, Protocol

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created

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

    def of(self, vendor: str) -> Mapping[str, View]:
        """Return the view of each restricted table. A table precedes those that its view reads."""

    def tables(self) -> re.Pattern[str]:
        """Return a pattern for the names of tables that can have a view."""


class Limiter(NamedTuple):
    """The limits of one credential.

    Attributes:
        views: for its kind of limits.
        values: by the names in `View.params`, in the driver's form.
    """

    views: Views
    values: Mapping[str, Any]

    def limited(self, vendor: str, sql: str, params: Sequence[Any]) -> tuple[str, Sequence[Any]]:
        """Return the limited statement and its values."""
        found = _rewritten(self.views, vendor, sql)
        if not found.params:
            return found.sql, params
        if found.has_constants:
            return _CONSTANT.sub(lambda place: f"'{self.values[place[1]]}'", found.sql), params
        return found.sql, [*map(self.values.__getitem__, found.params), *params]


class Rewritten(NamedTuple):
    """A limited statement.

    Attributes:
        params: the names of the limiter's values. They precede those of the statement.
        has_constants: true if the values are written into the statement.
    """

    sql: str
    params: tuple[str, ...] = ()
    has_constants: bool = False


_LIMITER = ContextVar[Limiter | None]("limiter", default=None)


def current_limiter() -> Limiter | None:
    """Return the limiter for the statements that this thread sends now."""
    return _LIMITER.get()


class limited_by:  # noqa: N801  # used like a function
    """Limit every statement in the block. Each limited call uses it, and a generator would take twice the time."""

    __slots__ = ("_limiter", "_token")

    def __init__(self, limiter: Limiter) -> None:
        self._limiter = limiter

    def __enter__(self) -> None:
        self._token = _LIMITER.set(self._limiter)

    def __exit__(self, *_exception: object) -> None:
        _LIMITER.reset(self._token)


def limited(vendor: str, sql: str, params: Sequence[Any]) -> tuple[str, Sequence[Any]]:
    """Return the statement and its values, limited by the thread's limiter, if there is one."""
    limiter = _LIMITER.get()
    return (sql, params) if limiter is None else limiter.limited(vendor, sql, params)


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


def _install(connection: BaseDatabaseWrapper, **_kwargs: object) -> None:
    """Pass each statement of a connection to `limit`, from the first one on."""
    if limit not in connection.execute_wrappers:  # the object connects again after a failure
        connection.execute_wrappers.insert(0, limit)


connection_created.connect(_install)

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


def whole_rows(sql: str) -> str:
    """Mark `sql`, a part of a statement, to read every row of the member. Its tables must have aliases."""
    return _SOURCE.sub(rf'\1 {WHOLE}"', sql)


_SOURCE = re.compile(r'\b(FROM|JOIN) "')
_MARKED = re.compile(rf'{re.escape(WHOLE)}"(\w+)"')


@lru_cache(maxsize=4096)
def _rewritten(views: Views, vendor: str, sql: str) -> Rewritten:
    """Return the limited form of a statement. Cached for each kind of limits.

    Raises:
        NotLimitedError: it could read rows outside the views.
    """
    body = _MARKED.sub(r'"whole_\1"', sql)
    named = {*views.tables().findall(body)}
    used = {table: view for table, view in views.of(vendor).items() if table in named}
    if not used:
        return Rewritten(sql)
    if re.search(rf'\.\s*"?{views.tables().pattern}', body):  # a table with its schema, which no expression hides
        raise NotLimitedError(sql)
    whole = {f"whole_{table}": f"SELECT * FROM {_SCHEMA[vendor]}{table}" for table in _MARKED.findall(sql)}  # noqa: S608 # nosec
    seen = whole | {table: view.sql for table, view in used.items()}
    before = "WITH " + ", ".join(f'"{name}" AS NOT MATERIALIZED ({rows})' for name, rows in seen.items())
    places = [name for view in used.values() for name in view.params]
    params = tuple(places)
    if vendor == "postgresql":  # send each value once
        params = tuple(dict.fromkeys(places))
        order = iter(places)
        before = _PLACE.sub(lambda place: place[0] if place[0] == "%%" else f"${params.index(next(order)) + 1}", before)
    read, write = _READ.match(body), _WRITE.match(body)
    if read is not None:
        return Rewritten(f"{before},{body[read.end() :]}" if read[1] else f"{before} {body}", params)
    if write is None:
        raise NotLimitedError(sql)
    head, rest = write[0], body[write.end() :]
    if write[1] == "INSERT INTO":
        if re.search(rf'{views.tables().pattern}(?!"\.)', rest):
            raise NotLimitedError(sql)
        return Rewritten(sql)
    start, conditions = _divided(rest)
    if write[2] in used:
        conditions = f' "{write[2]}"."id" IN (SELECT "id" FROM "{write[2]}") AND{conditions}'  # noqa: S608 # nosec
    if vendor != "sqlite":
        return Rewritten(f"{before} {head}{start}{conditions}", params)
    # Python's SQLite driver counts changed rows only if the statement begins with its verb.
    names = iter(params)
    constant = re.sub("%s", lambda _: f"\x01{next(names)}\x02", before)
    return Rewritten(head + _QUERY.sub(lambda _: f"({constant} SELECT", start + conditions), params, has_constants=True)


_PLACE = re.compile("%[s%]")

_READ = re.compile(r"\s*(?:\(*SELECT|(WITH))\b(?!.*\b(?:UPDATE|DELETE|INSERT|MERGE|SHARE|RECURSIVE)\b)", re.DOTALL)
"""A statement without changes or locks. PostgreSQL silently skips locks on the rows of an expression."""

_WRITE = re.compile(r'(UPDATE|DELETE FROM|INSERT INTO) "(\w+)"')
_QUERY = re.compile(r"\(\s*SELECT\b")

_SCHEMA = {"postgresql": "", "sqlite": "main."}
"""Prefix of a table inside the expression that hides it. SQLite's expressions would see themselves."""

_CONSTANT = re.compile("\x01(\\w+)\x02")
"""Placeholders for values that are written into the statement: ids, and lists of ids."""


def _divided(rest: str) -> tuple[str, str]:
    """Split an UPDATE or DELETE, from the end of its table's name, after its WHERE.

    Raises:
        NotLimitedError: there is no WHERE, it has an OR outside brackets, or a FROM or USING precedes it.
    """
    depth, place = 0, 0
    for token in _TOKEN.finditer(rest):
        if token[0] in "()":
            depth += 1 if token[0] == "(" else -1
        elif depth == 0 and (token[1] == "OR") is (place > 0):
            if token[1] != "WHERE":
                raise NotLimitedError(rest)
            place = token.end()
    if not place:
        raise NotLimitedError(rest)
    return rest[:place], rest[place:]


_TOKEN = re.compile(r"[()]|\b(WHERE|FROM|USING|OR)\b")
