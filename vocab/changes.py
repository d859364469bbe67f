"""Reviews as rows of the log of changes: the review log says who answered, and the card's state before."""

from datetime import datetime
from functools import cache
from uuid import UUID

from django.db.models import Q
from django.utils import timezone

from accounts.change_contents import type_of
from accounts.change_log import Wanted, keyset, undoable
from accounts.models import Member
from accounts.serializers import ChangeRow
from studyservice.database.statements import Param, Select
from vocab.models import Card, Review
from vocab.scheduling import MemoryState, next_state


class Reviewed(MemoryState):
    """A line of the review log with its card's term."""

    id: UUID
    card_id: UUID
    term: str
    rating: str
    reviewed_at: datetime
    desired_retention: float
    by_kind: str | None
    by_id: UUID | None
    by_name: str | None


_STATE = tuple(MemoryState.__annotations__)
_COLUMNS = {name: name for name in (*_STATE, *Reviewed.__annotations__)} | {"term": "card__term"}

# The join names the member too, as every statement does.
_MINE = Review.objects.filter(member_id=Param("member_id"), card__member_id=Param("member_id"))
_ONE = Select[Reviewed](_MINE.filter(id=Param("review_id")), _COLUMNS)


def review_changes(member: Member, wanted: Wanted) -> list[ChangeRow]:
    """The member's reviews as changes of their cards."""
    now = timezone.now()
    return [_told(row, now) for row in _statement(wanted.place()).all(**wanted.values(member))]


@cache
def _statement(place: str) -> Select[Reviewed]:
    return Select[Reviewed](keyset(_MINE, "reviewed_at", Q(card_id=Param("object_id")), place), _COLUMNS, limited=True)


def find_review(member: Member, review_id: UUID) -> Reviewed | None:
    """The line of the review log with its card's term."""
    return _ONE.first(member_id=member.id, review_id=review_id)


def states(row: Reviewed) -> tuple[MemoryState, MemoryState]:
    """The card's state before the review, and the one it led to, calculated again from what the log has."""
    before: MemoryState = {
        "state": row["state"],
        "step": row["step"],
        "stability": row["stability"],
        "difficulty": row["difficulty"],
        "due_at": row["due_at"],
        "last_reviewed_at": row["last_reviewed_at"],
    }
    return before, next_state(before, row["rating"], row["reviewed_at"], row["desired_retention"])


def _told(row: Reviewed, now: datetime) -> ChangeRow:
    before, after = states(row)
    by_kind = row["by_kind"]
    return {
        "id": row["id"],
        "created_at": row["reviewed_at"],
        "operation": "review_vocab_card",
        "by": None if by_kind is None else {"kind": by_kind, "id": row["by_id"], "name": row["by_name"] or None},
        "object": {"type": type_of(Card), "id": row["card_id"], "name": row["term"]},
        "before": before,
        "after": {"rating": row["rating"], **after},
        "undoable": by_kind is not None and undoable(row["reviewed_at"], now),
        "undone_at": None,
    }
