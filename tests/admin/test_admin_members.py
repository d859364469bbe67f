"""Members and API keys in the admin."""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any
from unittest.mock import patch

import pytest
import time_machine
from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.test import Client, RequestFactory

from accounts.credentials.resolving import credential_of
from accounts.models import ApiKey, CalendarFeed, Member
from studyservice.changes.writing import writing
from tests.conftest import MakeKey, MakeMember
from tests.support.browsers import act, form_of, listed
from tests.support.calendars import Subscription
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.factories import MemberFactory, stored_for_each
from tests.support.signing_in import ask, newest_code, signed_in

MEMBERS = "/admin/accounts/member/"
KEYS = "/admin/accounts/apikey/"
FEEDS = "/admin/accounts/calendarfeed/"


@pytest.mark.django_db
def test_a_stranger_is_redirected_to_the_sign_in_page() -> None:
    response = Client().get(MEMBERS)
    assert response.headers["Location"] == f"/admin/login/?next={MEMBERS}"


@pytest.mark.django_db
def test_the_address_without_a_slash_works_too() -> None:
    assert Client().get("/admin").headers["Location"] == "/admin/"


def test_an_operator_can_end_a_members_sessions(admin: Client, owner_member: Member) -> None:
    browser = Client()
    browser.force_login(owner_member)
    assert act(admin, MEMBERS, "end_sessions", owner_member) == "Ended the sessions of: 1 member."
    assert browser.get("/keys").headers["Location"] == "/sign-in?next=/keys"


def test_a_new_member_cannot_have_an_address_reserved_for_another(admin: Client, make_member: MakeMember) -> None:
    """An earlier version may have changed the address."""
    make_member("kept@example.org")
    Member.objects.filter(email="kept@example.org").update(email="elsewhere@example.org")
    fields = {"email": "kept@example.org", "time_zone": "UTC", "usable_password": "false"}
    page = admin.post(f"{MEMBERS}add/", fields)
    assert "Member with this Email already exists." in page.content.decode()
    assert not Member.objects.filter(email="kept@example.org").exists()


@each("model", ["sessions/session", "accounts/signincode", "accounts/passkey"])
def test_sessions_and_sign_in_codes_are_not_listed(admin: Client, model: str) -> None:
    assert admin.get(f"/admin/{model}/").status_code == 404


@pytest.mark.django_db
def test_pages_cannot_be_framed_and_forms_need_their_token() -> None:
    """Tests the rules of the two silenced deployment checks."""
    client = Client(enforce_csrf_checks=True)
    assert client.get("/sign-in").headers["X-Frame-Options"] == "DENY"
    assert client.post("/sign-in", {"email": "a@example.org", "password": "b"}).status_code == 403


@pytest.mark.same_statements
@pytest.mark.usefixtures("owner_member")
@each("term", ["owner", "OWNER@exa", "wner", "Own", "example.org", "@Example.org"])
def test_a_member_is_found_by_address_domain_and_name(admin: Client, term: str) -> None:
    assert listed(admin, MEMBERS, q=term) == ["owner@example.org"]


@pytest.mark.same_statements
def test_a_key_is_found_by_the_domain_of_its_member(admin: Client, make_member: MakeMember, make_key: MakeKey) -> None:
    _, row = make_key(make_member("ann@example.org"), "Ann's")
    make_key(make_member("bob@example.net"), "Bob's")
    assert listed(admin, KEYS, q="example.org") == [str(row)]


@pytest.mark.same_statements
def test_all_members_are_counted_and_listed(admin: Client, operator: Member) -> None:
    stored_for_each(MemberFactory, {"email": [f"m{number:04}@example.org" for number in range(1100)]})
    assert "1101 members" in admin.get(MEMBERS).content.decode()
    assert len(listed(admin, MEMBERS, p="23")) == 1


def test_a_member_is_found_by_id(admin: Client, owner_member: Member) -> None:
    assert listed(admin, MEMBERS, q=str(owner_member.id)) == ["owner@example.org"]


@pytest.mark.usefixtures("owner_member")
@each("term", ["wner@example", "nobody", "'; --"])
def test_other_words_find_no_member(admin: Client, term: str) -> None:
    assert listed(admin, MEMBERS, q=term) == []


@pytest.fixture
def memberships(make_member: MakeMember) -> list[Member]:
    """Each last day around a given time, in the first, a middle and the last time zone, and no last day."""
    today = date(2026, 11, 21)
    members = [
        make_member(time_zone=zone, membership_until=today + timedelta(days=days))
        for zone in ("Pacific/Kiritimati", "Etc/GMT+12", "UTC")
        for days in (-2, -1, 0, 1, 14, 15)
    ]
    return [*members, make_member(), make_member(membership_active=False)]


@each("hour", [2, 11, 12, 22])
def test_the_membership_filter_agrees_with_the_service(admin: Client, memberships: list[Member], hour: int) -> None:
    """The last day counts in the member's own time zone (decisions, Fine print)."""
    with time_machine.travel(datetime(2026, 11, 21, hour, tzinfo=UTC), tick=False):
        admin.force_login(Member.objects.get(email="operator@example.com"))
        active = {member.email for member in memberships if member.membership_is_active()}
        shown = {state: set(listed(admin, MEMBERS, membership=state)) for state in ("active", "lapsed", "ending")}
    assert shown["active"] - {"operator@example.com"} == active
    assert shown["lapsed"] == {member.email for member in memberships} - active
    last = date(2026, 12, 5)
    ending = {m.email for m in memberships if m.email in active and m.membership_until and m.membership_until <= last}
    assert shown["ending"] == ending


def test_a_renewal_is_open_ended_and_in_the_history(admin: Client, make_member: MakeMember, operator: Member) -> None:
    members = [make_member(membership_active=False), make_member(membership_until=date(2020, 1, 1))]
    assert act(admin, MEMBERS, "renew", *members) == "Renewed: 2 members."
    for member in members:
        member.refresh_from_db()
        assert (member.membership_active, member.membership_until) == (True, None)
    assert LogEntry.objects.filter(user=operator, change_message="Renewed the membership.").count() == 2


def test_ending_a_membership_takes_effect_immediately(
    admin: Client, owner: RestEntryPoint, owner_member: Member
) -> None:
    act(admin, MEMBERS, "lapse", owner_member)
    assert owner.call("list_courses").error == "membership_required"


def test_an_action_affects_only_selected_rows(admin: Client, owner_member: Member, make_member: MakeMember) -> None:
    other = make_member()
    act(admin, MEMBERS, "lapse", owner_member, select_across="1")
    other.refresh_from_db()
    assert other.membership_active


def test_a_member_can_be_renewed_until_a_day_in_the_form(admin: Client, owner_member: Member) -> None:
    path = f"{MEMBERS}{owner_member.id}/change/"
    response = admin.post(path, form_of(admin, path) | {"membership_until": "2031-05-31"})
    assert response.status_code == 302
    owner_member.refresh_from_db()
    assert owner_member.membership_until == date(2031, 5, 31)


def test_saving_a_form_never_sets_the_write_clock_back(owner_member: Member) -> None:
    """Otherwise pollers would miss the next created objects (studyservice.changes.writing)."""
    stale = Member.objects.get(id=owner_member.id)
    with writing(owner_member.id) as write:
        pass
    stale.set_password("correct horse")
    stale.save()
    owner_member.refresh_from_db()
    assert owner_member.write_clock == write.now
    assert owner_member.check_password("correct horse")


def test_a_new_password_saves_no_other_field(admin: Client, owner_member: Member) -> None:
    """The page reads the member before the membership lapses, which here happens during the password check."""
    path = f"{MEMBERS}{owner_member.id}/password/"
    fields = {"password1": "correct horse", "password2": "correct horse", "usable_password": "true"}

    def lapse(*_: Any, **__: Any) -> None:
        Member.objects.filter(id=owner_member.id).update(membership_active=False)

    with patch("django.contrib.auth.password_validation.MinimumLengthValidator.validate", side_effect=lapse):
        assert admin.post(path, fields).status_code == 302
    owner_member.refresh_from_db()
    assert owner_member.check_password("correct horse")
    assert not owner_member.membership_active


@each("read", [lambda members: members.get(), lambda members: members.only("email").get()])
def test_saving_stores_only_fields_changed_since_loading(owner_member: Member, read: Callable[..., Member]) -> None:
    """For any caller: Django's own commands and forms name no fields."""
    stale = read(Member.objects.filter(id=owner_member.id))
    Member.objects.filter(id=owner_member.id).update(name="New", membership_active=False)
    stale.time_zone = "Asia/Kolkata"
    stale.save()
    stale.email = "changed@example.org"
    stale.save()
    owner_member.refresh_from_db()
    assert (owner_member.name, owner_member.membership_active) == ("New", False)
    assert (owner_member.time_zone, owner_member.email) == ("Asia/Kolkata", "changed@example.org")
    owner_member.name = "Owner"
    owner_member.save()
    assert Member.objects.get(id=owner_member.id).name == "Owner"


def test_the_member_of_a_credential_cannot_be_saved(owner_member: Member, make_key: MakeKey) -> None:
    """Each call loads the member only for reading, without tracking changes."""
    request = RequestFactory().get("/v1/me", headers={"Authorization": f"Bearer {make_key(owner_member)[0]}"})
    credential = credential_of(request)
    assert credential is not None
    credential.member.name = "New"
    with pytest.raises(RuntimeError, match="for reading alone"):
        credential.member.save()
    owner_member.refresh_from_db()
    assert owner_member.name != "New"


def test_a_form_changes_only_edited_fields(admin: Client, owner_member: Member) -> None:
    path = f"{MEMBERS}{owner_member.id}/change/"
    form = form_of(admin, path)
    Member.objects.filter(id=owner_member.id).update(write_clock=datetime(2030, 1, 1, tzinfo=UTC))
    admin.post(path, form | {"name": "New"})
    owner_member.refresh_from_db()
    assert (owner_member.name, owner_member.write_clock) == ("New", datetime(2030, 1, 1, tzinfo=UTC))


@pytest.mark.same_statements
def test_a_new_address_invalidates_codes_sent_to_the_old_one(admin: Client, owner_member: Member) -> None:
    browser = Client()
    ask(browser, owner_member.email)
    code = newest_code()
    page = f"{MEMBERS}{owner_member.id}/change/"
    admin.post(page, form_of(admin, page) | {"email": "changed@example.org"})
    assert Member.objects.at("changed@example.org").exists()
    browser.post("/sign-in/code", {"code": code})
    assert not signed_in(browser)


NEW = {"email": "New@Example.org", "name": "New", "time_zone": "Europe/Paris"}


def test_a_member_is_created_without_a_password(admin: Client) -> None:
    response = admin.post(f"{MEMBERS}add/", NEW | {"usable_password": "false"})
    assert response.status_code == 302
    member = Member.objects.get(email="new@example.org")
    assert (member.name, member.time_zone, member.has_usable_password()) == ("New", "Europe/Paris", False)


def test_a_member_is_created_with_a_password(admin: Client) -> None:
    words = {"usable_password": "true", "password1": "correct horse", "password2": "correct horse"}
    admin.post(f"{MEMBERS}add/", NEW | words)
    assert Member.objects.get(email="new@example.org").check_password("correct horse")


@pytest.mark.usefixtures("owner_member")
@each(
    ("changes", "field"),
    [
        ({"email": "OWNER@example.org"}, "email"),
        ({"email": "no address"}, "email"),
        ({"time_zone": "Mars/Olympus"}, "time_zone"),
        ({"usable_password": "true", "password1": "short", "password2": "short"}, "password2"),
    ],
)
def test_an_invalid_member_is_not_created(admin: Client, changes: dict[str, str], field: str) -> None:
    response = admin.post(f"{MEMBERS}add/", NEW | {"usable_password": "false"} | changes)
    assert list(response.context["adminform"].form.errors) == [field]
    assert not Member.objects.filter(name="New").exists()


@pytest.mark.same_statements
def test_deleting_a_member_deletes_everything(admin: Client, owner_member: Member, item: Any) -> None:
    response = admin.post(f"{MEMBERS}{owner_member.id}/delete/", {"post": "yes"})
    assert response.status_code == 302
    assert not Member.objects.filter(id=owner_member.id).exists()
    assert not owner_member.courses.exists()


@pytest.fixture
def assistant(make_member: MakeMember) -> Client:
    """An operator who can edit members but is not a superuser."""
    from django.contrib.auth.models import Permission

    member = make_member("assistant@example.com", is_staff=True)
    member.user_permissions.set(Permission.objects.filter(content_type__app_label="accounts"))
    client = Client()
    client.force_login(member)
    return client


def test_only_a_superuser_can_grant_privileges(assistant: Client, owner_member: Member) -> None:
    path = f"{MEMBERS}{owner_member.id}/change/"
    assert assistant.post(path, form_of(assistant, path) | {"is_superuser": "on", "name": "X"}).status_code == 302
    owner_member.refresh_from_db()
    assert (owner_member.name, owner_member.is_superuser) == ("X", False)


@pytest.mark.same_statements
@each("page", ["password/", "delete/"])
def test_only_a_superuser_can_change_an_operator(assistant: Client, operator: Member, page: str) -> None:
    assert assistant.post(f"{MEMBERS}{operator.id}/{page}", {"post": "yes"}).status_code == 403
    assert act(assistant, MEMBERS, "lapse", operator) == "Ended: 0 members."


def test_a_member_page_lists_active_keys_without_secrets(
    admin: Client, owner_member: Member, make_key: MakeKey
) -> None:
    secret, key = make_key(owner_member, "Calendar")
    _, revoked = make_key(owner_member, "Old script")
    ApiKey.objects.filter(id=revoked.id).update(revoked_at=revoked.created_at)
    page = admin.get(f"{MEMBERS}{owner_member.id}/change/").content.decode()
    assert "Calendar" in page
    assert "Old script" not in page
    assert secret not in page
    assert key.secret_hash not in page


@each("path", ["", "{id}/change/"])
def test_pages_of_keys_contain_no_secret_or_hash(
    admin: Client, owner_member: Member, make_key: MakeKey, path: str
) -> None:
    secret, key = make_key(owner_member, "Calendar")
    page = admin.get(KEYS + path.format(id=key.id)).content.decode()
    assert "Calendar" in page
    assert secret not in page
    assert key.secret_hash not in page


def test_a_key_cannot_be_added_changed_or_deleted(admin: Client, owner_member: Member, make_key: MakeKey) -> None:
    _, key = make_key(owner_member)
    for page in ("add/", f"{key.id}/change/", f"{key.id}/delete/"):
        assert admin.post(KEYS + page, {"post": "yes", "name": "Other"}).status_code == 403
    assert "delete_selected" not in admin.get(KEYS).content.decode()


def test_a_revoked_key_stops_working_immediately(admin: Client, owner: RestEntryPoint, owner_member: Member) -> None:
    assert act(admin, KEYS, "revoke", owner_member.api_keys.get()) == "Revoked: 1 key."
    assert owner.call("get_me").error == "unauthorized"


def test_all_keys_of_a_member_can_be_revoked_at_once(
    admin: Client, owner: RestEntryPoint, reader: RestEntryPoint, stranger: RestEntryPoint, owner_member: Member
) -> None:
    act(admin, MEMBERS, "revoke_keys", owner_member)
    assert [entry_point.call("get_me").error for entry_point in (owner, reader, stranger)] == [
        "unauthorized",
        "unauthorized",
        None,
    ]


def test_keys_can_be_filtered_by_state(admin: Client, owner_member: Member, make_key: MakeKey) -> None:
    for name in ("Live", "Expired", "Revoked", "Revoked, then expired"):
        make_key(owner_member, name)
    past = datetime(2020, 1, 1, tzinfo=UTC)
    ApiKey.objects.filter(name__icontains="expired").update(expires_at=past)
    ApiKey.objects.filter(name__startswith="Revoked").update(revoked_at=past)
    names = {
        state: sorted(row.split(" (")[0] for row in listed(admin, KEYS, state=state))
        for state in ("active", "expired", "revoked")
    }
    assert names == {"active": ["Live"], "expired": ["Expired"], "revoked": ["Revoked", "Revoked, then expired"]}


@each("lookup", ["secret_hash__startswith", "member__password__startswith"])
def test_filters_cannot_probe_for_a_secret(admin: Client, owner_member: Member, make_key: MakeKey, lookup: str) -> None:
    make_key(owner_member)
    assert admin.get(KEYS, {lookup: "a"}).status_code == 400


@each("row", ["no-id", "{id}"])
def test_rows_have_no_page_on_the_site(admin: Client, owner_member: Member, row: str) -> None:
    """Django's link from the admin to such a page fails for every id."""
    kind = ContentType.objects.get_for_model(Member).pk
    assert admin.get(f"/admin/r/{kind}/{row.format(id=owner_member.id)}/").status_code == 404


def test_a_calendar_feed_is_listed_without_its_hash_and_can_be_ended(admin: Client, owner_member: Member) -> None:
    feed = Subscription(owner_member)
    feed.fetch()
    row = CalendarFeed.objects.get()
    for page in ("", f"{row.id}/change/"):
        content = admin.get(FEEDS + page).content.decode()
        assert "owner@example.org" in content
        assert row.secret_hash not in content
    for page in ("add/", f"{row.id}/change/", f"{row.id}/delete/"):
        assert admin.post(FEEDS + page, {"post": "yes"}).status_code == 403
    assert act(admin, FEEDS, "end", row) == "Ended: 1 calendar feed."
    assert feed.fetch().status_code == 404
