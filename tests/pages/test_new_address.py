"""Changing one's e-mail address: a code to the new one, a notice to the old one, no word of who has an account."""

from typing import Any

import pytest
from django.core import mail as outgoing
from django.test import Client

from accounts.models import Member
from accounts.text import mail

OLD, NEW = "ada@example.org", "ada@example.com"


@pytest.fixture
def member(make_member: Any) -> Member:
    made: Member = make_member(OLD)
    return made


@pytest.fixture
def signed_in(member: Member) -> Client:
    return browser_of(member)


def browser_of(member: Member) -> Client:
    client = Client()
    client.force_login(member)
    return client


def mails() -> list[Any]:
    mail.drain()
    return outgoing.outbox


def ask(client: Client, email: str = NEW) -> str:
    """Ask for a code; gives what the newest e-mail begins with."""
    response = client.post("/account/email", {"email": email})
    assert response.headers["Location"] == "/account/email/code"
    return str(mails()[-1].subject[:6])


def enter(client: Client, code: str) -> Any:
    return client.post("/account/email/code", {"code": code})


@pytest.mark.once("statements that others make too")
def test_the_code_makes_the_new_address_the_members(signed_in: Client, member: Member) -> None:
    other = browser_of(member)
    code = ask(signed_in, "Ada@Example.com")
    assert mails()[-1].to == [NEW]
    assert enter(signed_in, code).headers["Location"] == "/account"
    member.refresh_from_db()
    assert member.email == NEW
    page = signed_in.get("/account").content.decode()
    assert f"Your address is now {NEW}" in page
    assert other.get("/account").status_code == 302
    [notice] = [message for message in mails() if message.to == [OLD]]
    assert NEW in notice.body


def test_keys_go_on_working(signed_in: Client, member: Member, door: Any) -> None:
    api = door(member)
    enter(signed_in, ask(signed_in))
    assert api.made("get_me")["email"] == NEW


@pytest.mark.once("statements that others make too")
def test_signing_in_is_by_the_new_address_alone(signed_in: Client, member: Member) -> None:
    waiting = Client()
    waiting.post("/sign-in", {"email": OLD})
    sent_to_old = mails()[-1].subject[:6]
    enter(signed_in, ask(signed_in))
    waiting.post("/sign-in/code", {"code": sent_to_old})
    assert waiting.get("/account").status_code == 302
    client = Client()
    client.post("/sign-in", {"email": NEW})
    client.post("/sign-in/code", {"code": mails()[-1].subject[:6]})
    assert client.get("/account").status_code == 200


def test_an_address_in_use_gets_a_notice_and_the_same_page(signed_in: Client, member: Member, make_member: Any) -> None:
    taken = make_member("taken@example.org").email
    pages = []
    for email in (taken, NEW):
        client = browser_of(member)
        client.post("/account/email", {"email": email})
        page = client.get("/account/email/code").content.decode()
        token = client.cookies["csrftoken"].value
        assert token
        pages.append([line for line in page.replace(email, "EMAIL").splitlines() if "csrfmiddlewaretoken" not in line])
    assert pages[0] == pages[1]
    [notice] = [message for message in mails() if message.to == [taken]]
    assert notice.subject == "Somebody entered your address"
    assert member.email not in notice.body


def test_no_code_opens_an_address_in_use(signed_in: Client, member: Member, make_member: Any) -> None:
    make_member("taken@example.org")
    signed_in.post("/account/email", {"email": "taken@example.org"})
    for code in ("000000", "111111"):
        assert "That is not the code" in enter(signed_in, code).content.decode()
    member.refresh_from_db()
    assert member.email == OLD


def test_an_address_that_is_taken_meanwhile_is_refused(signed_in: Client, member: Member, make_member: Any) -> None:
    code = ask(signed_in)
    make_member(NEW)
    assert "expired or was used already" in enter(signed_in, code).content.decode()
    member.refresh_from_db()
    assert member.email == OLD


def test_the_fifth_wrong_code_kills_it(signed_in: Client, member: Member) -> None:
    code = ask(signed_in)
    for _ in range(5):
        enter(signed_in, f"{(int(code) + 1) % 10**6:06}")
    assert "Too many wrong tries" in enter(signed_in, code).content.decode()
    member.refresh_from_db()
    assert member.email == OLD


def test_a_code_works_in_the_browser_that_asked_alone(signed_in: Client, member: Member) -> None:
    code = ask(signed_in)
    other = browser_of(member)
    assert enter(other, code).headers["Location"] == "/account/email"
    member.refresh_from_db()
    assert member.email == OLD


def test_a_sign_in_code_changes_no_address(signed_in: Client, member: Member) -> None:
    signed_in.post("/sign-in", {"email": OLD})
    sign_in_code = mails()[-1].subject[:6]
    code = ask(signed_in)
    if code != sign_in_code:
        assert "That is not the code" in enter(signed_in, sign_in_code).content.decode()
    member.refresh_from_db()
    assert member.email == OLD


@pytest.mark.parametrize(
    ("email", "said"),
    [("", "Enter your e-mail address."), ("x", "Enter a whole"), (OLD, "That is your address already.")],
)
def test_what_is_no_new_address_is_said(signed_in: Client, email: str, said: str) -> None:
    assert said in signed_in.post("/account/email", {"email": email}).content.decode()
    assert mails() == []


def test_a_member_asks_for_five_codes_an_hour(signed_in: Client) -> None:
    """For whichever addresses, or a member could have notices sent to everybody."""
    answers = [signed_in.post("/account/email", {"email": f"a{number}@example.com"}) for number in range(6)]
    assert [answer.status_code for answer in answers] == [302] * 5 + [429]
