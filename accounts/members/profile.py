"""The profile that members can change."""

from decimal import Decimal
from typing import Any, ClassVar, TypedDict, Unpack

from accounts.members.models import LEAST_RETENTION, MOST_NEW_CARDS, MOST_RETENTION, Member, time_zones
from studyservice.operations.errors import NotFound
from studyservice.operations.fields import IntegerField, NumberField, StringField
from studyservice.operations.serializers import Body

MAX_NAME = 120
"""Maximum characters of the name that a member enters. Operators may use the whole column."""


class TimeZoneField(StringField):
    """The exact name of an IANA time zone."""

    default_error_messages: ClassVar[dict[str, Any]] = {"unknown": "Must be an IANA time zone, such as Europe/Paris."}

    def to_internal_value(self, data: Any) -> str:
        """Return the name."""
        name: str = super().to_internal_value(data)
        if name not in time_zones():
            self.fail("unknown")
        return name


class MemberFields(TypedDict, total=False):
    """Changes of a profile, with the fields of `MemberChanges`."""

    name: str
    time_zone: str
    desired_retention: Decimal
    new_cards_a_day: int | None


class MemberChanges(Body):
    """The fields of a member's profile."""

    example: ClassVar[dict[str, Any]] = {
        "time_zone": "Europe/Paris",
        "desired_retention": 0.92,
        "new_cards_a_day": 15,
    }

    name = StringField(max_length=MAX_NAME, allow_blank=True, help_text="Name; may be empty.")
    time_zone = TimeZoneField(
        max_length=64, help_text="IANA time zone, in its exact spelling. Days of practice in the past keep their dates."
    )
    desired_retention = NumberField(
        min_value=LEAST_RETENTION,
        max_value=MOST_RETENTION,
        help_text="How likely the member wants to know a card when it comes up; from each card's next review on.",
    )
    new_cards_a_day = IntegerField(
        min_value=0,
        max_value=MOST_NEW_CARDS,
        allow_null=True,
        help_text="How many new flashcards to start a day, over all decks; null means no limit.",
    )


def update_me(member: Member, **changes: Unpack[MemberFields]) -> None:
    """Change the given fields of the row and of `member`. A new time zone changes "today" at once.

    Takes one statement, so other writes wait only for that. No stored data depends on the profile: days of practice
    keep their dates, and cards their due times until reviewed.

    Raises:
        NotFound: the member is gone, or is being deleted.
    """
    for name, value in changes.items():
        setattr(member, name, float(value) if isinstance(value, Decimal) else value)
    fields = {name: getattr(member, name) for name in changes}
    if fields and not Member.objects.filter(id=member.id, erasure_began_at=None).update(**fields):
        raise NotFound
