"""Changing an e-mail address: proof of the account, a code to the new address, and a notice to the old one.

No page reveals whether an account exists.
"""

from typing import Any

import pytest
from django.core import mail as outgoing
from django.test import Client

from accounts import mail
from accounts.models import Member
from tests.support.cases import each

OLD, NEW = "ada@example.org", "ada@example.com"
PASSWORD = "correct horse battery"


@pytest.fixture
def member(make_member: Any) -> Member:
    made: Member = make_member(OLD, password=PASSWORD)
    return made


@pytest.fixture
def without_password(member: Member) -> Member:
    member.set_unusable_password()
    member.save(update_fields=["password"])
    return member


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


def newest_code() -> str:
    return str(mails()[-1].subject[:6])


def post(client: Client, email: str = NEW, **proof: str) -> Any:
    return client.post("/account/email", {"email": email} | (proof or {"current_password": PASSWORD}))


def ask(client: Client, email: str = NEW, **proof: str) -> str:
    """Ask for a code. Return the beginning of the newest e-mail."""
    assert post(client, email, **proof).headers["Location"] == "/account/email/code"
    return newest_code()


def enter(client: Client, code: str) -> Any:
    return client.post("/account/email/code", {"code": code})


@pytest.mark.same_statements
def test_the_code_assigns_the_new_address(signed_in: Client, member: Member) -> None:
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


def test_keys_keep_working(signed_in: Client, member: Member, entry_point: Any) -> None:
    api = entry_point(member)
    enter(signed_in, ask(signed_in))
    assert api.made("get_me")["email"] == NEW


@pytest.mark.same_statements
def test_only_the_new_address_signs_in(signed_in: Client, member: Member) -> None:
    waiting = Client()
    waiting.post("/sign-in", {"email": OLD})
    sent_to_old = newest_code()
    enter(signed_in, ask(signed_in))
    waiting.post("/sign-in/code", {"code": sent_to_old})
    assert waiting.get("/account").status_code == 302
    client = Client()
    client.post("/sign-in", {"email": NEW})
    client.post("/sign-in/code", {"code": newest_code()})
    assert client.get("/account").status_code == 200


def test_an_address_in_use_gets_a_notice_and_the_same_page(signed_in: Client, member: Member, make_member: Any) -> None:
    taken = make_member("taken@example.org").email
    pages = []
    for email in (taken, NEW):
        client = browser_of(member)
        post(client, email)
        page = client.get("/account/email/code").content.decode()
        token = client.cookies["csrftoken"].value
        assert token
        pages.append([line for line in page.replace(email, "EMAIL").splitlines() if "csrfmiddlewaretoken" not in line])
    assert pages[0] == pages[1]
    [notice] = [message for message in mails() if message.to == [taken]]
    assert notice.subject == "Somebody entered your address"
    assert member.email not in notice.body


def test_no_code_assigns_an_address_in_use(signed_in: Client, member: Member, make_member: Any) -> None:
    make_member("taken@example.org")
    post(signed_in, "taken@example.org")
    for code in ("000000", "111111"):
        assert "Wrong code" in enter(signed_in, code).content.decode()
    member.refresh_from_db()
    assert member.email == OLD


def test_an_address_taken_meanwhile_is_rejected(signed_in: Client, member: Member, make_member: Any) -> None:
    code = ask(signed_in)
    make_member(NEW)
    assert "expired or was already used" in enter(signed_in, code).content.decode()
    member.refresh_from_db()
    assert member.email == OLD


def test_the_fifth_wrong_code_invalidates_it(signed_in: Client, member: Member) -> None:
    code = ask(signed_in)
    for _ in range(5):
        enter(signed_in, f"{(int(code) + 1) % 10**6:06}")
    assert "Too many wrong tries" in enter(signed_in, code).content.decode()
    member.refresh_from_db()
    assert member.email == OLD


def test_a_code_works_only_in_its_browser(signed_in: Client, member: Member) -> None:
    code = ask(signed_in)
    other = browser_of(member)
    assert enter(other, code).headers["Location"] == "/account/email"
    member.refresh_from_db()
    assert member.email == OLD


def test_a_sign_in_code_changes_no_address(signed_in: Client, member: Member) -> None:
    signed_in.post("/sign-in", {"email": OLD})
    sign_in_code = newest_code()
    code = ask(signed_in)
    if code != sign_in_code:
        assert "Wrong code" in enter(signed_in, sign_in_code).content.decode()
    member.refresh_from_db()
    assert member.email == OLD


@each(
    ("email", "said"),
    [("", "Enter your e-mail address."), ("x", "Enter a complete"), (OLD, "This is already your address.")],
)
def test_an_invalid_new_address_is_reported(signed_in: Client, email: str, said: str) -> None:
    assert said in post(signed_in, email).content.decode()
    assert mails() == []


def test_a_member_can_request_five_codes_an_hour(signed_in: Client) -> None:
    """Over all addresses. Otherwise a member could have notices sent to everybody."""
    answers = [post(signed_in, f"a{number}@example.com") for number in range(6)]
    assert [answer.status_code for answer in answers] == [302] * 5 + [429]


@pytest.mark.same_statements
def test_a_wrong_password_sends_no_code(signed_in: Client, member: Member) -> None:
    for proof in ({"current_password": "wrong password"}, {"current_password": ""}, {"code": "123456"}):
        page = post(signed_in, NEW, **proof).content.decode()
        assert "Wrong password." in page or "Enter your current password" in page, proof
    assert mails() == []
    assert signed_in.get("/account/email/code").headers["Location"] == "/account/email"


def test_wrong_passwords_slow_down(signed_in: Client) -> None:
    answers = [post(signed_in, current_password="wrong password").status_code for _ in range(8)]
    assert answers[:5] == [200] * 5
    assert 429 in answers


def test_without_a_password_a_code_to_the_old_address_comes_first(without_password: Member) -> None:
    client = browser_of(without_password)
    page = client.get("/account/email").content.decode()
    assert ("New e-mail address" in page, "E-mail me a code" in page) == (False, True)
    assert client.post("/account/email/proof").headers["Location"] == "/account/email"
    assert [(message.to, message.subject[6:]) for message in mails()] == [
        ([OLD], " is your code to change the address")
    ]
    assert enter(client, ask(client, code=newest_code())).headers["Location"] == "/account"
    without_password.refresh_from_db()
    assert without_password.email == NEW


@pytest.mark.same_statements
def test_without_a_password_or_a_code_nothing_is_sent(without_password: Member) -> None:
    client = browser_of(without_password)
    for proof in ({"code": "123456"}, {"current_password": ""}, {"current_password": PASSWORD}):
        assert post(client, **proof).status_code == 200, proof
    assert mails() == []
    assert client.get("/account/email/code").headers["Location"] == "/account/email"


def test_a_wrong_code_to_the_old_address_sends_none_to_the_new(without_password: Member) -> None:
    client = browser_of(without_password)
    client.post("/account/email/proof")
    code = newest_code()
    wrong = f"{(int(code) + 1) % 10**6:06}"
    said = [post(client, code=wrong).content.decode() for _ in range(5)]
    assert ["Too many wrong tries" in page for page in said] == [False] * 4 + [True]
    assert post(client, code=code).status_code == 200
    assert len(mails()) == 1


@pytest.mark.same_statements
def test_the_code_to_the_old_address_works_once_and_in_its_browser(without_password: Member) -> None:
    client, stolen = browser_of(without_password), browser_of(without_password)
    client.post("/account/email/proof")
    code = newest_code()
    assert post(stolen, code=code).status_code == 200
    ask(client, code=code)
    sent = len(mails())
    assert post(client, "mallory@example.com", code=code).status_code == 200
    assert len(mails()) == sent


@pytest.mark.same_statements
def test_a_code_for_another_purpose_is_not_proof(without_password: Member) -> None:
    """The code for the new address does not work for the old one."""
    client = browser_of(without_password)
    client.post("/sign-in", {"email": OLD})
    for_signing_in = newest_code()
    client.post("/account/password/code")
    for_the_password = newest_code()
    client.post("/account/email/proof")
    right = newest_code()
    for code in {for_signing_in, for_the_password} - {right}:
        assert "Wrong code" in post(client, code=code).content.decode()
    without_password.refresh_from_db()
    assert without_password.email == OLD


@pytest.mark.same_statements
def test_another_member_cannot_use_the_proof(without_password: Member, make_member: Any) -> None:
    """A new sign-in in the same browser keeps nothing of the previous member."""
    client = browser_of(make_member("mallory@example.org"))
    client.post("/account/email/proof")
    code = newest_code()
    client.force_login(without_password)
    assert post(client, code=code).status_code == 200
    assert len(mails()) == 1


def test_a_code_replaces_a_forgotten_password(signed_in: Client) -> None:
    signed_in.post("/account/email/proof")
    assert mails()[-1].to == [OLD]
    ask(signed_in, code=newest_code())
    assert mails()[-1].to == [NEW]


@pytest.mark.same_statements
def test_another_code_to_the_new_address_needs_no_other_proof(signed_in: Client, member: Member) -> None:
    first = ask(signed_in)
    assert signed_in.post("/account/email/code", {"do": "again"}).headers["Location"] == "/account/email/code"
    assert mails()[-1].to == [NEW]
    second = newest_code()
    if first != second:
        assert "Wrong code" in enter(signed_in, first).content.decode()
    assert enter(signed_in, second).headers["Location"] == "/account"


@pytest.mark.same_statements
def test_repeated_codes_are_limited_to_five_too(signed_in: Client) -> None:
    ask(signed_in)
    answers = [signed_in.post("/account/email/code", {"do": "again"}).status_code for _ in range(5)]
    assert answers == [302] * 4 + [429]
