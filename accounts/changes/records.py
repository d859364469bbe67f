"""The record of a change, for list_changes and undo_change."""

from datetime import datetime
from typing import Any, ClassVar, TypedDict
from uuid import UUID

from rest_framework import serializers

from accounts.changes.contents import Fields
from accounts.changes.models import ActorKind
from studyservice.operations.fields import OpenChoiceField
from studyservice.operations.serializers import Record


class ActorRow(TypedDict):
    """An `ActorRecord`."""

    kind: str
    id: UUID | None
    name: str | None


class ActorRecord(Record):
    """The actor of a change."""

    example: ClassVar[dict[str, Any]] = {
        "kind": "app",
        "id": "9c1d7b2e-5a3f-4e8d-b6c4-0f2a7d9e1b35",
        "name": "Claude",
    }

    kind = OpenChoiceField(
        "ActorKind",
        choices=ActorKind.values,
        help_text="An API key, a connected app, a page of this service, an operator, an operator's command, or a "
        "school calendar.",
    )
    id = serializers.UUIDField(allow_null=True, help_text="Id of the key, app, operator or calendar; null otherwise.")
    name = serializers.CharField(
        allow_null=True, help_text="Its name at the time, or the calendar's host; null for a page."
    )


class ChangedObjectRow(TypedDict):
    """A `ChangedObjectRecord`."""

    type: str
    id: UUID
    name: str


class ChangedObjectRecord(Record):
    """The object of a change."""

    example: ClassVar[dict[str, Any]] = {
        "type": "item",
        "id": "8f2b7c1d-0d3e-4c55-8a51-6a2b9b1f7e02",
        "name": "Midterm exam",
    }

    type = serializers.CharField(help_text="Such as course, item, milestone, grade_score, deck or card.")
    id = serializers.UUIDField(help_text="Its id.")
    name = serializers.CharField(help_text="Its name, before the change.")


class ChangeRow(TypedDict):
    """A `ChangeRecord`."""

    id: UUID
    created_at: datetime
    operation: str
    by: ActorRow | None
    object: ChangedObjectRow
    before: Fields | None
    after: Fields | None
    undoable: bool
    undone_at: datetime | None


class ChangeRecord(Record):
    """The change made by one call."""

    example: ClassVar[dict[str, Any]] = {
        "id": "019a9c1f-6c2e-7b3a-8d41-5e0f6a7b8c9d",
        "created_at": "2030-11-21T08:30:00.000000Z",
        "operation": "update_item",
        "by": ActorRecord.example,
        "object": ChangedObjectRecord.example,
        "before": {"due_on": "2030-12-03"},
        "after": {"due_on": "2030-12-05"},
        "undoable": True,
        "undone_at": None,
    }

    id = serializers.UUIDField(help_text="The change's id, or the review's.")
    created_at = serializers.DateTimeField(help_text="When it was made.")
    operation = serializers.CharField(help_text="The operation; operator_read when an operator read the object.")
    by = ActorRecord(allow_null=True, help_text="The actor; null for old reviews.")
    object = ChangedObjectRecord(help_text="The changed object, the first of several.")
    before = serializers.DictField(
        allow_null=True,
        help_text="The changed fields before, texts cut at 300 characters, dependents as counts; null for a creation.",
    )
    after = serializers.DictField(allow_null=True, help_text="The same fields after; null for a deletion.")
    undoable = serializers.BooleanField(help_text="Whether it can be undone, perhaps after later changes: for 30 days.")
    undone_at = serializers.DateTimeField(allow_null=True, help_text="When it was undone; null if it was not.")
