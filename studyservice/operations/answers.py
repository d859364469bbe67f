"""Declarations of answers.

The `TypedDict` of an answer is its only declaration. Domain functions return it, `Select` reads its columns
(`studyservice.database.rows`), and its serializer describes it in `/openapi.json`:

    @answer(Course, id="3f9f5a9e-6f5e-4a58-9a43-0d4a0b6f2c01", name="Cell Biology", has_syllabus=True)
    class CourseRow(TypedDict):
        "A course."

        id: UUID
        name: str
        has_syllabus: Annotated[bool, "Whether a syllabus text is stored."]
        items: NotRequired[Annotated[list[ItemRow], "Its items."]]

A field without a text has that of the model's column, which also determines its kind. Other fields have the kind of
their type, or that of `one_of` and `open_choice`.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property, partial
from types import NoneType
from typing import (
    IO,
    Annotated,
    Any,
    ClassVar,
    NotRequired,
    TypeAlias,
    TypedDict,
    TypeVar,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)
from uuid import UUID

from django.db.models import JSONField, Model
from rest_framework import serializers

from studyservice.operations.columns import Field, answer_field
from studyservice.operations.fields import OpenChoiceField

T = TypeVar("T")

Kind: TypeAlias = Callable[..., Field]

_KINDS: dict[Any, Kind] = {
    str: serializers.CharField,
    int: serializers.IntegerField,
    float: serializers.FloatField,
    bool: serializers.BooleanField,
    UUID: serializers.UUIDField,
    datetime: serializers.DateTimeField,
    date: serializers.DateField,
    dict[str, int]: partial(serializers.DictField, child=serializers.IntegerField()),
    Mapping[str, object]: serializers.DictField,
}


class Record(serializers.Serializer[Any]):
    """Describes an answer in `/openapi.json`. None is instantiated for a request."""

    example: ClassVar[dict[str, Any]]


@dataclass
class Answer:
    """A declared answer.

    Attributes:
        row: its class.
        model: its fields with the name of a column are described as that column.
        example: published with the schema.
    """

    row: Any
    model: type[Model] | None
    example: dict[str, Any]

    @cached_property
    def record(self) -> type[Record]:
        """Return the serializer that describes it. It is named like the class, without `Row`."""
        columns = {} if self.model is None else _columns_of(self.model)
        hints = get_type_hints(self.row, include_extras=True)
        fields = {name: _field(hint, columns.get(name)) for name, hint in hints.items()}
        about = {"__doc__": self.row.__doc__, "__module__": self.row.__module__}
        record: Any = type(self.row.__name__.removesuffix("Row"), (Record,), about | fields)
        record.example = self.example  # set afterwards, because a field may have this name
        return cast("type[Record]", record)


ANSWERS: dict[Any, Answer] = {}
"""Every answer by its class."""


def answer(model: type[Model] | None = None, /, **example: Any) -> Callable[[T], T]:
    """Declare the decorated `TypedDict` as an answer. Its docstring is published. The arguments are of `Answer`."""

    def declare(row: T) -> T:
        ANSWERS[row] = Answer(row, model, example)
        return row

    return declare


def example_of(row: Any) -> dict[str, Any]:
    """Return the example of an answer."""
    return ANSWERS[row].example


def record_of(row: Any) -> type[Record]:
    """Return the serializer that describes an answer."""
    return ANSWERS[row].record


class DownloadRow(TypedDict):
    """A file.

    Attributes:
        content: its bytes, or an open file at its beginning, which is closed once it is sent.
        media_type: one of those that the operation declares.
    """

    content: bytes | IO[bytes]
    filename: str
    media_type: str


def one_of(choices: Iterable[str]) -> Kind:
    """Mark a field with one of these values."""
    return partial(serializers.ChoiceField, choices=[*choices])


def open_choice(component: str, choices: Iterable[str]) -> Kind:
    """Mark a field with one of these values or others that are added later, published as `component`."""
    return partial(OpenChoiceField, component, choices=[*choices])


def _columns_of(model: type[Model]) -> dict[str, Kind]:
    """Return the kinds of field of the model's columns. Columns with JSON are described by the type of their values."""
    columns = [column for column in model._meta.concrete_fields if not isinstance(column, JSONField)]
    return {column.attname: partial(answer_field, model, column.attname) for column in columns}


def _field(hint: Any, column: Kind | None = None) -> Field:
    """Return the field for an annotation.

    Args:
        column: the kind of field of the model's column.
    """
    marks: list[Any] = []
    options: dict[str, Any] = {}
    if get_origin(hint) is NotRequired:
        options["required"] = False
        [hint] = get_args(hint)
    if get_origin(hint) is Annotated:
        hint, *marks = get_args(hint)
    if NoneType in get_args(hint):
        options["allow_null"] = True
        [hint] = (one for one in get_args(hint) if one is not NoneType)
    kind = column or partial(_of_type, hint)
    for mark in marks:
        if isinstance(mark, str):
            options["help_text"] = mark
        elif callable(mark):
            kind = mark
    return kind(**options)


def _of_type(value: Any, **options: Any) -> Field:
    """Return the field for values of a type."""
    if value in ANSWERS:
        return record_of(value)(**options)
    if get_origin(value) is list:
        return serializers.ListField(child=_field(*get_args(value)), **options)
    return _KINDS[value](**options)
