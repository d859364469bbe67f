"""The member's profile in an archive."""

from decimal import Decimal
from typing import Any, TypedDict, cast

from accounts.models import LEAST_RETENTION, MOST_RETENTION, Member
from accounts.profile import update_me
from accounts.serializers import MemberFields, TimeZoneField
from studyservice.operations.fields import NumberField, StringField
from studyservice.operations.serializers import Body

PROFILE = "data/profile.jsonl"

LEFT_OUT = {
    "password": "a credential",
    "last_login": "about signing in",
    "session_epoch": "about signing in",
    "is_active": "the operators'",
    "is_staff": "the operators'",
    "is_superuser": "the operators'",
    "reminded_until": "about an e-mail that was sent",
    "write_clock": "moves with every write",
    "erasure_began_at": "there is none of who has an archive",
}
"""Columns of the member that are not in the archive, with the reason."""

NOT_TAKEN_IN = ("id", "email", "created_at", "membership_active", "membership_until")
"""What an import leaves as the account has it."""


_CHOSEN = ("name", "time_zone")
"""What an import sets only where the account has the default."""


class ProfileLine(Body):
    """What an import takes of the line."""

    name = StringField(min_length=0, max_length=150, allow_blank=True)
    time_zone = TimeZoneField(max_length=64)
    desired_retention = NumberField(min_value=LEAST_RETENTION, max_value=MOST_RETENTION)


class ProfileFields(TypedDict):
    """The fields of a `ProfileLine`."""

    name: str
    time_zone: str
    desired_retention: Decimal


def profile_line(member: Member) -> dict[str, Any]:
    """The one line of the profile, as it is stored now."""
    names = [one.attname for one in Member._meta.concrete_fields if one.attname not in LEFT_OUT]
    row = Member.objects.filter(id=member.id).values_list(*names).get()
    return dict(zip(names, row, strict=True))


def take_profile(member: Member, fields: ProfileFields) -> None:
    """Make the profile that of the archive, but for a name and a time zone that the member chose; under their lock."""
    stored, default = profile_line(member), Member()
    kept = {name for name in _CHOSEN if stored[name] != getattr(default, name)}
    update_me(member, **cast("MemberFields", {name: value for name, value in fields.items() if name not in kept}))
