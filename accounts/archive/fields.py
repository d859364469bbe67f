"""Fields that only archives have: stored timestamps and numbers."""

from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar

from django.utils import timezone
from rest_framework import serializers

FIRST = datetime(1970, 1, 1, tzinfo=UTC)
LAST = datetime(2200, 1, 1, tzinfo=UTC)
"""The limit of moments. The latest due time of a card is a hundred years ahead."""

SLACK = timedelta(days=1)
"""How far in the future timestamps may be, because the archive's server may have a different clock."""


class MomentField(serializers.Field[datetime, Any, str, Any]):
    """An RFC 3339 date-time with its offset, to the microsecond.

    Args:
        past: whether it must be in the past.
    """

    default_error_messages: ClassVar[dict[str, Any]] = {
        "invalid": "Must be a date-time with Z or an offset, such as 2026-01-31T08:00:00Z.",
        "range": f"Must be from {FIRST.year} to {LAST.year - 1}.",
        "future": "Must not be in the future.",
        "null": "Must not be null.",
    }

    def __init__(self, *, past: bool = False, **kwargs: Any) -> None:
        self._past = past
        super().__init__(**kwargs)

    def to_internal_value(self, data: Any) -> datetime:
        """Return the moment in UTC."""
        try:
            moment = datetime.fromisoformat(data)
        except (TypeError, ValueError):
            self.fail("invalid")
        if moment.tzinfo is None:
            self.fail("invalid")
        if not FIRST <= moment < LAST:
            self.fail("range")
        if self._past and moment > timezone.now() + SLACK:
            self.fail("future")
        return moment.astimezone(UTC)


class ExactField(serializers.Field[float, Any, float, Any]):
    """A number from `least` to `most`, not rounded."""

    default_error_messages: ClassVar[dict[str, Any]] = {
        "invalid": "Must be a number from {least} to {most}.",
        "null": "Must not be null.",
    }

    def __init__(self, *, least: float, most: float, **kwargs: Any) -> None:
        self._least, self._most = least, most
        super().__init__(**kwargs)

    def to_internal_value(self, data: Any) -> float:
        """Return the number."""
        if isinstance(data, bool) or not isinstance(data, int | float) or not self._least <= data <= self._most:
            self.fail("invalid", least=self._least, most=self._most)
        return float(data)
