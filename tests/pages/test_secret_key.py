"""Changing SECRET_KEY and CREDENTIAL_PREFIX while members continue to work (docs/operating.md, Changing secrets)."""

import secrets
from typing import Any

import pytest
from django.test import Client

from studyservice.http.logs import without_secrets
from studyservice.secrets.generated import new_secret
from tests.support.entry_points import RestEntryPoint
from tests.support.signing_in import EMAIL, ask, newest_code, signed_in

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


def test_a_session_of_an_earlier_key_continues_under_the_new_one(browser: Client, settings: Any) -> None:
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = NEW, [OLD]
    assert is_signed_in(browser)
    settings.SECRET_KEY_FALLBACKS = []
    assert is_signed_in(browser)


def test_a_session_of_a_removed_key_has_ended(browser: Client, settings: Any) -> None:
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
    from accounts.signing_in.sessions import end_sessions

    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = NEW, [OLD]
    end_sessions(owner_member)
    assert not is_signed_in(browser)


@pytest.mark.parametrize(("fallbacks", "works"), [([OLD], True), ([], False)])
def test_an_e_mailed_code_works_under_an_earlier_key(
    settings: Any, make_member: Any, fallbacks: list[str], works: bool
) -> None:
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = OLD, [NEW]
    make_member(EMAIL)
    client = Client()
    ask(client)
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = NEW, fallbacks
    if not fallbacks:  # the session has ended too, and with it the reference to the code
        assert client.post("/sign-in/code", {"code": newest_code()}).headers["Location"].startswith("/sign-in")
    else:
        client.post("/sign-in/code", {"code": newest_code()})
    assert signed_in(client) is works


@pytest.mark.parametrize(("fallbacks", "error"), [([OLD], None), ([], "invalid_request")])
def test_a_cursor_of_an_earlier_key_still_works(
    owner: RestEntryPoint, course: Any, settings: Any, fallbacks: list[str], error: str | None
) -> None:
    settings.SECRET_KEY = OLD
    for number in range(2):
        owner.made("create_item", course_id=course["id"], title=f"Quiz {number}")
    cursor = owner.call("list_items", limit=1).body["next_cursor"]
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = NEW, fallbacks
    assert owner.call("list_items", limit=1, cursor=cursor).error == error


@pytest.mark.parametrize(("fallbacks", "error"), [(["svc"], None), ([], "unauthorized")])
def test_credentials_of_an_earlier_prefix_work_while_it_is_configured(
    owner: RestEntryPoint, settings: Any, fallbacks: list[str], error: str | None
) -> None:
    settings.CREDENTIAL_PREFIX, settings.CREDENTIAL_PREFIX_FALLBACKS = "study", fallbacks
    assert owner.call("get_me").error == error
    assert new_secret("sk").startswith("study_sk_")
    assert without_secrets("svc_sk_" + "x" * 43) == ("***" if fallbacks else "svc_sk_" + "x" * 43)
