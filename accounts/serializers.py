"""The member's record."""

from datetime import date, datetime
from typing import Any, ClassVar, TypedDict
from uuid import UUID

from rest_framework import serializers

from studyservice.operations.declaration import Scope
from studyservice.operations.serializers import Record


class MembershipRow(TypedDict):
    """A `MembershipRecord`."""

    active: bool
    until: date | None


class MembershipRecord(Record):
    """Whether the member's subscription is active."""

    example: ClassVar[dict[str, Any]] = {"active": True, "until": None}

    active = serializers.BooleanField(help_text="False when the subscription has lapsed.")
    until = serializers.DateField(
        allow_null=True, help_text="Last day included, in the member's time zone; null if open-ended."
    )


class MemberRow(TypedDict):
    """A `MemberRecord`."""

    id: UUID
    email: str
    name: str
    time_zone: str
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
    today = serializers.DateField(help_text="Today in the member's time zone.")
    practice_streak = serializers.IntegerField(help_text="Days in a row with practice, up to today or yesterday.")
    membership = MembershipRecord(help_text="The member's subscription.")
    scopes = serializers.ListField(
        child=serializers.ChoiceField(choices=[scope.value for scope in Scope]),
        help_text="What this credential may do.",
    )
    created_at = serializers.DateTimeField(help_text="When the member joined.")
