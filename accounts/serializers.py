"""The records of the member and of the log of changes, and what is changed of the member."""

from datetime import date, datetime
from decimal import Decimal
from typing import Any, ClassVar, TypedDict
from uuid import UUID

from rest_framework import serializers

from accounts.change_contents import Fields
from accounts.changes import ActorKind
from accounts.models import LEAST_RETENTION, MOST_RETENTION, time_zones
from studyservice.operations.declaration import Scope
from studyservice.operations.fields import IdField, NumberField, OpenChoiceField, StringField
from studyservice.operations.query_fields import CursorField, QueryIntegerField
from studyservice.operations.serializers import Body, Query, Record


class MembershipRow(TypedDict):
    """A `MembershipRecord`."""

    active: bool
    until: date | None
    renew_url: str | None


class MembershipRecord(Record):
    """Whether the member's subscription is active."""

    example: ClassVar[dict[str, Any]] = {
        "active": True,
        "until": None,
        "renew_url": "https://study.example.org/renew",
    }

    active = serializers.BooleanField(help_text="False when the subscription has lapsed.")
    until = serializers.DateField(
        allow_null=True, help_text="Last day included, in the member's time zone; null if open-ended."
    )
    renew_url = serializers.CharField(allow_null=True, help_text="Where the member renews; null without such a page.")


class MemberRow(TypedDict):
    """A `MemberRecord`."""

    id: UUID
    email: str
    name: str
    time_zone: str
    desired_retention: float
    today: date
    practice_streak: int
    membership: MembershipRow
    scopes: list[str]
    created_at: datetime


class MemberRecord(Record):
    """The member, and what this credential may do."""

    example: ClassVar[dict[str, Any]] = {
        "id": "a4d9c1e8-3b7f-4a6d-8c2e-9f1b5d7a3c00",
        "email": "ada@example.org",
        "name": "Ada Park",
        "time_zone": "Europe/Paris",
        "desired_retention": 0.9,
        "today": "2026-11-21",
        "practice_streak": 4,
        "membership": MembershipRecord.example,
        "scopes": ["read", "write"],
        "created_at": "2026-09-01T08:30:00.000000Z",
    }

    computed: ClassVar[tuple[str, ...]] = ("today", "practice_streak", "membership", "scopes")

    id = serializers.UUIDField(help_text="The member's id.")
    email = serializers.EmailField(help_text="E-mail address.")
    name = serializers.CharField(help_text="Name; may be empty.")
    time_zone = serializers.CharField(help_text="IANA time zone; decides what “today” is.")
    desired_retention = serializers.FloatField(
        help_text="How likely the member wants to know a card when it comes up, 0.7 to 0.99."
    )
    today = serializers.DateField(help_text="Today in the member's time zone.")
    practice_streak = serializers.IntegerField(help_text="Days in a row with practice, up to today or yesterday.")
    membership = MembershipRecord(help_text="The member's subscription.")
    scopes = serializers.ListField(
        child=serializers.ChoiceField(choices=[scope.value for scope in Scope]),
        help_text="What this credential may do.",
    )
    created_at = serializers.DateTimeField(help_text="When the member joined.")


class TimeZoneField(StringField):
    """The exact name of an IANA time zone."""

    default_error_messages: ClassVar[dict[str, Any]] = {"unknown": "Must be an IANA time zone, such as Europe/Paris."}

    def to_internal_value(self, data: Any) -> str:
        """The name."""
        name: str = super().to_internal_value(data)
        if name not in time_zones():
            self.fail("unknown")
        return name


class MemberFields(TypedDict, total=False):
    """What members can change of themselves: the fields of `MemberChanges`."""

    name: str
    time_zone: str
    desired_retention: Decimal


class MemberChanges(Body):
    """The fields of a member's profile."""

    example: ClassVar[dict[str, Any]] = {"time_zone": "Europe/Paris", "desired_retention": 0.92}

    name = StringField(min_length=0, max_length=120, allow_blank=True, help_text="Name; may be empty.")
    time_zone = TimeZoneField(
        max_length=64, help_text="IANA time zone, in its exact spelling. Days of practice in the past keep their dates."
    )
    desired_retention = NumberField(
        min_value=LEAST_RETENTION,
        max_value=MOST_RETENTION,
        help_text="How likely the member wants to know a card when it comes up; from each card's next review on.",
    )


class ActorRow(TypedDict):
    """An `ActorRecord`."""

    kind: str
    id: UUID | None
    name: str | None


class ActorRecord(Record):
    """Who made a change."""

    example: ClassVar[dict[str, Any]] = {
        "kind": "app",
        "id": "9c1d7b2e-5a3f-4e8d-b6c4-0f2a7d9e1b35",
        "name": "Claude",
    }

    kind = OpenChoiceField(
        "ActorKind",
        choices=ActorKind.values,
        help_text="An API key, a connected app, a page of this service, an operator or a command of theirs.",
    )
    id = serializers.UUIDField(allow_null=True, help_text="Of the key, the app or the operator; null for the others.")
    name = serializers.CharField(allow_null=True, help_text="Its name at the time; null of a page.")


class ChangedObjectRow(TypedDict):
    """A `ChangedObjectRecord`."""

    type: str
    id: UUID
    name: str


class ChangedObjectRecord(Record):
    """What a change is about."""

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
    """What one call changed."""

    example: ClassVar[dict[str, Any]] = {
        "id": "019a9c1f-6c2e-7b3a-8d41-5e0f6a7b8c9d",
        "created_at": "2026-11-21T08:30:00.000000Z",
        "operation": "update_item",
        "by": ActorRecord.example,
        "object": ChangedObjectRecord.example,
        "before": {"due_on": "2026-12-03"},
        "after": {"due_on": "2026-12-05"},
        "undoable": True,
        "undone_at": None,
    }

    id = serializers.UUIDField(help_text="The change's id; of a review the review's.")
    created_at = serializers.DateTimeField(help_text="When it was made.")
    operation = serializers.CharField(help_text="What was called; operator_read when an operator looked at the object.")
    by = ActorRecord(allow_null=True, help_text="Who made it; null of reviews from before that was kept.")
    object = ChangedObjectRecord(help_text="What was changed; of several objects the first.")
    before = serializers.DictField(
        allow_null=True,
        help_text="The changed fields as they were, texts cut at 300 characters, what is below as counts; null of "
        "what was made.",
    )
    after = serializers.DictField(allow_null=True, help_text="The same as they are; null of what was deleted.")
    undoable = serializers.BooleanField(help_text="Whether it can be undone, perhaps after later changes: for 30 days.")
    undone_at = serializers.DateTimeField(allow_null=True, help_text="When it was taken back; null if it was not.")


class ArchiveImportRow(TypedDict):
    """An `ArchiveImportRecord`."""

    counts: Fields


class ArchiveImportRecord(Record):
    """What was taken in."""

    example: ClassVar[dict[str, Any]] = {"counts": {"courses": 3, "items": 42, "decks": 2, "cards": 180}}

    counts = serializers.DictField(
        child=serializers.IntegerField(), help_text="How many there are now of each kind of thing, by its name."
    )


class ChangesQuery(Query):
    """Parameters of list_changes."""

    object_id = IdField(required=False, help_text="Only changes that made, changed or deleted this object.")
    limit = QueryIntegerField(min_value=1, max_value=100, default=25, help_text="Changes per page.")
    cursor = CursorField(required=False, help_text="The previous page's next_cursor.")
