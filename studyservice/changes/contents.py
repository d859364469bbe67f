"""The contents of a row in the log of changes: the fields of its object before and after, and counts of others.

Stored as JSON, compressed from `_WORTH_COMPRESSING` bytes on; the first byte says which. What an undo needs is stored
beside it (`studyservice.changes.stream`). Version 0.6 stored that here too (`studyservice.undo.version_0_6`): the other
objects of the call, and fields whose name begins with an underscore, which answers do not show.
"""

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import cache
from typing import Annotated, Any, TypedDict
from uuid import UUID

import orjson
from django.db import models
from django.db.models import Model

from studyservice.models import ActorKind
from studyservice.operations.answers import answer, example_of, open_choice
from studyservice.registry.data import member_data

UNDOABLE_FOR = timedelta(days=30)
"""How long a change can be undone, and its snapshots are kept."""

TOLD_CHARACTERS = 300
"""The maximum length of a text in an answer."""

UNTOLD = "_"
"""The prefix of fields that version 0.6 stored only for undo."""

INTERNAL = frozenset({"sequence", "done_at", "missable_from", "graded", "marked_at", "folded", "time_in_order", "hue"})
"""Columns that are not in any answer. The log may store them for undo."""

Json = bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"] | None
"""A JSON value."""

Fields = Mapping[str, object]
"""Values by column name, also as a `TypedDict`."""

_WORTH_COMPRESSING = 256
"""Below this many bytes zlib saves little and costs 15 µs."""

_PLAIN = b"{"


@dataclass(frozen=True, slots=True)
class Contents:
    """The stored contents of a row: its object, and other objects of the same call.

    Attributes:
        counts: by type of other objects, how many there were before and after.
        has_stream: the row has a stream with what an undo needs (`studyservice.changes.stream`).
        more: other objects, as version 0.6 stored them: type, id, name, and the fields before and after.
    """

    before: dict[str, Json] | None
    after: dict[str, Json] | None
    counts: Mapping[str, Sequence[int]] = field(default_factory=dict)
    has_stream: bool = False
    more: Sequence[Sequence[Any]] = ()

    def told(self, type_: str) -> tuple[dict[str, Json] | None, dict[str, Json] | None]:
        """Return the fields before and after, with long texts cut and further objects as counts.

        Args:
            type_: of the object that the row is about.
        """
        return self._told(0, self.before, type_), self._told(1, self.after, type_)

    def _told(self, side: int, fields: dict[str, Json] | None, type_: str) -> dict[str, Json] | None:
        """Return the fields of one side that answers show, with counts of other objects; None if there are none."""
        counts = {
            plural_of(one): numbers[side]
            for one, numbers in self.counts.items()
            if numbers[side] and (fields is not None or one == type_)
        }
        if fields is None and not counts:
            return None
        kept = {name: value for name, value in (fields or {}).items() if name not in INTERNAL}
        return {name: short(value) for name, value in told(kept).items()} | counts


def told(fields: Mapping[str, Json]) -> dict[str, Json]:
    """Return the fields without those that version 0.6 stored only for undo."""
    return {name: value for name, value in fields.items() if not name.startswith(UNTOLD)}


def type_of(model: type[Model]) -> str:
    """Return the type of an object in answers, like `grade_score`."""
    return str(model._meta.verbose_name).replace(" ", "_")


@cache
def _models() -> dict[str, type[Model]]:
    return {type_of(data.model): data.model for data in member_data() if data.is_study_data}


def model_of(type_: str) -> type[Model] | None:
    """Return the model named by `type_of`, or None if it no longer exists."""
    return _models().get(type_)


@cache
def plural_of(type_: str) -> str:
    """Return a plural like `grade_scores`."""
    return f"{type_[:-1]}ies" if type_.endswith("y") else f"{type_}s"


def as_words(type_: str) -> str:
    """Return words like `grade score`."""
    return type_.replace("_", " ")


def packed(
    before: Fields | None,
    after: Fields | None,
    counts: Mapping[str, Sequence[int]] | None = None,
    *,
    has_stream: bool = False,
) -> bytes:
    """Pack the contents of a row for storage."""
    contents: dict[str, object] = {"before": before, "after": after}
    if counts:
        contents["counts"] = counts
    if has_stream:
        contents["stream"] = True
    text = dumps(contents)
    return text if len(text) < _WORTH_COMPRESSING else zlib.compress(text)


def unpacked(stored: bytes | memoryview) -> Contents:
    """Unpack `packed`."""
    text = bytes(stored)
    contents = orjson.loads(text if text.startswith(_PLAIN) else zlib.decompress(text))
    counts, more = contents.get("counts", {}), contents.get("more", ())
    return Contents(contents["before"], contents["after"], counts | _counted(more), contents.get("stream", False), more)


def _counted(more: Sequence[Sequence[Any]]) -> dict[str, list[int]]:
    """Count the other objects that version 0.6 stored, by type, without those that have no fields to show."""
    numbers: dict[str, list[int]] = {}
    for type_, _, _, *sides in more:
        counts = numbers.setdefault(type_, [0, 0])
        for side, fields in enumerate(sides):
            counts[side] += fields is not None and (not fields or bool(told(fields)))
    return numbers


def dumps(value: object) -> bytes:
    """Encode as JSON. A number of four decimals becomes a float, which converts back exactly."""
    return orjson.dumps(value, default=float, option=orjson.OPT_UTC_Z)


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


def short(value: Json) -> Json:
    """Shorten a long text for answers."""
    if isinstance(value, str) and len(value) > TOLD_CHARACTERS:
        return f"{value[: TOLD_CHARACTERS - 1]}…"
    return value


@answer(kind="app", id="9c1d7b2e-5a3f-4e8d-b6c4-0f2a7d9e1b35", name="Claude")
class ActorRow(TypedDict):
    """The actor of a change."""

    kind: Annotated[
        str,
        open_choice("ActorKind", ActorKind.values),
        "An API key, a connected app, a page of this service, an operator, an operator's command, or a "
        "school calendar.",
    ]
    id: Annotated[UUID | None, "Id of the key, app, operator or calendar; null otherwise."]
    name: Annotated[str | None, "Its name at the time, or the calendar's host; null for a page."]


@answer(type="item", id="8f2b7c1d-0d3e-4c55-8a51-6a2b9b1f7e02", name="Midterm exam")
class ChangedObjectRow(TypedDict):
    """The object of a change."""

    type: Annotated[str, "Such as course, item, milestone, grade_score, deck or card."]
    id: Annotated[UUID, "Its id."]
    name: Annotated[str, "Its name, before the change."]


@answer(
    id="019a9c1f-6c2e-7b3a-8d41-5e0f6a7b8c9d",
    created_at="2030-11-21T08:30:00.000000Z",
    operation="update_item",
    by=example_of(ActorRow),
    object=example_of(ChangedObjectRow),
    before={"due_on": "2030-12-03"},
    after={"due_on": "2030-12-05"},
    undoable=True,
    undone_at=None,
)
class ChangeRow(TypedDict):
    """The change made by one call."""

    id: Annotated[UUID, "The change's id, or the review's."]
    created_at: Annotated[datetime, "When it was made."]
    operation: Annotated[str, "The operation; operator_read when an operator read the object."]
    by: Annotated[ActorRow | None, "The actor; null for old reviews."]
    object: Annotated[ChangedObjectRow, "The changed object, the first of several."]
    before: Annotated[
        Fields | None,
        "The changed fields before, texts cut at 300 characters, dependents as counts; null for a creation.",
    ]
    after: Annotated[Fields | None, "The same fields after; null for a deletion."]
    undoable: Annotated[bool, "Whether it can be undone, perhaps after later changes: for 30 days."]
    undone_at: Annotated[datetime | None, "When it was undone; null if it was not."]
