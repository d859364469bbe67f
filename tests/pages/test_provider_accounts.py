"""Whose account a person at the identity provider signs in to, and who may not come in."""

import re
from datetime import date, timedelta
from typing import Any

import pytest
from django.core import mail as outgoing
from django.test import Client
from django.utils import timezone

from accounts import mail
from accounts.joining import invite
from accounts.models import AccountEvent, Invitation, LinkedIdentity, Member
from tests.conftest import MakeMember
from tests.support.cases import each
from tests.support.identity_server import GONE, RETURN, IdentityServer, begin, finish, sign_in
from tests.support.signing_in import EMAIL, signed_in

NEW = "new@example.org"


def notices() -> list[tuple[list[str], str]]:
    mail.drain()
    return [(message.to, str(message.subject)) for message in outgoing.outbox]


def events(member: Member) -> list[tuple[str, str]]:
    return list(AccountEvent.objects.filter(member=member).order_by("id").values_list("kind", "detail"))


def refused(response: Any) -> bool:
    return response.status_code == 403 and "You cannot sign in with Example College" in response.content.decode()


def test_a_verified_address_is_linked_with_an_event_and_a_notice(
    client: Client, provider: IdentityServer, member: Member
) -> None:
    response = sign_in(client, provider, email=f" {EMAIL.upper()} ")
    assert (response.status_code, response.headers["Location"]) == (302, "/")
    assert signed_in(client)
    row = LinkedIdentity.objects.get(member=member)
    assert (row.issuer, row.subject) == (provider.issuer, "person-1")
    assert events(member) == [("identity_connected", "Example College"), ("signed_in", "by Example College")]
    assert notices() == [([EMAIL], "Your account was connected with Example College")]
    page = client.get("/activity/account").content.decode()
    assert "You connected your account with Example College" in page
    assert "You signed in by Example College" in page


@pytest.mark.same_statements
@each("claims", [{"email": "other@example.org"}, {"email_verified": False}, {"email": GONE, "email_verified": GONE}])
def test_a_linked_account_signs_in_by_its_sub_alone(
    client: Client, provider: IdentityServer, member: Member, make_member: MakeMember, claims: Any
) -> None:
    make_member("other@example.org")
    sign_in(Client(), provider)
    assert sign_in(client, provider, **claims).status_code == 302
    assert client.get("/account").context["user"] == member
    assert LinkedIdentity.objects.count() == 1
    assert "/userinfo" not in provider.asked
    assert len(notices()) == 1


@pytest.mark.same_statements
@each(
    "claims",
    [
        {"email_verified": GONE},
        {"email_verified": False},
        {"email_verified": "true"},
        {"email_verified": 1},
        {"email_verified": [True]},
        {"email": ""},
        {"email": None},
        {"email": [EMAIL]},
        {"email": f"{EMAIL}\0"},
        {"email": "x" * 250 + "@example.org"},
        {"email": "unknown@example.org"},
        {"email": "operator@example.org"},
        {"email": "superuser@example.org"},
        {"email": "barred@example.org"},
    ],
)
def test_whoever_may_not_come_in_gets_the_same_page(
    client: Client, provider: IdentityServer, member: Member, make_member: MakeMember, claims: Any
) -> None:
    make_member("operator@example.org", is_staff=True)
    make_member("superuser@example.org", is_superuser=True)
    make_member("barred@example.org", is_active=False)
    response = sign_in(client, provider, **claims)
    assert refused(response)
    assert not signed_in(client)
    assert not LinkedIdentity.objects.exists()
    assert notices() == []
    page = re.sub(r"req_\S+?<", "<", response.content.decode())
    other = sign_in(Client(), provider, email="nobody@example.org").content.decode()
    assert page == re.sub(r"req_\S+?<", "<", other)


@pytest.mark.same_statements
def test_an_address_that_the_provider_gave_to_somebody_else_opens_nothing(
    client: Client, provider: IdentityServer, member: Member
) -> None:
    sign_in(Client(), provider)
    assert refused(sign_in(client, provider, sub="person-2"))
    assert not signed_in(client)


@pytest.mark.same_statements
def test_the_same_sub_of_another_issuer_is_somebody_else(
    client: Client, provider: IdentityServer, make_member: MakeMember
) -> None:
    other = make_member(NEW)
    LinkedIdentity.objects.create(member=other, issuer="https://former.example", subject="person-1")
    assert refused(sign_in(client, provider))
    assert sign_in(client, provider, email=NEW).status_code == 302


@pytest.mark.same_statements
def test_a_linked_member_who_was_barred_does_not_come_in(
    client: Client, provider: IdentityServer, member: Member
) -> None:
    sign_in(Client(), provider)
    Member.objects.filter(id=member.id).update(is_active=False)
    assert refused(sign_in(client, provider))
    assert not signed_in(client)


@pytest.mark.same_statements
class TestUserinfo:
    """For providers whose ID token has no address."""

    def test_it_tells_the_address(self, client: Client, provider: IdentityServer, member: Member) -> None:
        provider.userinfo = {"sub": "person-1", "email": EMAIL, "email_verified": True}
        assert sign_in(client, provider, email=GONE, email_verified=GONE).status_code == 302

    def test_of_somebody_else_is_400(self, client: Client, provider: IdentityServer, member: Member) -> None:
        provider.userinfo = {"sub": "person-2", "email": EMAIL, "email_verified": True}
        assert sign_in(client, provider, email=GONE).status_code == 400
        assert not LinkedIdentity.objects.exists()

    def test_does_not_verify_the_address_of_the_token(
        self, client: Client, provider: IdentityServer, member: Member
    ) -> None:
        provider.userinfo = {"sub": "person-1", "email": EMAIL, "email_verified": True}
        assert refused(sign_in(client, provider, email_verified=GONE))

    def test_is_not_verified_by_the_token(self, client: Client, provider: IdentityServer, member: Member) -> None:
        provider.userinfo = {"sub": "person-1", "email": EMAIL}
        assert refused(sign_in(client, provider, email=GONE, email_verified=True))

    def test_without_it_nobody_is_found(self, client: Client, provider: IdentityServer, member: Member) -> None:
        provider.metadata["userinfo_endpoint"] = GONE
        assert refused(sign_in(client, provider, email=GONE))


class TestJoining:
    @pytest.fixture(autouse=True)
    def _open(self, provider: IdentityServer, settings: Any) -> None:
        settings.IDENTITY_PROVIDER = provider.setting(sign_up=True)

    def test_an_unknown_person_joins(self, client: Client, provider: IdentityServer, db: None, settings: Any) -> None:
        settings.SIGN_UP, settings.SIGN_UP_MEMBERSHIP_DAYS = "invited", 30
        invite(NEW)
        assert sign_in(client, provider, email=NEW, name="Nina New").status_code == 302
        member = Member.objects.get(email=NEW)
        assert (member.name, member.membership_active, member.has_usable_password()) == ("Nina New", True, False)
        assert member.membership_until == member.today() + timedelta(days=30)
        assert not Invitation.objects.exists()
        assert signed_in(client)

    def test_what_an_invitation_gives_is_kept(
        self, client: Client, provider: IdentityServer, db: None, settings: Any
    ) -> None:
        settings.SIGN_UP = "invited"
        settings.IDENTITY_PROVIDER = provider.setting(sign_up=True, members=("groups", "students"))
        invite(NEW, name="Nina N.", time_zone="Europe/Paris", until=date(2099, 6, 30))
        sign_in(client, provider, email=NEW, name="Nina New")
        member = Member.objects.get(email=NEW)
        assert (member.name, member.time_zone, member.membership_until) == (
            "Nina N.",
            "Europe/Paris",
            date(2099, 6, 30),
        )
        assert member.membership_active

    @pytest.mark.same_statements
    @each("name", [GONE, 7, "", "a\0b", ["Nina"], "x" * 200])
    def test_a_name_that_is_none_is_left_out(
        self, client: Client, provider: IdentityServer, db: None, name: object
    ) -> None:
        assert sign_in(client, provider, email=NEW, name=name).status_code == 302
        assert Member.objects.get(email=NEW).name in {"", "x" * 120}

    @pytest.mark.same_statements
    def test_the_sign_in_page_says_so(self, client: Client, db: None) -> None:
        page = client.get("/sign-in").content.decode()
        assert "New here? Sign in with Example College, and we create an account for you." in page

    @pytest.mark.same_statements
    def test_an_unverified_address_does_not_join(self, client: Client, provider: IdentityServer, db: None) -> None:
        assert refused(sign_in(client, provider, email=NEW, email_verified=False))
        assert not Member.objects.exists()

    @pytest.mark.django_db(transaction=True)
    def test_two_first_sign_ins_at_once_make_one_member(
        self, provider: IdentityServer, in_threads: Any, db: None
    ) -> None:
        browsers = [Client() for _ in range(4)]
        asked = [begin(browser) for browser in browsers]
        codes = [provider.code(one, email=NEW) for one in asked]
        found = in_threads(lambda n: finish(browsers[n], asked[n]["state"], codes[n]).status_code, [0, 1, 2, 3])
        assert found == [302] * 4
        assert all(map(signed_in, browsers))
        assert Member.objects.get().identities.count() == 1
        assert notices() == []

    @pytest.mark.same_statements
    def test_who_joins_gets_no_notice(self, client: Client, provider: IdentityServer, db: None) -> None:
        assert sign_in(client, provider, email=NEW).status_code == 302
        assert events(Member.objects.get(email=NEW))[0] == ("identity_connected", "Example College")
        assert notices() == []


class TestInvited:
    """An invitation lets its address join without `OIDC_SIGN_UP`."""

    @pytest.fixture(autouse=True)
    def _invited(self, db: None, settings: Any) -> None:
        settings.SIGN_UP = "invited"
        invite(NEW, name="Nina N.", time_zone="Europe/Paris", until=date(2099, 6, 30))
        notices()

    def test_the_invited_person_joins_with_what_it_gives(self, client: Client, provider: IdentityServer) -> None:
        assert sign_in(client, provider, email=NEW, name="Nina New").status_code == 302
        member = Member.objects.get(email=NEW)
        assert (member.name, member.time_zone) == ("Nina N.", "Europe/Paris")
        assert (member.membership_active, member.membership_until) == (True, date(2099, 6, 30))
        assert not Invitation.objects.exists()
        assert signed_in(client)

    def test_an_unverified_address_does_not_use_it(self, client: Client, provider: IdentityServer) -> None:
        response = sign_in(client, provider, email=NEW, email_verified=False)
        assert refused(response)
        assert "If you were invited, open the link in the invitation." in response.content.decode()
        assert Invitation.objects.exists()

    @pytest.mark.same_statements
    def test_it_lets_no_other_address_join(self, client: Client, provider: IdentityServer) -> None:
        assert refused(sign_in(client, provider, email="other@example.org"))
        assert not Member.objects.exists()

    @pytest.mark.same_statements
    def test_one_that_ended_does_not_count(self, client: Client, provider: IdentityServer) -> None:
        Invitation.objects.update(expires_at=timezone.now())
        assert refused(sign_in(client, provider, email=NEW))

    @pytest.mark.same_statements
    def test_it_does_not_count_while_joining_is_closed(
        self, client: Client, provider: IdentityServer, settings: Any
    ) -> None:
        settings.SIGN_UP = "closed"
        assert refused(sign_in(client, provider, email=NEW))
        assert Invitation.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_two_first_sign_ins_use_one_invitation_once(
    provider: IdentityServer, in_threads: Any, db: None, settings: Any
) -> None:
    settings.SIGN_UP = "invited"
    invite(NEW)
    browsers = [Client() for _ in range(4)]
    asked = [begin(browser) for browser in browsers]
    codes = [provider.code(one, email=NEW) for one in asked]
    found = in_threads(lambda n: finish(browsers[n], asked[n]["state"], codes[n]).status_code, [0, 1, 2, 3])
    assert found == [302] * 4
    assert Member.objects.get().identities.count() == 1


@pytest.mark.same_statements
def test_a_refusal_is_a_warning_with_its_reason(
    client: Client, provider: IdentityServer, db: None, caplog: Any
) -> None:
    sign_in(client, provider, email="unknown@example.org")
    [line] = [one for one in caplog.records if "was refused" in one.message]
    assert (line.levelname, "nobody has the address" in line.message) == ("WARNING", True)


@pytest.mark.django_db(transaction=True)
def test_one_return_of_many_at_once_signs_in(provider: IdentityServer, member: Member, in_threads: Any) -> None:
    asked = begin(first := Client())
    browsers = [Client() for _ in range(6)]
    for browser in browsers:
        browser.cookies.update(first.cookies)
    codes = [provider.code(asked) for _ in browsers]
    found = in_threads(lambda n: finish(browsers[n], asked["state"], codes[n]).status_code, list(range(6)))
    assert sorted(found) == [302, 400, 400, 400, 400, 400]
    assert provider.asked.count("/token") == 1


@pytest.mark.same_statements
def test_a_deleted_member_leaves_no_identity(client: Client, provider: IdentityServer, member: Member) -> None:
    sign_in(client, provider)
    Member.objects.get(id=member.id).delete()
    assert not LinkedIdentity.objects.exists()
    assert refused(sign_in(Client(), provider))


@pytest.mark.same_statements
@each(
    ("target", "lands"),
    [
        ("/courses?a=b", "/courses?a=b"),
        ("https://evil.example/", "/keys"),
        ("//evil.example", "/keys"),
        ("/\\evil.example", "/keys"),
        ("javascript:alert(1)", "/keys"),
        ("/keys?" + "x" * 8000, "/keys?" + "x" * 8000),
    ],
)
def test_next_stays_on_this_site(
    client: Client, provider: IdentityServer, member: Member, target: str, lands: str
) -> None:
    assert sign_in(client, provider, target=target).headers["Location"] == lands
    again = client.get("/sign-in/oidc", {"next": target})
    assert (again.status_code, again.headers["Location"]) == (302, lands)


@pytest.mark.same_statements
def test_next_of_the_return_is_ignored(client: Client, provider: IdentityServer, member: Member) -> None:
    asked = begin(client)
    response = finish(client, asked["state"], provider.code(asked), next="/courses")
    assert response.headers["Location"] == "/"


@pytest.mark.same_statements
def test_the_button_keeps_next(client: Client, provider: IdentityServer, db: None) -> None:
    page = client.get("/sign-in", {"next": "/courses?a=b&c=d"}).content.decode()
    assert 'href="/sign-in/oidc?next=%2Fcourses%3Fa%3Db%26c%3Dd">Sign in with Example College</a>' in page


@pytest.mark.same_statements
def test_an_operator_is_asked_for_the_second_factor(
    client: Client, provider: IdentityServer, make_member: MakeMember, settings: Any
) -> None:
    settings.ADMIN_SECOND_FACTOR = "required"
    operator = make_member("operator@example.org", is_staff=True)
    LinkedIdentity.objects.create(member=operator, issuer=provider.issuer, subject="person-1")
    assert sign_in(client, provider, target="/admin/").headers["Location"] == "/admin/"
    chain = client.get("/admin/", follow=True).redirect_chain
    assert ("/second-factor?next=%2Fadmin%2F", 302) in chain
    assert chain[-1][0].startswith("/account/second-factor/code?")  # setting one up needs an e-mailed code


@pytest.mark.same_statements
def test_sign_ins_are_limited_like_others(client: Client, provider: IdentityServer, member: Member) -> None:
    found = [Client().get("/sign-in/oidc").status_code for _ in range(16)]
    assert found == [302] * 15 + [429]
    assert client.post("/sign-in", {"email": EMAIL}).status_code == 429


@pytest.mark.same_statements
def test_the_session_key_changes_at_sign_in(client: Client, provider: IdentityServer, member: Member) -> None:
    client.post("/sign-in", {"email": EMAIL})
    before = client.cookies["sessionid"].value
    sign_in(client, provider)
    assert client.cookies["sessionid"].value != before


@pytest.mark.same_statements
@each("path", ["/sign-in/oidc", f"{RETURN}?state=a&code=b"])
def test_without_a_provider_nothing_is_there(client: Client, member: Member, path: str) -> None:
    assert client.get(path).status_code == 404
    assert "oidc" not in client.get("/sign-in").content.decode()
    client.force_login(member)
    assert "Connect" not in client.get("/account").content.decode()


@pytest.mark.same_statements
def test_the_wrong_method_is_405(client: Client, provider: IdentityServer, db: None) -> None:
    for path in ("/sign-in/oidc", RETURN):
        assert client.post(path).status_code == 405
        assert client.head(path).status_code == 405


@pytest.mark.same_statements
def test_a_provider_that_came_back_is_used_at_once(client: Client, provider: IdentityServer, member: Member) -> None:
    provider.metadata["issuer"] = "https://moved.example"
    assert client.get("/sign-in/oidc").status_code == 502
    del provider.metadata["issuer"]
    assert sign_in(client, provider).status_code == 302
