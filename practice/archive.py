"""Attempts in an archive; their sums are made anew."""

from datetime import timedelta
from typing import Any

from rest_framework import serializers

from accounts.archive.fields import MomentField
from accounts.archive.tables import ArchiveTable
from practice.models import Attempt, Source
from studyservice.operations.fields import BooleanField, ChoiceField, DateField, IdField, StringField
from studyservice.operations.serializers import Body

_A_DAY = timedelta(days=1)


class AttemptLine(Body):
    """An attempt."""

    id = IdField()
    source = ChoiceField(choices=Source.values)  # type: ignore[assignment]  # the stub takes it for Field.source
    topic = StringField(max_length=120)
    deck_id = IdField(allow_null=True)
    course_id = IdField(allow_null=True)
    correct = BooleanField()
    attempted_at = MomentField(past=True)
    day = DateField()

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """In no time zone is it a day more or less than the next or the last one in UTC."""
        if abs(attrs["day"] - attrs["attempted_at"].date()) > _A_DAY:
            raise serializers.ValidationError({"day": ["Is not the day of attempted_at in any time zone."]})
        return attrs


ATTEMPTS = ArchiveTable(
    name="attempts",
    model=Attempt,
    line=AttemptLine,
    order=("attempted_at", "id"),
    references={"deck_id": "decks", "course_id": "courses"},
    keeps_time=True,
)
