"""The profile: the fields that members can change, and its line in an archive."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, ClassVar, TypedDict, Unpack, cast

from accounts.members.models import LEAST_RETENTION, MOST_NEW_CARDS, MOST_RETENTION, MOST_SECONDS, Member, time_zones
from studyservice.archive.tables import ExactField
from studyservice.operations.errors import NotFound
from studyservice.operations.fields import BooleanField, IntegerField, NumberField, StringField
from studyservice.operations.serializers import Body
from studyservice.registry.archived import MAX_POSITION

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
    morning_email: bool


class MemberChanges(Body):
    """The fields of a member's profile."""

    example: ClassVar[dict[str, Any]] = {
        "time_zone": "Europe/Paris",
        "desired_retention": 0.92,
        "new_cards_a_day": 15,
        "morning_email": True,
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
    morning_email = BooleanField(help_text="Whether to send an e-mail each morning with what is due, at 7:00 or later.")


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


LEFT_OUT = {
    "password": "a credential",
    "last_login": "about signing in",
    "session_epoch": "about signing in",
    "is_active": "the operators'",
    "is_staff": "the operators'",
    "is_superuser": "the operators'",
    "assistant_dismissed": "about a hint on pages",
    "reminded_until": "about an e-mail that was sent",
    "morning_sent_on": "about an e-mail that was sent",
    "morning_put_off": "about an e-mail that was sent",
    "write_clock": "moves with every write",
    "erasure_began_at": "there is none of who has an archive",
}
"""Columns of the member that are not in the archive, with the reason."""

_CHOSEN = ("name", "time_zone")
"""Fields that an import sets only where the account has the default."""


class ProfileLine(MemberChanges):
    """The fields that an import sets. An older archive lacks some, and the account keeps its own."""

    name = StringField(max_length=150, allow_blank=True)
    new_cards_a_day = IntegerField(min_value=0, max_value=MOST_NEW_CARDS, allow_null=True, required=False)
    morning_email = BooleanField(required=False)
    seconds = ExactField(min_value=0, max_value=MOST_SECONDS, required=False)
    seconds_reviews = IntegerField(min_value=0, max_value=MAX_POSITION, required=False)


def profile_line(member: Member) -> dict[str, Any]:
    """Return the profile's only line."""
    names = [one.attname for one in Member._meta.concrete_fields if one.attname not in LEFT_OUT]
    row = Member.objects.filter(id=member.id).values_list(*names).get()
    return dict(zip(names, row, strict=True))


def take_profile(member: Member, fields: Mapping[str, Any]) -> None:
    """Copy the archive's profile, except for the morning e-mail, and for a name and a time zone that the member chose.

    Needs the member's lock.
    """
    stored = profile_line(member)
    defaults = {one.attname: one.get_default() for one in Member._meta.concrete_fields if one.attname in _CHOSEN}
    kept = {"morning_email"} | {name for name, default in defaults.items() if stored[name] != default}
    update_me(member, **cast("MemberFields", {name: value for name, value in fields.items() if name not in kept}))
