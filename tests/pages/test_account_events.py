"""The log of account events: recorded events, their fields, and where they are shown."""

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.credentials.uses import MOST_NETWORKS as MOST
from accounts.events import KEPT_FOR, AccountEvent
from accounts.models import ApiKey, Member
from studyservice.database.ids import first_uuid7
from tests.conftest import MakeKey, MakeMember
from tests.support.archives import lines_of
from tests.support.browsers import act
from tests.support.factories import AccountEventFactory, CourseFactory
from tests.support.oauth import App
from tests.support.signing_in import EMAIL, PASSWORD

pytestmark = [pytest.mark.django_db, pytest.mark.rest]

HOME, CAFE = "203.0.113.7", "198.51.100.9"
Told = Callable[[], list[str]]


@pytest.fixture
def shown_events(member: Member) -> Told:
    """The events on the member's page, newest first."""

    def read() -> list[str]:
        client = Client()
        client.force_login(member)
        shown = client.get("/activity/account").context["shown"]
        return [f"{words}, {event.network}" for event, words in shown]

    return read


def call_from(secret: str, address: str) -> None:
    headers = {"Authorization": f"Bearer {secret}"}
    assert Client(REMOTE_ADDR=address, headers=headers).get("/v1/me").status_code == 200


def made_key(browser: Client, name: str = "Script") -> str:
    secret: str = browser.post("/keys", {"name": name, "may_write": "on", "expires": "never"}).context["secret"]
    return secret


def browser_of(member: Member, address: str = HOME) -> Client:
    client = Client(REMOTE_ADDR=address)
    client.force_login(member)
    return client


def test_signing_in_is_logged_with_method_and_network(shown_events: Told) -> None:
    browser = Client(REMOTE_ADDR=HOME, headers={"User-Agent": "Mozilla/5.0 (X11) Gecko/20100101 Firefox/140.0"})
    answer = browser.post("/sign-in", {"email": EMAIL, "password": PASSWORD})
    assert shown_events() == ["You signed in by password, Firefox, 203.0.113.0/24"]
    assert AccountEvent.objects.get().request_id == answer.headers["X-Request-Id"]
    browser.post("/sign-in", {"email": EMAIL, "password": "wrong"})
    assert len(shown_events()) == 1


def test_a_key_is_logged_when_created_used_from_elsewhere_and_revoked(member: Member, shown_events: Told) -> None:
    secret = made_key(browser_of(member))
    for address in (HOME, "203.0.113.200", CAFE, CAFE, HOME, "2001:db8:1:2::3", "2001:db8:1:2ff::3"):
        call_from(secret, address)
    browser_of(member, CAFE).post(f"/keys/{ApiKey.objects.get().id}/revoke")
    assert shown_events() == [
        "You revoked the API key “Script”, 198.51.100.0/24",
        "The API key “Script” was used from a new network, 2001:db8:1:200::/56",
        "The API key “Script” was used from a new network, 2001:db8:1::/56",
        "The API key “Script” was used from a new network, 198.51.100.0/24",
        "You created the API key “Script”, which may change data, 203.0.113.0/24",
    ]


def test_a_known_network_costs_no_statement(member: Member, make_key: MakeKey) -> None:
    """The first network of a key created without one is not reported."""
    secret, _ = make_key(member)
    counts = []
    for address in (HOME, HOME, CAFE, CAFE, HOME):
        with CaptureQueriesContext(connection) as queries:
            call_from(secret, address)
        counts.append(len(queries))
    assert counts[1] == counts[3] == counts[4] < counts[2]
    assert [event.network for event in AccountEvent.objects.all()] == ["198.51.100.0/24"]


@pytest.mark.same_statements
def test_a_frequently_moving_key_is_logged_up_to_a_limit(member: Member, make_key: MakeKey, shown_events: Told) -> None:
    secret, key = make_key(member, "Phone")
    for number in range(MOST + 3):
        call_from(secret, f"10.0.{number}.1")
    key.refresh_from_db()
    assert len(key.networks.split()) == MOST
    words = f"The API key “Phone” was used from a new network, the last of {MOST} that are reported"
    assert (shown_events()[0], len(shown_events())) == (f"{words}, 10.0.{MOST - 1}.0/24", MOST - 1)


@pytest.mark.django_db(transaction=True)
def test_one_of_concurrent_calls_from_a_new_network_is_logged(
    member: Member, make_key: MakeKey, in_threads: Callable[..., Any]
) -> None:
    secret, _ = make_key(member, networks="203.0.113.0/24")
    in_threads(lambda _: call_from(secret, CAFE), list(range(4)))
    assert AccountEvent.objects.count() == 1


@pytest.mark.same_statements
def test_consents_and_their_end_are_logged(member: Member, shown_events: Told) -> None:
    app, other = App.registered(client_name="Notebook"), App.registered(client_name="Reader")
    app.connect(member)
    other.connect(member, write=False)
    page = browser_of(member).get("/keys")
    for connected in page.context["apps"]:
        browser_of(member).post(f"/keys/apps/{connected.id}/disconnect")
    assert sorted(shown_events()) == sorted(
        [
            "You connected the app “Notebook”, which may change data, 127.0.0.0/24",
            "You connected the app “Reader”, which may only read, 127.0.0.0/24",
            "You disconnected the app “Notebook”, 203.0.113.0/24",
            "You disconnected the app “Reader”, 203.0.113.0/24",
        ]
    )


def test_changed_limits_of_a_key_and_an_app_are_told(member: Member, make_key: MakeKey, shown_events: Told) -> None:
    _, key = make_key(member, "Script")
    App.registered(client_name="Notebook").connect(member)
    courses = [CourseFactory.create(member=member).pk for _ in range(3)]
    AccountEvent.objects.all().delete()
    browser = browser_of(member)
    [app] = browser.get("/keys").context["apps"]
    for path, fields in (
        (f"/keys/{key.pk}/limits", {"which": "these", "courses": courses[:2], "grades": "no"}),
        (f"/keys/{key.pk}/limits", {"which": "these", "courses": [courses[1], courses[0]], "grades": "no"}),  # the same
        (f"/keys/{key.pk}/limits", {"which": "these", "courses": courses[2:], "grades": "no"}),
        (f"/keys/{key.pk}/limits", {"which": "these", "courses": courses[1:], "grades": "yes"}),
        (f"/keys/apps/{app.id}/limits", {"which": "all", "grades": "yes", "until": "2099-01-31"}),
        (f"/keys/apps/{app.id}/limits", {"which": "all", "grades": "yes", "until": ""}),
    ):
        assert browser.post(path, fields).status_code == 302, fields
    assert [line.removesuffix(", 203.0.113.0/24") for line in shown_events()] == [
        "You made the limits of the app “Notebook” wider: none are left",
        "You made the limits of the app “Notebook” narrower: until 31 January 2099",
        "You made the limits of the API key “Script” wider: 2 courses only",
        "You made the limits of the API key “Script” different: 1 course only; no grades",
        "You made the limits of the API key “Script” narrower: 2 courses only; no grades",
    ]


def test_operators_actions_and_reading_are_logged(
    admin: Client, operator: Member, member: Member, make_key: MakeKey, shown_events: Told
) -> None:
    """Without a name for the member. Operators see who it was."""
    _, key = make_key(member, "Script")
    App.registered(client_name="Notebook").connect(member)
    AccountEvent.objects.all().delete()
    operator.name = "Grace"
    operator.save()
    admin.get("/admin/accounts/member/")
    admin.get(f"/admin/accounts/member/{member.id}/change/")
    admin.get(f"/admin/accounts/apikey/{key.id}/change/")
    act(admin, "/admin/accounts/member/", "lapse", member)
    act(admin, "/admin/accounts/member/", "revoke_keys", member)
    act(admin, "/admin/oauthserver/connectedmember/", "revoke_everything", member)
    assert [line.removesuffix(", 127.0.0.0/24") for line in shown_events()] == [
        "An operator disconnected the app “Notebook”",
        "An operator changed your account: Revoked the API keys",
        "An operator revoked the API key “Script”",
        "An operator changed your account: Ended the membership",
        "An operator looked at your API key “Script”",
        "An operator looked at your account",
    ]
    assert {event.by_name for event in AccountEvent.objects.all()} == {"Grace"}
    listed = admin.get("/admin/accounts/accountevent/").content.decode()
    assert ("Operator Grace" in listed, "203.0.113.7" in listed) == (True, False)


def test_a_command_is_logged_as_one(member: Member, shown_events: Told) -> None:
    call_command("createapikey", member.email, "Script", "--scopes", "read")
    assert shown_events() == ["An operator's command created the API key “Script”, which may only read, "]


def test_operators_can_search_by_request_network_member_and_key(
    admin: Client, member: Member, make_member: MakeMember
) -> None:
    """To find the cause of a reported request."""
    made_key(browser_of(member), "Mine")
    made_key(browser_of(make_member(), CAFE), "Another")
    [event] = AccountEvent.objects.filter(object_name="Mine")
    terms = (event.request_id, event.network, str(member.id), str(event.object_id), member.email, "min")
    for term in terms:
        listed = admin.get("/admin/accounts/accountevent/", {"q": term}).context["cl"].result_list
        assert [row.object_name for row in listed] == ["Mine"], term
    assert admin.get(f"/admin/accounts/accountevent/{event.id}/delete/").status_code == 403
    assert admin.post(f"/admin/accounts/accountevent/{event.id}/change/", {}).status_code == 403


def test_blocking_an_app_is_in_the_admin_log(admin: Client, db: None) -> None:
    from oauthserver.models import Application

    App.registered(client_name="Careless")
    act(admin, "/admin/oauthserver/application/", "block", Application.objects.get())
    listed = admin.get("/admin/admin/logentry/").content.decode()
    assert ("Careless" in listed, "Blocked." in listed) == (True, True)


def test_events_are_above_the_changes_with_a_link_to_older_ones(member: Member) -> None:
    for number in range(51):
        AccountEventFactory.create(member=member, detail=f"by number {number}")
    browser = browser_of(member)
    newest = browser.get("/activity")
    assert [words for _, words in newest.context["shown"]] == [
        f"You signed in by number {n}" for n in range(50, 45, -1)
    ]
    page = browser.get("/activity/account")
    older = browser.get(f"/activity/account?before={page.context['older']}")
    assert [words for _, words in older.context["shown"]] == ["You signed in by number 0"]
    assert browser.get("/activity/account?before=x").status_code == 404
    assert Client().get("/activity/account").headers["Location"] == "/sign-in?next=/activity/account"


def test_members_see_only_their_own_events(member: Member, make_member: MakeMember) -> None:
    AccountEventFactory.create(member=make_member(), detail="by a stranger")
    assert "stranger" not in browser_of(member).get("/activity").content.decode()


def test_events_are_deleted_after_90_days(member: Member) -> None:
    now = timezone.now()
    for days in (-1, 1):
        AccountEventFactory.create(
            member=member, id=first_uuid7(now - KEPT_FOR + timedelta(days=days)), detail=str(days)
        )
    call_command("purgeexpired")
    assert [event.detail for event in AccountEvent.objects.all()] == ["1"]


def test_the_archive_of_the_account_page_contains_events_and_no_secret(member: Member, make_key: MakeKey) -> None:
    secret = made_key(browser_of(member))
    call_from(secret, CAFE)
    lines = lines_of(browser_of(member).post("/account/export").getvalue(), "account_events")
    assert [(line["kind"], line["network"]) for line in lines] == [
        ("key_made", "203.0.113.0/24"),
        ("key_new_network", "198.51.100.0/24"),
        ("key_new_network", "127.0.0.0/24"),
    ][: len(lines)]
    assert len(lines) >= 2
    assert secret not in json.dumps(lines)
