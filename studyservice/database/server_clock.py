"""The clock of PostgreSQL, compared with that of this machine."""

from datetime import UTC, datetime

from django.db import connection


def database_drift() -> float | None:
    """Return the least difference of PostgreSQL's clock from this machine's, in seconds; None on SQLite."""
    if connection.vendor != "postgresql":
        return None
    with connection.cursor() as cursor:
        before = datetime.now(UTC).timestamp()
        cursor.execute("SELECT extract(epoch FROM clock_timestamp())")
        [theirs] = cursor.fetchone()
        after = datetime.now(UTC).timestamp()
    return drift(before, float(theirs), after)


def drift(before: float, theirs: float, after: float) -> float:
    """Return the least difference, in seconds, of a clock that read `theirs` between `before` and `after`."""
    return max(0.0, before - theirs, theirs - after)
