"""Codes of an authenticator app and recovery codes: each works once, and wrong ones cause a wait."""

import time
from collections.abc import Callable
from typing import Any

import pytest
import time_machine
from django.core import mail as outgoing
from django.test import Client

from accounts import mail
from accounts.models import Member, RecoveryCode
from tests.conftest import MakeMember
from tests.support.second_factor import (
    ASKED,
    NOT_RIGHT,
    SET_UP,
    Asked,
    enrolled_app,
    open_to,
    recovery_codes_on,
    shown,
    sign_in_by_code,
    text_of,
)
from tests.support.signing_in import other_than

pytestmark = [pytest.mark.django_db, pytest.mark.same_statements]


def test_the_setup_code_does_not_work_again(asked: Asked) -> None:
    browser, secret, _ = asked
    assert NOT_RIGHT in text_of(browser.post(ASKED, {"code": shown(secret)}))
    assert not open_to(browser)


def test_a_code_works_once(asked: Asked) -> None:
    browser, secret, _ = asked
    code = shown(secret, steps=1)
    assert browser.post(ASKED, {"code": code}).status_code == 302
    other = Client()
    sign_in_by_code(other)
    assert NOT_RIGHT in text_of(other.post(ASKED, {"code": code}))
    assert NOT_RIGHT in text_of(other.post(ASKED, {"code": shown(secret)})), "neither does an earlier one"


@pytest.mark.database("sqlite", "codes and clocks")
@pytest.mark.parametrize(("seconds", "right"), [(-100, False), (-35, True), (35, True), (100, False)])
def test_a_phones_clock_may_be_half_a_minute_off(asked: Asked, seconds: int, right: bool) -> None:
    browser, secret, _ = asked
    middle = time.time() // 30 * 30 + 1005
    with time_machine.travel(middle + seconds, tick=False):
        code = shown(secret)
    with time_machine.travel(middle, tick=False):
        assert (browser.post(ASKED, {"code": code}).status_code == 302) is right


@pytest.mark.database("sqlite", "codes and clocks")
@pytest.mark.parametrize("code", ["", "12345", "1234567", "abcdef", "\uff11\uff12\uff13\uff14\uff15\uff16", "0x1234"])
def test_malformed_codes_are_reported_and_not_counted(asked: Asked, code: str) -> None:
    browser, secret, _ = asked
    for _ in range(6):
        assert "six digits" in text_of(browser.post(ASKED, {"code": code}))
    assert browser.post(ASKED, {"code": shown(secret, steps=1)}).status_code == 302


def test_a_code_may_contain_spaces(asked: Asked) -> None:
    browser, secret, _ = asked
    code = shown(secret, steps=1)
    assert browser.post(ASKED, {"code": f" {code[:3]} {code[3:]}"}).status_code == 302


def test_wrong_codes_cause_a_wait_in_every_browser(asked: Asked) -> None:
    browser, secret, _ = asked
    wrong = other_than(shown(secret, steps=1))
    assert [browser.post(ASKED, {"code": wrong}).status_code for _ in range(7)] == [200] * 6 + [429]
    other = Client(REMOTE_ADDR="192.0.2.9")
    sign_in_by_code(other)
    response = other.post(ASKED, {"code": shown(secret, steps=1)})
    assert (response.status_code, "Too many wrong tries" in text_of(response)) == (429, True)
    assert not open_to(other)


def test_tries_per_browser_are_limited(asked: Asked) -> None:
    """Together with sign-in attempts, of which there are fifteen."""
    browser, _, _ = asked
    answers = [browser.post(ASKED, {"code": "no"}).status_code for _ in range(16)]
    assert answers[-1] == 429


def test_codes_of_another_operators_app_fail(asked: Asked, make_member: MakeMember) -> None:
    _, secret, _ = asked
    other = make_member("other@example.org", is_staff=True)
    browser = Client()
    sign_in_by_code(browser, other.email)
    enrolled_app(browser)
    browser.post("/sign-out")
    sign_in_by_code(browser, other.email)
    assert NOT_RIGHT in text_of(browser.post(ASKED, {"code": shown(secret, steps=1)}))


@pytest.mark.database("both")
@pytest.mark.django_db(transaction=True)
def test_one_of_several_concurrent_uses_of_a_code_succeeds(
    asked: Asked, in_threads: Callable[..., list[Any]], member: Member
) -> None:
    from accounts.signing_in.second_factor.factors import use_code

    _, secret, _ = asked
    code = shown(secret, steps=1)
    assert sorted(in_threads(lambda _: use_code(member, code), [0, 1, 2, 3])) == [False, False, False, True]


@pytest.mark.database("both")
def test_ten_recovery_codes_are_shown_once_with_the_first_factor(operator_browser: Client) -> None:
    _, codes = enrolled_app(operator_browser)
    assert len(set(codes)) == 10
    assert recovery_codes_on(operator_browser.get(SET_UP)) == []
    assert not any(code in str(list(RecoveryCode.objects.values())) for code in codes)


def test_each_recovery_code_works_once_in_any_spelling(asked: Asked) -> None:
    browser, _, codes = asked
    typed = codes[0].upper().replace("-", " ")
    assert browser.post(ASKED, {"recovery": typed}).status_code == 302
    assert open_to(browser)
    mail.drain()
    assert "9 are left" in outgoing.outbox[-1].body
    other = Client()
    sign_in_by_code(other)
    assert "Wrong or used recovery code" in text_of(other.post(ASKED, {"recovery": codes[0]}))


def test_new_recovery_codes_invalidate_the_old(asked: Asked, operator_browser: Client) -> None:
    browser, _, old = asked
    new = recovery_codes_on(operator_browser.post(f"{SET_UP}/recovery-codes"))
    assert len(set(new) - set(old)) == 10
    assert "Wrong or used recovery code" in text_of(browser.post(ASKED, {"recovery": old[0]}))
    assert browser.post(ASKED, {"recovery": new[0]}).status_code == 302
