"""What an operation takes and what it answers, each declared once.

`Body` and `Query` parse requests; `Record` declares an answer. All three are DRF serializers, so that `/openapi.json`
is made from them, but none is instantiated per request: parsing uses one shared instance, and a record's columns go
straight from the database row into the answer (see `studyservice.database.statements`).
"""

from collections.abc import Mapping
from functools import cache
from typing import Any, ClassVar, Self, cast

from django.http import QueryDict
from rest_framework import serializers

from studyservice.operations.errors import ValidationFailed, flatten


class Body(serializers.Serializer[Any]):
    """A request body: a JSON object with strict types; unknown fields are ignored.

    `example` is published with the schema.
    """

    example: ClassVar[dict[str, Any]]

    default_error_messages: ClassVar[dict[str, Any]] = {"invalid": "Must be a JSON object."}

    @classmethod
    @cache
    def shared(cls, partial: bool) -> Self:
        """The one instance that parses every request; validation keeps no state on it."""
        return cls(partial=partial)

    @classmethod
    def parse(cls, data: Any, *, partial: bool = False) -> dict[str, Any]:
        """The validated fields; with `partial`, only those that were sent.

        Raises:
            ValidationFailed: with every field that is wrong.
        """
        if not isinstance(data, dict):
            raise ValidationFailed.of("body", "Must be a JSON object.")
        try:
            return dict(cls.shared(partial).run_validation(data))
        except serializers.ValidationError as error:
            raise ValidationFailed(flatten(error.detail)) from None


def _string(value: Any) -> str:
    if not isinstance(value, str):
        raise serializers.ValidationError(["Must be a string."])
    return value


class Query(serializers.Serializer[Any]):
    """Query parameters: text; unknown ones are ignored, the last of repeated ones counts, an empty value is wrong.

    A name that is a keyword of Python is declared with an underscore behind it: `from_` is the parameter `from`.
    """

    @classmethod
    @cache
    def shared(cls) -> Self:
        """The one instance that parses every request."""
        return cls()

    @classmethod
    def parse(cls, query: QueryDict | dict[str, str]) -> dict[str, Any]:
        """The validated parameters; those that were not sent and have no default are left out.

        Raises:
            ValidationFailed: with every parameter that is wrong.
        """
        data = {name: query[name] for name in query}
        try:
            return dict(cls.shared().run_validation(data))
        except serializers.ValidationError as error:
            raise ValidationFailed(flatten(error.detail)) from None

    @classmethod
    def parse_json(cls, values: dict[str, Any]) -> dict[str, Any]:
        """The same from JSON values: a number or a boolean where one is declared, a string elsewhere.

        Raises:
            ValidationFailed: with every parameter that is wrong.
        """
        text: dict[str, str] = {}
        mistyped: dict[str, Any] = {}
        for name, field in cls.shared().fields.items():
            if name in values:
                try:
                    text[name] = getattr(field, "from_json", _string)(values[name])
                except serializers.ValidationError as error:
                    mistyped[name] = error.detail
        try:
            parsed = dict(cls.shared().run_validation(text))
        except serializers.ValidationError as error:
            raise ValidationFailed(flatten({**cast(Mapping[str, Any], error.detail), **mistyped})) from None
        if mistyped:
            raise ValidationFailed(flatten(mistyped))
        return parsed

    def get_fields(self) -> dict[str, Any]:
        """The declared fields under their names in the query."""
        return {name.rstrip("_"): field for name, field in super().get_fields().items()}

    def to_internal_value(self, data: Any) -> Any:
        """The parameters; empty ones are refused together with whatever else is wrong."""
        empty = {
            name: ["Must not be empty."]
            for name, field in self.fields.items()
            if data.get(name) == "" and not getattr(field, "allow_blank", False)
        }
        if not empty:
            return super().to_internal_value(data)
        details: dict[str, Any] = {}
        try:
            super().to_internal_value({name: value for name, value in data.items() if name not in empty})
        except serializers.ValidationError as error:
            details |= error.detail  # type: ignore[arg-type]  # a serializer's detail is always a mapping
        raise serializers.ValidationError(details | empty)


class Record(serializers.Serializer[Any]):
    """The shape of an answer; every field is always present.

    A field's `source` is its column: a model field, a path over relations (`course.name`) or an annotation. Fields
    named in `computed` have no column and are filled in afterwards. `example` is published with the schema.
    """

    example: ClassVar[dict[str, Any]]

    computed: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def columns(cls) -> dict[str, str]:
        """Wire name to column path, in the declared order."""
        return {
            name: (field.source or name).replace(".", "__")
            for name, field in cls().fields.items()
            if name not in cls.computed
        }


def page(data: list[dict[str, Any]], next_cursor: str | None = None) -> dict[str, Any]:
    """The common shape Page (spec, Common shapes)."""
    return {"data": data, "has_more": next_cursor is not None, "next_cursor": next_cursor}


class Deleted(Record):
    """The answer to a deletion."""

    example: ClassVar[dict[str, Any]] = {
        "id": "5b0f3d4e-7c1a-4f8e-9a55-1f6f0f0c2b11",
        "deleted": True,
    }

    id = serializers.UUIDField(help_text="The id of what was deleted.")
    deleted = serializers.BooleanField(help_text="Always true.")
