"""What settings name for another app to call is there, and can be called so, before the service starts."""

from datetime import datetime
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import SystemCheckError

from accounts.models import Member

pytestmark = pytest.mark.database("sqlite", "names in the settings")


def takes_no_moment(member: Member) -> None:
    """No repair of a clock: those are told the time."""


def counts_in_words(member: Member) -> str:
    """No streak, which is a number."""
    return "seven"


def set_right(member: Member, now: datetime) -> None:
    """A repair."""


class OneWay:
    """Knows apps, and cannot disconnect them."""

    def of(self, member: Member) -> Any: ...


HERE = __name__


@pytest.mark.parametrize(
    ("setting", "value", "said"),
    [
        ("PRACTICE_STREAK", "practice.none.current_streak", "PRACTICE_STREAK: practice.none.current_streak"),
        ("PRACTICE_STREAK", f"{HERE}.counts_in_words", "PRACTICE_STREAK: tests.server.test_hooks.counts_in_words is"),
        ("MEMBER_CLOCK_REPAIRS", [f"{HERE}.takes_no_moment"], "MEMBER_CLOCK_REPAIRS: "),
        ("MEMBER_CLOCK_REPAIRS", f"{HERE}.set_right", "MEMBER_CLOCK_REPAIRS must be a list"),
        ("MEMBER_ERASURES", [f"{HERE}.HERE"], "MEMBER_ERASURES: tests.server.test_hooks.HERE is"),
        ("CREDENTIAL_RESOLVERS", {"sk": "accounts.credentials.resolving.nothing"}, "CREDENTIAL_RESOLVERS: "),
        ("EXPIRED_DATA", {"sessions": f"{HERE}.set_right"}, "EXPIRED_DATA: "),
        ("CONNECTED_APPS", f"{HERE}.OneWay", "CONNECTED_APPS: tests.server.test_hooks.OneWay is"),
        ("MEMBER_DATA", [("vocab.Nothing", "member")], "MEMBER_DATA: vocab.Nothing.member"),
        ("MEMBER_DATA", [("vocab.Deck", "name")], "MEMBER_DATA: vocab.Deck.name"),
        ("MEMBER_CLOCK_STAMPS", {"vocab.Deck": ("made_at",)}, "MEMBER_CLOCK_STAMPS: vocab.Deck.made_at"),
        ("MEMBER_CLOCK_STAMPS", {"vocab.Deck": ("name",)}, "MEMBER_CLOCK_STAMPS: vocab.Deck.name"),
    ],
)
def test_the_service_does_not_start_with_what_cannot_be_called(
    settings: Any, setting: str, value: Any, said: str
) -> None:
    setattr(settings, setting, value)
    with pytest.raises(SystemCheckError, match=said):
        call_command("check")


def test_what_fits_is_accepted(settings: Any) -> None:
    settings.MEMBER_CLOCK_REPAIRS = [*settings.MEMBER_CLOCK_REPAIRS, f"{HERE}.set_right"]
    call_command("check")
