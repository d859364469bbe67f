"""Repairing cards and reviews written by a server whose clock was ahead of the true time."""

from datetime import datetime

from django.db.models import Max

from accounts.changes.clocks import move, shifts
from accounts.models import Member
from vocab.models import Card, CardState, Review


def bring_reviews_back(member: Member, now: datetime) -> None:
    """Move reviews later than `now` back to `now` and before, in order, and the due times of their cards by as much.

    No other code changes the review log.
    """
    log = Review.objects.filter(member=member)
    cards = Card.objects.filter(member=member)
    newest = log.filter(reviewed_at__lte=now).aggregate(newest=Max("reviewed_at"))["newest"]
    ahead = log.filter(reviewed_at__gt=now).values_list("reviewed_at", flat=True)
    for shift in shifts(ahead, now, newest):
        move(log, shift, "reviewed_at")
        move(log, shift, "last_reviewed_at", "due_at")  # the card's state before the review
        move(cards, shift, "last_reviewed_at", "due_at")
    log.filter(state=CardState.NEW, due_at__gt=now).update(due_at=now)
    cards.filter(state=CardState.NEW, due_at__gt=now).update(due_at=now)
