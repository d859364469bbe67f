"""The member's record."""

from typing import ClassVar

from rest_framework import serializers

from studyservice.operations import Scope
from studyservice.serializers import Record


class MembershipRecord(Record):
    """Whether the member's subscription is active."""

    active = serializers.BooleanField(help_text="False when the subscription has lapsed.")
    until = serializers.DateField(
        allow_null=True, help_text="Last day included, in the member's time zone; null if open-ended."
    )


class MemberRecord(Record):
    """The member, and what this credential may do."""

    computed: ClassVar[tuple[str, ...]] = ("today", "practice_streak", "membership", "scopes")

    id = serializers.UUIDField(help_text="The member's id.")
    email = serializers.EmailField(help_text="E-mail address.")
    name = serializers.CharField(help_text="Name; may be empty.")
    time_zone = serializers.CharField(help_text="IANA time zone; decides what “today” is.")
    today = serializers.DateField(help_text="Today in the member's time zone.")
    practice_streak = serializers.IntegerField(
        help_text="Days in a row with practice, up to today or yesterday."
    )
    membership = MembershipRecord(help_text="The member's subscription.")
    scopes = serializers.ListField(
        child=serializers.ChoiceField(choices=[scope.value for scope in Scope]),
        help_text="What this credential may do.",
    )
    created_at = serializers.DateTimeField(help_text="When the member joined.")
