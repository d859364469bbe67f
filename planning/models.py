"""Milestones, the steps that lead up to an item, and imported calendar events."""

import uuid
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q, Value
from django.db.models.functions import Coalesce
from django.utils import timezone

from accounts.rows.rows import Rows
from courses.models import Course, Item
from planning.school_calendars.models import DueCalendar, SchoolCalendar
from studyservice.database.constraints import at_least, characters
from studyservice.database.ids import uuid7
from studyservice.database.member_keys import MemberForeignKey

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
        default="", db_default="", editable=False, help_text="The title as it is searched (planning.searching)."
    )
    # not renumbered after a deletion
    position = models.PositiveIntegerField(help_text="Its place in the item's list, from 1.")
    sequence = models.IntegerField(
        default=0,
        db_default=0,
        editable=False,
        help_text="Revisions of title and date; calendars ask for it (courses.revisions).",
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
        ]

    def __str__(self) -> str:
        return self.title
