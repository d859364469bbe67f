"""Reviews as changes: the review log stores who answered, and the card's earlier state."""

from datetime import datetime
from functools import cache
from itertools import islice
from typing import Annotated, Any
from uuid import UUID

from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from accounts.models import Member
from practice.models import Attempt
from studyservice.changes.contents import ChangeRow, as_kept, packed, type_of
from studyservice.changes.recording import Write
from studyservice.database.executing import batches, delete_later
from studyservice.database.rows import At
from studyservice.database.statements import Param
from studyservice.models import KEPT_FOR, Change
from studyservice.operations.errors import Conflict
from studyservice.registry.data import Touched
from studyservice.rows.access import Access, MemberSelect
from studyservice.undo.entries import Effects
from studyservice.undo.log import CHANGES, Logged, Wanted, keyset, undoable
from vocab.models import Card, Review
from vocab.scheduling import MemoryState, is_lapse, memory_of, next_state


class Reviewed(MemoryState):
    """A review with its card's term."""

    id: UUID
    card_id: UUID
    term: Annotated[str, At("card__term")]
    rating: str
    reviewed_at: datetime
    desired_retention: float
    by_kind: str | None
    by_id: UUID | None
    by_name: str | None


class KeptReview(Reviewed):
    """The same with the deck's course, as stored in the log of changes."""

    course_id: Annotated[UUID | None, At("card__deck__course_id")]


class UndoneReview(KeptReview):
    """The same with the card as it is now, and whether the attempt is stored."""

    reps: Annotated[int, At("card__reps")]
    lapses: Annotated[int, At("card__lapses")]
    newest_at: Annotated[datetime, At("card__last_reviewed_at")]
    attempted: bool


MOST_KEPT = 10_000
"""Maximum number of reviews that one deletion copies to the log of changes: twenty for each card of a full deck."""

_AT_ONCE = 500
_OPERATION = "review_vocab_card"

_SEEN = Review.rows.declared.filter(card__member_id=Param("member_id"))
_ATTEMPT = Attempt.rows.whole.filter(id=OuterRef("id"))
_ONE = MemberSelect(
    _SEEN.filter(id=Param("review_id"), card__deck__member_id=Param("member_id")).annotate(attempted=Exists(_ATTEMPT)),
    UndoneReview,
)


def review_changes(access: Access, wanted: Wanted) -> list[ChangeRow]:
    """The reviews that the call sees as changes of their cards."""
    now = timezone.now()
    return [_change_row(row, now) for row in _statement(wanted.place()).all(access, **wanted.values())]


@cache
def _statement(place: str) -> MemberSelect[Reviewed]:
    return MemberSelect(keyset(_SEEN, "reviewed_at", Q(card_id=Param("object_id")), place), Reviewed, limited=True)


def keep_reviews(access: Access, path: str, object_id: UUID) -> None:
    """Copy the reviews of cards that are about to be deleted to the log of changes.

    The newest `MOST_KEPT` of a deletion are kept, as changes that cannot be undone. If the deletion is undone, they are
    listed from the review log again (`settle_copies`).

    Args:
        path: from a review to the deleted object: `card_id` or `card__deck_id`.
    """
    since = timezone.now() - KEPT_FOR
    rows = iter(_newest(path).all(access, object_id=object_id, since=since, limit=MOST_KEPT))
    rest = {"member_id": access.member.id, "taken": None, "undoable": False, "undone_at": None}
    while batch := [as_change(row) | rest for row in islice(rows, _AT_ONCE)]:
        CHANGES.of(access).insert(*batch)


@cache
def _newest(path: str) -> MemberSelect[KeptReview]:
    recent = _SEEN.filter(
        card__deck__member_id=Param("member_id"), **{path: Param("object_id")}, reviewed_at__gt=Param("since")
    )
    return MemberSelect(recent.order_by("-reviewed_at", "-id"), KeptReview, limited=True)


def settle_copies(member: Member, write: Write, touched: Touched) -> None:
    """Remove the copies of restored reviews from the log of changes."""
    told = Change.objects.filter(member_id=member.id, operation=_OPERATION, undone_at=None)
    for card_ids in batches({row["card_id"] for row in touched.get(Review, ())}):
        delete_later(told.filter(object_id__in=card_ids))


def as_change(row: KeptReview) -> dict[str, Any]:
    """The columns of a review as a row of the log of changes."""
    before, after = states(row)
    return {
        "id": row["id"],
        "created_at": row["reviewed_at"],
        "operation": _OPERATION,
        "by_kind": row["by_kind"],
        "by_id": row["by_id"],
        "by_name": row["by_name"] or "",
        "object_type": type_of(Card),
        "object_id": row["card_id"],
        "object_name": row["term"],
        "contents": packed(before, {"rating": row["rating"], **after}),
        "course_id": row["course_id"],
        "courses": "",
        "grades": False,
    }


def logged_review(access: Access, review_id: UUID) -> Logged | None:
    """The review as a change to undo: its card's state, the row of the review log, and the attempt.

    Raises:
        Conflict: it is not the card's last.
    """
    review = _ONE.first(access, review_id=review_id)
    if review is None:
        return None
    if review["newest_at"] != review["reviewed_at"]:
        raise Conflict(f"“{review['term']}” was reviewed again since. Undo its later reviews first.")
    effects = Effects()
    counts = {"reps": review["reps"], "lapses": review["lapses"]}
    fewer = {"reps": review["reps"] - 1, "lapses": review["lapses"] - is_lapse(review["rating"], review["state"])}
    effects.add(Card._meta.label, review["card_id"], review["term"], as_kept({**memory_of(review), **fewer}), counts)
    effects.add(Review._meta.label, review_id, review["term"], None, {})
    if review["attempted"]:
        effects.add(Attempt._meta.label, review_id, review["term"], None, {})
    rest = {"taken": None, "undoable": review["by_kind"] is not None, "undone_at": None}
    return Logged(as_change(review) | rest, effects)


def states(row: Reviewed) -> tuple[MemoryState, MemoryState]:
    """The card's state before the review, and the resulting one, recalculated from the log."""
    before = memory_of(row)
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
