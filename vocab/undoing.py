"""Undo a review."""

from uuid import UUID

from django.utils import timezone

from accounts.changes.contents import Part, type_of
from accounts.changes.models import Change
from accounts.changes.recording import Write
from accounts.models import Member
from accounts.undo.kinds import TOO_OLD
from accounts.undo.log import undoable
from accounts.undo.undo import store_undone
from practice.attempts import remove_attempt
from studyservice.database.ahead import Ahead, delete_later, update_later
from studyservice.database.limiting import WholeMember
from studyservice.operations.errors import Conflict
from vocab.changes import KeptReview, as_change, find_review, states
from vocab.models import Card, CardState, Rating, Review

_UNDONE = WholeMember("undoing a review that the credential sees takes back its attempt and its sums")


def undo_review(member: Member, write: Write, review_id: UUID) -> bool:
    """Undo a review: the card's state, the row of the review log, the attempt and the sums of its day.

    The change is then copied to the log of changes, which lists it as undone.

    Raises:
        Conflict: it is not the card's last, is too old, or has no known actor.
    """
    review = find_review(member, review_id)
    if review is None:
        return False
    if not undoable(review["reviewed_at"], timezone.now()):
        raise Conflict(TOO_OLD)
    if review["by_kind"] is None:
        raise Conflict(
            "Who gave this answer was not kept yet, so it cannot be taken back. Review the card again instead."
        )
    with _UNDONE.rows():
        return _take_back(member, write, review_id, review)


def _take_back(member: Member, write: Write, review_id: UUID, review: KeptReview) -> bool:
    mine = Card.objects.filter(member_id=member.id, id=review["card_id"])
    of_card = Review.objects.filter(member_id=member.id, card_id=review["card_id"])
    later = Ahead(of_card.filter(reviewed_at__gt=review["reviewed_at"]).values_list("id", "card_id"))
    card = mine.get()
    if card.last_reviewed_at != review["reviewed_at"] or [*later]:
        raise Conflict(f"“{card.term}” was reviewed again since. Undo its later reviews first.")
    before, after = states(review)
    lapsed = review["rating"] == Rating.AGAIN and review["state"] == CardState.REVIEW
    update_later(mine, reps=card.reps - 1, lapses=card.lapses - lapsed, **before)
    remove_attempt(member.id, review_id)
    delete_later(of_card.filter(id=review_id))
    part = Part(type_of(Card), card.id, card.term, before, {"rating": review["rating"], **after})
    change = Change(**as_change(review))
    store_undone(member, write, change, part)
    return True
