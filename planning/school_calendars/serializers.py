"""Requests and answers of the operations on school calendars."""

from datetime import datetime
from typing import Any, ClassVar, TypedDict
from uuid import UUID

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from planning.calendar.assigning import IGNORED, LabelRow
from planning.calendar.serializers import (
    CalendarEventRecord,
    CalendarImportRecord,
    ChangedEventRecord,
    ComparedRow,
    KeptEventRecord,
    LabelRecord,
    SkippedEventRecord,
)
from planning.school_calendars.addresses import MAX_ADDRESS
from planning.school_calendars.models import MAX_NAME, SchoolCalendar
from planning.school_calendars.states import State
from studyservice.operations.fields import BooleanField, IdField, OpenChoiceField, StringField, parse_uuid
from studyservice.operations.serializers import Body, Record

MOST_CHOICES = 200


@extend_schema_field(
    {
        "type": "object",
        "additionalProperties": {"type": "string", "description": "The id of a course, or ignore."},
        "maxProperties": MOST_CHOICES,
    }
)
class ChoicesField(serializers.DictField):
    """A course, or `ignore`, for each of some labels; gives ids in small letters."""

    default_error_messages: ClassVar[dict[str, Any]] = {
        "invalid": f"Must be an object of labels, each with the id of a course or {IGNORED}.",
        "too_many": f"Must have at most {MOST_CHOICES} labels.",
        "null": "Must not be null.",
    }

    def to_internal_value(self, data: Any) -> dict[str, str]:
        if not isinstance(data, dict):
            self.fail("invalid")
        if len(data) > MOST_CHOICES:
            self.fail("too_many")
        found = {}
        for label, chosen in data.items():
            course_id = parse_uuid(chosen)
            if course_id is None and chosen != IGNORED:
                self.fail("invalid")
            found[label] = IGNORED if course_id is None else str(course_id)
        return found


class SchoolCalendarBody(Body):
    """A calendar to add."""

    example: ClassVar[dict[str, Any]] = {
        "url": "https://canvas.school.example/feeds/calendars/user_K2vZ8q.ics",
        "name": "Canvas",
        "course_id": None,
        "accept": False,
    }

    url = StringField(
        max_length=MAX_ADDRESS,
        help_text="The calendar's secret address, https or webcal. It is stored encrypted and not told again.",
    )
    name = StringField(required=False, max_length=MAX_NAME, help_text="What to call it; its host if not sent.")
    course_id = IdField(
        required=False,
        allow_null=True,
        help_text="The course for events without a label, as of a calendar of one course.",
    )
    accept = BooleanField(default=False, help_text="Take the first reading without showing it first; default false.")


class SchoolCalendarUpdateBody(Body):
    """Changes of a calendar."""

    example: ClassVar[dict[str, Any]] = {"name": "Canvas", "paused": False}

    name = StringField(required=False, max_length=MAX_NAME, help_text="What to call it.")
    course_id = IdField(required=False, allow_null=True, help_text="The course for events without a label, or null.")
    paused = BooleanField(required=False, help_text="True to read it no more; false also starts a stopped one again.")
    courses = ChoicesField(
        required=False, help_text="By label the id of the course that takes its events, or ignore; at once."
    )


class SchoolCalendarAnswerBody(Body):
    """An answer to a reading that waits."""

    example: ClassVar[dict[str, Any]] = {"accept": True}

    accept = BooleanField(help_text="True to apply the changes in held, false to refuse them.")


class LastErrorRow(TypedDict):
    """A `LastErrorRecord`."""

    type: str
    message: str
    at: datetime


class LastErrorRecord(Record):
    """Why a calendar could not be read."""

    example: ClassVar[dict[str, Any]] = {
        "type": "timed_out",
        "message": "The school's server did not answer within 10 seconds.",
        "at": "2030-11-21T08:30:00.000000Z",
    }

    type = serializers.CharField(
        help_text="Why: address_not_public, address_invalid, unreachable, timed_out, status, redirected, encoded, "
        "too_large, not_a_calendar, limit_reached, address_lost; more may be added."
    )
    message = serializers.CharField(help_text="The same in a sentence.")
    at = serializers.DateTimeField(help_text="When it was tried last.")


class CountsRow(TypedDict):
    """A `CountsRecord`."""

    new: int
    changed: int
    kept: int
    gone: int
    unchanged: int


class CountsRecord(Record):
    """What a reading changed, in numbers."""

    example: ClassVar[dict[str, Any]] = {"new": 2, "changed": 1, "kept": 0, "gone": 0, "unchanged": 31}

    new = serializers.IntegerField(help_text="Items that were made.")
    changed = serializers.IntegerField(help_text="Items that got what the school changed.")
    kept = serializers.IntegerField(help_text="Items that stay in what both have changed.")
    gone = serializers.IntegerField(help_text="Items whose event is cancelled or no longer there.")
    unchanged = serializers.IntegerField(help_text="Items that stay as they are.")


class HeldRow(ComparedRow):
    """A `HeldRecord`."""

    course_id: UUID


class HeldRecord(Record):
    """What a reading would change in a course, as a dry run of import_calendar answers it."""

    example: ClassVar[dict[str, Any]] = {"course_id": LabelRecord.example["course_id"]} | {
        name: value for name, value in CalendarImportRecord.example.items() if name not in {"dry_run", "labels"}
    }

    course_id = serializers.UUIDField(help_text="The course.")
    new = CalendarEventRecord(many=True, help_text="Items that would be made.")
    changed = ChangedEventRecord(many=True, help_text="Items that would get what the school has changed.")
    kept = KeptEventRecord(many=True, help_text="Items that would stay in what both have changed.")
    gone = CalendarEventRecord(many=True, help_text="Items whose event is cancelled or no longer there; they stay.")
    unchanged = serializers.IntegerField(help_text="How many items would stay as they are.")
    skipped = SkippedEventRecord(many=True, help_text="Events that are not taken, with the reason.")


class SchoolCalendarRow(TypedDict):
    """A `SchoolCalendarRecord`."""

    id: UUID
    name: str
    host: str
    address_end: str
    course_id: UUID | None
    paused: bool
    state: str
    labels: list[LabelRow]
    last_read_at: datetime | None
    last_changed_at: datetime | None
    last_error: LastErrorRow | None
    next_read_at: datetime | None
    counts: CountsRow
    created_at: datetime


class SchoolCalendarRecord(Record):
    """A calendar that is read by its address."""

    example: ClassVar[dict[str, Any]] = {
        "id": "019a9c1f-6c2e-7b3a-8d41-5e0f6a7b8c9d",
        "name": "Canvas",
        "host": "canvas.school.example",
        "address_end": ".ics",
        "course_id": None,
        "paused": False,
        "state": "ok",
        "labels": [LabelRecord.example],
        "last_read_at": "2030-11-21T08:30:00.000000Z",
        "last_changed_at": "2030-11-20T14:12:00.000000Z",
        "last_error": None,
        "next_read_at": "2030-11-21T14:22:00.000000Z",
        "counts": CountsRecord.example,
        "created_at": "2030-09-01T10:00:00.000000Z",
    }

    class Meta:
        model = SchoolCalendar
        fields = (
            "id",
            "name",
            "host",
            "address_end",
            "course_id",
            "paused",
            "last_read_at",
            "last_changed_at",
            "next_read_at",
            "created_at",
        )

    state = OpenChoiceField(
        "SchoolCalendarState",
        choices=[one.value for one in State],
        help_text="ok; unassigned: a label needs a course; held: a reading waits for the member; failing: it could not "
        "be read; stopped: it is not read any more.",
    )
    labels = LabelRecord(many=True, help_text="The labels of the newest reading, with the course of each.")
    last_error = LastErrorRecord(allow_null=True, help_text="Why it could not be read; null if it could.")
    counts = CountsRecord(help_text="What the last reading that was taken changed.")


class SchoolCalendarDetailRow(SchoolCalendarRow):
    """A `SchoolCalendarDetailRecord`."""

    held: list[HeldRow] | None


class SchoolCalendarDetailRecord(SchoolCalendarRecord):
    """A calendar that is read by its address, with what waits for an answer."""

    example: ClassVar[dict[str, Any]] = SchoolCalendarRecord.example | {"held": None}

    held: "serializers.ListSerializer[Any]" = serializers.ListSerializer(
        child=HeldRecord(),
        allow_null=True,
        help_text="What the reading that waits would change, by course; null if none waits.",
    )
