"""The records of the member and of the log of changes."""

from datetime import date, datetime
from typing import Any, ClassVar, TypedDict
from uuid import UUID

from rest_framework import serializers

from accounts.credentials.limiting import LimitsRow
from studyservice.operations.declaration import Scope
from studyservice.operations.fields import IdField
from studyservice.operations.query_fields import CursorField, QueryIntegerField
from studyservice.operations.serializers import Query, Record


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


class LimitsRecord(Record):
    """What a credential is limited to."""

    example: ClassVar[dict[str, Any]] = {
        "courses": ["3f0c8a52-7f1e-4a4d-9d3b-2f6a1c5e8b10"],
        "other": False,
        "grades": False,
        "until": "2031-01-31",
    }

    courses = serializers.ListField(
        child=serializers.UUIDField(),
        allow_null=True,
        help_text="The courses that it sees, also those it creates; null for all. Others do not exist for it.",
    )
    other = serializers.BooleanField(help_text="Whether it sees decks of no course: true with all courses.")
    grades = serializers.BooleanField(help_text="Whether it sees grades. Without, operations on them are 403.")
    until = serializers.DateField(
        allow_null=True, help_text="The last day that it works, in the member's time zone; null for no end."
    )


class MemberRow(TypedDict):
    """A `MemberRecord`."""

    id: UUID
    email: str
    name: str
    time_zone: str
    desired_retention: float
    new_cards_a_day: int | None
    today: date
    weekday: str
    practice_streak: int
    membership: MembershipRow
    scopes: list[str]
    limits: LimitsRow | None
    created_at: datetime


class MemberRecord(Record):
    """The member, and what this credential may do."""

    example: ClassVar[dict[str, Any]] = {
        "id": "a4d9c1e8-3b7f-4a6d-8c2e-9f1b5d7a3c00",
        "email": "ada@example.org",
        "name": "Ada Park",
        "time_zone": "Europe/Paris",
        "desired_retention": 0.9,
        "new_cards_a_day": 20,
        "today": "2030-11-21",
        "weekday": "Thursday",
        "practice_streak": 4,
        "membership": MembershipRecord.example,
        "scopes": ["read", "write"],
        "limits": None,
        "created_at": "2030-09-01T08:30:00.000000Z",
    }

    computed: ClassVar[tuple[str, ...]] = ("today", "weekday", "practice_streak", "membership", "scopes", "limits")

    id = serializers.UUIDField(help_text="The member's id.")
    email = serializers.EmailField(help_text="E-mail address.")
    name = serializers.CharField(help_text="Name; may be empty.")
    time_zone = serializers.CharField(help_text="IANA time zone; decides what “today” is.")
    desired_retention = serializers.FloatField(
        help_text="How likely the member wants to know a card when it comes up, 0.7 to 0.99."
    )
    new_cards_a_day = serializers.IntegerField(
        allow_null=True,
        help_text="How many new flashcards the member starts a day, over all decks; null: no limit. Set on this site's "
        "page /account, or by update_me.",
    )
    today = serializers.DateField(help_text="Today in the member's time zone.")
    weekday = serializers.CharField(help_text="The weekday of today, such as Monday.")
    practice_streak = serializers.IntegerField(help_text="Days in a row with practice, up to today or yesterday.")
    membership = MembershipRecord(help_text="The member's subscription.")
    scopes = serializers.ListField(
        child=serializers.ChoiceField(choices=[scope.value for scope in Scope]),
        help_text="What this credential may do.",
    )
    limits = LimitsRecord(allow_null=True, help_text="The limits of this credential; null if none.")
    created_at = serializers.DateTimeField(help_text="When the member joined.")


class ChangesQuery(Query):
    """Parameters of list_changes."""

    object_id = IdField(required=False, help_text="Only changes that made, changed or deleted this object.")
    limit = QueryIntegerField(min_value=1, max_value=100, default=25, help_text="Changes per page.")
    cursor = CursorField(required=False, help_text="The previous page's next_cursor.")
