"""Database functions that Django lacks."""

from datetime import timedelta
from typing import Any

from django.db.models import DateTimeField, DurationField, FloatField, Func, TextField, Value
from django.db.models.expressions import DurationExpression

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
