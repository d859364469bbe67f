"""The member's profile in an archive."""

from collections.abc import Mapping
from typing import Any, cast

from accounts.archive.lines import ExactField
from accounts.members.archived import MAX_POSITION
from accounts.members.models import MOST_NEW_CARDS, MOST_SECONDS, Member
from accounts.members.profile import MemberChanges, MemberFields, update_me
from studyservice.operations.fields import IntegerField, StringField

PROFILE = "data/profile.jsonl"

LEFT_OUT = {
    "password": "a credential",
    "last_login": "about signing in",
    "session_epoch": "about signing in",
    "is_active": "the operators'",
    "is_staff": "the operators'",
    "is_superuser": "the operators'",
    "assistant_dismissed": "about a hint on pages",
    "reminded_until": "about an e-mail that was sent",
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
    seconds = ExactField(min_value=0, max_value=MOST_SECONDS, required=False)
    seconds_reviews = IntegerField(min_value=0, max_value=MAX_POSITION, required=False)


def profile_line(member: Member) -> dict[str, Any]:
    """Return the profile's only line."""
    names = [one.attname for one in Member._meta.concrete_fields if one.attname not in LEFT_OUT]
    row = Member.objects.filter(id=member.id).values_list(*names).get()
    return dict(zip(names, row, strict=True))


def take_profile(member: Member, fields: Mapping[str, Any]) -> None:
    """Copy the archive's profile, except for a name and a time zone that the member chose. Needs the member's lock."""
    stored = profile_line(member)
    defaults = {one.attname: one.get_default() for one in Member._meta.concrete_fields if one.attname in _CHOSEN}
    kept = {name for name, default in defaults.items() if stored[name] != default}
    update_me(member, **cast("MemberFields", {name: value for name, value in fields.items() if name not in kept}))
