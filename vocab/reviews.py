"""Reviewing a card: its new state, the log row and the attempt, all or nothing."""

from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import F, FloatField
from django.db.models.functions import Least
from django.utils import timezone

from accounts.members.models import MOST_SECONDS
from accounts.models import Member
from practice.attempts import RUNS_AROUND, Around, days_around, record_attempt
from practice.models import Source
from studyservice.changes.calls import writing_call
from studyservice.database.ids import uuid7
from studyservice.database.statements import Insert, Param, Update
from studyservice.operations.errors import Conflict
from studyservice.rows.access import Access, MemberSelect, change
from vocab.card_changes import ONE_CARD, NoSuchCard, StoredCard
from vocab.foretold import foretold
from vocab.models import Card, CardState, Rating, Review
from vocab.plans import MEASURED_FROM
from vocab.scheduling import MemoryState, is_lapse, memory_of, next_state
from vocab.serializers import CardRow, card_row


class AnsweredSince(Conflict):
    """The card was answered since it was shown."""

    default_message = "This card was answered since it was shown."


class _Reviewed(StoredCard, Around):
    """A card, and the days of practice around the member's day."""


_CARD = MemberSelect(ONE_CARD.annotate(**RUNS_AROUND), _Reviewed)
_SCHEDULE = Update(
    Card.rows.whole.filter(id=Param("card_id")),
    {name: Param(name) for name in (*MemoryState.__annotations__, "reps", "lapses")},
)
_LOG = Insert(Review)
_SECONDS = Update(
    Member.objects.filter(id=Param("member_id")),
    {
        "seconds": F("seconds")
        + (Param("took", FloatField()) - F("seconds"))
        / Least(F("seconds_reviews") + 1, float(MEASURED_FROM), output_field=FloatField()),
        "seconds_reviews": F("seconds_reviews") + 1,
    },
)
"""The mean duration of the member's reviews."""

_LEAST_SECONDS = 1
"""Minimum duration that a review counts as."""


def review_vocab_card(
    access: Access, card_id: UUID, *, rating: str, duration_ms: int | None = None, shown_reps: int | None = None
) -> CardRow:
    """Answer the card now. Return the `CardRow` with its next due time.

    Args:
        shown_reps: number of its reviews when it was shown; None always records the answer.

    Raises:
        NotFound: the call sees no such card.
        AnsweredSince: it was answered since it was shown.
    """
    with change(access, "review_vocab_card"):
        return record_review(
            access, card_id, rating=rating, at=timezone.now(), duration_ms=duration_ms, shown_reps=shown_reps
        )


def record_review(
    access: Access,
    card_id: UUID,
    *,
    rating: str,
    at: datetime,
    duration_ms: int | None = None,
    shown_reps: int | None = None,
) -> CardRow:
    """Answer the card `at` this true time, inside a change. The row of the log also names the actor.

    If server clocks disagree, that may be before the card's last review. Then the review is scheduled and logged right
    after that one, so that the log is in the order of the answers.

    Raises:
        NotFound: the call sees no such card.
        AnsweredSince: it no longer has `shown_reps` reviews.
    """
    member = access.member
    card = _CARD.get(NoSuchCard, access, card_id=card_id, **days_around(member.date_at(at)))
    if shown_reps not in (None, card["reps"]):
        raise AnsweredSince
    last = card["last_reviewed_at"]
    reviewed_at = at if last is None else max(at, last + timedelta(microseconds=1))
    before = memory_of(card)
    after = next_state(before, rating, reviewed_at, member.desired_retention)
    reps, lapses = card["reps"] + 1, card["lapses"] + is_lapse(rating, card["state"])
    review_id = uuid7()
    _SCHEDULE.later(member_id=member.id, card_id=card_id, reps=reps, lapses=lapses, **after)
    actor = writing_call().who()
    _LOG.later(
        id=review_id,
        member_id=member.id,
        card_id=card_id,
        rating=rating,
        reviewed_at=reviewed_at,
        duration_ms=duration_ms,
        desired_retention=member.desired_retention,
        by_kind=actor.kind.value,
        by_id=actor.id,
        by_name=actor.name,
        **before,
    )
    access.open_write.logged_as(review_id)
    if duration_ms is not None:
        took = float(min(max(duration_ms / 1000, _LEAST_SECONDS), MOST_SECONDS))
        _SECONDS.later(member_id=member.id, took=took)
    record_attempt(
        access,
        review_id,
        source=Source.VOCAB,
        topic=card["deck_name"],
        correct=rating != Rating.AGAIN,
        at=at,
        deck_id=card["deck_id"],
        course_id=card["course_id"],
        is_first=before["state"] == CardState.NEW,
        foretold=foretold(before, reviewed_at),
        around=card,
    )
    return card_row({**card, **after, "reps": reps, "lapses": lapses})
