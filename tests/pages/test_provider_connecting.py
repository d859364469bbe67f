"""Connecting an account with the identity provider, and disconnecting it, on the account page."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core import mail as outgoing
from django.test import Client

from accounts import mail
from accounts.models import AccountEvent, LinkedIdentity, Member
from tests.conftest import MakeMember
from tests.support.cases import each
from tests.support.identity_server import IdentityServer, asked_of, finish, sign_in
from tests.support.model_server import cut
from tests.support.signing_in import EMAIL, PASSWORD, newest_code, signed_in

OTHER: dict[str, Any] = {"sub": "person-9", "email": "work@elsewhere.example", "email_verified": False}
PROOF = {"current_password": PASSWORD}


def browser_of(member: Member) -> Client:
    client = Client()
    client.force_login(member)
    return client


def ask(client: Client, **given: str) -> Any:
    return client.post("/account/identity", {"do": "connect", **given})


def connect(client: Client, provider: IdentityServer, **claims: Any) -> Any:
    """Prove, go there, and come back as a person with another address."""
    asked = asked_of(ask(client, **PROOF))
    return finish(client, asked["state"], provider.code(asked, **OTHER | claims))


def notices() -> list[tuple[list[str], str]]:
    mail.drain()
    return [(message.to, str(message.subject)) for message in outgoing.outbox]


def test_the_account_is_connected_after_the_proof(provider: IdentityServer, member: Member) -> None:
    client = browser_of(member)
    assert "Connect Example College" in client.get("/account").content.decode()
    assert connect(client, provider).headers["Location"] == "/account"
    page = client.get("/account").content.decode()
    assert "Your account is connected with Example College" in page
    assert "Disconnect Example College" in page
    assert notices() == [([EMAIL], "Your account was connected with Example College")]
    [event] = AccountEvent.objects.filter(member=member)
    assert (event.kind, event.by_kind, event.detail) == ("identity_connected", "page", "Example College")
    assert sign_in(visitor := Client(), provider, **OTHER).status_code == 302
    assert visitor.get("/account").context["user"] == member


@pytest.mark.same_statements
@each("given", [{}, {"current_password": ""}, {"current_password": "wrong"}, {"code": "123456"}])
def test_without_the_proof_nothing_begins(provider: IdentityServer, member: Member, given: dict[str, str]) -> None:
    client = browser_of(member)
    response = ask(client, **given)
    assert (response.status_code, "password" in response.content.decode()) == (200, True)
    assert provider.asked == []


@pytest.mark.same_statements
def test_without_a_password_a_code_is_the_proof(provider: IdentityServer, make_member: MakeMember) -> None:
    client = browser_of(make_member("codes@example.org"))
    page = client.get("/account/identity").content.decode()
    assert ('value="connect"' in page, "E-mail me a code" in page) == (False, True)
    assert client.post("/account/identity/code").headers["Location"] == "/account/identity"
    code = newest_code()
    assert outgoing.outbox[-1].subject == f"{code} is your code to connect or disconnect an account"
    assert ask(client, code=code).status_code == 302


@pytest.mark.same_statements
def test_a_signed_out_visitor_is_asked_to_sign_in(client: Client, provider: IdentityServer, db: None) -> None:
    assert client.get("/account/identity").headers["Location"] == "/sign-in?next=/account/identity"


@pytest.mark.same_statements
def test_the_form_may_lead_to_the_provider(provider: IdentityServer, member: Member) -> None:
    """Browsers apply `form-action` to redirects after a form."""
    assert "form-action" not in browser_of(member).get("/account/identity").headers["Content-Security-Policy"]


@pytest.mark.same_statements
def test_the_identity_of_another_member_is_not_connected(
    provider: IdentityServer, member: Member, make_member: MakeMember
) -> None:
    other = make_member("other@example.org")
    LinkedIdentity.objects.create(member=other, issuer=provider.issuer, subject="person-9")
    response = connect(browser_of(member), provider)
    assert (response.status_code, "Not connected" in response.content.decode()) == (403, True)
    assert not LinkedIdentity.objects.filter(member=member).exists()
    assert notices() == []


@pytest.mark.django_db(transaction=True)
def test_of_two_accounts_at_once_one_is_connected(
    provider: IdentityServer, member: Member, make_member: MakeMember, in_threads: Any
) -> None:
    browsers = [browser_of(one) for one in (member, make_member("other@example.org", password=PASSWORD))]
    asked = [asked_of(ask(browser, **PROOF)) for browser in browsers]
    codes = [provider.code(one, **OTHER) for one in asked]
    found = in_threads(lambda n: finish(browsers[n], asked[n]["state"], codes[n]).status_code, [0, 1])
    assert sorted(found) == [302, 403]
    assert LinkedIdentity.objects.count() == 1


@pytest.mark.same_statements
def test_a_connected_account_is_not_connected_with_somebody_else(provider: IdentityServer, member: Member) -> None:
    client = browser_of(member)
    connect(client, provider)
    assert connect(client, provider, sub="person-10").status_code == 403
    assert connect(client, provider).status_code == 302
    assert LinkedIdentity.objects.get(member=member).subject == "person-9"
    assert len(notices()) == 1


@pytest.mark.same_statements
def test_a_return_connects_only_who_began_it(provider: IdentityServer, member: Member, make_member: MakeMember) -> None:
    client = browser_of(member)
    asked = asked_of(ask(client, **PROOF))
    client.force_login(make_member("other@example.org"))
    assert finish(client, asked["state"], provider.code(asked)).status_code == 400
    client.logout()
    asked = asked_of(ask(browser_of(member), **PROOF))
    assert finish(client, asked["state"], provider.code(asked)).status_code == 400
    assert not LinkedIdentity.objects.exists()


@pytest.mark.same_statements
def test_an_operator_gives_the_second_factor_first(
    provider: IdentityServer, make_member: MakeMember, settings: Any
) -> None:
    settings.ADMIN_SECOND_FACTOR = "required"
    client = browser_of(make_member("operator@example.org", password=PASSWORD, is_staff=True))
    for response in (client.get("/account/identity"), ask(client, **PROOF)):
        assert response.headers["Location"] == "/account/second-factor/code?next=%2Faccount%2Fidentity"


def test_an_operator_connects_and_signs_in(provider: IdentityServer, make_member: MakeMember) -> None:
    operator = make_member("operator@example.org", password=PASSWORD, is_staff=True)
    connect(browser_of(operator), provider)
    assert sign_in(client := Client(), provider, **OTHER).status_code == 302
    assert signed_in(client)


@pytest.mark.same_statements
def test_connecting_with_the_claim_gives_the_membership(
    provider: IdentityServer, member: Member, settings: Any
) -> None:
    settings.IDENTITY_PROVIDER = provider.setting(members=("groups", "students"), members_days=7)
    Member.objects.filter(id=member.id).update(membership_active=False)
    connect(browser_of(member), provider, groups=["students"])
    member.refresh_from_db()
    assert member.membership_is_active()


@pytest.mark.django_db(transaction=True)
def test_disconnecting_ends_the_way_in(provider: IdentityServer, member: Member, settings: Any, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path
    client, elsewhere = browser_of(member), Client()
    connect(client, provider)
    sign_in(elsewhere, provider, **OTHER)
    row = LinkedIdentity.objects.get()
    response = client.post("/account/identity", {"do": "disconnect", **PROOF})
    assert response.headers["Location"] == "/account"
    assert "Your account is disconnected from Example College" in client.get("/account").content.decode()
    assert sign_in(Client(), provider, **OTHER).status_code == 403
    assert not signed_in(elsewhere)
    assert notices()[-1] == ([EMAIL], "Your account was disconnected from Example College")
    kinds = AccountEvent.objects.filter(member=member).order_by("id").values_list("kind", flat=True)
    assert list(kinds) == ["identity_connected", "signed_in", "identity_disconnected"]
    [line] = (tmp_path / "gone.jsonl").read_text().splitlines()
    assert json.loads(line) | {"at": ""} == {"at": "", "what": "identity_disconnected", "id": str(row.id)}


@pytest.mark.same_statements
def test_disconnecting_needs_the_proof_and_works_twice(provider: IdentityServer, member: Member) -> None:
    client = browser_of(member)
    connect(client, provider)
    assert client.post("/account/identity", {"do": "disconnect"}).status_code == 200
    assert LinkedIdentity.objects.exists()
    for _ in range(2):
        given = {"do": "disconnect", **PROOF}
        assert client.post("/account/identity", given).headers["Location"] == "/account"
    assert not LinkedIdentity.objects.exists()


@pytest.mark.same_statements
def test_a_provider_that_is_down_is_told_at_connecting(provider: IdentityServer, member: Member) -> None:
    provider.answers["/.well-known/openid-configuration"] = cut
    assert ask(browser_of(member), **PROOF).status_code == 502


@pytest.mark.same_statements
def test_without_a_provider_there_is_no_page(member: Member) -> None:
    client = browser_of(member)
    assert client.get("/account/identity").status_code == 404
    assert client.post("/account/identity/code").status_code == 404
    assert "/account/identity" not in client.get("/account").content.decode()
