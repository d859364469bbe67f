"""The sums of attempts (`PracticeSum`), updated in the transaction of each attempt."""

from datetime import date, timedelta
from hashlib import md5
from typing import TypedDict, cast
from uuid import UUID

from django.db.models import Subquery

from accounts.rows.access import Access
from accounts.rows.rows import Row
from practice.models import PracticeSum, SumKind
from practice.rebuilding import rebuild_sums
from practice.streaks import RUNS
from studyservice.database.statements import Param, RawStatement

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


def add_attempt(access: Access, attempt: Row, around: Around | None) -> None:
    """Count a new attempt for the day, the topic's day and the topic's month, without waiting for the database.

    If the day is the first with practice and the day after already has some, as after a move further west, further
    statements update the runs.

    Args:
        around: of its day, read under the lock; None reads it.
    """
    day, foretold = attempt["day"], attempt["foretold"]
    runs = _around(access, day) if around is None else around
    topic = {name: attempt[name] for name in ("topic", "deck_id", "course_id")}
    values = {
        "member_id": access.member.id,
        "day": day,
        "month": day.replace(day=1),
        "all_topics": _ALL_TOPICS,
        "topic_key": topic_key(**topic),
        **topic,
        "correct": int(attempt["correct"]),
        "firsts": int(attempt["is_first"]),
        "foretold_attempts": int(foretold is not None),
        "foretold": foretold or 0,
        "foretold_correct": int(attempt["correct"] and foretold is not None),
        "at": attempt["attempted_at"],
    }
    _ADD.later(**values, run=(runs["run_day_before"] or 0) + 1)
    if runs["run_day"] is None and runs["run_day_after"] is not None:
        _count_runs(access, day)


def _around(access: Access, day: date) -> Around:
    runs = {row["day"]: row["run"] for row in RUNS.all(access, since=day - _DAY)}
    return cast("Around", {f"run_{name}": runs.get(one) for name, one in days_around(day).items()})


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
