"""The pages of credentials and apps offer what ends them, as the lists do."""

import re
from typing import Any

from django.contrib.auth.models import Permission
from django.test import Client

from accounts.models import ApiKey, CalendarFeed, Member
from oauthserver.models import Application, BlockedApp
from tests.conftest import MakeKey, MakeMember
from tests.support.calendars import Subscription
from tests.support.entry_points import RestEntryPoint
from tests.support.oauth import App

KEYS = "/admin/accounts/apikey/"
APPS = "/admin/oauthserver/application/"
FORM = re.compile(
    r'<summary>(?P<label>[^<]+)</summary>\s*<form method="post" action="(?P<path>[^"]+)">.*?'
    r'name="_selected_action" value="(?P<row>[^"]+)".*?<button name="action" value="(?P<action>\w+)"',
    re.DOTALL,
)


def offered(client: Client, path: str) -> dict[str, dict[str, str]]:
    """The forms of a page's actions by their label."""
    page = client.get(path).content.decode()
    return {found["label"]: found.groupdict() for found in FORM.finditer(page)}


def press(client: Client, form: dict[str, str]) -> Any:
    """Send one of these forms, and follow it."""
    return client.post(form["path"], {"action": form["action"], "_selected_action": form["row"]}, follow=True)


def test_the_page_of_a_key_revokes_it(admin: Client, owner_member: Member, make_key: MakeKey) -> None:
    secret, key = make_key(owner_member, "Leaked")
    other, _ = make_key(owner_member, "Other")
    shown = press(admin, offered(admin, f"{KEYS}{key.id}/change/")["Revoke"])
    assert [str(message) for message in shown.context["messages"]] == ["Revoked: 1 key."]
    assert [row.state() for row in shown.context["cl"].result_list] == ["revoked"]
    assert RestEntryPoint(secret).call("get_me").error == "unauthorized"
    assert RestEntryPoint(other).call("get_me").error is None


def test_a_revoked_key_is_not_revoked_again(admin: Client, owner_member: Member, make_key: MakeKey) -> None:
    """A second tab may still show the button."""
    _, key = make_key(owner_member, "Leaked")
    form = offered(admin, f"{KEYS}{key.id}/change/")["Revoke"]
    press(admin, form)
    at = ApiKey.objects.get(id=key.id).revoked_at
    assert offered(admin, f"{KEYS}{key.id}/change/") == {}
    assert [str(message) for message in press(admin, form).context["messages"]] == ["Revoked: 0 keys."]
    assert ApiKey.objects.get(id=key.id).revoked_at == at


def test_only_operators_with_the_permission_are_offered_it(
    client: Client, make_member: MakeMember, owner_member: Member, make_key: MakeKey
) -> None:
    _, key = make_key(owner_member)
    clerk = make_member("clerk@example.org", is_staff=True)
    clerk.user_permissions.add(Permission.objects.get(codename="view_apikey"))
    client.force_login(clerk)
    assert offered(client, f"{KEYS}{key.id}/change/") == {}
    client.post(KEYS, {"action": "revoke", "_selected_action": str(key.id)})
    assert ApiKey.objects.get(id=key.id).state() == "active"


def test_the_page_of_a_calendar_address_ends_it(admin: Client, owner_member: Member) -> None:
    subscription = Subscription(owner_member)
    feeds = "/admin/accounts/calendarfeed/"
    press(admin, offered(admin, f"{feeds}{CalendarFeed.objects.get().id}/change/")["End"])
    assert subscription.fetch().status_code == 404


def test_the_page_of_an_app_blocks_and_unblocks_it(admin: Client, owner_member: Member) -> None:
    App.registered().connect(owner_member)
    page = f"{APPS}{Application.objects.get().pk}/change/"
    press(admin, offered(admin, page)["Block"])
    assert BlockedApp.objects.count() == 1
    assert set(offered(admin, page)) == {"Unblock", "Revoke every token"}
    press(admin, offered(admin, page)["Unblock"])
    assert BlockedApp.objects.count() == 0
