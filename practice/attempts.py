"""Recording attempts, and their sums (`PracticeSum`), which are updated in the transaction of each attempt.

Each kind of practice calls `record_attempt` inside its own change.
"""

from datetime import date, datetime, timedelta
from hashlib import md5
from typing import TypedDict, cast
from uuid import UUID

from django.db.models import Subquery

from accounts.models import Member
from practice.models import Attempt, PracticeSum, Source, SumKind
from practice.rebuilding import rebuild_sums
from practice.stats import RUNS
from studyservice.changes.recording import Write
from studyservice.database.statements import Param, RawStatement
from studyservice.registry.data import Touched
from studyservice.rows.access import Access

_DAY = timedelta(days=1)
_ALL_TOPICS = UUID(int=0)

_ADD = RawStatement("""
    INSERT INTO practice_practicesum
        (member_id, kind, starts_on, topic_key, topic, deck_id, course_id, attempts, correct, firsts,
            foretold_attempts, foretold, foretold_correct, newest_at, run)
    VALUES
        (%(member_id)s, 'day', %(day)s, %(all_topics)s, '', NULL, NULL, 1, %(correct)s, %(firsts)s,
            %(foretold_attempts)s, %(foretold)s, %(foretold_correct)s, %(at)s, %(run)s),
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
""")

_DAYS = PracticeSum.rows.whole.filter(kind=SumKind.DAY)
RUNS_AROUND = {
    f"run_{name}": Subquery(_DAYS.filter(starts_on=Param(name)).values("run")[:1])
    for name in ("day_before", "day", "day_after")
}
"""Annotations of a statement that reads `Around`, for the values of `days_around`."""


class Around(TypedDict):
    """The runs of a day and of its neighbors. Null without practice."""

    run_day_before: int | None
    run_day: int | None
    run_day_after: int | None


def days_around(day: date) -> dict[str, date]:
    """The values for `RUNS_AROUND`."""
    return {"day_before": day - _DAY, "day": day, "day_after": day + _DAY}


def topic_key(topic: str, deck_id: UUID | None, course_id: UUID | None) -> UUID:
    """A key that distinguishes the member's topics. `practice.rebuilding` computes the same in SQL. Not for secrets."""
    named = "|".join((*("" if key is None else key.hex for key in (deck_id, course_id)), topic))
    return UUID(md5(named.encode(), usedforsecurity=False).hexdigest())


def record_attempt(
    access: Access,
    attempt_id: UUID,
    *,
    source: Source,
    topic: str,
    correct: bool,
    at: datetime,
    deck_id: UUID | None = None,
    course_id: UUID | None = None,
    is_first: bool = False,
    foretold: int | None = None,
    around: Around | None = None,
) -> None:
    """Add an attempt made at the time `at`, dated in the member's current time zone, inside a change.

    It is counted for the day, the topic's day and the topic's month, without waiting for the database. If the day is
    the first with practice and the day after already has some, as after a move further west, further statements update
    the runs.

    Args:
        access: the call.
        attempt_id: the id of the attempt's origin.
        is_first: whether it is the first review of a card.
        foretold: predicted probability of a correct answer, in billionths; None without a prediction.
        around: what `RUNS_AROUND` reads about the day, under the lock; None reads it.
    """
    day = access.member.date_at(at)
    of_topic = {"topic": topic, "deck_id": deck_id, "course_id": course_id}
    Attempt.rows.of(access).insert(
        {
            "id": attempt_id,
            "source": source.value,
            **of_topic,
            "correct": correct,
            "attempted_at": at,
            "day": day,
            "is_first": is_first,
            "foretold": foretold,
        }
    )
    if around is None:
        runs = {row["day"]: row["run"] for row in RUNS.all(access, since=day - _DAY)}
        around = cast("Around", {f"run_{name}": runs.get(one) for name, one in days_around(day).items()})
    _ADD.later(
        member_id=access.member.id,
        day=day,
        month=day.replace(day=1),
        all_topics=_ALL_TOPICS,
        topic_key=topic_key(topic, deck_id, course_id),
        **of_topic,
        correct=int(correct),
        firsts=int(is_first),
        foretold_attempts=int(foretold is not None),
        foretold=foretold or 0,
        foretold_correct=int(correct and foretold is not None),
        at=at,
        run=(around["run_day_before"] or 0) + 1,
    )
    if around["run_day"] is None and around["run_day_after"] is not None:
        _count_runs(access, day)


def recount(access: Access, day: date) -> None:
    """Recount the sums of a day and of its month, after an attempt of that day was deleted."""
    rebuild_sums([access.member.id], day)
    _count_runs(access, day)


def _count_runs(access: Access, since: date) -> None:
    """Update the runs of the days from `since` on, after a day was added or removed."""
    days = RUNS.all(access, since=since - _DAY)
    before = days[0] if days and days[0]["day"] < since else None
    for one in days if before is None else days[1:]:
        run = before["run"] + 1 if before and one["day"] - before["day"] == _DAY else 1
        PracticeSum.rows.of(access).update({"id": one["id"], "run": one["run"]}, {"run": run})
        one["run"], before = run, one


def settle_sums(member: Member, write: Write, touched: Touched) -> None:
    """Update the sums after an undo removed an attempt, or filled in a restored deck or course."""
    attempts = touched.get(Attempt, [])
    if len(attempts) == 1 and "day" in attempts[0]:
        recount(Access(member, write=write), attempts[0]["day"])
    elif attempts:
        rebuild_sums([member.id])
