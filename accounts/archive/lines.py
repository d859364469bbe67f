"""Lines of an archive: rows by the columns of their model, checked by the rules of the operations.

A column that a request body has follows the body's rules; any other follows those of the column and its constraints.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar

from django.db import models
from django.db.models import CheckConstraint, Model, Q
from django.utils import timezone
from rest_framework import serializers

from accounts.members.archived import MAX_POSITION
from accounts.members.data import columns_of
from studyservice.operations.columns import Field, request_field
from studyservice.operations.serializers import Body

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

    def __init__(self, *, past: bool = True, **kwargs: Any) -> None:
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
    """A number from `min_value` to `max_value`, not rounded."""

    default_error_messages: ClassVar[dict[str, Any]] = {
        "invalid": "Must be a number from {least} to {most}.",
        "null": "Must not be null.",
    }

    def __init__(self, *, min_value: float, max_value: float, **kwargs: Any) -> None:
        self._least, self._most = min_value, max_value
        super().__init__(**kwargs)

    def to_internal_value(self, data: Any) -> float:
        """Return the number."""
        if isinstance(data, bool) or not isinstance(data, int | float) or not self._least <= data <= self._most:
            self.fail("invalid", least=self._least, most=self._most)
        return float(data)


class Line(Body):
    """A line with every column of `columns`, in order. Other fields of a base class are left out.

    Attributes:
        model: that of the row.
    """

    model: ClassVar[type[Model]]
    columns: ClassVar[Sequence[str]]

    def get_fields(self) -> dict[str, Field]:
        """Return the fields. All are required, and null where the column may be."""
        ruled = super().get_fields()
        fields = {name: ruled.get(name) or line_field(self.model, name) for name in self.columns}
        for name, field in fields.items():
            field.required, field.default = True, serializers.empty
            field.allow_null = columns_of(self.model)[name].null
        return fields


def line_field(model: type[Model], name: str) -> Field:
    """Return a field with the rules of a column and its check constraint. Texts are not trimmed."""
    column = columns_of(model)[name]
    if isinstance(column, models.DateTimeField):
        return MomentField()
    if isinstance(column, models.FloatField):
        return ExactField(**_bounds(model, name))
    if isinstance(column, models.IntegerField | models.DecimalField):
        return request_field(model, name, **_bounds(model, name))
    if isinstance(column, models.CharField | models.TextField) and not column.choices:
        return request_field(model, name, allow_blank=column.blank, trim_whitespace=False)
    return request_field(model, name)


def _bounds(model: type[Model], name: str) -> dict[str, Any]:
    """Return the bounds in the check constraint of a column of numbers, by default 0 and `MAX_POSITION`."""
    found = {"min_value": 0, "max_value": MAX_POSITION}
    for constraint in model._meta.constraints:
        condition = constraint.condition if isinstance(constraint, CheckConstraint) else None
        first = condition.children[0] if isinstance(condition, Q) else None
        if isinstance(first, tuple) and first[0] == f"{name}__range":
            found["min_value"], found["max_value"] = first[1]
        elif isinstance(first, tuple) and first[0] == f"{name}__gte":
            found["min_value"] = first[1]
    return found
