"""Sign-in slows down password guessing, but not browsers that the member has used before."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.test import Client

from accounts.models import Member
from studyservice.secrets import hashing
from tests.support.cases import each
from tests.support.signing_in import EMAIL, PASSWORD, ask, newest_code, signed_in

pytestmark = pytest.mark.same_statements

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
UNKNOWN = "unknown@example.org"
WRONG = "not the password"


@pytest.fixture
def known(member: Member) -> Client:
    """A browser in which Ada has signed in before, on another network than the attacker."""
    return browser_of(EMAIL)


def browser_of(email: str) -> Client:
    browser = Client(REMOTE_ADDR="203.0.113.200")
    assert guess(browser, PASSWORD, email).status_code == 302
    browser.post("/sign-out")
    return browser


def guess(browser: Client, password: str = WRONG, email: str = EMAIL, **extra: Any) -> Any:
    return browser.post("/sign-in", {"email": email, "password": password}, **extra)


def from_anywhere(number: int, password: str = WRONG, email: str = EMAIL) -> Any:
    """A guess from a new address."""
    return guess(Client(REMOTE_ADDR=f"198.51.100.{number}"), password, email)


@each("email", [EMAIL, UNKNOWN])
def test_each_wrong_password_after_five_doubles_the_wait(member: Member, email: str) -> None:
    """For guesses from any address, whether or not the account exists."""
    waits = []
    with time_machine.travel(NOON, tick=False) as clock:
        for number in range(5):
            assert from_anywhere(number, email=email).status_code == 200
        for number in range(4):
            assert from_anywhere(10 + number, email=email).status_code == 200
            refused = from_anywhere(20 + number, email=email)
            assert refused.status_code == 429
            waits.append(int(refused.headers["Retry-After"]))
            clock.shift(timedelta(seconds=waits[-1]))
    assert waits == [2, 4, 8, 16]
    assert "Too many wrong passwords" in refused.content.decode()
    assert "code" in refused.content.decode()


def test_the_correct_password_waits_too_and_then_signs_in(member: Member, client: Client) -> None:
    with time_machine.travel(NOON, tick=False) as clock:
        for number in range(6):
            from_anywhere(number)
        refused = guess(client, PASSWORD)
        assert (refused.status_code, refused.headers["Retry-After"]) == (429, "2")
        clock.shift(timedelta(seconds=2))
        assert guess(client, PASSWORD).status_code == 302


def test_the_wait_is_limited(member: Member) -> None:
    """An hour at most. After a day, everything is forgotten."""
    with time_machine.travel(NOON, tick=False) as clock:
        for number in range(20):
            from_anywhere(number)
            clock.shift(timedelta(hours=1))
        from_anywhere(30)
        assert from_anywhere(31).headers["Retry-After"] == "3600"
        clock.shift(timedelta(hours=4))
        assert [from_anywhere(40 + number).status_code for number in range(6)] == [200] * 6


def test_signing_in_resets_the_wait(member: Member, client: Client) -> None:
    for number in range(5):
        from_anywhere(number)
    assert guess(client, PASSWORD).status_code == 302
    assert [from_anywhere(10 + number).status_code for number in range(6)] == [200] * 6


def test_a_code_signs_in_while_passwords_wait(member: Member, client: Client) -> None:
    for number in range(7):
        from_anywhere(number)
    ask(client)
    client.post("/sign-in/code", {"code": newest_code()})
    assert signed_in(client)


def test_a_known_browser_is_not_slowed_by_others(known: Client) -> None:
    for number in range(10):
        from_anywhere(number)
    assert from_anywhere(20, PASSWORD).status_code == 429
    assert guess(known, PASSWORD).status_code == 302


def test_a_guess_that_was_not_checked_does_not_count(
    client: Client, member: Member, monkeypatch: pytest.MonkeyPatch
) -> None:
    with time_machine.travel(NOON, tick=False), monkeypatch.context() as all_taken:
        all_taken.setattr(hashing, "turns", hashing.Turns(0))
        for _ in range(4):
            assert guess(client).status_code == 503
    for number in range(5):
        assert from_anywhere(number).status_code == 200
    with monkeypatch.context() as all_taken:
        all_taken.setattr(hashing, "turns", hashing.Turns(0))
        assert [from_anywhere(10 + number).status_code for number in range(2)] == [503, 503]
    assert guess(client, PASSWORD).status_code == 302


def test_a_known_browser_is_slowed_by_its_own_wrong_passwords(known: Client) -> None:
    assert [guess(known).status_code for _ in range(7)] == [200] * 6 + [429]
    assert from_anywhere(1, PASSWORD).status_code == 302


def test_codes_requested_by_others_do_not_lock_out_a_known_browser(known: Client) -> None:
    answers = [ask(Client(REMOTE_ADDR=f"198.51.100.{number}")).status_code for number in range(6)]
    assert answers == [302] * 5 + [429]
    assert [ask(known).status_code for _ in range(6)] == [302] * 5 + [429]


def test_attempts_by_others_at_its_address_do_not_lock_out_a_known_browser(known: Client) -> None:
    for number in range(15):
        guess(Client(REMOTE_ADDR="203.0.113.200"), email=f"n{number}@example.org")
    assert guess(Client(REMOTE_ADDR="203.0.113.200"), PASSWORD).status_code == 429
    assert ask(known).status_code == 302
    known.post("/sign-in/code", {"code": newest_code()})
    assert signed_in(known)


def test_a_known_browser_has_fifteen_attempts_too(known: Client) -> None:
    answers = [known.post("/sign-in", {"email": EMAIL, "password": ""}).status_code for _ in range(16)]
    assert answers == [200] * 15 + [429]


def test_a_browser_is_known_only_for_its_own_accounts(known: Client, make_member: Any) -> None:
    """Otherwise a member could guess others' passwords with a new limit for each browser."""
    make_member("eve@example.org", password=PASSWORD)
    eve = browser_of("eve@example.org")
    for number in range(6):
        from_anywhere(number)
    assert guess(eve).status_code == 429
    assert [ask(Client(REMOTE_ADDR=f"198.51.100.{number}")).status_code for number in range(5)] == [302] * 5
    assert ask(eve).status_code == 429


def test_for_other_accounts_it_counts_against_its_address(make_member: Any) -> None:
    make_member("eve@example.org", password=PASSWORD)
    eve = browser_of("eve@example.org")
    for number in range(14):
        assert ask(Client(REMOTE_ADDR="203.0.113.200"), f"n{number}@example.org").status_code == 302
    assert ask(eve, "somebody@example.org").status_code == 429
    assert guess(eve, PASSWORD, "eve@example.org").status_code == 302


def test_a_browser_can_be_known_for_several_accounts(known: Client, make_member: Any) -> None:
    make_member("eve@example.org", password=PASSWORD)
    guess(known, PASSWORD, "eve@example.org")
    known.post("/sign-out")
    for number in range(7):
        from_anywhere(number)
        from_anywhere(20 + number, email="eve@example.org")
    assert guess(known, PASSWORD).status_code == 302
    known.post("/sign-out")
    assert guess(known, PASSWORD, "eve@example.org").status_code == 302


@each("value", ["", "x", "a.b:c:d", r'"\000"', r'"\303\244"', "ä"])
def test_a_forged_cookie_makes_no_browser_known(member: Member, value: str) -> None:
    browser = Client(REMOTE_ADDR="203.0.113.201", HTTP_COOKIE=f"device={value}")
    for number in range(6):
        from_anywhere(number)
    assert guess(browser, PASSWORD).status_code == 429


def test_the_cookie_is_not_a_session_and_names_no_account(known: Client, member: Member) -> None:
    cookie = known.cookies["device"]
    assert (cookie["httponly"], cookie["samesite"], cookie["path"]) == (True, "Lax", "/")
    assert cookie["max-age"] == 365 * 24 * 3600
    assert EMAIL not in cookie.value
    assert str(member.id) not in cookie.value
    assert not signed_in(known)


def test_only_signing_in_sets_it(client: Client, member: Member) -> None:
    client.get("/sign-in")
    guess(client)
    ask(client)
    assert "device" not in client.cookies


@pytest.mark.database("both")
@pytest.mark.django_db(transaction=True)
def test_one_parallel_guess_is_checked_per_wait(member: Member, in_threads: Any) -> None:
    for number in range(5):
        from_anywhere(number)
    with time_machine.travel(NOON, tick=False):
        answers = in_threads(lambda number: from_anywhere(50 + number).status_code, list(range(8)))
    assert sorted(answers) == [200] + [429] * 7
