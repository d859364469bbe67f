"""Requests and answers of import_calendar."""

from datetime import date
from typing import Any, ClassVar, TypedDict
from uuid import UUID

from rest_framework import serializers

from courses.models import ItemKind
from planning.calendar.assigning import LabelRow
from planning.calendar.labels import MAX_LABEL
from studyservice.operations.fields import OpenChoiceField, StringField
from studyservice.operations.query_fields import QueryBooleanField
from studyservice.operations.serializers import Query, Record


class CalendarImportQuery(Query):
    """Parameters of import_calendar."""

    dry_run = QueryBooleanField(default=False, help_text="Whether to tell what would happen and change nothing.")
    label = StringField(  # type: ignore[assignment]  # a field of that name
        required=False,
        max_length=MAX_LABEL,
        help_text="Only events of this label, without the brackets at the end of their titles.",
    )


class EventVersionRow(TypedDict):
    """An `EventVersionRecord`."""

    title: str
    due_on: date | None


class EventVersionRecord(Record):
    """Title and date as they are elsewhere."""

    example: ClassVar[dict[str, Any]] = {"title": "Essay 1", "due_on": "2030-12-01"}

    title = serializers.CharField(help_text="The title there.")
    due_on = serializers.DateField(allow_null=True, help_text="The date there; null means undated.")


class CalendarEventRow(TypedDict):
    """A `CalendarEventRecord`."""

    uid: str
    item_id: UUID | None
    title: str
    kind: str
    due_on: date | None


class CalendarEventRecord(Record):
    """An event of a calendar file, with its item."""

    example: ClassVar[dict[str, Any]] = {
        "uid": "event-assignment-4711",
        "item_id": "8f2b7c1d-0d3e-4c55-8a51-6a2b9b1f7e02",
        "title": "Essay 1",
        "kind": "paper",
        "due_on": "2030-12-03",
    }

    uid = serializers.CharField(help_text="The event's UID; instances of a recurring event share it.")
    item_id = serializers.UUIDField(allow_null=True, help_text="The item's id; null while there is none.")
    title = serializers.CharField(help_text="The item's title.")
    kind = OpenChoiceField(
        "ItemKind", choices=ItemKind.values, help_text="What sort of item it is; new kinds may be added."
    )
    due_on = serializers.DateField(allow_null=True, help_text="The item's date; null means undated.")


class ChangedEventRow(CalendarEventRow):
    """A `ChangedEventRecord`."""

    before: EventVersionRow


class ChangedEventRecord(CalendarEventRecord):
    """An item that takes the changes of the file."""

    example: ClassVar[dict[str, Any]] = CalendarEventRecord.example | {"before": EventVersionRecord.example}

    before = EventVersionRecord(help_text="The item before.")


class KeptEventRow(CalendarEventRow):
    """A `KeptEventRecord`."""

    file: EventVersionRow


class KeptEventRecord(CalendarEventRecord):
    """An item that keeps the values that the member and the file both changed."""

    example: ClassVar[dict[str, Any]] = CalendarEventRecord.example | {"file": EventVersionRecord.example}

    file = EventVersionRecord(help_text="What the file says.")


class SkippedEventRow(TypedDict):
    """A `SkippedEventRecord`."""

    uid: str
    title: str
    reason: str


class SkippedEventRecord(Record):
    """An event that is not taken, or was read with a doubt."""

    example: ClassVar[dict[str, Any]] = {"uid": "event-assignment-12", "title": "Reading", "reason": "deleted"}

    uid = serializers.CharField(help_text="The event's UID, empty where it has none.")
    title = serializers.CharField(help_text="The event's title, empty where it has none.")
    reason = serializers.CharField(
        help_text="Why: deleted (the member has deleted the item), completed (a task that is done), opens (something "
        "only opens or becomes available then), no_uid, uid_too_long, no_title, no_date, recurs_too_often; more may be "
        "added. Events with unknown_zone (its time was read as UTC) and unreadable_text (with �) are taken."
    )


class LabelRecord(Record):
    """What tells events of one course from those of others in a calendar: brackets at the end of titles, a category,
    or a place.
    """

    example: ClassVar[dict[str, Any]] = {
        "label": "BIO 210 Cell Biology",
        "events": 12,
        "example": "Essay 1",
        "course_id": "5f0d8c3e-1b7a-4e0e-9a66-2f6f0a5f3d21",
        "ignored": False,
    }

    label = serializers.CharField(  # type: ignore[assignment]  # a field of that name
        help_text="The label; empty of events that have none."
    )
    events = serializers.IntegerField(help_text="How many events have it.")
    course_id = serializers.UUIDField(
        allow_null=True, help_text="The course whose name or code it tells, or that was chosen; null if none fits."
    )
    ignored = serializers.BooleanField(help_text="Whether the member takes nothing of it.")

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """Add the field `example`, whose name is already an attribute of the class."""
        fields = super().get_fields()
        example = serializers.CharField(help_text="The title of one.")
        return {name: {**fields, "example": example}[name] for name in LabelRecord.example}


class ComparedRow(TypedDict):
    """The changes of one course in an answer."""

    new: list[CalendarEventRow]
    changed: list[ChangedEventRow]
    kept: list[KeptEventRow]
    gone: list[CalendarEventRow]
    unchanged: int
    skipped: list[SkippedEventRow]


class CalendarImportRow(ComparedRow):
    """A `CalendarImportRecord`."""

    dry_run: bool
    labels: list[LabelRow]


class CalendarImportRecord(Record):
    """What became of a calendar file."""

    example: ClassVar[dict[str, Any]] = {
        "dry_run": False,
        "new": [CalendarEventRecord.example],
        "changed": [ChangedEventRecord.example],
        "kept": [KeptEventRecord.example],
        "gone": [CalendarEventRecord.example],
        "unchanged": 12,
        "skipped": [SkippedEventRecord.example],
        "labels": [LabelRecord.example],
    }

    dry_run = serializers.BooleanField(help_text="Whether nothing was changed.")
    new = CalendarEventRecord(many=True, help_text="Items that were made.")
    changed = ChangedEventRecord(many=True, help_text="Items that got what only the file has changed.")
    kept = KeptEventRecord(many=True, help_text="Items that stay in what both have changed; told once.")
    gone = CalendarEventRecord(
        many=True, help_text="Items whose event was cancelled or is no longer in the file; they are not deleted."
    )
    unchanged = serializers.IntegerField(help_text="How many items stay as they are.")
    skipped = SkippedEventRecord(many=True, help_text="Events that were not taken, with the reason.")
    labels = LabelRecord(many=True, help_text="The labels of all events, each with the course that it tells.")
