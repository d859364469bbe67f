"""The format of an archive: a file of lines for each model with `MemberData.archived`, and what versions changed.

A line has the columns of a row. One that a request body has follows the body's rules; any other follows those of the
column and its constraints. The profile is a file with one line.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache, cached_property
from typing import Any, ClassVar, NamedTuple

import orjson
from django.db import models
from django.db.models import CheckConstraint, FileField, Model, Q, QuerySet
from django.utils import timezone
from rest_framework import serializers

from studyservice.changes.contents import Json, dumps
from studyservice.hooks import Hook
from studyservice.operations.columns import Field, request_field
from studyservice.operations.fields import StringField
from studyservice.operations.serializers import Body
from studyservice.registry import Member
from studyservice.registry.archived import MAX_POSITION, Archived
from studyservice.registry.data import MemberData, columns_of, data_of, member_data

FORMAT = "study-data-archive"
"""The name of the format in the manifest."""

MANIFEST = "manifest.json"
README = "README.txt"
FILES = "files/"
"""The directory of stored files."""

PROFILE = "data/profile.jsonl"
"""The member's profile, in one line (`MEMBER_PROFILE`)."""

CHANGES = "data/changes.jsonl"
"""The log of changes, exported for reading. It belongs to one account, so imports skip it."""

EVENTS = "data/account_events.jsonl"
"""The log of account events, likewise. Archives that apps export do not contain it."""

WHOLE_FILE = "*"
"""In `ADDED`, stands for all columns of a new file."""

ADDED: dict[int, dict[str, tuple[str, ...]]] = {
    1: {},
    2: {
        "items": ("done", "done_at", "category_id", "note", "missable_from"),
        "grade_categories": ("drop_lowest",),
        "grade_scores": ("item_id",),
        "cards": ("suspended",),
        "attempts": ("is_first", "foretold"),
    },
    3: {"imported_events": ("calendar_id",), "grade_scores": ("points", "out_of")},
}
"""By version, the columns that it added, by file. Lines of older archives get the default of the column."""

OPTIONAL = {
    "courses": ("archived", "hue"),
    "items": ("due_time",),
    "imported_events": ("due_time",),
    "cards": ("note",),
}
"""Columns that were added without a new version. A line without one gets its default."""

_BESIDES_TEXTS = 16 * 1024
_ENCODED = 12
"""The bytes that JSON needs at most for a character: two escaped surrogates."""

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


@dataclass(frozen=True, eq=False)
class ArchiveTable:
    """A table of the archive.

    Attributes:
        how: its declaration.
        references: columns with an id, and the earlier table that contains the id.
        loose: columns with an id that may not exist, and the table that contains it otherwise.
    """

    data: MemberData
    how: Archived
    references: Mapping[str, str]
    loose: Mapping[str, str]

    @property
    def name(self) -> str:
        return self.how.name

    @property
    def model(self) -> type[Model]:
        return self.data.model

    @property
    def path(self) -> str:
        """The name of the file in the archive."""
        return f"data/{self.name}.jsonl"

    @cached_property
    def columns(self) -> list[str]:
        """The columns of a line, in order."""
        return [name for name in columns_of(self.model) if name != "member_id" and name not in self.how.left_out]

    @cached_property
    def line(self) -> type[Line]:
        """Validates a line."""
        return type("_Line", (Line, self.how.rules), {"model": self.model, "columns": self.columns})

    @cached_property
    def long_line(self) -> int:
        """The most bytes of a line."""
        fields = self.line.shared(partial=False).fields.values()
        return _BESIDES_TEXTS + _ENCODED * sum(
            field.max_length or 0 for field in fields if isinstance(field, StringField)
        )

    @cached_property
    def stored_file(self) -> str | None:
        """The column that names a stored file, which is included in the archive; None if there is none."""
        return next((name for name, one in columns_of(self.model).items() if isinstance(one, FileField)), None)

    def exists_in(self, version: int) -> bool:
        """Return whether archives of a version have the file."""
        return all(WHOLE_FILE not in files.get(self.name, ()) for newer, files in ADDED.items() if newer > version)

    def defaults(self, version: int, member: Member) -> dict[str, Json]:
        """Return the values of columns that lines of `version` lack or may lack, as a line would have them."""
        newer = [*OPTIONAL.get(self.name, ())]
        for added_in, files in ADDED.items():
            newer += files.get(self.name, ()) if added_in > version else ()
        own = self.data.log.defaults(member) if self.data.log.defaults is not None else {}
        fields = columns_of(self.model)
        found: dict[str, Json] = orjson.loads(
            dumps({name: own[name] if name in own else fields[name].get_default() for name in newer})
        )
        return found

    def rows(self, member: Member) -> QuerySet[Model]:
        """Return the member's rows, in the order of the lines."""
        return QuerySet(self.model).filter(member_id=member.id, **self.how.only).order_by(*self.how.order)


@cache
def archive_tables() -> tuple[ArchiveTable, ...]:
    """Return every table, sorted so that references point to earlier tables."""
    names = {data.label: data.archive.name for data in member_data() if data.archive is not None}
    return tuple(_table(data, data.archive, names) for data in member_data() if data.archive is not None)


def archive_version() -> int:
    """Return the version of new archives."""
    return max(ADDED)


def _table(data: MemberData, how: Archived, names: Mapping[str, str]) -> ArchiveTable:
    references = {
        name: names[column.related_model._meta.label]
        for name, column in columns_of(data.model).items()
        if column.related_model is not None and data_of(column.related_model) and name not in how.left_out
    }
    references |= {column: names[label] for column, label in data.log.plain_references.items()}
    return ArchiveTable(data, how, references, {column: names[label] for column, label in how.loose.items()})


class Profile(NamedTuple):
    """The member in the archive.

    Attributes:
        rules: checks the fields of the line that an import sets.
        line: returns the line of a member.
        take: sets the fields of a line. Needs the member's lock.
    """

    rules: type[Body]
    line: Callable[[Member], dict[str, Any]]
    take: Callable[[Member, Mapping[str, Any]], None]


MEMBER_PROFILE = Hook[Profile]("MEMBER_PROFILE")
