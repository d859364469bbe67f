"""Attempts in an archive. Their sums are recomputed on import."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

from rest_framework import serializers

from practice.models import Attempt
from studyservice.operations.serializers import Body

_A_DAY = timedelta(days=1)


class AttemptRules(Body):
    """An attempt."""

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Check the date: in every time zone it is that of UTC, the day before, or the day after."""
        if abs(attrs["day"] - attrs["attempted_at"].date()) > _A_DAY:
            raise serializers.ValidationError({"day": ["Is not the day of attempted_at in any time zone."]})
        return attrs


def remove_present(member_id: UUID, lines: Sequence[Mapping[str, Any]]) -> int:
    """Delete the attempts in these lines that outlived their decks; the imported ones refer to the decks again.

    Attempts are equal if time, topic and result are. The query uses the index by day.
    """
    wanted = Counter((line["attempted_at"], line["topic"], line["correct"]) for line in lines)
    moments = {moment for moment, _, _ in wanted}
    mine = Attempt.objects.filter(member_id=member_id)
    near = mine.filter(day__range=(min(moments).date() - _A_DAY, max(moments).date() + _A_DAY))
    found = []
    present = near.filter(attempted_at__in=moments).values_list("id", "attempted_at", "topic", "correct")
    for attempt_id, attempted_at, topic, correct in present:
        same = (attempted_at, topic, correct)
        if wanted[same]:
            wanted[same] -= 1
            found.append(attempt_id)
    mine.filter(id__in=found).delete()
    return len(found)
