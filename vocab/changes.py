"""Reviews as changes: the review log stores who answered, and the card's earlier state."""

from datetime import datetime
from functools import cache
from itertools import islice
from typing import Any
from uuid import UUID

from django.db.models import F, Q, QuerySet
from django.utils import timezone

from accounts.changes.contents import Part, packed, type_of
from accounts.changes.models import KEPT_FOR, Change
from accounts.changes.recording import Write, store_rows
from accounts.changes.records import ChangeRow
from accounts.members.data import Columns
from accounts.models import Member
from accounts.undo.log import Wanted, keyset, undoable
from studyservice.database.ahead import delete_later
from studyservice.database.batches import batches
from studyservice.database.snapshots import in_pieces
from studyservice.database.statements import Param, Select
from vocab.models import Card, Review
from vocab.scheduling import MemoryState, next_state


class Reviewed(MemoryState):
    """A review with its card's term."""

    id: UUID
    card_id: UUID
    term: str
    rating: str
    reviewed_at: datetime
    desired_retention: float
    by_kind: str | None
    by_id: UUID | None
    by_name: str | None


class KeptReview(Reviewed):
    """The same with the deck's course, as stored in the log of changes."""

    course_id: UUID | None


MOST_KEPT = 10_000
"""Maximum number of reviews that one deletion copies to the log of changes: twenty for each card of a full deck."""

_AT_ONCE = 500
_OPERATION = "review_vocab_card"

_STATE = tuple(MemoryState.__annotations__)
_COLUMNS = {name: name for name in (*_STATE, *Reviewed.__annotations__)} | {"term": "card__term"}

# The join names the member too, like every statement.
_MINE = Review.objects.filter(member_id=Param("member_id"), card__member_id=Param("member_id"))
_KEPT = _COLUMNS | {"course_id": "card__deck__course_id"}
_ONE = Select[KeptReview](_MINE.filter(id=Param("review_id"), card__deck__member_id=Param("member_id")), _KEPT)


def review_changes(member: Member, wanted: Wanted) -> list[ChangeRow]:
    """The member's reviews as changes of their cards."""
    now = timezone.now()
    return [_change_row(row, now) for row in _statement(wanted.place()).all(**wanted.values(member))]


@cache
def _statement(place: str) -> Select[Reviewed]:
    return Select[Reviewed](keyset(_MINE, "reviewed_at", Q(card_id=Param("object_id")), place), _COLUMNS, limited=True)


def keep_reviews(write: Write, cards: QuerySet[Card]) -> None:
    """Copy the reviews of `cards`, which are about to be deleted, to the log of changes.

    The newest `MOST_KEPT` of a deletion are kept, as changes that cannot be undone. If the deletion is undone, they are
    listed from the review log again (`reviews_come_back`).
    """
    since = timezone.now() - KEPT_FOR
    mine = Review.objects.filter(member_id=write.member_id, card__member_id=write.member_id, card__in=cards)
    mine = mine.filter(card__deck__member_id=write.member_id)
    columns = {name: F(path) for name, path in _KEPT.items() if name != path}
    newest: Any = mine.filter(reviewed_at__gt=since).order_by("-reviewed_at", "-id")[:MOST_KEPT]
    rows = in_pieces(newest.values(*(_KEPT.keys() - columns.keys()), **columns))
    rest = {"member_id": write.member_id, "taken": None, "undoable": False, "undone_at": None}
    while batch := [as_change(row) | rest for row in islice(rows, _AT_ONCE)]:
        store_rows(batch)


def reviews_come_back(member: Member, rows: list[Columns]) -> None:
    """Remove the copies of restored reviews from the log of changes."""
    told = Change.objects.filter(member_id=member.id, operation=_OPERATION, undone_at=None)
    for card_ids in batches({row["card_id"] for row in rows}):
        delete_later(told.filter(object_id__in=card_ids))


def as_change(row: KeptReview) -> dict[str, Any]:
    """The columns of a review as a row of the log of changes."""
    before, after = states(row)
    part = Part(type_of(Card), row["card_id"], row["term"], before, {"rating": row["rating"], **after})
    return {
        "id": row["id"],
        "created_at": row["reviewed_at"],
        "operation": _OPERATION,
        "by_kind": row["by_kind"],
        "by_id": row["by_id"],
        "by_name": row["by_name"] or "",
        "object_type": part.type,
        "object_id": part.id,
        "object_name": part.name,
        "contents": packed([part]),
        "course_id": row["course_id"],
        "courses": "",
        "grades": False,
    }


def find_review(member: Member, review_id: UUID) -> KeptReview | None:
    """The review with its card's term."""
    return _ONE.first(member_id=member.id, review_id=review_id)


def states(row: Reviewed) -> tuple[MemoryState, MemoryState]:
    """The card's state before the review, and the resulting one, recalculated from the log."""
    before: MemoryState = {
        "state": row["state"],
        "step": row["step"],
        "stability": row["stability"],
        "difficulty": row["difficulty"],
        "due_at": row["due_at"],
        "last_reviewed_at": row["last_reviewed_at"],
    }
    return before, next_state(before, row["rating"], row["reviewed_at"], row["desired_retention"])


def _change_row(row: Reviewed, now: datetime) -> ChangeRow:
    before, after = states(row)
    by_kind = row["by_kind"]
    return {
        "id": row["id"],
        "created_at": row["reviewed_at"],
        "operation": _OPERATION,
        "by": None if by_kind is None else {"kind": by_kind, "id": row["by_id"], "name": row["by_name"] or None},
        "object": {"type": type_of(Card), "id": row["card_id"], "name": row["term"]},
        "before": before,
        "after": {"rating": row["rating"], **after},
        "undoable": by_kind is not None and undoable(row["reviewed_at"], now),
        "undone_at": None,
    }
