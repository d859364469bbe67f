"""FSRS's prediction for each review, stored with its attempt and summed in the practice statistics."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Exists, OuterRef, QuerySet

from practice.models import CERTAIN, Attempt
from practice.rebuilding import rebuild_sums
from vocab.models import CardState, Review
from vocab.scheduling import recall

AT_ONCE = 5000
"""Number of reviews that are in memory at once."""

_UPDATE = "UPDATE practice_attempt SET is_first = %s, foretold = %s WHERE member_id = %s AND id = %s"


def foretold(before: Mapping[str, Any], at: datetime) -> int | None:
    """The predicted recall in billionths of a card with this state. None unless it was in the state review."""
    stability, last = before["stability"], before["last_reviewed_at"]
    if before["state"] != CardState.REVIEW or stability is None or last is None:
        return None
    return round(recall(stability, last, at) * CERTAIN)


def fill_attempts(member_id: UUID) -> int:
    """Add missing predictions to attempts, computed from the review log. Return how many were missing.

    They are missing after importing an older archive. Call inside a transaction under the member's lock.
    """
    filled = sum(_fill(piece, member_id) for piece in _pieces(member_id))
    if filled:
        rebuild_sums([member_id])
    return filled


def _pieces(member_id: UUID) -> Iterator[list[dict[str, Any]]]:
    """The member's reviews without predictions, oldest first, in lists of at most `AT_ONCE`."""
    lacking: QuerySet[Any] = QuerySet(Attempt).filter(
        member_id=member_id, id=OuterRef("id"), is_first=False, foretold=None
    )
    told: QuerySet[Any] = QuerySet(Review).filter(
        Exists(lacking), member_id=member_id, state__in=(CardState.NEW, CardState.REVIEW)
    )
    later = ordered = told.order_by("reviewed_at", "id")
    while piece := list(later.values("reviewed_at", "id", "state", "stability", "last_reviewed_at")[:AT_ONCE]):
        yield piece
        last = piece[-1]
        later = ordered.filter(reviewed_at__gte=last["reviewed_at"])
        later = later.exclude(reviewed_at=last["reviewed_at"], id__lte=last["id"])


def _fill(piece: list[dict[str, Any]], member_id: UUID) -> int:
    """Write predictions for some reviews, without the ORM, which would need a statement for each."""
    prepare = Attempt._meta.get_field("id").get_db_prep_save
    rows = [
        (
            line["state"] == CardState.NEW,
            foretold(line, line["reviewed_at"]),
            prepare(member_id, connection),
            prepare(line["id"], connection),
        )
        for line in piece
    ]
    with connection.cursor() as cursor:
        cursor.executemany(_UPDATE, rows)
    return len(rows)
