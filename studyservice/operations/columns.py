"""Serializer fields built from model columns: length, range, choices, default, nullability and help text.

DRF's `ModelSerializer` was measured against this. It makes columns that forms cannot edit read-only, queries the
database for every reference and unique value, and needs all models loaded before the first statement is declared.
"""

from collections.abc import Callable
from enum import Enum
from typing import Any, TypeAlias

from django.core.validators import BaseValidator, MaxLengthValidator, MaxValueValidator, MinValueValidator
from django.db import models
from rest_framework import serializers
from rest_framework.utils.field_mapping import ClassLookupDict

from studyservice.database.times import TimeOfDayField
from studyservice.operations.fields import (
    BooleanField,
    ChoiceField,
    DateField,
    IdField,
    IntegerField,
    NumberField,
    StringField,
    TimeField,
)

Column: TypeAlias = "models.Field[Any, Any]"
Kinds: TypeAlias = "ClassLookupDict[Column, Callable[..., Field]]"
Field: TypeAlias = "serializers.Field[Any, Any, Any, Any]"

_TEXTS = (models.CharField, models.TextField)
_NUMBERS = (models.IntegerField, models.DecimalField, models.FloatField)

_REQUEST: Kinds = ClassLookupDict(
    {
        TimeOfDayField: TimeField,
        models.CharField: StringField,
        models.TextField: StringField,
        models.UUIDField: IdField,
        models.BooleanField: BooleanField,
        models.DateField: DateField,
        models.IntegerField: IntegerField,
        models.DecimalField: NumberField,
        models.FloatField: NumberField,
    }
)

_ANSWER: Kinds = ClassLookupDict(
    {
        models.EmailField: serializers.EmailField,
        models.CharField: serializers.CharField,
        models.TextField: serializers.CharField,
        models.UUIDField: serializers.UUIDField,
        models.BooleanField: serializers.BooleanField,
        models.DateTimeField: serializers.DateTimeField,
        models.DateField: serializers.DateField,
        models.IntegerField: serializers.IntegerField,
        models.DecimalField: serializers.FloatField,
        models.FloatField: serializers.FloatField,
    }
)


def column_of(model: type[models.Model], name: str) -> Column:
    """Return the column with this attribute name, like `course_id`.

    Raises:
        LookupError: the model has no such column.
    """
    for column in model._meta.concrete_fields:
        if column.attname == name:
            return column
    raise LookupError(f"{model.__name__} has no column {name}. Name a column in Meta.fields, or declare the field.")


def max_length(model: type[models.Model], name: str) -> int:
    """Return the maximum length of a text column.

    Raises:
        LookupError: the model has no such column, or the column has no limit.
    """
    column = column_of(model, name)
    return column.max_length or int(_limit(column, MaxLengthValidator))


def request_field(model: type[models.Model], name: str, **changes: Any) -> Field:
    """Return a strict field that parses a value for the column.

    Args:
        changes: arguments that differ from the column's.
    """
    column = column_of(model, name)
    options: dict[str, Any] = {"help_text": column.help_text}
    if column.has_default() and not callable(column.default):
        options["default"] = column.default.value if isinstance(column.default, Enum) else column.default
    if column.choices:
        return ChoiceField(**options | _choices(column) | changes)
    if isinstance(column, _TEXTS) and not isinstance(column, TimeOfDayField):
        options |= {"max_length": max_length(model, name), "blank_is_null": column.null}
    elif column.null:
        options |= {"allow_null": True, "default": None}
    if isinstance(column, _NUMBERS) and not {"min_value", "max_value"} <= changes.keys():
        options |= {"min_value": _limit(column, MinValueValidator), "max_value": _limit(column, MaxValueValidator)}
    return _built(_REQUEST, column, options | changes)


def answer_field(model: type[models.Model], name: str, **changes: Any) -> Field:
    """Return a field that describes the column's value in an answer.

    Args:
        changes: arguments that differ from the column's.
    """
    column = column_of(model, name)
    options: dict[str, Any] = {"help_text": column.help_text, **({"allow_null": True} if column.null else {})}
    if column.choices:
        return serializers.ChoiceField(**options | _choices(column) | changes)
    return _built(_ANSWER, column, options | changes)


def _built(kinds: Kinds, column: Column, options: dict[str, Any]) -> Field:
    field: Field = kinds[column.target_field if isinstance(column, models.ForeignKey) else column](**options)
    return field


def _choices(column: Column) -> dict[str, list[Any]]:
    return {"choices": [value for value, _ in column.flatchoices]}


def _limit(column: Column, kind: type[BaseValidator]) -> Any:
    """Return the limit in the column's declared validators. `Field.validators` would add the database's ranges."""
    declared = column.deconstruct()[3].get("validators", ())
    limit = next((one.limit_value for one in declared if isinstance(one, kind)), None)
    if limit is None:
        raise LookupError(f"{column} has no limit. Add a {kind.__name__} to its validators.")
    return limit
