"""Expressions and statements that Django lacks, and texts folded for searching."""

import unicodedata
from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Any

from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import (
    BooleanField,
    CharField,
    DateTimeField,
    DurationField,
    F,
    FloatField,
    Func,
    Q,
    QuerySet,
    TextField,
    Value,
)
from django.db.models.expressions import DurationExpression
from django.db.models.functions import StrIndex
from django.db.models.lookups import GreaterThan
from django.db.models.sql.compiler import SQLCompiler

from studyservice.database.statements import Compiled, Param, RowT_co, Select

AS_EXPRESSION = "NULLIF({}, '00000000-0000-0000-0000-000000000000'::uuid)"
"""PostgreSQL's SQL for the id in a column, as an expression, whose conditions only an index of it serves.

PostgreSQL would combine an index of the column itself with another one, and sort what both find, instead of reading an
index in order up to a limit.
"""


class WholeDays(Func):
    """Whole days from the first instant to the second, or 0 if that is earlier: `max(0, (b - a).days)`."""

    output_field = FloatField()
    arity = 2

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> Any:
        """Use the days of an interval between instants, which have 24 hours and are truncated."""
        earlier, later = (compiler.compile(one) for one in self.get_source_expressions())
        return f"GREATEST(DATE_PART('day', {later[0]} - {earlier[0]}), 0)", [*later[1], *earlier[1]]

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        """Subtract calendar days, and one more if the time of day is not reached. `julianday` of a time is not exact.

        Instants are texts in UTC, `2026-11-22 16:00:00` with or without a fraction. They sort like the times.
        """
        (a, of_a), (b, of_b) = (compiler.compile(one) for one in self.get_source_expressions())
        dates = f"JULIANDAY(SUBSTR({b}, 1, 10)) - JULIANDAY(SUBSTR({a}, 1, 10))"
        return f"MAX({dates} - (SUBSTR({b}, 12) < SUBSTR({a}, 12)), 0)", [*of_b, *of_a, *of_b, *of_a]


class Joined(Func):
    """The texts of several rows, separated by commas. Without a GROUP BY, of all rows."""

    function = "STRING_AGG"
    template = "%(function)s(%(expressions)s, ',')"
    output_field = TextField()
    arity = 1

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        """Use the older name, because SQLite knows the other one only from 3.44 on."""
        return self.as_sql(compiler, connection, function="GROUP_CONCAT", **context)


class AMicrosecondLater(Func):
    """The next distinguishable instant.

    PostgreSQL considers an instant plus an interval dependent on the connection's time zone (STABLE), because days are.
    In UTC it depends on nothing (IMMUTABLE), which distributed statements require.
    """

    output_field = DateTimeField()
    arity = 1

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> Any:
        """Convert to UTC and back."""
        [instant] = self.get_source_expressions()
        sql, params = compiler.compile(instant)
        return f"((({sql}) AT TIME ZONE 'UTC') + INTERVAL '1 microsecond') AT TIME ZONE 'UTC'", params

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        """Add a duration as Django does."""
        [instant] = self.get_source_expressions()
        step = Value(timedelta(microseconds=1), DurationField())
        return DurationExpression(instant, "+", step).as_sql(compiler, connection)


class After(Func):
    """Whether a row comes after a position in the order of `fields`, as a row comparison: `(a, b) > (x, y)`.

    An index on the fields supports it, but not a chain of OR. Django's own lookup uses that chain for SQLite, although
    SQLite supports row values.

    Args:
        place: field to expression of its value; no value is null.
    """

    output_field = BooleanField()
    arity = None

    def __init__(self, place: dict[str, Param]) -> None:
        super().__init__(*map(F, place), *place.values())

    def as_sql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, *args: Any, **kwargs: Any) -> Any:
        compiled = [compiler.compile(expression) for expression in self.get_source_expressions()]
        parts = [sql for sql, _ in compiled]
        half = len(parts) // 2
        sql = f"({', '.join(parts[:half])}) > ({', '.join(parts[half:])})"
        return sql, [param for _, params in compiled for param in params]


class SelectBoth(Select[RowT_co]):
    """The first rows of two querysets merged in one order, each found by its own index. `limit` is a parameter.

    Args:
        first: ordered.
        second: with the same columns and order.
        order: of both together, as SQL with the names of columns.
    """

    def __init__(self, first: QuerySet[Any], columns: Mapping[str, str], *, second: QuerySet[Any], order: str) -> None:
        super().__init__(first, columns, limited=True)
        self._second = second.values_list(*columns.values())
        self._order = order

    def _compile(self) -> Compiled:
        one = super()._compile()
        other, params = self._second.query.get_compiler(connection=connection).as_sql()
        limit = Param("limit")  # below, SQL compiled by Django is combined
        sql = f"SELECT * FROM ({one.sql}) AS one UNION ALL SELECT * FROM ({other} LIMIT %s) AS other"  # noqa: S608 # nosec
        return one._replace(sql=f"{sql} ORDER BY {self._order} LIMIT %s", params=(*one.params, *params, limit, limit))


_BETWEEN = "\x1f"
"""Separates texts in one column, so that no search matches across two of them."""


def fold(text: str) -> str:
    """Return `text` case-folded, in NFC, for a column beside it: databases fold differently."""
    folded = unicodedata.normalize("NFC", text).casefold()
    return unicodedata.normalize("NFC", folded).replace(_BETWEEN, "")


def fold_all(texts: Iterable[str | None]) -> str:
    """Return the texts folded, in the form of one column."""
    return _BETWEEN.join(fold(text) for text in texts if text)


def contains(*columns: str, param: str) -> Q:
    """Match rows whose folded column contains the folded text in `param`.

    `%` and `_` match only themselves, unlike with LIKE.
    """
    found = Q()
    for column in columns:
        found |= Q(GreaterThan(StrIndex(column, Param(param, CharField())), 0))
    return found
