"""Passkeys: a response is valid only for its challenge, origin and key."""

import json
from typing import Any

import pytest
from django.test import Client

from accounts.models import Passkey
from studyservice.rates import limiter as rates
from tests.conftest import MakeMember
from tests.support.second_factor import (
    ASKED,
    ORIGIN,
    PASSKEY,
    SET_UP,
    Device,
    enrolled_app,
    open_to,
    options_on,
    sign_in_by_code,
    text_of,
)
from tests.support.signing_in import EMAIL
from tests.support.statements import named

pytestmark = pytest.mark.django_db
about_the_device = pytest.mark.database("sqlite", "device responses")


@pytest.fixture
def browser(passkey: Device) -> Client:
    """Another browser, which needs the second factor."""
    client = Client()
    sign_in_by_code(client)
    return client


@pytest.mark.same_statements
def test_a_passkey_opens_the_admin(operator_browser: Client, passkey: Device, browser: Client) -> None:
    assert open_to(operator_browser)
    options = options_on(browser.get(ASKED))
    assert options["rpId"] == "study.example.org"
    assert browser.post(ASKED, {"passkey": passkey.signed(options)}).status_code == 302
    assert open_to(browser)


@about_the_device
@pytest.mark.parametrize(
    ("base_url", "origin"),
    [
        ("https://Study.Example.org", ORIGIN),
        ("https://study.example.org:443", ORIGIN),
        ("https://study.example.org:8443", "https://study.example.org:8443"),
        ("https://müsli.example", "https://xn--msli-0ra.example"),
    ],
)
def test_origins_are_compared_in_browser_format(
    operator_browser: Client, settings: Any, base_url: str, origin: str
) -> None:
    settings.BASE_URL = base_url
    device = Device(origin)
    options = options_on(operator_browser.get(PASSKEY))
    operator_browser.post(PASSKEY, {"name": "Laptop", "passkey": device.created(options)})
    browser = Client()
    sign_in_by_code(browser)
    options = options_on(browser.get(ASKED))
    assert f"https://{options['rpId']}" == origin.removesuffix(":8443")
    assert browser.post(ASKED, {"passkey": device.signed(options)}).status_code == 302


@pytest.mark.same_statements
def test_a_response_works_once_for_its_challenge(passkey: Device, browser: Client) -> None:
    options = options_on(browser.get(ASKED))
    answer = passkey.signed(options)
    assert browser.post(ASKED, {"passkey": answer}).status_code == 302
    browser.post("/sign-out")
    sign_in_by_code(browser)
    browser.get(ASKED)
    assert "was not accepted" in text_of(browser.post(ASKED, {"passkey": answer}))


@pytest.mark.same_statements
def test_a_challenge_accepts_one_response(passkey: Device, browser: Client) -> None:
    options = options_on(browser.get(ASKED))
    again = options_on(browser.post(ASKED, {"passkey": "{}"}))
    assert again["challenge"] != options["challenge"]
    assert "was not accepted" in text_of(browser.post(ASKED, {"passkey": passkey.signed(options)}))


@about_the_device
@pytest.mark.parametrize(
    "changes",
    [{"origin": "https://study.example.org.evil.example"}, {"type": "webauthn.create"}, {"challenge": "AAAA"}],
)
def test_a_response_for_something_else_is_rejected(passkey: Device, browser: Client, changes: dict[str, str]) -> None:
    answer = passkey.signed(options_on(browser.get(ASKED)), **changes)
    assert "was not accepted" in text_of(browser.post(ASKED, {"passkey": answer}))
    assert not open_to(browser)


@pytest.mark.same_statements
def test_another_key_is_rejected(passkey: Device, browser: Client) -> None:
    imitation = Device(ORIGIN, id=passkey.id)
    answer = imitation.signed(options_on(browser.get(ASKED)))
    assert "was not accepted" in text_of(browser.post(ASKED, {"passkey": answer}))


@pytest.mark.same_statements
def test_a_cloned_device_is_detected(passkey: Device, browser: Client) -> None:
    copy = Device(ORIGIN, key=passkey.key, id=passkey.id)
    passkey.count = 5
    browser.post(ASKED, {"passkey": passkey.signed(options_on(browser.get(ASKED)))})
    browser.post("/sign-out")
    sign_in_by_code(browser)
    answer = copy.signed(options_on(browser.get(ASKED)))
    assert "was not accepted" in text_of(browser.post(ASKED, {"passkey": answer}))


@pytest.mark.same_statements
def test_a_passkey_opens_the_admin_only_for_its_member(passkey: Device, make_member: MakeMember) -> None:
    theirs = Client()
    sign_in_by_code(theirs, make_member("other@example.org", is_staff=True).email)
    options = options_on(theirs.get(PASSKEY))
    theirs.post(PASSKEY, {"name": "Mine", "passkey": Device(ORIGIN).created(options)})
    theirs.post("/sign-out")
    sign_in_by_code(theirs, "other@example.org")
    answer = passkey.signed(options_on(theirs.get(ASKED)))
    assert "was not accepted" in text_of(theirs.post(ASKED, {"passkey": answer}))
    assert not open_to(theirs)


def test_a_device_has_one_passkey_per_member(operator_browser: Client, passkey: Device) -> None:
    """Whether or not the browser respects the list of existing ones."""
    options = options_on(operator_browser.get(PASSKEY))
    response = operator_browser.post(PASSKEY, {"name": "Again", "passkey": passkey.created(options)})
    assert "was not accepted" in text_of(response)
    assert Passkey.objects.count() == 1


def test_every_statement_names_the_member(operator_browser: Client, passkey: Device, browser: Client) -> None:
    """Rows may be distributed by member."""
    with named():
        enrolled_app(operator_browser)
        enrolled_app(operator_browser)
        operator_browser.post(f"{SET_UP}/recovery-codes")
        browser.post(ASKED, {"passkey": passkey.signed(options_on(browser.get(ASKED)))})
        operator_browser.post(f"{SET_UP}/passkeys/{Passkey.objects.filter(member__email=EMAIL).get().id}/remove")
        operator_browser.post(f"{SET_UP}/app/remove")


HOSTILE = [
    "{",
    "[]",
    "null",
    "1",
    '"x"',
    "{}",
    '{"id": 1}',
    '{"id": "é", "rawId": "é", "type": "public-key", "response": {}}',
    "[" * 20_000,
    '{"id": {"a": 1}, "response": [1]}',
]


@about_the_device
def test_an_invalid_response_is_rejected(passkey: Device, browser: Client, operator_browser: Client) -> None:
    for answer in HOSTILE:
        rates.clear()
        browser.get(ASKED)
        assert "was not accepted" in text_of(browser.post(ASKED, {"passkey": answer})), answer
        operator_browser.get(PASSKEY)
        assert "was not accepted" in text_of(operator_browser.post(PASSKEY, {"name": "New", "passkey": answer})), answer
    for answer in ("", "\x00"):  # which the form rejects
        assert browser.post(ASKED, {"passkey": answer}).status_code == 200
        assert operator_browser.post(PASSKEY, {"name": "New", "passkey": answer}).status_code == 200
    assert Passkey.objects.count() == 1


@about_the_device
@pytest.mark.parametrize("field", ["attestationObject", "clientDataJSON", "authenticatorData", "signature"])
def test_a_damaged_part_is_rejected(passkey: Device, browser: Client, operator_browser: Client, field: str) -> None:
    for value in ("", "AA", "é", "oA", "_____w", "n" * 8, 1, None):
        rates.clear()
        signed = json.loads(passkey.signed(options_on(browser.get(ASKED))))
        made = json.loads(Device(ORIGIN).created(options_on(operator_browser.get(PASSKEY))))
        for answer in (signed, made):
            if field in answer["response"]:
                answer["response"][field] = value
        if field in signed["response"]:
            assert "was not accepted" in text_of(browser.post(ASKED, {"passkey": json.dumps(signed)})), value
        if field in made["response"]:
            posted = operator_browser.post(PASSKEY, {"name": "New", "passkey": json.dumps(made)})
            assert "was not accepted" in text_of(posted), value
    assert Passkey.objects.count() == 1


BROKEN_KEYS: list[Any] = [{}, {1: 2}, {1: 2, 3: -7, -1: 1, -2: bytes(32)}, {1: None, 3: -7}, 7, "key", [], None]


@about_the_device
def test_an_invalid_key_is_rejected(passkey: Device, operator_browser: Client) -> None:
    """Values that the library reads without a type check must not cause a 500."""
    for key in BROKEN_KEYS:
        rates.clear()
        answer = Device(ORIGIN).created(options_on(operator_browser.get(PASSKEY)), cose=key)
        posted = operator_browser.post(PASSKEY, {"name": "New", "passkey": answer})
        assert "was not accepted" in text_of(posted), key


@pytest.mark.same_statements
def test_an_unstorable_name_is_rejected(passkey: Device, browser: Client) -> None:
    answer = json.loads(passkey.signed(options_on(browser.get(ASKED)))) | {"id": "\x00"}
    assert "was not accepted" in text_of(browser.post(ASKED, {"passkey": json.dumps(answer)}))


def test_a_device_is_not_asked_twice_for_the_same_passkey(operator_browser: Client, passkey: Device) -> None:
    assert len(options_on(operator_browser.get(PASSKEY))["excludeCredentials"]) == 1


@pytest.mark.same_statements
def test_ten_passkeys_are_the_maximum(operator_browser: Client, passkey: Device) -> None:
    for number in range(11):
        options = options_on(operator_browser.get(PASSKEY))
        operator_browser.post(PASSKEY, {"name": f"Key {number}", "passkey": Device(ORIGIN).created(options)})
    assert Passkey.objects.count() == 10
    assert "You have reached the limit." in text_of(operator_browser.get(SET_UP))


def test_an_ip_address_has_no_passkeys(operator_browser: Client) -> None:
    """A trial on 127.0.0.1: browsers refuse passkeys there."""
    assert operator_browser.get(PASSKEY).headers["Location"] == SET_UP
    assert "Passkeys need a domain name." in text_of(operator_browser.get(SET_UP))
