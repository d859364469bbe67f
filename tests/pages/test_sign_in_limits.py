"""Signing in too often, many sign-ins at once, and a member deleted meanwhile."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import pytest
import time_machine
from django.db import connection
from django.db.models import QuerySet
from django.test import Client

from accounts.models import Member, SignInCode
from tests.support.cases import each
from tests.support.signing_in import EMAIL, PASSWORD, ask, newest_code, other_than, signed_in

pytestmark = pytest.mark.same_statements


def test_attempts_per_address_are_limited(client: Client, member: Member) -> None:
    """Spec, Limits: 15 per 10 minutes per IP, for all kinds of attempts."""
    with time_machine.travel(datetime(2026, 11, 21, 12, 3, tzinfo=UTC), tick=False):
        for number in range(15):
            form = {"email": f"n{number}@example.org"} | ({"password": "wrong"} if number % 5 == 0 else {})
            assert client.post("/sign-in", form).status_code in {200, 302}
        response = client.post("/sign-in", {"email": EMAIL, "password": PASSWORD})
        assert (response.status_code, response.headers["Retry-After"]) == (429, "600")
        assert "Wait 10 minutes" in response.content.decode()
        assert client.post("/sign-in/code", {"code": "123456"}).status_code == 429
        assert client.get("/sign-in").status_code == 200
        other = client.post("/sign-in", {"email": EMAIL, "password": PASSWORD}, REMOTE_ADDR="203.0.113.9")
        assert other.status_code == 302


def test_a_forwarded_address_is_ignored_without_a_trusted_proxy(client: Client, member: Member) -> None:
    answers = [ask(client, f"n{n}@example.org", HTTP_X_FORWARDED_FOR=f"203.0.113.{n}") for n in range(16)]
    assert answers[-1].status_code == 429


def test_a_trusted_proxy_names_the_client(client: Client, member: Member, settings: Any) -> None:
    settings.TRUSTED_PROXIES = 1
    answers = [ask(client, f"n{n}@example.org", HTTP_X_FORWARDED_FOR=f"203.0.113.{n}") for n in range(16)]
    assert answers[-1].status_code == 302


@each("email", [EMAIL, "unknown@example.org"])
def test_codes_per_address_are_limited(client: Client, member: Member, email: str) -> None:
    """Decisions 10: at most 5 codes an hour, for a member or not."""
    answers = [ask(client, email, REMOTE_ADDR=f"203.0.113.{n}") for n in range(6)]
    assert [answer.status_code for answer in answers] == [302] * 5 + [429]
    assert 1 <= int(answers[-1].headers["Retry-After"]) <= 3600


@pytest.mark.database("both")
@pytest.mark.django_db(transaction=True)
def test_parallel_tries_of_a_code_sign_in_once(client: Client, member: Member, in_threads: Any) -> None:
    ask(client)
    code, cookie = newest_code(), client.cookies["sessionid"].value

    def try_it(number: int) -> bool:
        browser = Client(REMOTE_ADDR=f"203.0.113.{number}")
        browser.cookies["sessionid"] = cookie
        return browser.post("/sign-in/code", {"code": code}).status_code == 302 and signed_in(browser)

    assert sorted(in_threads(try_it, list(range(8)))) == [False] * 7 + [True]


@pytest.mark.database("both")
@pytest.mark.django_db(transaction=True)
def test_parallel_wrong_tries_stop_at_five(client: Client, member: Member, in_threads: Any) -> None:
    ask(client)
    wrong, cookie = other_than(newest_code()), client.cookies["sessionid"].value

    def try_it(number: int) -> None:
        browser = Client(REMOTE_ADDR=f"203.0.113.{number}")
        browser.cookies["sessionid"] = cookie
        browser.post("/sign-in/code", {"code": wrong})

    in_threads(try_it, list(range(12)))
    assert SignInCode.objects.get().tries == 5


@contextmanager
def vanishing(member: Member) -> Iterator[None]:
    """Delete the member with the first statement after the one that reads them."""
    is_read = told = False

    def watch(execute: Any, sql: str, *rest: Any) -> Any:
        nonlocal is_read, told
        if is_read:
            is_read = False
            QuerySet(SignInCode).filter(member=member).delete()
            QuerySet(Member).filter(pk=member.pk).delete()
        elif sql.startswith("SELECT") and 'FROM "accounts_member"' in sql:
            is_read = not told
            told = True
        return execute(sql, *rest)

    with connection.execute_wrapper(watch):
        yield


def test_a_member_deleted_during_the_password_check_is_not_signed_in(client: Client, member: Member) -> None:
    with vanishing(member):
        response = client.post("/sign-in", {"email": EMAIL, "password": PASSWORD})
    assert not Member.objects.exists()
    assert (response.status_code, signed_in(client)) == (200, False)
    assert "Wrong address or password" in response.content.decode()


def test_a_member_deleted_during_the_code_check_is_not_signed_in(client: Client, member: Member) -> None:
    ask(client)
    code = newest_code()
    with vanishing(member):
        response = client.post("/sign-in/code", {"code": code})
    assert not Member.objects.exists()
    assert (response.status_code, signed_in(client)) == (200, False)
    assert "Request a new one below" in response.content.decode()
