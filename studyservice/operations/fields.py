"""Strict fields for requests: JSON types are not bent into each other.

They take JSON values. What stands in a query string is decoded first: `from_text` of a field gives the JSON value that
a text stands for; a field without it takes the text. Each is a DRF field, so that drf-spectacular publishes the very
limits that are enforced.
"""

import re
import uuid
from datetime import UTC, date, datetime
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, ClassVar

from rest_framework import serializers
from rest_framework.validators import ProhibitSurrogateCharactersValidator

from studyservice.operations.errors import MAX_DETAILS

_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", re.ASCII)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_INTEGER = re.compile(r"-?\d{1,308}", re.ASCII)
"""With no more digits than the largest number of JSON as it is commonly read (RFC 8259 section 6) has."""
_HOUR, _SIXTIETHS = r"(?:[01]\d|2[0-3])", r"[0-5]\d"
_TIMESTAMP = re.compile(
    rf"(\d{{4}}-\d{{2}}-\d{{2}})[Tt]({_HOUR}:{_SIXTIETHS}:{_SIXTIETHS})(?:\.(\d+))?"
    rf"(?:([Zz])|([+ -])({_HOUR}:{_SIXTIETHS}))",
    re.ASCII,
)
"""The ranges are those of RFC 3339 section 5.6; `fromisoformat` takes 60 minutes of an offset for an hour."""

_FIRST_INSTANT = datetime(1, 1, 1, tzinfo=UTC)
_LAST_INSTANT = datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC)


def parse_uuid(text: Any) -> uuid.UUID | None:
    """The UUID in its hyphenated form, in any case; None for anything else."""
    return uuid.UUID(text) if isinstance(text, str) and _UUID.fullmatch(text) else None


def validate_encodable(text: str) -> None:
    """Refuse a surrogate as DRF does, whose validator looks at every character by itself, 20 ms for a megabyte.

    Raises:
        ValidationError: there is one.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        ProhibitSurrogateCharactersValidator()(text)


class StringField(serializers.CharField):
    """A JSON string, trimmed as `str.strip` does and then measured in code points.

    With `blank_is_null`, text that is empty after trimming is stored as null.
    """

    default_error_messages: ClassVar[dict[str, Any]] = {
        "invalid": "Must be a string.",
        "blank": "Must not be empty.",
        "null": "Must not be null.",
        "max_length": "Must have at most {max_length} characters.",
    }

    def __init__(self, *, blank_is_null: bool = False, **kwargs: Any) -> None:
        self.blank_is_null = blank_is_null
        if blank_is_null:
            kwargs |= {"allow_null": True, "allow_blank": True, "required": False}
        else:
            kwargs.setdefault("min_length", 1)
        super().__init__(**kwargs)
        self.validators = [
            validate_encodable if isinstance(validator, ProhibitSurrogateCharactersValidator) else validator
            for validator in self.validators
        ]

    def run_validation(self, data: Any = serializers.empty) -> Any:
        """The trimmed string, or None."""
        if data is not serializers.empty and data is not None and not isinstance(data, str):
            self.fail("invalid")
        value = super().run_validation(data)
        return None if self.blank_is_null and value == "" else value


class NumberField(serializers.FloatField):
    """A JSON number, kept to four decimals, half-up. Returns a `Decimal`."""

    default_error_messages: ClassVar[dict[str, Any]] = {
        "invalid": "Must be a number.",
        "null": "Must not be null.",
        "min_value": "Must be at least {min_value}.",
        "max_value": "Must be at most {max_value}.",
    }

    def to_internal_value(self, data: Any) -> Any:
        """The number as written."""
        if isinstance(data, bool) or not isinstance(data, int | float):
            self.fail("invalid")
        return data

    def run_validation(self, data: Any = serializers.empty) -> Any:
        """The number as a `Decimal` with four places, checked against the limits before rounding."""
        value = super().run_validation(data)
        if not isinstance(value, int | float):
            return value
        # Adding 0 turns a negative zero into zero.
        return Decimal(str(value)).quantize(Decimal("0.0001"), ROUND_HALF_UP) + 0


class IntegerField(serializers.IntegerField):
    """A JSON number without a fraction, such as 5 or 5.0."""

    default_error_messages: ClassVar[dict[str, Any]] = {
        "invalid": "Must be a whole number.",
        "null": "Must not be null.",
        "min_value": "Must be at least {min_value}.",
        "max_value": "Must be at most {max_value}.",
    }

    def to_internal_value(self, data: Any) -> int:
        """The number."""
        whole = isinstance(data, int) or (isinstance(data, float) and data.is_integer())
        if isinstance(data, bool) or not whole:
            self.fail("invalid")
        return int(data)


class BooleanField(serializers.BooleanField):
    """JSON `true` or `false`, nothing else."""

    default_error_messages: ClassVar[dict[str, Any]] = {
        "invalid": "Must be true or false.",
        "null": "Must not be null.",
    }

    def to_internal_value(self, data: Any) -> bool:
        """The boolean."""
        if not isinstance(data, bool):
            self.fail("invalid")
        return data


class DateField(serializers.DateField):
    """A calendar date `YYYY-MM-DD`."""

    default_error_messages: ClassVar[dict[str, Any]] = {
        "invalid": "Must be a calendar date written YYYY-MM-DD.",
        "null": "Must not be null.",
    }

    def to_internal_value(self, value: Any) -> date:
        """The date."""
        if not isinstance(value, str) or not _DATE.fullmatch(value):
            self.fail("invalid")
        try:
            return date.fromisoformat(value)
        except ValueError:
            self.fail("invalid")


class IdField(serializers.UUIDField):
    """A UUID in its hyphenated form."""

    default_error_messages: ClassVar[dict[str, Any]] = {
        "invalid": "Must be a UUID.",
        "null": "Must not be null.",
    }

    def to_internal_value(self, data: Any) -> Any:
        """The UUID."""
        value = parse_uuid(data)
        if value is None:
            self.fail("invalid")
        return value


class ChoiceField(serializers.ChoiceField):
    """One of a few strings."""

    default_error_messages: ClassVar[dict[str, Any]] = {
        "invalid_choice": "Must be one of: {allowed}.",
        "null": "Must not be null.",
    }

    def to_internal_value(self, data: Any) -> Any:
        """The choice."""
        if not isinstance(data, str) or data not in self.choices:
            self.fail("invalid_choice", allowed=", ".join(self.choices))
        return data


class OpenChoiceField(serializers.ChoiceField):
    """One of a few strings in an answer, to which others may be added: published as an open enum.

    Args:
        component: the name of its schema.
    """

    def __init__(self, component: str, **kwargs: Any) -> None:
        self.component = component
        super().__init__(**kwargs)


class ListField(serializers.ListField):
    """A JSON array. Its length is checked first, so that a list over its limit costs nothing for each element.

    DRF's own field validates every element before it counts them. Reading also stops once more elements are wrong
    than `ValidationFailed` tells of.
    """

    default_error_messages: ClassVar[dict[str, Any]] = {
        "not_a_list": "Must be an array.",
        "null": "Must not be null.",
        "min_length": "Must have at least {min_length} entries.",
        "max_length": "Must have at most {max_length} entries.",
    }

    def to_internal_value(self, data: Any) -> list[Any]:
        """The validated elements."""
        if not isinstance(data, list):
            self.fail("not_a_list")
        self.run_validators(data)  # those of the length are all that a list has
        return self.run_child_validation(data)

    def run_child_validation(self, data: list[Any]) -> list[Any]:
        """The validated elements.

        Raises:
            ValidationError: some are wrong; by index.
        """
        found: list[Any] = []
        errors: dict[Any, Any] = {}  # by index, as those of DRF's own field
        for index, element in enumerate(data):
            try:
                found.append(self.child.run_validation(element))
            except serializers.ValidationError as error:
                errors[index] = error.detail
                if len(errors) > MAX_DETAILS:
                    break
        if errors:
            raise serializers.ValidationError(errors)
        return found


class QueryIntegerField(IntegerField):
    """A whole number among the query parameters."""

    default_error_messages: ClassVar[dict[str, Any]] = {"null": "Must be a whole number."}

    def from_text(self, text: str) -> int | str:
        """The number, or the text if it is none."""
        return int(text) if _INTEGER.fullmatch(text) else text


class QueryBooleanField(BooleanField):
    """A boolean among the query parameters, where it is written `true` or `false`."""

    default_error_messages: ClassVar[dict[str, Any]] = {"null": "Must be true or false."}

    def from_text(self, text: str) -> bool | str:
        """The boolean, or the text if it is none."""
        return {"true": True, "false": False}.get(text, text)


class QueryTimestampField(serializers.DateTimeField):
    """An RFC 3339 date-time with `Z` or an offset, among the query parameters.

    A `+` that was not percent-encoded arrives as a space and is read as `+`; digits beyond microseconds are cut. An
    instant outside the years 1 to 9999 in UTC is moved to the nearest one inside.
    """

    default_error_messages: ClassVar[dict[str, Any]] = {
        "invalid": "Must be a date-time with Z or an offset, such as 2026-01-31T08:00:00Z.",
    }

    def to_internal_value(self, value: Any) -> datetime:
        """The instant in UTC."""
        match = _TIMESTAMP.fullmatch(value)
        if match is None:
            self.fail("invalid")
        day, clock, fraction, zulu, sign, offset = match.groups()
        zone = "+00:00" if zulu else ("-" if sign == "-" else "+") + offset
        try:
            local = datetime.fromisoformat(f"{day}T{clock}.{(fraction or '0')[:6]:0<6}{zone}")
        except ValueError:
            self.fail("invalid")
        try:
            return local.astimezone(UTC)
        except OverflowError:
            return _LAST_INSTANT if local.year > 1 else _FIRST_INSTANT


class CursorField(serializers.CharField):
    """An opaque cursor in a query string; what it says is checked when it is decoded."""

    MAX_LENGTH = 200

    default_error_messages: ClassVar[dict[str, Any]] = {"max_length": "Must have at most {max_length} characters."}

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(max_length=self.MAX_LENGTH, allow_blank=True, trim_whitespace=False, **kwargs)
        self.validators = [v for v in self.validators if hasattr(v, "limit_value")]
