"""Fields for query parameters, which arrive as text over REST and as JSON from tools.

The text of a query string is decoded first: a field's `from_text` returns its JSON value. A field without it accepts
the text.
"""

import re
from datetime import UTC, datetime
from typing import Any, ClassVar

from rest_framework import serializers

from studyservice.operations.fields import BooleanField, IntegerField, ListField, NumberField

_INTEGER = re.compile(r"-?\d{1,308}", re.ASCII)
"""At most as many digits as the largest number in common JSON parsers (RFC 8259 section 6)."""
_NUMBER = re.compile(r"-?\d{1,30}(\.\d{1,30})?([eE][+-]?\d{1,2})?", re.ASCII)
_HOUR, _SIXTIETHS, _FRACTION = r"(?:[01]\d|2[0-3])", r"[0-5]\d", r"(?:[.,]\d+)?"
_TIMESTAMP = re.compile(
    r"(\d{4}-\d\d-\d\d|\d{8})[Tt ]"
    rf"({_HOUR}(?::{_SIXTIETHS}(?::{_SIXTIETHS}{_FRACTION})?|{_SIXTIETHS}(?:{_SIXTIETHS}{_FRACTION})?)?)"
    rf"(?:[Zz]|([+ -])({_HOUR}(?::?{_SIXTIETHS})?))",
    re.ASCII,
)
"""A calendar date and time of ISO 8601, extended or basic, in the ranges of RFC 3339 section 5.6. `fromisoformat` takes
any separator, and 60 minutes of an offset as an hour.
"""

_FIRST_INSTANT = datetime(1, 1, 1, tzinfo=UTC)
_LAST_INSTANT = datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC)


class QueryIntegerField(IntegerField):
    """A whole number among the query parameters."""

    default_error_messages: ClassVar[dict[str, Any]] = {"null": "Must be a whole number."}

    def from_text(self, text: str) -> int | str:
        """Return the number, or the text if it is not one."""
        return int(text) if _INTEGER.fullmatch(text) else text


class QueryBooleanField(BooleanField):
    """A boolean among the query parameters: `true` or `false`."""

    default_error_messages: ClassVar[dict[str, Any]] = {"null": "Must be true or false."}

    def from_text(self, text: str) -> bool | str:
        """Return the boolean, or the text if it is not one."""
        return {"true": True, "false": False}.get(text, text)


class QueryNumberField(NumberField):
    """A number among the query parameters, in JSON's format."""

    def from_text(self, text: str) -> float | str:
        """Return the number, or the text if it is not one."""
        return float(text) if _NUMBER.fullmatch(text) else text


class QueryListField(ListField):
    """An array among the query parameters, separated by commas; empty or null means none."""

    def from_text(self, text: str) -> list[str] | str:
        """Return the elements. The text itself is never valid."""
        return text.split(",") if text else text


class QueryTimestampField(serializers.DateTimeField):
    """An ISO 8601 date-time of the calendar with `Z` or an offset, among the query parameters.

    A `+` that was not percent-encoded arrives as a space and is read as `+`. Digits beyond microseconds are cut. An
    instant outside the years 1 to 9999 in UTC is moved to the nearest one inside.
    """

    default_error_messages: ClassVar[dict[str, Any]] = {
        "invalid": "Must be a date-time with Z or an offset, such as 2026-01-31T08:00:00Z.",
    }

    def to_internal_value(self, value: Any) -> datetime:
        """Return the instant in UTC."""
        match = _TIMESTAMP.fullmatch(value)
        if match is None:
            self.fail("invalid")
        day, clock, sign, offset = match.groups(default="")
        try:
            local = datetime.fromisoformat(f"{day}T{clock}{'-' if sign == '-' else '+'}{offset or '00'}")
        except ValueError:
            self.fail("invalid")
        try:
            return local.astimezone(UTC)
        except OverflowError:
            return _LAST_INSTANT if local.year > 1 else _FIRST_INSTANT


class CursorField(serializers.CharField):
    """An opaque cursor in a query string. It is checked when it is decoded."""

    MAX_LENGTH = 200

    default_error_messages: ClassVar[dict[str, Any]] = {"max_length": "Must have at most {max_length} characters."}

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(max_length=self.MAX_LENGTH, allow_blank=True, trim_whitespace=False, **kwargs)
        self.validators = [v for v in self.validators if hasattr(v, "limit_value")]
