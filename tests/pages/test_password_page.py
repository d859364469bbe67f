"""Setting, changing and removing a password."""

from typing import Any

import pytest
from django.core import mail as outgoing
from django.test import Client

from accounts import mail
from accounts.models import Member
from tests.support.cases import each

OLD, NEW = "correct horse battery", "staple the horse twice"
EMAIL = "ada@example.org"


@pytest.fixture
def member(make_member: Any) -> Member:
    made: Member = make_member(EMAIL, password=OLD)
    return made


def browser_of(member: Member) -> Client:
    client = Client()
    client.force_login(member)
    return client


@pytest.fixture
def signed_in(member: Member) -> Client:
    return browser_of(member)


def mails() -> list[Any]:
    mail.drain()
    return outgoing.outbox


def signs_in(password: str) -> bool:
    client = Client()
    client.post("/sign-in", {"email": EMAIL, "password": password})
    return client.get("/account").status_code == 200


def change(client: Client, **fields: str) -> Any:
    return client.post("/account/password", {"do": "set", "current_password": OLD, "new_password": NEW} | fields)


def test_the_old_password_allows_changing_it(signed_in: Client, member: Member, entry_point: Any) -> None:
    other, api = browser_of(member), entry_point(member)
    assert change(signed_in).headers["Location"] == "/account"
    assert (signs_in(OLD), signs_in(NEW)) == (False, True)
    page = signed_in.get("/account").content.decode()
    assert "Your new password is set. Other browsers were signed out. API keys and connected apps still work" in page
    assert other.get("/account").status_code == 302
    assert api.call("get_me").error is None
    assert [(message.to, message.subject) for message in mails()] == [([EMAIL], "Your password was changed")]


@pytest.mark.same_statements
def test_a_code_allows_changing_it(signed_in: Client) -> None:
    signed_in.post("/account/password/code")
    code = mails()[-1].subject[:6]
    assert change(signed_in, code=code).status_code == 302
    assert signs_in(NEW)


def test_a_wrong_old_password_changes_nothing(signed_in: Client) -> None:
    page = change(signed_in, current_password="wrong password").content.decode()
    assert "Wrong password." in page
    assert (signs_in(OLD), mails()) == (True, [])


@pytest.mark.same_statements
def test_a_wrong_code_changes_nothing_and_the_fifth_invalidates_it(signed_in: Client) -> None:
    signed_in.post("/account/password/code")
    code = mails()[-1].subject[:6]
    wrong = f"{(int(code) + 1) % 10**6:06}"
    said = [change(signed_in, code=wrong).content.decode() for _ in range(5)]
    assert ["Too many wrong tries" in page for page in said] == [False] * 4 + [True]
    assert "Enter your current password" in change(signed_in, code=code, current_password="").content.decode()
    assert signs_in(OLD)


def test_wrong_old_passwords_slow_down(signed_in: Client) -> None:
    answers = [change(signed_in, current_password="wrong password").status_code for _ in range(8)]
    assert answers[:5] == [200] * 5
    assert 429 in answers


@pytest.mark.same_statements
def test_a_first_password_is_set_with_a_code(make_member: Any) -> None:
    client = browser_of(make_member(EMAIL))
    page = client.get("/account/password").content.decode()
    assert [label in page for label in ("Current password", "New password", "E-mail me a code")] == [False, False, True]
    client.post("/account/password/code")
    [sent] = mails()
    assert (sent.to, sent.subject[6:]) == ([EMAIL], " is your code to set or change the password")
    assert "Set password" in client.get("/account/password").content.decode()
    assert client.post("/account/password", {"new_password": NEW, "code": sent.subject[:6]}).status_code == 302
    assert signs_in(NEW)
    assert mails()[-1].subject == "Your password was set"


@pytest.mark.same_statements
def test_a_session_is_not_enough_to_set_a_first_password(make_member: Any) -> None:
    client = browser_of(make_member(EMAIL))
    for fields in ({}, {"code": "123456"}, {"current_password": ""}, {"do": "remove"}):
        assert client.post("/account/password", {"new_password": NEW} | fields).status_code == 200, fields
    client.post("/account/password/code")
    code = mails()[-1].subject[:6]
    wrong = f"{(int(code) + 1) % 10**6:06}"
    said = [change(client, code=wrong).content.decode() for _ in range(5)]
    assert ["Too many wrong tries" in page for page in said] == [False] * 4 + [True]
    assert not signs_in(NEW)
    assert len(mails()) == 1


@pytest.mark.same_statements
@each(
    ("new", "said"),
    [
        ("", "Enter a new password."),
        ("short", "too short"),
        ("password", "too common"),
        (EMAIL, "too similar"),
    ],
)
def test_a_bad_password_is_rejected_with_the_reason(signed_in: Client, new: str, said: str) -> None:
    assert said in change(signed_in, new_password=new).content.decode()
    assert signs_in(OLD)


@pytest.mark.same_statements
def test_it_can_be_removed(signed_in: Client, member: Member) -> None:
    other = browser_of(member)
    response = signed_in.post("/account/password", {"do": "remove", "current_password": OLD})
    assert response.status_code == 302
    assert not signs_in(OLD)
    assert "Your password is removed" in signed_in.get("/account").content.decode()
    assert other.get("/account").status_code == 302
    assert mails()[-1].subject == "Your password was removed"


def test_removing_needs_the_old_password(signed_in: Client) -> None:
    page = signed_in.post("/account/password", {"do": "remove"}).content.decode()
    assert "Enter your current password" in page
    assert signs_in(OLD)


def test_a_code_for_the_password_signs_nobody_in(signed_in: Client) -> None:
    signed_in.post("/account/password/code")
    client = Client()
    client.post("/sign-in", {"email": "nobody@example.org"})
    client.post("/sign-in/code", {"code": mails()[-1].subject[:6]})
    assert client.get("/account").status_code == 302
