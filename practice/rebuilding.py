"""Recompute the sums of attempts, in the database.

`practice.sums` updates them from then on. This is for attempts from before the sums, or that bypassed them.
"""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Max, Sum

from practice.models import Attempt, PracticeSum, SumKind
from studyservice.database.ahead import delete_later
from studyservice.database.capabilities import inserts_from_query

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

_TOPICS = """
    SELECT member_id, '{kind}', {starts_on}, {key}, topic, deck_id, course_id, {counts}, 0
    FROM practice_attempt WHERE member_id IN ({members}) GROUP BY member_id, {starts_on}, topic, deck_id, course_id
"""

_DAYS = """
    SELECT member_id, 'day', day, {zero}, '', NULL, NULL, attempts, correct, newest_at,
        firsts, foretold_attempts, foretold, foretold_correct,
        row_number() OVER (PARTITION BY member_id, stretch ORDER BY day)
    FROM (
        SELECT days.*, {day_number} - row_number() OVER (PARTITION BY member_id ORDER BY day) AS stretch
        FROM (
            SELECT member_id, day, {counts}
            FROM practice_attempt WHERE member_id IN ({members}) GROUP BY member_id, day
        ) AS days
    ) AS stretches
"""
"""Consecutive days have a constant difference between their number and their rank, which identifies the run."""


def rebuild_sums(member_ids: Sequence[UUID]) -> None:
    """Recompute every sum of these members, inside a transaction that holds their row locks."""
    forms = _FORMS[connection.vendor]
    members = [Attempt._meta.get_field("member").get_db_prep_save(one, connection) for one in member_ids]
    common = forms | {"counts": _COUNTS, "members": ", ".join(["%s"] * len(members))}
    statements = [
        _DAYS.format(**common),
        _TOPICS.format(kind=SumKind.TOPIC_DAY.value, starts_on="day", **common),
        _TOPICS.format(kind=SumKind.TOPIC_MONTH.value, starts_on=forms["month"], **common),
    ]
    delete_later(PracticeSum.objects.filter(member_id__in=member_ids))
    with connection.cursor() as cursor:
        for statement in statements:
            _insert(cursor, statement, members)


def _insert(cursor: Any, statement: str, members: list[Any]) -> None:
    """Store the rows that `statement` selects."""
    if inserts_from_query(connection):
        cursor.execute(f"INSERT INTO practice_practicesum ({', '.join(_COLUMNS)}) {statement}", members)  # nosec  # of this module
        return
    cursor.execute(statement, members)
    sums = [PracticeSum(**dict(zip(_COLUMNS, row, strict=True))) for row in cursor.fetchall()]
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
