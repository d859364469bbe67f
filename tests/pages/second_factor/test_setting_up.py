"""Setting up a second factor after an e-mailed code or the existing factor."""

from typing import Any
from urllib.parse import urlsplit

import pytest
from django.contrib.admin.models import LogEntry
from django.core import mail as outgoing
from django.test import Client

from accounts import mail
from accounts.models import AuthenticatorApp, Member
from accounts.signing_in.second_factor import gate
from tests.support.second_factor import (
    APP,
    ASKED,
    NOT_RIGHT,
    PASSKEY,
    SET_UP,
    enrolled_app,
    later,
    led_to,
    open_to,
    secret_on,
    shown,
    sign_in_by_code,
    text_of,
)
from tests.support.signing_in import EMAIL, PASSWORD, newest_code, other_than

pytestmark = [pytest.mark.django_db, pytest.mark.same_statements]


def test_a_code_is_required_after_a_password(client: Client, member: Member) -> None:
    client.post("/sign-in", {"email": EMAIL, "password": PASSWORD})
    proof = f"{SET_UP}/code"
    assert [led_to(client, path) for path in ("/admin/", SET_UP, APP, PASSKEY)] == [proof] * 4
    assert urlsplit(client.post(APP, {"code": "123456"}).headers["Location"]).path == proof
    client.post(proof)
    code = newest_code()
    assert "Wrong code." in text_of(client.post(proof, {"code": other_than(code)}))
    assert client.post(proof, {"code": code}).headers["Location"] == SET_UP
    enrolled_app(client)
    assert open_to(client)


def test_a_code_from_an_hour_ago_is_not_enough(operator_browser: Client) -> None:
    with later(gate.PROVED_FOR.total_seconds() + 60):
        assert led_to(operator_browser, SET_UP) == f"{SET_UP}/code"


def test_five_wrong_codes_end_the_setup(client: Client, member: Member) -> None:
    client.post("/sign-in", {"email": EMAIL, "password": PASSWORD})
    proof = f"{SET_UP}/code"
    client.post(proof)
    code = newest_code()
    pages = [text_of(client.post(proof, {"code": other_than(code)})) for _ in range(5)]
    assert "Too many wrong tries." in pages[-1]
    client.post(proof, {"code": code})
    assert led_to(client, SET_UP) == proof


def test_adding_another_requires_the_existing_factor(operator_browser: Client) -> None:
    """An e-mailed code is not enough, since somebody else may read the operator's mail."""
    enrolled_app(operator_browser)
    browser = Client()
    sign_in_by_code(browser)
    assert [led_to(browser, path) for path in (SET_UP, APP, PASSKEY)] == [ASKED] * 3
    assert browser.post(APP, {"code": "123456"}).status_code == 302
    assert browser.post(f"{SET_UP}/app/remove").status_code == 302
    assert AuthenticatorApp.objects.count() == 1


def test_a_wrong_first_code_sets_up_nothing(operator_browser: Client) -> None:
    secret = secret_on(operator_browser.get(APP))
    page = text_of(operator_browser.post(APP, {"code": other_than(shown(secret))}))
    assert NOT_RIGHT in page
    assert secret in page, "the app that scanned it keeps working"
    assert not AuthenticatorApp.objects.exists()
    assert not open_to(operator_browser)


@pytest.mark.database("both")
def test_a_form_without_its_page_sets_up_nothing(operator_browser: Client) -> None:
    assert operator_browser.post(APP, {"code": "123456"}).status_code == 200
    assert not AuthenticatorApp.objects.exists()


def test_the_qr_code_is_generated_here_and_not_stored(operator_browser: Client) -> None:
    response = operator_browser.get(APP)
    assert "<svg" in text_of(response)
    assert 'style="' not in text_of(response)
    assert "no-store" in response.headers["Cache-Control"]
    assert f"otpauth://totp/Study%20Data%20Service:{EMAIL.replace('@', '%40')}?secret={secret_on(response)}" in (
        text_of(response)
    )


@pytest.mark.database("both")
def test_the_secret_is_encrypted_in_the_database_and_in_the_session(operator_browser: Client) -> None:
    secret = secret_on(operator_browser.get(APP))
    assert secret not in str(dict(operator_browser.session))
    operator_browser.post(APP, {"code": shown(secret)})
    row = AuthenticatorApp.objects.values().get()
    assert secret not in str(row)
    assert str(row["sealed_secret"]).startswith("gAAAA")  # Fernet's version and time


def test_secrets_encrypted_with_an_earlier_key_are_reencrypted(operator_browser: Client, settings: Any) -> None:
    secret, _ = enrolled_app(operator_browser)
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "another-" * 10
    browser = Client()
    sign_in_by_code(browser)
    browser.post(ASKED, {"code": shown(secret, steps=1)})
    assert open_to(browser)
    settings.SECRET_KEY_FALLBACKS = []
    with later(90):
        sign_in_by_code(browser)
        browser.post(ASKED, {"code": shown(secret)})
        assert open_to(browser)


def test_a_lost_key_disables_secrets_but_not_recovery_codes(operator_browser: Client, settings: Any) -> None:
    secret, codes = enrolled_app(operator_browser)
    settings.SECRET_KEY = "another-" * 10
    browser = Client()
    sign_in_by_code(browser)
    assert NOT_RIGHT in text_of(browser.post(ASKED, {"code": shown(secret, steps=1)}))
    browser.post(ASKED, {"recovery": codes[0]})
    assert open_to(browser)


@pytest.mark.database("both")
def test_it_is_logged_and_the_operator_is_notified(operator_browser: Client, member: Member) -> None:
    enrolled_app(operator_browser)
    mail.drain()
    assert outgoing.outbox[-1].subject == "Your second factor has an authenticator app now"
    entry = LogEntry.objects.get()
    noted = (entry.user_id, entry.object_id, entry.change_message)
    assert noted == (member.id, str(member.id), "Second factor: added an authenticator app.")
    assert "You changed your account: Second factor: added an authenticator app" in (
        text_of(operator_browser.get("/activity/account"))
    )
