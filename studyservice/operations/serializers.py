"""Declarations of requests, and the answers that operations share.

`Body` and `Query` are DRF serializers, from which drf-spectacular generates `/openapi.json`. None is instantiated for
a request: one shared instance parses all. Answers are declared by `studyservice.operations.answers`.
"""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Annotated, Any, ClassVar, Generic, Self, TypedDict, TypeVar, cast
from uuid import UUID

from rest_framework import serializers

from studyservice.operations.answers import answer
from studyservice.operations.columns import Field, request_field
from studyservice.operations.errors import ValidationFailed, flatten

RowT = TypeVar("RowT")


class Body(serializers.Serializer[Any]):
    """A request body: a JSON object with strict types. Unknown fields are ignored.

    Fields are derived from the columns of a model, like those of a `ModelSerializer`. `Meta.model` is the model.
    `Meta.fields` names its columns, in order. The class may declare some of these itself, and further fields.
    `Meta.extra_kwargs` holds the arguments that differ from the column's. A field defaults to the column's default.

    `example` is published with the schema.
    """

    example: ClassVar[dict[str, Any]]

    default_error_messages: ClassVar[dict[str, Any]] = {"invalid": "Must be a JSON object."}

    def get_fields(self) -> dict[str, Field]:
        """Return the columns' fields and the declared ones."""
        declared = super().get_fields()
        meta: Any = getattr(self, "Meta", None)
        if meta is None:
            return declared
        changes = getattr(meta, "extra_kwargs", {})
        return {
            name: declared[name] if name in declared else request_field(meta.model, name, **changes.get(name, {}))
            for name in dict.fromkeys((*meta.fields, *declared))
        }

    @classmethod
    @cache
    def shared(cls, partial: bool) -> Self:
        """Return the instance that parses every request. Validation keeps no state on it."""
        return cls(partial=partial)

    @classmethod
    def parse(cls, data: Any, *, partial: bool = False) -> dict[str, Any]:
        """Return the validated fields; with `partial`, only those that were sent.

        Raises:
            ValidationFailed: lists every wrong field.
        """
        if not isinstance(data, dict):
            raise ValidationFailed.of("body", "Must be a JSON object.")
        try:
            return dict(cls.shared(partial).run_validation(data))
        except serializers.ValidationError as error:
            raise ValidationFailed(flatten(error.detail)) from None


class Query(serializers.Serializer[Any]):
    """Query parameters. Unknown ones are ignored; an empty text is an error.

    Attributes:
        wire_names: names in the query that are not Python names, by the names under which they are declared and
            returned.
    """

    wire_names: ClassVar[dict[str, str]] = {}

    @classmethod
    @cache
    def shared(cls) -> Self:
        """Return the instance that parses every request."""
        return cls()

    @classmethod
    def parse(cls, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the validated parameters, from JSON values. Those not sent and without a default are left out.

        Raises:
            ValidationFailed: lists every wrong parameter.
        """
        if values.keys().isdisjoint(cls.shared().fields):
            return dict(cls._defaults())
        return cls._validated(values)

    @classmethod
    @cache
    def _defaults(cls) -> Mapping[str, Any]:
        """Return the parameters of a request that sends none. Cached, since defaults are constant.

        Raises:
            ValidationFailed: some are required.
        """
        return cls._validated({})

    @classmethod
    def _validated(cls, values: Mapping[str, Any]) -> dict[str, Any]:
        try:
            return dict(cls.shared().run_validation(values))
        except serializers.ValidationError as error:
            raise ValidationFailed(flatten(error.detail)) from None

    @classmethod
    def parse_text(cls, query: Mapping[str, str]) -> dict[str, Any]:
        """Parse the text of a query string. In a `QueryDict` the last of repeated parameters counts.

        Raises:
            ValidationFailed: lists every wrong parameter.
        """
        decoders = cls._decoders()
        return cls.parse({name: decoders.get(name, str)(query[name]) for name in query})

    @classmethod
    @cache
    def _decoders(cls) -> dict[str, Callable[[str], Any]]:
        """Return functions from text to a JSON value other than a string, by parameter."""
        fields = cls.shared().fields
        return {name: field.from_text for name, field in fields.items() if hasattr(field, "from_text")}

    def get_fields(self) -> dict[str, Any]:
        """Return the declared fields under their names in the query."""
        fields = super().get_fields()
        for name in self.wire_names:
            fields[name].source = name
        return {self.wire_names.get(name, name): field for name, field in fields.items()}

    def to_internal_value(self, data: Any) -> Any:
        """Parse the parameters. Empty ones are reported together with all other errors."""
        wrong = {
            name: [why] for name in self.fields.keys() & data.keys() if (why := self._type_error(name, data[name]))
        }
        if not wrong:
            return super().to_internal_value(data)
        details: dict[str, Any] = {}
        try:
            super().to_internal_value({name: value for name, value in data.items() if name not in wrong})
        except serializers.ValidationError as error:
            details |= cast(Mapping[str, Any], error.detail)
        raise serializers.ValidationError(details | wrong)

    def _type_error(self, name: str, value: Any) -> str | None:
        """Return why `value` has the wrong type for this parameter, or None. Fields check numbers and booleans
        themselves.
        """
        if value == "" and not getattr(self.fields[name], "allow_blank", False):
            return "Must not be empty."
        if not isinstance(value, str) and name not in self._decoders():
            return "Must be a string."
        return None


class Page(TypedDict, Generic[RowT]):
    """Some rows of a list (spec, Common shapes)."""

    data: list[RowT]
    has_more: bool
    next_cursor: str | None


def page(data: list[RowT], next_cursor: str | None = None) -> Page[RowT]:
    """Return `data` as a page. Without a cursor it is the last."""
    return {"data": data, "has_more": next_cursor is not None, "next_cursor": next_cursor}


@answer(id="5b0f3d4e-7c1a-4f8e-9a55-1f6f0f0c2b11", deleted=True)
class DeletedRow(TypedDict):
    """The answer to a deletion."""

    id: Annotated[UUID, "The id of what was deleted."]
    deleted: Annotated[bool, "Always true."]


def deletion(of: UUID) -> DeletedRow:
    """Return the answer to the deletion of the object with this id."""
    return {"id": of, "deleted": True}
