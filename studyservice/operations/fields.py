"""Strict fields for requests: no JSON type is converted into another.

They accept JSON values; fields for query strings are in `studyservice.operations.query_fields`. All are DRF fields, so
that drf-spectacular publishes exactly the enforced limits.
"""

import re
import uuid
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, ClassVar

from django.core.validators import RegexValidator
from rest_framework import serializers
from rest_framework.validators import ProhibitSurrogateCharactersValidator

from studyservice.database.times import NOT_A_TIME, TIME
from studyservice.operations.errors import MAX_DETAILS

_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", re.ASCII)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_TIME = re.compile(TIME)


def parse_uuid(text: Any) -> uuid.UUID | None:
    """Return the UUID in its hyphenated form, in any case; None for anything else."""
    return uuid.UUID(text) if isinstance(text, str) and _UUID.fullmatch(text) else None


def validate_encodable(text: str) -> None:
    """Refuse surrogates like DRF, whose own validator takes 20 ms per megabyte.

    Raises:
        ValidationError: there is one.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        ProhibitSurrogateCharactersValidator()(text)


class StringField(serializers.CharField):
    """A JSON string, trimmed like `str.strip` and then measured in code points.

    With `blank_is_null`, text that is missing, or empty after trimming, becomes null.
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
            kwargs = {"default": None} | kwargs | {"allow_null": True, "allow_blank": True}
        elif not kwargs.get("allow_blank"):
            kwargs.setdefault("min_length", 1)
        super().__init__(**kwargs)
        self.validators = [
            validate_encodable if isinstance(validator, ProhibitSurrogateCharactersValidator) else validator
            for validator in self.validators
        ]

    def run_validation(self, data: Any = serializers.empty) -> Any:
        """Return the trimmed string, or None."""
        if data is not serializers.empty and data is not None and not isinstance(data, str):
            self.fail("invalid")
        value = super().run_validation(data)
        return None if self.blank_is_null and value == "" else value


class NumberField(serializers.FloatField):
    """A JSON number, rounded half-up to four decimals. Returns a `Decimal`."""

    default_error_messages: ClassVar[dict[str, Any]] = {
        "invalid": "Must be a number.",
        "null": "Must not be null.",
        "min_value": "Must be at least {min_value}.",
        "max_value": "Must be at most {max_value}.",
    }

    def to_internal_value(self, data: Any) -> Any:
        """Return the number unrounded."""
        if isinstance(data, bool) or not isinstance(data, int | float):
            self.fail("invalid")
        return data

    def run_validation(self, data: Any = serializers.empty) -> Any:
        """Return the number as a `Decimal` with four places, checked against the limits before rounding."""
        value = super().run_validation(data)
        if not isinstance(value, int | float):
            return value
        # Adding 0 turns a negative zero into zero.
        return Decimal(str(value)).quantize(Decimal("0.0001"), ROUND_HALF_UP) + 0


class IntegerField(serializers.IntegerField):
    """A JSON number without a fraction, like 5 or 5.0."""

    default_error_messages: ClassVar[dict[str, Any]] = {
        "invalid": "Must be a whole number.",
        "null": "Must not be null.",
        "min_value": "Must be at least {min_value}.",
        "max_value": "Must be at most {max_value}.",
    }

    def to_internal_value(self, data: Any) -> int:
        whole = isinstance(data, int) or (isinstance(data, float) and data.is_integer())
        if isinstance(data, bool) or not whole:
            self.fail("invalid")
        return int(data)


class BooleanField(serializers.BooleanField):
    """JSON `true` or `false` only."""

    default_error_messages: ClassVar[dict[str, Any]] = {
        "invalid": "Must be true or false.",
        "null": "Must not be null.",
    }

    def to_internal_value(self, data: Any) -> bool:
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
        if not isinstance(value, str) or not _DATE.fullmatch(value):
            self.fail("invalid")
        try:
            return date.fromisoformat(value)
        except ValueError:
            self.fail("invalid")


class TimeField(serializers.CharField):
    """A time of day `HH:MM`, not trimmed. Returns the text."""

    default_error_messages: ClassVar[dict[str, Any]] = {
        "invalid": NOT_A_TIME,
        "blank": NOT_A_TIME,
        "null": "Must not be null.",
    }

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs | {"trim_whitespace": False})
        self.validators = [RegexValidator(TIME, NOT_A_TIME)]  # published as the pattern

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str) or not _TIME.fullmatch(data):
            self.fail("invalid")
        return data


class IdField(serializers.UUIDField):
    """A UUID in its hyphenated form."""

    default_error_messages: ClassVar[dict[str, Any]] = {
        "invalid": "Must be a UUID.",
        "null": "Must not be null.",
    }

    def to_internal_value(self, data: Any) -> Any:
        value = parse_uuid(data)
        if value is None:
            self.fail("invalid")
        return value


class NeededIdField(IdField):
    """A UUID that must be sent, even in a body where other fields may be left out."""

    def run_validation(self, data: Any = serializers.empty) -> Any:
        """Return the UUID."""
        if data is serializers.empty:
            self.fail("required")
        return super().run_validation(data)


class ChoiceField(serializers.ChoiceField):
    """One of a few strings."""

    default_error_messages: ClassVar[dict[str, Any]] = {
        "invalid_choice": "Must be one of: {allowed}.",
        "null": "Must not be null.",
    }

    def to_internal_value(self, data: Any) -> Any:
        if not isinstance(data, str) or data not in self.choices:
            self.fail("invalid_choice", allowed=", ".join(self.choices))
        return data


class OpenChoiceField(serializers.ChoiceField):
    """One of a few strings in an answer, published as an open enum because others may be added.

    Args:
        component: the name of its schema.
    """

    def __init__(self, component: str, **kwargs: Any) -> None:
        self.component = component
        super().__init__(**kwargs)


class ListField(serializers.ListField):
    """A JSON array. Its length is checked first, so an oversized list costs nothing per element.

    DRF's own field validates every element before counting. This one also stops once more elements are wrong than
    `ValidationFailed` reports.
    """

    default_error_messages: ClassVar[dict[str, Any]] = {
        "not_a_list": "Must be an array.",
        "null": "Must not be null.",
        "min_length": "Must have {min_length} or more entries.",
        "max_length": "Must have at most {max_length} entries.",
    }

    def to_internal_value(self, data: Any) -> list[Any]:
        if not isinstance(data, list):
            self.fail("not_a_list")
        self.run_validators(data)  # a list has only validators of its length
        return self.run_child_validation(data)

    def run_child_validation(self, data: list[Any]) -> list[Any]:
        """Return the validated elements.

        Raises:
            ValidationError: some are wrong; by index.
        """
        found: list[Any] = []
        errors: dict[Any, Any] = {}  # by index, like DRF's own field
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
