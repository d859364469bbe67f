"""Operators find the page of a leaked key by its visible beginning or by its whole text."""

from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.test import Client

from accounts.models import CalendarFeed, Member
from oauthserver.models import RefreshToken
from tests.conftest import MakeKey, MakeMember
from tests.support.browsers import act, listed
from tests.support.calendars import Subscription
from tests.support.cases import each
from tests.support.oauth import App

KEYS = "/admin/accounts/apikey/"
FIND = f"{KEYS}find/"
MEMBERS = "/admin/accounts/member/"


@each("shown", [11, 10, 9, 25])
def test_a_key_is_found_by_its_visible_beginning(
    admin: Client, owner_member: Member, make_key: MakeKey, shown: int
) -> None:
    """Secrets past this number of words are not searched, not even a whole key."""
    secret, key = make_key(owner_member, "Leaked")
    other, _ = make_key(owner_member, "Other", hint="svc_sk_zzzz…zzzz")
    assert listed(admin, KEYS, q=secret[:shown]) == [f"Leaked ({key.hint})"]
    assert listed(admin, KEYS, q=key.hint) == [f"Leaked ({key.hint})"]
    assert listed(admin, KEYS, q=other) == []


@pytest.mark.same_statements
@each("around", ["{}", "Authorization: Bearer {}\n", 'key = "{}"', "x\n{}\ny"])
def test_a_whole_key_leads_to_its_page(admin: Client, owner_member: Member, make_key: MakeKey, around: str) -> None:
    secret, key = make_key(owner_member, "Leaked")
    page = admin.post(FIND, {"text": around.format(secret)}, follow=True)
    assert (page.redirect_chain, "Leaked" in page.content.decode()) == ([(f"{KEYS}{key.id}/change/", 302)], True)
    assert act(admin, KEYS, "revoke", key) == "Revoked: 1 key."
    again = admin.post(FIND, {"text": secret})
    assert again.headers["Location"] == f"{KEYS}{key.id}/change/"


def test_other_credentials_lead_to_the_page_that_ends_them(admin: Client, owner_member: Member) -> None:
    app = App.registered(token_endpoint_auth_method="client_secret_post")
    tokens = app.connect(owner_member)
    connection = RefreshToken.objects.get()
    feed = Subscription(owner_member)
    found = {
        kind: admin.post(FIND, {"text": text}).headers["Location"].partition("?")
        for kind, text in {
            "access": tokens["access_token"],
            "refresh": tokens["refresh_token"],
            "client": app.registration["client_secret"],
            "calendar": f"https://study.example.org{feed.path}",
        }.items()
    }
    connections = ("/admin/oauthserver/refreshtoken/", "?", f"q={connection.id}")
    assert (found["access"], found["refresh"]) == (connections, connections)
    assert found["client"][0].startswith("/admin/oauthserver/application/")
    assert found["calendar"][0].startswith("/admin/accounts/calendarfeed/")


def test_pages_show_the_ids_that_the_log_has(admin: Client, owner_member: Member, make_key: MakeKey) -> None:
    """`api_key`, `calendar_feed` and `member` in the lines of requests."""
    _, key = make_key(owner_member)
    Subscription(owner_member)
    rows = {KEYS: key, "/admin/accounts/calendarfeed/": CalendarFeed.objects.get(), MEMBERS: owner_member}
    for path, row in rows.items():
        page = admin.get(f"{path}{row.pk}/change/").content.decode()
        assert f'<div class="readonly">{row.pk}</div>' in page, path


def test_an_unknown_key_is_reported_without_repeating_it(admin: Client, db: None) -> None:
    text = f"svc_sk_{'x' * 43} and svc_zz_{'y' * 43}"
    page = admin.post(FIND, {"text": text}).content.decode()
    assert "Nothing in it is a credential that is known here." in page
    assert "xxxx" not in page
    assert "required" in admin.post(FIND, {"text": " "}).content.decode()


def test_it_appears_in_no_url_and_no_log_line(
    admin: Client, owner_member: Member, make_key: MakeKey, capfd: pytest.CaptureFixture[str]
) -> None:
    secret, _ = make_key(owner_member)
    page = admin.post(FIND, {"text": secret}, follow=True)
    log = capfd.readouterr().err
    assert '"path":"/admin/accounts/apikey/find/"' in log
    assert secret not in repr([log, page.redirect_chain, page.content.decode()])
    assert "no-store" in admin.get(FIND).headers["Cache-Control"]


def test_searching_requires_permission_to_view_keys(
    make_member: MakeMember, make_key: MakeKey, owner_member: Member
) -> None:
    operator, client = make_member("helper@example.com", is_staff=True), Client()
    operator.user_permissions.set(Permission.objects.filter(codename="view_member"))
    client.force_login(operator)
    secret, _ = make_key(owner_member)
    refused: list[Any] = [client.get(FIND), client.post(FIND, {"text": secret}), Client().post(FIND, {"text": secret})]
    assert [answer.status_code for answer in refused] == [403, 403, 302]
