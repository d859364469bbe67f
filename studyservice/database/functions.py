"""Functions of the database for which Django has none."""

from datetime import timedelta
from typing import Any

from django.db.models import DateTimeField, DurationField, FloatField, Func, Value
from django.db.models.expressions import DurationExpression


class WholeDays(Func):
    """Whole days from the first instant to the second, and 0 where that is earlier: `max(0, (b - a).days)`."""

    output_field = FloatField()
    arity = 2

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> Any:
        """The days of an interval between instants are of 24 hours, and cut towards 0."""
        earlier, later = (compiler.compile(one) for one in self.get_source_expressions())
        return f"GREATEST(DATE_PART('day', {later[0]} - {earlier[0]}), 0)", [*later[1], *earlier[1]]

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        """Days of the calendar, one less where the time of day is not reached: `julianday` of a time is not exact.

        Instants are texts in UTC, `2026-11-22 16:00:00` with a fraction or without, whose order is that of the times.
        """
        (a, of_a), (b, of_b) = (compiler.compile(one) for one in self.get_source_expressions())
        dates = f"JULIANDAY(SUBSTR({b}, 1, 10)) - JULIANDAY(SUBSTR({a}, 1, 10))"
        return f"MAX({dates} - (SUBSTR({b}, 12) < SUBSTR({a}, 12)), 0)", [*of_b, *of_a, *of_b, *of_a]


class AMicrosecondLater(Func):
    """The instant after this one, as the database tells them apart.

    PostgreSQL takes an instant plus an interval for something that depends on the time zone of the connection (STABLE),
    as days do. Said in UTC it depends on nothing (IMMUTABLE), as those ask who send statements on to other servers.
    """

    output_field = DateTimeField()
    arity = 1

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> Any:
        """In UTC, there and back."""
        [instant] = self.get_source_expressions()
        sql, params = compiler.compile(instant)
        return f"((({sql}) AT TIME ZONE 'UTC') + INTERVAL '1 microsecond') AT TIME ZONE 'UTC'", params

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        """As Django adds a duration."""
        [instant] = self.get_source_expressions()
        step = Value(timedelta(microseconds=1), DurationField())
        return DurationExpression(instant, "+", step).as_sql(compiler, connection)
