"""How long a review takes the member: a mean that is kept on the member with each review."""

from django.db.models import F, FloatField
from django.db.models.functions import Least

from accounts.changes.recording import Write
from accounts.members.models import MOST_SECONDS
from accounts.models import Member
from studyservice.database.statements import Param, Update

LEAST_SECONDS = 1
"""What a shorter review counts as."""

WINDOW = 50
"""Reviews from which the mean is told; from then on it forgets the oldest."""

ASSUMED = 12.0
"""Seconds, until then."""

_NOTE = Update(
    Member.objects.filter(id=Param("member_id")),
    {
        "seconds": F("seconds")
        + (Param("took", FloatField()) - F("seconds"))
        / Least(F("seconds_reviews") + 1, float(WINDOW), output_field=FloatField()),
        "seconds_reviews": F("seconds_reviews") + 1,
    },
)


def note_seconds(write: Write, duration_ms: int) -> None:
    """Let the mean follow a review that took so long; inside `write`."""
    took = float(min(max(duration_ms / 1000, LEAST_SECONDS), MOST_SECONDS))
    write.later(_NOTE, member_id=write.member_id, took=took)
