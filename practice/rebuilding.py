"""Recompute the sums of attempts, in the database.

`practice.attempts` updates them from then on. This is for attempts from before the sums, or that bypassed them.
"""

from calendar import monthrange
from collections.abc import Sequence
from datetime import date
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Max, Sum

from practice.models import PracticeSum, SumKind
from studyservice.database.executing import inserts_from_query, run_sql, run_sql_later

_FORMS = {
    "postgresql": {
        "month": "date_trunc('month', day)::date",
        "day_number": "day - DATE '2000-01-01'",
        "key": "md5(concat(replace(deck_id::text, '-', ''), '|', replace(course_id::text, '-', ''), '|', topic))::uuid",
        "zero": "'00000000-0000-0000-0000-000000000000'::uuid",
    },
    "sqlite": {
        "month": "date(day, 'start of month')",
        "day_number": "CAST(julianday(day) AS INTEGER)",
        "key": "MD5(COALESCE(deck_id, '') || '|' || COALESCE(course_id, '') || '|' || topic)",
        "zero": "'00000000000000000000000000000000'",
    },
}
"""SQL dialects of the databases. `MD5` in SQLite is Django's."""

_COLUMNS = (
    "member_id", "kind", "starts_on", "topic_key", "topic", "deck_id", "course_id",
    "attempts", "correct", "newest_at", "firsts", "foretold_attempts", "foretold", "foretold_correct", "run",
)  # fmt: skip
_BATCH = 500
_COUNTS = """
    count(*) AS attempts, sum(CASE WHEN correct THEN 1 ELSE 0 END) AS correct, max(attempted_at) AS newest_at,
    sum(CASE WHEN is_first THEN 1 ELSE 0 END) AS firsts, count(foretold) AS foretold_attempts,
    COALESCE(sum(foretold), 0) AS foretold, count(CASE WHEN correct THEN foretold END) AS foretold_correct
"""

_DELETE = (
    "DELETE FROM practice_practicesum WHERE member_id IN ({members}) AND kind = %s AND starts_on BETWEEN %s AND %s"
)

_TOPICS = """
    SELECT member_id, '{kind}', {starts_on}, {key}, topic, deck_id, course_id, {counts}, 0
    FROM practice_attempt WHERE member_id IN ({members}) AND day BETWEEN %s AND %s
    GROUP BY member_id, {starts_on}, topic, deck_id, course_id
"""

_DAYS = """
    SELECT member_id, 'day', day, {zero}, '', NULL, NULL, attempts, correct, newest_at,
        firsts, foretold_attempts, foretold, foretold_correct,
        row_number() OVER (PARTITION BY member_id, stretch ORDER BY day)
    FROM (
        SELECT days.*, {day_number} - row_number() OVER (PARTITION BY member_id ORDER BY day) AS stretch
        FROM (
            SELECT member_id, day, {counts}
            FROM practice_attempt WHERE member_id IN ({members}) AND day BETWEEN %s AND %s GROUP BY member_id, day
        ) AS days
    ) AS stretches
"""
"""Consecutive days have a constant difference between their number and their rank, which identifies the run."""


def rebuild_sums(member_ids: Sequence[UUID], day: date | None = None) -> None:
    """Recompute every sum of these members, inside a transaction that holds their row locks.

    Args:
        day: recompute only the sums of this day and of its month, except the day's run.
    """
    forms = _FORMS[connection.vendor]
    common = forms | {"counts": _COUNTS, "members": ", ".join(["%s"] * len(member_ids))}
    days = month = (date.min, date.max)
    if day is not None:
        days, month = (day, day), (day.replace(day=1), day.replace(day=monthrange(day.year, day.month)[1]))
    of_topics = _TOPICS.format(kind=SumKind.TOPIC_DAY.value, starts_on="day", **common)
    of_months = _TOPICS.format(kind=SumKind.TOPIC_MONTH.value, starts_on=forms["month"], **common)
    for kind, statement, period in (
        (SumKind.DAY, _DAYS.format(**common), days),
        (SumKind.TOPIC_DAY, of_topics, days),
        (SumKind.TOPIC_MONTH, of_months, month),
    ):
        run_sql_later(connection, _DELETE.format(**common), [*member_ids, kind.value, *period])
        _insert(statement, [*member_ids, *period])


def _insert(statement: str, params: list[Any]) -> None:
    """Store the rows that `statement` selects."""
    if inserts_from_query(connection):
        into = f"INSERT INTO practice_practicesum ({', '.join(_COLUMNS)}) {statement}"  # nosec  # of this module
        run_sql_later(connection, into, params)
        return
    found = run_sql(connection, statement, params, lambda cursor: cursor.fetchall())
    sums = [PracticeSum(**dict(zip(_COLUMNS, row, strict=True))) for row in found]
    PracticeSum.objects.bulk_create(sums, batch_size=_BATCH)


def repair_sums(member_id: UUID) -> int:
    """Recompute the member's sums and return how many were wrong. Call inside a transaction under the member's lock."""
    before = _sums(member_id)
    rebuild_sums([member_id])
    after = _sums(member_id)
    return sum(before.get(key) != after.get(key) for key in before.keys() | after.keys())


def _sums(member_id: UUID) -> dict[tuple[object, ...], tuple[object, ...]]:
    """The sums, independent of the number of rows per topic."""
    told = (
        PracticeSum.objects.filter(member_id=member_id)
        .values_list("kind", "starts_on", "topic", "deck_id", "course_id")
        .annotate(
            *map(Sum, ("attempts", "correct", "firsts", "foretold_attempts", "foretold", "foretold_correct")),
            Max("newest_at"),
            Max("run"),
        )
    )
    return {tuple(row[:5]): tuple(row[5:]) for row in told}
