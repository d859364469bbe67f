"""A lost `SECRET_KEY` is reported: `checkinstall`, `resealsecrets` and the log count what no key can decrypt."""

from typing import Any

import pytest

from accounts.management.commands.checkinstall import findings
from accounts.members import outbox
from accounts.members.outbox import MailKind
from accounts.models import OutgoingMail
from accounts.signing_in.second_factor.factors import seal
from planning.models import SchoolCalendar
from planning.school_calendars.addresses import sealed
from studyservice.installation.findings import Finding
from tests.support.commands import refusal, run_json
from tests.support.factories import AuthenticatorAppFactory, SchoolCalendarFactory

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("internet")]

COUNTED = "SECRET_KEY and SECRET_KEY_FALLBACKS cannot decrypt: 1 second factor, 1 queued mail, 2 school calendars"


@pytest.fixture
def old_key(settings: Any, owner_member: Any) -> str:
    """The key under which secrets of each kind are stored. The service has another one now."""
    old: str = settings.SECRET_KEY
    AuthenticatorAppFactory.create(member=owner_member, sealed_secret=seal("JBSWY3DPEHPK3PXP"))
    for number in range(2):
        address = sealed(f"https://school.example/{number}.ics")
        SchoolCalendarFactory.create(member=owner_member, sealed_address=address)
    outbox.store(MailKind.ANNOUNCEMENT, "Version 2", "It is here.", ["owner@example.org"])
    settings.SECRET_KEY = "another key " * 6
    return old


def secrets_step() -> Finding:
    [found] = [one for one in findings(mail_to=None, least_free_mib=0) if one.step == "secrets"]
    return found


def test_checkinstall_counts_them_until_the_key_is_back(old_key: str, settings: Any) -> None:
    assert str(secrets_step()).startswith(f"FAILED       secrets: {COUNTED}. Add the key of before")
    settings.SECRET_KEY_FALLBACKS = [old_key]
    assert str(secrets_step()) == "ok           secrets: all can be decrypted."


def test_resealsecrets_counts_them_and_keeps_them(old_key: str, settings: Any) -> None:
    before = list(SchoolCalendar.objects.values_list("sealed_address"))
    assert refusal("resealsecrets").startswith(f"{COUNTED}. Add the key of before")
    assert list(SchoolCalendar.objects.values_list("sealed_address")) == before
    settings.SECRET_KEY_FALLBACKS = [old_key]
    none = {"second_factors": 0, "queued_mail": 0, "school_calendars": 0}
    assert run_json("resealsecrets") == {"sealed": 4, "unreadable": none}
    settings.SECRET_KEY_FALLBACKS = []
    assert run_json("resealsecrets") == {"sealed": 4, "unreadable": none}
    assert run_json("delivermail")["failed"] == 0


def test_the_log_counts_them_every_day(old_key: str, settings: Any, caplog: pytest.LogCaptureFixture) -> None:
    """At the start of a schedule too, which runs this command first."""
    run_json("purgeexpired")
    assert COUNTED in caplog.messages
    settings.SECRET_KEY = old_key
    caplog.clear()
    run_json("purgeexpired")
    assert caplog.messages == []


def test_a_queued_e_mail_waits_for_its_key(old_key: str) -> None:
    assert "encrypted under another SECRET_KEY" in refusal("delivermail")
    assert OutgoingMail.objects.count() == 1
