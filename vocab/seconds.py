"""The mean duration of the member's reviews, updated with each review."""

from decimal import ROUND_HALF_UP, Decimal

from django.db.models import F, FloatField
from django.db.models.functions import Least

from accounts.members.models import MOST_SECONDS
from accounts.models import Member
from accounts.rows.access import Access
from studyservice.database.statements import Param, Update

LEAST_SECONDS = 1
"""Minimum duration that a review counts as."""

WINDOW = 50
"""Number of reviews before the mean is used. From then on, older ones lose weight."""

ASSUMED = Decimal("12.00")
"""Assumed seconds per review until then."""

_NOTE = Update(
    Member.objects.filter(id=Param("member_id")),
    {
        "seconds": F("seconds")
        + (Param("took", FloatField()) - F("seconds"))
        / Least(F("seconds_reviews") + 1, float(WINDOW), output_field=FloatField()),
        "seconds_reviews": F("seconds_reviews") + 1,
    },
)


def told_seconds(access: Access) -> tuple[Decimal, bool]:
    """The seconds per review, to two places, and whether they were measured."""
    if access.member.seconds_reviews < WINDOW:
        return ASSUMED, False
    return Decimal(access.member.seconds).quantize(Decimal("0.01"), ROUND_HALF_UP), True


def note_seconds(access: Access, duration_ms: int) -> None:
    """Include this duration in the mean, inside a change."""
    took = float(min(max(duration_ms / 1000, LEAST_SECONDS), MOST_SECONDS))
    _NOTE.later(member_id=access.member.id, took=took)
