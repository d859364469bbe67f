"""Requests and answers of the operations on school calendars."""

from datetime import datetime
from typing import Annotated, Any, ClassVar, TypedDict
from uuid import UUID

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from planning.calendar.assigning import IGNORED, LabelRow
from planning.calendar.serializers import (
    CalendarEventRow,
    CalendarImportRow,
    ChangedEventRow,
    KeptEventRow,
    SkippedEventRow,
)
from planning.models import MAX_NAME, SchoolCalendar, State
from planning.school_calendars.addresses import MAX_ADDRESS
from studyservice.operations.answers import answer, example_of, open_choice
from studyservice.operations.fields import BooleanField, IdField, StringField, parse_uuid
from studyservice.operations.serializers import Body

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


@answer(
    type="timed_out", message="The school's server did not answer within 10 seconds.", at="2030-11-21T08:30:00.000000Z"
)
class LastErrorRow(TypedDict):
    """Why a calendar could not be read."""

    type: Annotated[
        str,
        "Why: address_not_public, address_invalid, unreachable, timed_out, status, redirected, encoded, "
        "too_large, not_a_calendar, limit_reached, address_lost; more may be added.",
    ]
    message: Annotated[str, "The same in a sentence."]
    at: Annotated[datetime, "When it was tried last."]


@answer(new=2, changed=1, kept=0, gone=0, unchanged=31)
class CountsRow(TypedDict):
    """What a reading changed, in numbers."""

    new: Annotated[int, "Items that were made."]
    changed: Annotated[int, "Items that got what the school changed."]
    kept: Annotated[int, "Items that stay in what both have changed."]
    gone: Annotated[int, "Items whose event is cancelled or no longer there."]
    unchanged: Annotated[int, "Items that stay as they are."]


@answer(
    course_id=example_of(LabelRow)["course_id"],
    **({name: value for name, value in example_of(CalendarImportRow).items() if name not in {"dry_run", "labels"}}),
)
class HeldRow(TypedDict):
    """What a reading would change in a course, as a dry run of import_calendar answers it."""

    course_id: Annotated[UUID, "The course."]
    new: Annotated[list[CalendarEventRow], "Items that would be made."]
    changed: Annotated[list[ChangedEventRow], "Items that would get what the school has changed."]
    kept: Annotated[list[KeptEventRow], "Items that would stay in what both have changed."]
    gone: Annotated[list[CalendarEventRow], "Items whose event is cancelled or no longer there; they stay."]
    unchanged: Annotated[int, "How many items would stay as they are."]
    skipped: Annotated[list[SkippedEventRow], "Events that are not taken, with the reason."]


@answer(
    SchoolCalendar,
    id="019a9c1f-6c2e-7b3a-8d41-5e0f6a7b8c9d",
    name="Canvas",
    host="canvas.school.example",
    address_end=".ics",
    course_id=None,
    paused=False,
    state="ok",
    labels=[example_of(LabelRow)],
    last_read_at="2030-11-21T08:30:00.000000Z",
    last_changed_at="2030-11-20T14:12:00.000000Z",
    last_error=None,
    next_read_at="2030-11-21T14:22:00.000000Z",
    counts=example_of(CountsRow),
    created_at="2030-09-01T10:00:00.000000Z",
)
class SchoolCalendarRow(TypedDict):
    """A calendar that is read by its address."""

    id: UUID
    name: str
    host: str
    address_end: str
    course_id: UUID | None
    paused: bool
    last_read_at: datetime | None
    last_changed_at: datetime | None
    next_read_at: datetime | None
    created_at: datetime
    state: Annotated[
        str,
        open_choice("SchoolCalendarState", [one.value for one in State]),
        "ok; unassigned: a label needs a course; held: a reading waits for the member; failing: it could not "
        "be read; stopped: it is not read any more.",
    ]
    labels: Annotated[list[LabelRow], "The labels of the newest reading, with the course of each."]
    last_error: Annotated[LastErrorRow | None, "Why it could not be read; null if it could."]
    counts: Annotated[CountsRow, "What the last reading that was taken changed."]


@answer(SchoolCalendar, **example_of(SchoolCalendarRow), held=None)
class SchoolCalendarDetailRow(SchoolCalendarRow):
    """A calendar that is read by its address, with what waits for an answer."""

    held: Annotated[list[HeldRow] | None, "What the reading that waits would change, by course; null if none waits."]
