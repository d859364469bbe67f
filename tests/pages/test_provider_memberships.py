"""Memberships by a claim of the identity provider (`OIDC_MEMBERS`)."""

from datetime import date, timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from accounts.members import waiting
from accounts.models import AccountEvent, Member
from tests.support.cases import each
from tests.support.identity_server import GONE, IdentityServer, sign_in
from tests.support.signing_in import EMAIL

STUDENT: dict[str, Any] = {"groups": ["staff", "students"]}
NEW = "new@example.org"


@pytest.fixture(autouse=True)
def _by_group(provider: IdentityServer, settings: Any) -> None:
    settings.IDENTITY_PROVIDER = provider.setting(members=("groups", "students"), sign_up=True)


def of(member: Member) -> tuple[bool, date | None]:
    member.refresh_from_db()
    return member.membership_active, member.membership_until


def after(member: Member, days: int) -> date:
    return member.today() + timedelta(days=days)


def lapsed(member: Member) -> None:
    Member.objects.filter(id=member.id).update(membership_active=False, membership_until=None)


def recorded(member: Member) -> list[tuple[str, str]]:
    events = AccountEvent.objects.filter(member=member, kind="membership_changed").order_by("id")
    return list(events.values_list("object_name", "detail"))


@pytest.mark.same_statements
def test_what_the_claim_changes_is_an_event(provider: IdentityServer, member: Member) -> None:
    lapsed(member)
    for claims in (STUDENT, STUDENT, {}, {}):
        browser = Client()
        sign_in(browser, provider, **claims)
    given = f"Membership active until {after(member, 180)}."
    assert recorded(member) == [("Example College", given), ("Example College", "Membership ended.")]
    page = browser.get("/activity/account").content.decode()
    assert "Signing in with “Example College” changed your account: Membership ended" in page


@pytest.mark.same_statements
def test_the_members_page_in_the_admin_says_what_gave_the_membership(
    provider: IdentityServer, member: Member, admin: Client
) -> None:
    lapsed(member)
    sign_in(Client(), provider, **STUDENT)
    path = f"/admin/accounts/member/{member.id}/change/"
    assert provider.issuer in admin.get(path).content.decode()
    call_command("setmembership", EMAIL, "active")
    assert provider.issuer not in admin.get(path).content.decode()


@each("claims", [{"groups": "students"}, {"groups": ["students"]}, STUDENT])
def test_the_claim_makes_a_membership_active(provider: IdentityServer, member: Member, claims: Any) -> None:
    lapsed(member)
    assert sign_in(Client(), provider, **claims).status_code == 302
    assert of(member) == (True, after(member, 180))


@pytest.mark.same_statements
@each(
    "groups",
    [GONE, "student", "students,staff", "Students", [], ["student"], [["students"]], {"students": True}, None, True, 7],
)
def test_anything_else_does_not(provider: IdentityServer, member: Member, groups: object) -> None:
    lapsed(member)
    assert sign_in(Client(), provider, groups=groups).status_code == 302
    assert of(member) == (False, None)


def test_a_sign_in_without_it_ends_the_membership(provider: IdentityServer, member: Member) -> None:
    lapsed(member)
    sign_in(Client(), provider, **STUDENT)
    sign_in(Client(), provider)
    assert of(member) == (False, None)
    sign_in(Client(), provider, **STUDENT)
    assert of(member) == (True, after(member, 180))


def test_each_sign_in_with_it_extends_it(provider: IdentityServer, member: Member, settings: Any) -> None:
    lapsed(member)
    settings.IDENTITY_PROVIDER = provider.setting(members=("groups", "students"), members_days=10)
    sign_in(Client(), provider, **STUDENT)
    assert of(member) == (True, after(member, 10))
    settings.IDENTITY_PROVIDER = provider.setting(members=("groups", "students"), members_days=20)
    sign_in(Client(), provider, **STUDENT)
    assert of(member) == (True, after(member, 20))


@pytest.mark.same_statements
@each("days", [None, 1, 400])
def test_a_sign_in_without_it_ends_no_other_membership(
    provider: IdentityServer, member: Member, days: int | None
) -> None:
    until = None if days is None else after(member, days)
    Member.objects.filter(id=member.id).update(membership_until=until)
    sign_in(Client(), provider)
    assert of(member) == (True, until)


@pytest.mark.same_statements
@each("days", [None, 400])
def test_a_longer_membership_is_not_cut(provider: IdentityServer, member: Member, days: int | None) -> None:
    until = None if days is None else after(member, days)
    Member.objects.filter(id=member.id).update(membership_until=until)
    for claims in (STUDENT, {}):
        sign_in(Client(), provider, **claims)
        assert of(member) == (True, until)


def test_a_shorter_membership_counts_again_afterwards(provider: IdentityServer, member: Member) -> None:
    paid = after(member, 30)
    Member.objects.filter(id=member.id).update(membership_until=paid)
    for _ in range(2):
        sign_in(Client(), provider, **STUDENT)
        assert of(member) == (True, after(member, 180))
    sign_in(Client(), provider)
    assert of(member) == (True, paid)
    sign_in(Client(), provider)
    assert of(member) == (True, paid)


@pytest.mark.same_statements
@each("state", [["active"], ["active", "--until", "2030-01-31"], ["inactive"]])
def test_what_an_operator_set_since_stays(provider: IdentityServer, member: Member, state: list[str]) -> None:
    sign_in(Client(), provider, **STUDENT)
    call_command("setmembership", EMAIL, *state)
    set_by_operator = of(member)
    sign_in(Client(), provider)
    assert of(member) == set_by_operator


@pytest.mark.same_statements
def test_who_joins_has_a_membership_only_by_the_claim(provider: IdentityServer, db: None, settings: Any) -> None:
    settings.SIGN_UP_MEMBERSHIP_DAYS = 30
    sign_in(Client(), provider, email=NEW)
    sign_in(Client(), provider, email="student@example.org", sub="person-2", **STUDENT)
    assert of(Member.objects.get(email=NEW)) == (False, None)
    student = Member.objects.get(email="student@example.org")
    assert of(student) == (True, after(student, 180))


@pytest.mark.same_statements
def test_a_membership_that_waits_for_the_address_is_used(provider: IdentityServer, db: None, settings: Any) -> None:
    settings.IDENTITY_PROVIDER = provider.setting(sign_up=True)
    waiting.wait({NEW: waiting.Told(active=True, until=date(2031, 5, 31))})
    sign_in(Client(), provider, email=NEW)
    assert of(Member.objects.get(email=NEW)) == (True, date(2031, 5, 31))


@pytest.mark.same_statements
def test_without_the_setting_no_sign_in_changes_a_membership(
    provider: IdentityServer, member: Member, settings: Any
) -> None:
    sign_in(Client(), provider, **STUDENT)
    given = of(member)
    settings.IDENTITY_PROVIDER = provider.setting()
    for claims in (STUDENT, {}):
        sign_in(Client(), provider, **claims)
        assert of(member) == given


@pytest.mark.same_statements
def test_a_barred_member_gets_none(provider: IdentityServer, member: Member) -> None:
    sign_in(Client(), provider)
    Member.objects.filter(id=member.id).update(is_active=False, membership_active=False)
    assert sign_in(Client(), provider, **STUDENT).status_code == 403
    assert of(member) == (False, None)
