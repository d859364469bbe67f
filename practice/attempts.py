"""Recording attempts. Each kind of practice calls this inside its own change."""

from datetime import datetime
from uuid import UUID

from accounts.changes.recording import Write
from accounts.members.data import Touched
from accounts.models import Member
from accounts.rows.access import Access
from practice.models import Attempt, Source
from practice.rebuilding import rebuild_sums
from practice.sums import Around, add_attempt, recount


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

    Args:
        access: the call.
        attempt_id: the id of the attempt's origin.
        is_first: whether it is the first review of a card.
        foretold: predicted probability of a correct answer, in billionths; None without a prediction.
        around: what `practice.sums.RUNS_AROUND` reads about the day; None reads it.
    """
    [attempt] = Attempt.rows.of(access).insert(
        {
            "id": attempt_id,
            "source": source.value,
            "topic": topic,
            "deck_id": deck_id,
            "course_id": course_id,
            "correct": correct,
            "attempted_at": at,
            "day": access.member.date_at(at),
            "is_first": is_first,
            "foretold": foretold,
        }
    )
    add_attempt(access, attempt, around)


def settle_sums(member: Member, write: Write, touched: Touched) -> None:
    """Update the sums after an undo removed an attempt, or filled in a restored deck or course."""
    attempts = touched.get(Attempt, [])
    if len(attempts) == 1 and "day" in attempts[0]:
        recount(Access(member, write=write), attempts[0]["day"])
    elif attempts:
        rebuild_sums([member.id])
