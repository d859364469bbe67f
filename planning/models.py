"""Milestones: the steps that lead up to an item."""

import uuid
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from courses.models import Item
from studyservice.database.constraints import at_least, characters


class Milestone(models.Model):
    """A step of the study plan for one item."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    member = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, db_index=False)
    item = models.ForeignKey(Item, models.CASCADE, related_name="milestones")
    title = models.CharField(max_length=160)
    due_on = models.DateField(null=True, blank=True)
    done = models.BooleanField(default=False)
    position = models.PositiveIntegerField(help_text="Counts from 1; not renumbered after a delete.")
    sequence = models.IntegerField(
        default=0,
        db_default=0,
        editable=False,
        help_text="Revisions of title and date; calendars ask for it (courses.revisions).",
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    updated_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering: ClassVar[list[str]] = ["position"]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["member", "item", "position"], name="milestone_member_item"),
            models.Index(fields=["member", "due_on"], name="milestone_member_open", condition=Q(done=False)),
        ]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            characters("title", 1, 160),
            at_least("position", 1),
            at_least("sequence", 0),
        ]

    def __str__(self) -> str:
        return self.title
