"""Cards and reviews that were written by a server whose clock was ahead of the true time."""

from datetime import datetime

from django.db.models import Max, Q

from accounts.clocks import brought_back
from accounts.models import Member
from vocab.models import Card, Review

_BATCH = 500


def bring_reviews_back(member: Member, now: datetime) -> None:
    """Let reviews later than `now` be of now, in their order, and their cards be due as much earlier.

    This alone changes the review log, and only in it when a review was.
    """
    log = Review.objects.filter(member=member)
    cards = Card.objects.filter(member=member)
    before = log.filter(reviewed_at__lte=now).aggregate(newest=Max("reviewed_at"))["newest"]
    ahead = list(log.filter(Q(reviewed_at__gt=now) | Q(last_reviewed_at__gt=now) | Q(state="new", due_at__gt=now)))
    reviewed = list(cards.filter(last_reviewed_at__gt=now))
    moments = {review.reviewed_at for review in ahead} | {card.last_reviewed_at for card in reviewed}
    moments |= {review.last_reviewed_at for review in ahead}
    moved = brought_back((moment for moment in moments if moment is not None and moment > now), now, before)
    both: list[Card | Review] = [*ahead, *reviewed]
    for row in both:
        old = row.last_reviewed_at
        if old is None:
            row.due_at = min(row.due_at, now)
        elif old in moved:
            row.due_at -= old - moved[old]
            row.last_reviewed_at = moved[old]
    for review in ahead:
        review.reviewed_at = moved.get(review.reviewed_at, review.reviewed_at)
    Review.objects.bulk_update(ahead, ["reviewed_at", "last_reviewed_at", "due_at"], batch_size=_BATCH)
    Card.objects.bulk_update(reviewed, ["last_reviewed_at", "due_at"], batch_size=_BATCH)
    cards.filter(last_reviewed_at=None, due_at__gt=now).update(due_at=now)
