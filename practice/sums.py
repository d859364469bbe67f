"""The sums of attempts (`PracticeSum`), updated in the transaction of each attempt."""

from datetime import date, timedelta
from hashlib import md5
from typing import TypedDict
from uuid import UUID

from django.db import connection

from accounts.rows.access import Access
from accounts.rows.reading import BY_THEMSELVES
from accounts.rows.rows import Row
from practice.models import PracticeSum, SumKind
from practice.rebuilding import rebuild_sums
from practice.streaks import RUNS
from studyservice.database.capabilities import inserts_from_query
from studyservice.database.statements import RawStatement

_DAY = timedelta(days=1)
_ALL_TOPICS = UUID(int=0)

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


def topic_key(topic: str, deck_id: UUID | None, course_id: UUID | None) -> UUID:
    """A key that distinguishes the member's topics. `practice.rebuilding` computes the same in SQL. Not for secrets."""
    named = "|".join((*("" if key is None else key.hex for key in (deck_id, course_id)), topic))
    return UUID(md5(named.encode(), usedforsecurity=False).hexdigest())


@BY_THEMSELVES.rows()
def add_attempt(access: Access, attempt: Row) -> None:
    """Count a new attempt for the day, the topic's day and the topic's month. One statement, and one more if INSERT
    accepts no query.

    If the day is the first with practice and the day after already has some, as after a move further west, further
    statements update the runs.
    """
    day, foretold = attempt["day"], attempt["foretold"]
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
    if inserts_from_query(connection):
        told = _ADD_AND_LOOK.all(**values, day_before=day - _DAY, day_after=day + _DAY)
    else:
        told = _ADD_KNOWING.all(**values, **_around(access, day))
    if any(kind == SumKind.DAY and attempts == 1 and followed for kind, attempts, followed in told):
        _count_runs(access, day)


class _Around(TypedDict):
    run: int
    followed: bool


def _around(access: Access, day: date) -> _Around:
    """Read the days before and after for `_ADD_KNOWING`."""
    runs = {row["day"]: row["run"] for row in RUNS.all(access, since=day - _DAY)}
    return {"run": runs.get(day - _DAY, 0) + 1, "followed": day + _DAY in runs}


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
