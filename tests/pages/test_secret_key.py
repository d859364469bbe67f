"""Changing SECRET_KEY without signing members out (docs/operating.md, The secret key)."""

import secrets
from typing import Any

import pytest
from django.test import Client

OLD, NEW = secrets.token_urlsafe(64), secrets.token_urlsafe(64)


@pytest.fixture
def browser(settings: Any, owner_member: Any) -> Client:
    """Signed in under the old key."""
    settings.SECRET_KEY = OLD
    client = Client()
    client.force_login(owner_member)
    return client


def is_signed_in(client: Client) -> bool:
    return client.get("/keys").status_code == 200


def test_a_session_of_an_earlier_key_goes_on_and_takes_the_new_one(browser: Client, settings: Any) -> None:
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = NEW, [OLD]
    assert is_signed_in(browser)
    settings.SECRET_KEY_FALLBACKS = []
    assert is_signed_in(browser)


def test_a_session_of_a_key_that_is_gone_has_ended(browser: Client, settings: Any) -> None:
    settings.SECRET_KEY = NEW
    assert not is_signed_in(browser)


def test_a_new_session_needs_no_earlier_key(browser: Client, owner_member: Any, settings: Any) -> None:
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = NEW, [OLD]
    fresh = Client()
    fresh.force_login(owner_member)
    settings.SECRET_KEY_FALLBACKS = []
    assert is_signed_in(fresh)


def test_signing_out_everywhere_ends_sessions_of_earlier_keys_too(
    browser: Client, owner_member: Any, settings: Any
) -> None:
    from accounts.sessions import end_sessions

    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = NEW, [OLD]
    end_sessions(owner_member)
    assert not is_signed_in(browser)
