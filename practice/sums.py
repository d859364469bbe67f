"""The sums of attempts (`PracticeSum`), updated in the transaction of each attempt."""

from calendar import monthrange
from collections.abc import Mapping
from datetime import date, datetime, timedelta
from hashlib import md5
from typing import Any, TypedDict
from uuid import UUID

from django.db import connection
from django.db.models import Aggregate, Count, Max, Q, QuerySet, Sum
from django.db.models.functions import Coalesce

from accounts.changes.recording import Write
from practice.models import Attempt, PracticeSum, SumKind
from studyservice.database.ahead import Ahead, delete_later, insert_later, update_later
from studyservice.database.capabilities import inserts_from_query
from studyservice.database.limiting import WholeMember
from studyservice.database.statements import RawStatement

_DAY = timedelta(days=1)
_ALL_TOPICS = UUID(int=0)


class _Topic(TypedDict):
    topic: str
    deck_id: UUID | None
    course_id: UUID | None


_ADD = """
    INSERT INTO practice_practicesum
        (member_id, kind, starts_on, topic_key, topic, deck_id, course_id, attempts, correct, firsts,
            foretold_attempts, foretold, foretold_correct, newest_at, run)
    VALUES
        (%(member_id)s, 'day', %(day)s, %(all_topics)s, '', NULL, NULL, 1, %(correct)s, %(firsts)s,
            %(foretold_attempts)s, %(foretold)s, %(foretold_correct)s, %(at)s, {run}),
        (%(member_id)s, 'topic_day', %(day)s, %(topic_key)s,
            %(topic)s, %(deck_id)s, %(course_id)s, 1, %(correct)s, %(firsts)s,
            %(foretold_attempts)s, %(foretold)s, %(foretold_correct)s, %(at)s, 0),
        (%(member_id)s, 'topic_month', %(month)s, %(topic_key)s,
            %(topic)s, %(deck_id)s, %(course_id)s, 1, %(correct)s, %(firsts)s,
            %(foretold_attempts)s, %(foretold)s, %(foretold_correct)s, %(at)s, 0)
    ON CONFLICT (member_id, kind, starts_on, topic_key) DO UPDATE SET
        attempts = practice_practicesum.attempts + 1,
        correct = practice_practicesum.correct + EXCLUDED.correct,
        firsts = practice_practicesum.firsts + EXCLUDED.firsts,
        foretold_attempts = practice_practicesum.foretold_attempts + EXCLUDED.foretold_attempts,
        foretold = practice_practicesum.foretold + EXCLUDED.foretold,
        foretold_correct = practice_practicesum.foretold_correct + EXCLUDED.foretold_correct,
        newest_at = CASE WHEN EXCLUDED.newest_at > practice_practicesum.newest_at
            THEN EXCLUDED.newest_at ELSE practice_practicesum.newest_at END
    RETURNING kind, attempts, {followed}
"""
_ADD_AND_LOOK = RawStatement(
    _ADD.format(
        run="""COALESCE((
            SELECT run + 1 FROM practice_practicesum
            WHERE member_id = %(member_id)s AND kind = 'day' AND starts_on = %(day_before)s
        ), 1)""",
        followed="""EXISTS (
            SELECT 1 FROM practice_practicesum AS later
            WHERE later.member_id = %(member_id)s AND later.kind = 'day' AND later.starts_on = %(day_after)s
        )""",
    )
)
_ADD_KNOWING = RawStatement(_ADD.format(run="%(run)s", followed="%(followed)s"))


_KEPT = WholeMember("the sums of practice are kept for the whole member")


def topic_key(topic: str, deck_id: UUID | None, course_id: UUID | None) -> UUID:
    """A key that distinguishes the member's topics. `practice.rebuilding` computes the same in SQL. Not for secrets."""
    named = "|".join((*("" if key is None else key.hex for key in (deck_id, course_id)), topic))
    return UUID(md5(named.encode(), usedforsecurity=False).hexdigest())


def add_attempt(
    write: Write,
    *,
    topic: str,
    deck_id: UUID | None,
    course_id: UUID | None,
    correct: bool,
    at: datetime,
    day: date,
    is_first: bool,
    foretold: int | None,
) -> None:
    """Count an attempt at the time `at` for the day, the topic's day and the topic's month. One statement together with
    queued ones of `write`, and one more if INSERT accepts no query.

    If the day is the first with practice and the day after already has some, as after a move further west, further
    statements update the runs.
    """
    values = {
        "member_id": write.member_id,
        "day": day,
        "month": day.replace(day=1),
        "all_topics": _ALL_TOPICS,
        "topic_key": topic_key(topic, deck_id, course_id),
        "topic": topic,
        "deck_id": deck_id,
        "course_id": course_id,
        "correct": int(correct),
        "firsts": int(is_first),
        "foretold_attempts": int(foretold is not None),
        "foretold": foretold or 0,
        "foretold_correct": int(correct and foretold is not None),
        "at": at,
    }
    with _KEPT.rows():
        if inserts_from_query(connection):
            told = write.rows_of(_ADD_AND_LOOK, **values, day_before=day - _DAY, day_after=day + _DAY)
        else:
            told = write.rows_of(_ADD_KNOWING, **values, **_around(write.member_id, day))
        if any(kind == SumKind.DAY and attempts == 1 and followed for kind, attempts, followed in told):
            count_runs(write.member_id, day)


class _Around(TypedDict):
    run: int
    followed: bool


def _around(member_id: UUID, day: date) -> _Around:
    """Read the days before and after for `_ADD_KNOWING`."""
    days = PracticeSum.objects.filter(member_id=member_id, kind=SumKind.DAY, starts_on__in=(day - _DAY, day + _DAY))
    runs = dict(days.values_list("starts_on", "run"))
    return {"run": runs.get(day - _DAY, 0) + 1, "followed": day + _DAY in runs}


def recount(attempt: Attempt) -> None:
    """Recount the sums of a deleted attempt."""
    of_member = Attempt.objects.filter(member_id=attempt.member_id)
    topic: _Topic = {"topic": attempt.topic, "deck_id": attempt.deck_id, "course_id": attempt.course_id}
    month = attempt.day.replace(day=1)
    end_of_month = attempt.day.replace(day=monthrange(attempt.day.year, attempt.day.month)[1])
    of_topic = of_member.filter(**topic)
    nothing: _Topic = {"topic": "", "deck_id": None, "course_id": None}
    counted = (
        (SumKind.TOPIC_DAY, attempt.day, topic, _counts(of_topic.filter(day=attempt.day))),
        (SumKind.TOPIC_MONTH, month, topic, _counts(of_topic.filter(day__range=(month, end_of_month)))),
        (SumKind.DAY, attempt.day, nothing, _counts(of_member.filter(day=attempt.day))),
    )
    for kind, starts_on, named, counts in counted:
        _replace(attempt.member_id, kind, starts_on, named, counts)
    count_runs(attempt.member_id, attempt.day)


_FORETOLD = Q(foretold__isnull=False)
_COUNTS: Mapping[str, Aggregate | Coalesce] = {
    "attempts": Count("id"),
    "correct": Count("id", filter=Q(correct=True)),
    "firsts": Count("id", filter=Q(is_first=True)),
    "foretold_attempts": Count("id", filter=_FORETOLD),
    "foretold": Coalesce(Sum("foretold"), 0),
    "foretold_correct": Count("id", filter=_FORETOLD & Q(correct=True)),
    "newest_at": Max("attempted_at"),
}
"""The columns of a sum, computed from its attempts."""


def _counts(attempts: QuerySet[Attempt]) -> Ahead[Any]:
    """Queue the query of `_COUNTS`. It has no row without attempts."""
    counts = {f"counted_{name}": counted for name, counted in _COUNTS.items()}
    return Ahead(attempts.order_by().values("member_id").annotate(**counts).values_list(*counts))


def _replace(member_id: UUID, kind: SumKind, starts_on: date, topic: _Topic, counts: Ahead[Any]) -> None:
    """Replace the sums of a topic and a period by one sum of `counts`, or by none."""
    delete_later(PracticeSum.objects.filter(member_id=member_id, kind=kind, starts_on=starts_on, **topic))
    key = _ALL_TOPICS if kind == SumKind.DAY else topic_key(**topic)
    of_time = {"member_id": member_id, "kind": kind, "starts_on": starts_on, "topic_key": key, **topic}
    insert_later([PracticeSum(**of_time, **dict(zip(_COUNTS, row, strict=True))) for row in counts])


def count_runs(member_id: UUID, since: date) -> None:
    """Update the runs of the days from `since` on, after a day was added or removed."""
    days = list(
        PracticeSum.objects.filter(member_id=member_id, kind=SumKind.DAY, starts_on__gte=since - _DAY)
        .order_by("starts_on")
        .only("starts_on", "run")
    )
    before = days[0] if days and days[0].starts_on < since else None
    for one in days if before is None else days[1:]:
        run = before.run + 1 if before and one.starts_on - before.starts_on == _DAY else 1
        if run != one.run:
            one.run = run
            update_later(PracticeSum.objects.filter(member_id=member_id, id=one.id), run=one.run)
        before = one


def forget_topic_ids(member_id: UUID, **ids: UUID) -> None:
    """Keep the sums of a deleted deck or course, without its id."""
    update_later(PracticeSum.objects.filter(member_id=member_id, **ids), **dict.fromkeys(ids))
