"""Convert column values to and from JSON, as stored in the log of changes."""

from collections.abc import Callable, Iterable
from datetime import date, datetime
from decimal import Decimal
from functools import cache
from typing import Any
from uuid import UUID

import orjson
from django.db import models
from django.db.models import Model

from accounts.changes.contents import INTERNAL, Fields, Json, as_words, dumps, type_of
from accounts.members.data import member_data


@cache
def _models() -> dict[str, type[Model]]:
    return {type_of(data.model): data.model for data in member_data() if data.is_study_data}


def model_of(type_: str) -> type[Model] | None:
    """Return the model named by `accounts.changes.contents.type_of`, or None if it no longer exists."""
    return _models().get(type_)


def as_kept(values: Fields) -> dict[str, Json]:
    """Convert values of columns to the form stored in the log, to compare the two."""
    kept: dict[str, Json] = orjson.loads(dumps(dict(values)))
    return kept


def reader(field: "models.Field[Any, Any]") -> Callable[[Any], Any] | None:
    """Return a function that converts a stored value of the column back, or None if the two are the same.

    Faster than `Field.to_python`, which tests the type of each value.
    """
    while isinstance(field, models.ForeignKey):
        field = field.target_field
    for kind, read in _READERS:
        if isinstance(field, kind):
            return read
    return None


_READERS: tuple[tuple[type["models.Field[Any, Any]"], Callable[[Any], Any]], ...] = (
    (models.UUIDField, UUID),
    (models.DateTimeField, datetime.fromisoformat),  # first, because it is a DateField too
    (models.DateField, date.fromisoformat),
    (models.FloatField, float),  # whole numbers too: PostgreSQL's driver needs values of one type
    (models.DecimalField, lambda kept: Decimal(str(kept))),
)


def value_of(field: "models.Field[Any, Any]", kept: object) -> object:
    """Convert a stored value back to the column's."""
    read = reader(field)
    return kept if kept is None or read is None else read(kept)


def changed_since(fields: Iterable[str], of: object) -> str:
    """Name the fields that have changed since: `The title and the kind of “Midterm” were changed since`."""
    fields = [*fields]
    told = [name for name in fields if name not in INTERNAL] or fields
    words = [f"the {as_words(name.removesuffix('_id'))}" for name in told]
    was_were = "was" if len(words) == 1 else "were"
    return f"T{' and '.join(words)[1:]} of “{of}” {was_were} changed since"
