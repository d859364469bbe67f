"""Removing second factors, and resetting them by a command or in the admin."""

from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.core import mail as outgoing
from django.test import Client

from accounts import mail
from accounts.models import AuthenticatorApp, Member, Passkey, RecoveryCode
from tests.conftest import MakeMember
from tests.support.browsers import act
from tests.support.commands import run, run_json
from tests.support.second_factor import (
    SET_UP,
    Device,
    enrolled_app,
    led_to,
    open_to,
    sign_in_by_code,
    text_of,
)
from tests.support.signing_in import EMAIL

pytestmark = pytest.mark.django_db


def test_the_last_factor_cannot_be_removed(operator_browser: Client, passkey: Device) -> None:
    row = Passkey.objects.get()
    remove = f"{SET_UP}/passkeys/{row.id}/remove"
    page = text_of(operator_browser.post(remove, follow=True))
    assert "Add another before" in page
    assert Passkey.objects.count() == 1
    enrolled_app(operator_browser)
    operator_browser.post(remove)
    assert (Passkey.objects.count(), RecoveryCode.objects.count()) == (0, 10)
    operator_browser.post(f"{SET_UP}/app/remove")
    assert AuthenticatorApp.objects.count() == 1


def test_the_last_factor_of_a_trial_is_removed_with_its_recovery_codes(operator_browser: Client, settings: Any) -> None:
    settings.ADMIN_SECOND_FACTOR = "optional"
    enrolled_app(operator_browser)
    operator_browser.post(f"{SET_UP}/app/remove")
    assert not AuthenticatorApp.objects.exists()
    assert not RecoveryCode.objects.exists()
    assert open_to(operator_browser)


@pytest.mark.same_statements
def test_another_operators_passkey_cannot_be_removed(passkey: Device, make_member: MakeMember) -> None:
    browser = Client()
    sign_in_by_code(browser, make_member("other@example.org", is_staff=True).email)
    enrolled_app(browser)
    browser.post(f"{SET_UP}/passkeys/{Passkey.objects.get().id}/remove")
    assert Passkey.objects.count() == 1


def test_the_command_resets_it(operator_browser: Client, member: Member) -> None:
    enrolled_app(operator_browser)
    assert run_json("resetsecondfactor", EMAIL.upper()) == {
        "email": EMAIL,
        "apps": 1,
        "passkeys": 0,
        "recovery_codes": 10,
    }
    assert led_to(operator_browser, "/admin/") == "/sign-in", "every session has ended"
    entry = LogEntry.objects.first()
    assert entry is not None
    assert entry.change_message == "Second factor reset by the command resetsecondfactor."
    mail.drain()
    assert outgoing.outbox[-1].subject == "Your second factor was reset"
    sign_in_by_code(operator_browser)
    enrolled_app(operator_browser)
    assert open_to(operator_browser)


def test_the_command_reports_the_reset(member: Member) -> None:
    assert run("resetsecondfactor", EMAIL) == (
        f"The second factor of {EMAIL} is reset (0 apps, 0 passkeys, 0 recovery codes); every session has ended.\n"
    )


def test_a_superuser_can_reset_another_operators_factor(operator_browser: Client, make_member: MakeMember) -> None:
    enrolled_app(operator_browser)
    other = make_member("other@example.org", is_staff=True)
    browser = Client()
    sign_in_by_code(browser, other.email)
    enrolled_app(browser)
    act(operator_browser, "/admin/accounts/member/", "reset_second_factor", other)
    assert not AuthenticatorApp.objects.filter(member=other).exists()
    assert not open_to(browser)
    assert LogEntry.objects.filter(object_id=other.id, change_message__startswith="Second factor reset").count() == 1


def test_other_operators_cannot_reset_it(operator_browser: Client, make_member: MakeMember) -> None:
    from django.contrib.auth.models import Permission

    helper = make_member("helper@example.org", is_staff=True)
    helper.user_permissions.set(Permission.objects.filter(content_type__app_label="accounts"))
    enrolled_app(operator_browser)
    browser = Client()
    sign_in_by_code(browser, helper.email)
    enrolled_app(browser)
    act(browser, "/admin/accounts/member/", "reset_second_factor", Member.objects.get(email=EMAIL))
    assert AuthenticatorApp.objects.filter(member__email=EMAIL).exists()
