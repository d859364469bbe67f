"""Milestones, the steps that lead up to an item, imported calendar events, and school calendars."""

import uuid
from enum import StrEnum
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q, Value
from django.db.models.functions import Coalesce
from django.utils import timezone

from courses.models import Course, Item
from studyservice.database.constraints import at_least, characters, one_of
from studyservice.database.ids import uuid7
from studyservice.database.member_keys import MemberForeignKey
from studyservice.database.times import TimeOfDayField
from studyservice.rows.rows import Rows

MAX_NAME = 120
MAX_HOST = 255
MAX_SEALED = 20_000
"""Maximum characters of an encrypted address. 2,000 characters of four bytes become 10,760."""

MAX_VALIDATOR = 500
"""Characters of an `ETag` or a `Last-Modified` (`studyservice.fetching.guarded`)."""


class ReadingOutcome(models.TextChoices):
    """The outcome of the newest reading."""

    NONE = "none", "nothing was read yet"
    TAKEN = "taken", "taken"
    HELD = "held", "waits for the member's answer"
    REFUSED = "refused", "refused by the member"


class State(StrEnum):
    """Whether a calendar is read, and what it waits for."""

    OK = "ok"
    UNASSIGNED = "unassigned"
    HELD = "held"
    FAILING = "failing"
    STOPPED = "stopped"


class SchoolCalendar(models.Model):
    """A school's calendar, read at its address.

    The address is a secret: it is encrypted, and only its host and last four characters are shown.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False, help_text="The calendar's id.")
    member = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, db_index=False)
    name = models.CharField(max_length=MAX_NAME, help_text="What the member calls it; its host unless named.")
    host = models.CharField(max_length=MAX_HOST, editable=False, help_text="The host of the address, in lower case.")
    address_end = models.CharField(
        max_length=4, editable=False, help_text="The last four characters of the address, to tell calendars apart."
    )
    sealed_address = models.TextField(editable=False)
    # No foreign keys, here and in `choices`: a deleted course gets no events, and its undo restores the reference.
    course_id = models.UUIDField(
        null=True, blank=True, editable=False, help_text="The course that takes the events whose label is empty."
    )
    choices = models.JSONField(
        default=dict, blank=True, editable=False, help_text="By label the id of a course, or ignore, as chosen."
    )
    paused = models.BooleanField(default=False, help_text="Whether it is not read until the member says so.")
    stopped = models.BooleanField(default=False, editable=False)
    accepted = models.BooleanField(
        default=False, editable=False, help_text="Whether a reading was accepted, if only beforehand."
    )
    answer = models.CharField(max_length=8, choices=ReadingOutcome, default=ReadingOutcome.NONE, editable=False)
    reading = models.BinaryField(null=True, editable=False, help_text="The newest reading (planning.calendar.files).")
    fingerprint = models.CharField(max_length=64, blank=True, editable=False, help_text="Of the newest reading.")
    labels = models.JSONField(default=list, blank=True, editable=False, help_text="The labels of the newest reading.")
    counts = models.JSONField(default=dict, blank=True, editable=False)
    etag = models.CharField(max_length=MAX_VALIDATOR, blank=True, editable=False)
    last_modified = models.CharField(max_length=MAX_VALIDATOR, blank=True, editable=False)
    last_read_at = models.DateTimeField(null=True, editable=False, help_text="When it was last read as a calendar.")
    last_changed_at = models.DateTimeField(
        null=True, editable=False, help_text="When a reading last made or changed items."
    )
    next_read_at = models.DateTimeField(
        null=True, editable=False, help_text="When it is due to be read; null while it is paused or stopped."
    )
    error_type = models.CharField(max_length=40, blank=True, editable=False, help_text="Empty of one that can be read.")
    error_message = models.CharField(max_length=300, blank=True, editable=False)
    error_at = models.DateTimeField(null=True, editable=False)
    failing_since = models.DateTimeField(null=True, editable=False)
    failures = models.PositiveIntegerField(default=0, editable=False, help_text="In a row.")
    created_at = models.DateTimeField(default=timezone.now, editable=False, help_text="When it was added.")

    rows = Rows["SchoolCalendar"]()

    class Meta:
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["member", "created_at", "id"], name="schoolcalendar_member_age")
        ]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            characters("name", 1, MAX_NAME),
            characters("host", 1, MAX_HOST),
            characters("address_end", 1, 4),
            characters("sealed_address", 1, MAX_SEALED),
            one_of("answer", ReadingOutcome.values),
            characters("fingerprint", 0, 64),
            characters("etag", 0, MAX_VALIDATOR),
            characters("last_modified", 0, MAX_VALIDATOR),
            characters("error_type", 0, 40),
            characters("error_message", 0, 300),
        ]

    def __str__(self) -> str:
        return self.name


class DueCalendar(models.Model):
    """The due time of a school calendar.

    Separate from the calendar, in one place for all members however they are distributed, because the command reads the
    calendars of all members.
    """

    id = models.UUIDField(primary_key=True, editable=False, help_text="The calendar's id.")
    member = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+", db_constraint=False)
    host = models.CharField(max_length=MAX_HOST)
    next_read_at = models.DateTimeField()
    claimed_until = models.DateTimeField(null=True, help_text="Until when a process that reads it has to be done.")

    class Meta:
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["next_read_at"], name="duecalendar_next"),
            models.Index(fields=["host", "next_read_at"], name="duecalendar_host"),
        ]
        constraints: ClassVar[list[models.BaseConstraint]] = [characters("host", 1, MAX_HOST)]

    def __str__(self) -> str:
        return f"{self.host}, {self.next_read_at:%Y-%m-%d %H:%M} UTC"


_OF_FILES = Value(uuid.UUID(int=0), models.UUIDField())
"""In place of a calendar in the key of events from files: null values are not unique."""

__all__ = ["DueCalendar", "ImportedEvent", "Milestone", "SchoolCalendar"]


class Milestone(models.Model):
    """A step of the study plan for one item."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False, help_text="The milestone's id.")
    member = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, db_index=False)
    item = models.ForeignKey(Item, models.CASCADE, related_name="milestones", help_text="The item it leads up to.")
    title = models.CharField(max_length=160, help_text="What to do.")
    due_on = models.DateField(null=True, blank=True, help_text="Due date; null means undated.")
    done = models.BooleanField(default=False, help_text="Whether it is done.")
    folded = models.TextField(
        default="", db_default="", editable=False, help_text="The title as it is searched (planning.course_plan)."
    )
    # not renumbered after a deletion
    position = models.PositiveIntegerField(help_text="Its place in the item's list, from 1.")
    sequence = models.IntegerField(
        default=0,
        db_default=0,
        editable=False,
        help_text="Counts changes that calendar apps must see (SEQUENCE).",
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    updated_at = models.DateTimeField(default=timezone.now, editable=False)

    rows = Rows["Milestone"]()

    class Meta:
        ordering: ClassVar[list[str]] = ["position"]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["member", "item", "position"], name="milestone_member_item"),
            models.Index(fields=["member", "due_on"], name="milestone_member_open", condition=Q(done=False)),
        ]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            MemberForeignKey(field="item"),
            characters("title", 1, 160),
            at_least("position", 1),
            at_least("sequence", 0),
        ]

    def __str__(self) -> str:
        return self.title


class ImportedEvent(models.Model):
    """An imported calendar event, in the version of its last import, by one school calendar or by files.

    It outlives its item, so that an item deleted by the member is not created again. So it stores the item's id without
    a foreign key.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    member = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, db_index=False)
    course = models.ForeignKey(Course, models.CASCADE, related_name="imported_events")
    item_id = models.UUIDField()
    uid = models.CharField(max_length=255)
    instance = models.CharField(max_length=16, blank=True, help_text="RECURRENCE-ID, of one that recurs.")
    prodid = models.CharField(max_length=255, blank=True, help_text="What wrote the file.")
    title = models.CharField(max_length=160)
    due_on = models.DateField()
    due_time = TimeOfDayField(
        null=True,
        blank=True,
        default="",
        db_default="",
        help_text="HH:MM; null of an all-day event; empty if unknown, as of one imported before times were kept.",
    )
    calendar_id = models.UUIDField(
        null=True, help_text="The school calendar that it was read from last, which may be gone; null of a file."
    )
    is_gone = models.BooleanField(
        default=False, db_default=False, help_text="Whether the last reading of that calendar had it no more."
    )

    rows = Rows["ImportedEvent"]()

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            MemberForeignKey(field="course"),
            models.UniqueConstraint(
                "member",
                "course",
                "uid",
                "instance",
                Coalesce("calendar_id", _OF_FILES),
                name="importedevent_of_calendar",
            ),
            characters("uid", 1, 255),
            characters("instance", 0, 16),
            characters("prodid", 0, 255),
            characters("title", 1, 160),
            characters("due_time", 0, 5),
        ]

    def __str__(self) -> str:
        return self.title
