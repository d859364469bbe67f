"""Signing in and out without a browser: codes, limits, and information that must stay hidden."""

import logging
import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.contrib.auth import hashers
from django.core import mail as outgoing
from django.core.mail import EmailMultiAlternatives
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts import mail
from accounts.models import Member, SignInCode
from accounts.signing_in.sessions import end_sessions
from tests.support.cases import each
from tests.support.forms import form_with
from tests.support.signing_in import EMAIL, PASSWORD, ask, newest_code, other_than, signed_in


def test_a_code_signs_in_once(client: Client, member: Member) -> None:
    ask(client)
    code = newest_code()
    response = client.post("/sign-in/code", {"code": f" {code[:3]} {code[3:]} "})
    assert (response.status_code, response.headers["Location"]) == (302, "/")
    assert signed_in(client)


def test_a_used_code_is_deleted(client: Client, member: Member) -> None:
    ask(client)
    again = Client()
    session = again.session
    session["sign_in"] = client.session["sign_in"]
    session.save()
    code = newest_code()
    client.post("/sign-in/code", {"code": code})
    assert "expired or was already used" in again.post("/sign-in/code", {"code": code}).content.decode()
    assert not signed_in(again)


def test_a_code_is_bound_to_its_browser(client: Client, member: Member) -> None:
    ask(client)
    other = Client()
    ask(other, "somebody@example.org")
    other.post("/sign-in/code", {"code": newest_code()})
    assert not signed_in(other)
    assert Client().post("/sign-in/code", {"code": newest_code()}).headers["Location"] == "/sign-in?next=%2F"


def test_a_code_expires_after_ten_minutes(client: Client, member: Member) -> None:
    other = Client()
    with time_machine.travel(datetime(2026, 11, 21, 12, tzinfo=UTC), tick=False) as clock:
        codes = []
        for browser in (client, other):
            ask(browser)
            codes.append(newest_code())
        clock.shift(timedelta(minutes=9, seconds=59))
        other.post("/sign-in/code", {"code": codes[1]})
        assert signed_in(other)
        clock.shift(timedelta(seconds=1))
        assert "expired" in client.post("/sign-in/code", {"code": codes[0]}).content.decode()
    assert not signed_in(client)


def test_expired_codes_are_purged_and_valid_ones_are_kept(client: Client, member: Member) -> None:
    with time_machine.travel(datetime(2026, 11, 21, 12, tzinfo=UTC), tick=False) as clock:
        ask(client)
        clock.shift(timedelta(minutes=11))
        ask(client)
        call_command("purgeexpired")
        assert [code.expires_at for code in SignInCode.objects.all()] == [datetime(2026, 11, 21, 12, 21, tzinfo=UTC)]


def test_the_correct_code_works_after_four_wrong_ones(client: Client, member: Member) -> None:
    ask(client)
    code = newest_code()
    for _ in range(4):
        client.post("/sign-in/code", {"code": other_than(code)})
    client.post("/sign-in/code", {"code": code})
    assert signed_in(client)


def test_the_correct_code_is_rejected_after_five_wrong_ones(client: Client, member: Member) -> None:
    """Spec, Limits: 5 wrong sign-in codes, then a too-many-tries message."""
    ask(client)
    code = newest_code()
    answers = [client.post("/sign-in/code", {"code": other_than(code)}).content.decode() for _ in range(5)]
    assert ["Too many wrong tries" in answer for answer in answers] == [False] * 4 + [True]
    assert "Too many wrong tries" in client.post("/sign-in/code", {"code": code}).content.decode()
    assert not signed_in(client)


@pytest.mark.same_statements
@each("text", ["", "12345", "1234567", "abcdef", "\u0661\u0662\u0663\u0664\u0665\u0666", "12345\x00"])
def test_a_malformed_code_does_not_count_as_a_try(client: Client, member: Member, text: str) -> None:
    ask(client)
    assert client.post("/sign-in/code", {"code": text}).status_code == 200
    assert SignInCode.objects.get().tries == 0


def test_a_password_signs_in(client: Client, member: Member) -> None:
    response = client.post("/sign-in", {"email": " Ada@Example.org ", "password": PASSWORD})
    assert (response.status_code, response.headers["Location"]) == (302, "/")
    assert signed_in(client)


@pytest.mark.same_statements
@each(
    ("target", "lands"),
    [
        ("", "/"),
        ("foo", "/keys"),
        ("keys", "/keys"),
        ("home", "/keys"),
        ("../admin/", "/keys"),
        ("?a=/", "/keys"),
        ("/foo", "/foo"),
        ("http://testserver/foo", "http://testserver/foo"),
        ("/keys?a=//evil.example/" + "x" * 8000, "/keys?a=//evil.example/" + "x" * 8000),
        ("/keys?" + "x" * 20_000, "/keys"),
        ("//evil.example?" + "x" * 3000, "/keys"),
        ("http://evil.example?@testserver/" + "x" * 3000, "/keys"),
        ("/\t/evil.example", "/keys"),
        ("https://evil.example/", "/keys"),
        ("//evil.example", "/keys"),
        ("javascript:alert(1)", "/keys"),
    ],
)
def test_next_is_a_path_and_never_the_name_of_a_view(client: Client, member: Member, target: str, lands: str) -> None:
    client.post("/sign-in", {"email": EMAIL, "next": target})
    response = client.post("/sign-in/code", {"code": newest_code(), "next": target})
    assert (response.status_code, response.headers["Location"]) == (302, lands)
    assert signed_in(client)
    again = client.get("/sign-in", {"next": target})
    assert (again.status_code, again.headers["Location"]) == (302, lands)


def test_the_session_key_changes_at_sign_in(client: Client, member: Member) -> None:
    ask(client)
    before = client.cookies["sessionid"].value
    client.post("/sign-in/code", {"code": newest_code()})
    assert client.cookies["sessionid"].value != before


def test_sign_out_requires_a_post(client: Client, member: Member) -> None:
    client.force_login(member)
    assert client.get("/sign-out").status_code == 200
    assert signed_in(client)
    assert client.post("/sign-out").headers["Location"] == "/"
    assert not signed_in(client)


def test_a_deactivated_member_cannot_sign_in(client: Client, make_member: Any) -> None:
    make_member("barred@example.org", password=PASSWORD, is_active=False)
    client.post("/sign-in", {"email": "barred@example.org", "password": PASSWORD})
    ask(client, "barred@example.org")
    mail.drain()
    assert (signed_in(client), outgoing.outbox) == (False, [])


def test_a_lapsed_member_can_sign_in(client: Client, make_member: Any) -> None:
    make_member("lapsed@example.org", password=PASSWORD, membership_active=False)
    client.post("/sign-in", {"email": "lapsed@example.org", "password": PASSWORD})
    assert signed_in(client)


def _comparable(response: Any) -> tuple[Any, ...]:
    """An answer without the parts that always differ."""
    body = re.sub(r'(csrfmiddlewaretoken" value=)"\w+"|[\w.]+@example.org', "", response.content.decode())
    names = ("Location", "Content-Type", "Cache-Control", "Vary", "Content-Security-Policy")
    return response.status_code, [response.headers.get(name) for name in names], sorted(response.cookies), body


def _recorded(function: Any, calls: list[Any]) -> Any:
    """Wrap `function` and record each call."""

    def call(*args: Any, **kwargs: Any) -> Any:
        calls.append(function)
        return function(*args, **kwargs)

    return call


@pytest.mark.same_statements
@pytest.mark.parametrize("password", ["wrong", None])
def test_nothing_reveals_whether_an_address_is_known(
    client: Client, make_member: Any, monkeypatch: pytest.MonkeyPatch, password: str | None
) -> None:
    """Same page, same status, same work: computed hashes, executed statements, sent e-mails."""
    make_member(EMAIL, password=PASSWORD)
    make_member("codes.only@example.org")
    make_member("barred@example.org", password=PASSWORD, is_active=False)
    hashed: list[Any] = []
    posted: list[Any] = []
    hasher = type(hashers.get_hasher())
    monkeypatch.setattr(hasher, "encode", _recorded(hasher.encode, hashed))
    monkeypatch.setattr(hasher, "verify", _recorded(hasher.verify, hashed))
    monkeypatch.setattr(mail, "post", _recorded(mail.post, posted))

    def work(email: str) -> Any:
        hashed.clear()
        posted.clear()
        browser = Client()
        with CaptureQueriesContext(connection) as queries:
            if password is None:
                asked = ask(browser, email)
                tried = browser.post("/sign-in/code", {"code": "123456"})
                told = [_comparable(asked), _comparable(browser.get("/sign-in/code")), _comparable(tried)]
            else:
                told = [_comparable(browser.post("/sign-in", {"email": email, "password": password}))]
        statements = [re.sub(r"'[^']*'|\bs\d+_x\d+\b", "?", query["sql"])[:60] for query in queries]
        return told, statements, len(hashed), len(posted)

    known = work(EMAIL)
    assert known[2:] == ((0, 1) if password is None else (1, 0))
    for email in ("unknown@example.org", "codes.only@example.org", "barred@example.org"):
        assert work(email) == known


def test_an_unknown_address_gets_no_e_mail(client: Client, member: Member) -> None:
    ask(client, "unknown@example.org")
    ask(client)
    mail.drain()
    assert [message.to for message in outgoing.outbox] == [[EMAIL]]


def test_the_e_mail_is_short_and_contains_the_code(client: Client, member: Member) -> None:
    ask(client)
    code = newest_code()
    message = outgoing.outbox[-1]
    assert isinstance(message, EmailMultiAlternatives)
    ((html, kind),) = message.alternatives
    html = str(html)
    assert message.subject == f"{code} is your sign-in code"
    assert (code in message.body, code in html, kind) == (True, True, "text/html")
    assert len(message.body.splitlines()) <= 8


def test_a_mail_server_failure_is_logged_and_reveals_nothing(
    client: Client, member: Member, settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 9
    assert ask(client).headers["Location"] == "/sign-in/code?next=%2F"
    mail.drain()
    assert [record.message for record in caplog.records if record.levelno == logging.ERROR] == [
        "An e-mail could not be sent"
    ]


def test_no_secret_is_logged_or_stored_readably(
    client: Client, member: Member, caplog: pytest.LogCaptureFixture
) -> None:
    ask(client)
    code = newest_code()
    client.post("/sign-in/code", {"code": code})
    client.post("/sign-in", {"email": EMAIL, "password": PASSWORD})
    row = str(vars(SignInCode.objects.get()))
    assert re.search(rf"\b{code}\b", row) is None
    assert re.search(rf"\b{code}\b|{PASSWORD}", caplog.text) is None


def test_the_admin_uses_the_same_sign_in_page(client: Client, make_member: Any) -> None:
    make_member("operator@example.org", password=PASSWORD, is_staff=True)
    login = client.get("/admin/", follow=True)
    assert login.redirect_chain[-1] == ("/sign-in?next=%2Fadmin%2F", 302)
    form = {"email": "operator@example.org", "password": PASSWORD, "next": "/admin/"}
    assert client.post("/sign-in", form, follow=True).redirect_chain == [("/admin/", 302)]


def test_the_admin_rejects_other_members(client: Client, member: Member) -> None:
    client.force_login(member)
    assert client.get("/admin/", follow=True).status_code == 403


def test_ended_sessions_are_signed_out_and_keys_continue(client: Client, member: Member, entry_point: Any) -> None:
    client.force_login(member)
    api = entry_point(member)
    end_sessions(member)
    assert not signed_in(client)
    assert api.call("get_me").error is None


def test_a_new_password_ends_other_sessions(client: Client, member: Member) -> None:
    client.force_login(member)
    member.set_password("another horse battery")
    member.save()
    assert not signed_in(client)


def test_a_member_without_access_can_sign_in_as_somebody_else(client: Client, member: Member) -> None:
    client.force_login(member)
    page = client.get("/admin/", follow=True)
    assert page.status_code == 403
    assert 'action="/sign-in/another"' in page.content.decode()
    form = form_with("next", page.content.decode())
    assert form["next"] == ["/admin/"]
    assert client.post("/sign-in/another", form).headers["Location"] == "/sign-in?next=%2Fadmin%2F"
    assert not signed_in(client)
