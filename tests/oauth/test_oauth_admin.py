"""Apps and connections in the admin."""

from typing import Any

import pytest
from django.test import Client

from tests.support.cases import each
from tests.support.oauth import App, Browser, status_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def desk(make_member: Any) -> Client:
    """An operator's browser."""
    client = Client()
    client.force_login(make_member(is_staff=True, is_superuser=True))
    return client


def run(desk: Client, listing: str, action: str, pk: Any) -> Any:
    fields = {"action": action, "_selected_action": [str(pk)]}
    return desk.post(f"/admin/oauthserver/{listing}/", fields, follow=True)


def row(app: App) -> Any:
    from oauthserver.models import Application

    return Application.objects.get(client_id=app.id)


def test_apps_can_be_searched_and_filtered(desk: Client, owner_member: Any) -> None:
    App.registered(client_name="Notebook").connect(owner_member)
    App.registered(client_name="Abandoned")
    found = desk.get("/admin/oauthserver/application/?q=noteb").content
    assert (b"Notebook" in found, b"Abandoned" in found) == (True, False)
    never = desk.get("/admin/oauthserver/application/?use=never").content
    assert (b">Notebook<" in never, b">Abandoned<" in never) == (False, True)
    used = desk.get("/admin/oauthserver/application/?use=used").content
    assert (b">Notebook<" in used, b">Abandoned<" in used) == (True, False)


def test_apps_show_their_users_and_refused_calls(desk: Client, owner_member: Any, make_member: Any) -> None:
    """To identify misbehaving apps."""
    good, bad = App.registered(client_name="Notebook"), App.registered(client_name="Careless")
    assert status_of(good.connect(owner_member)["access_token"]) == 200
    for member in (owner_member, owner_member, make_member()):
        token = bad.connect(member)["access_token"]
        assert (status_of(token), status_of(token, "/v1/courses/no-id")) == (200, 422)
    bad.connect(make_member())
    listed = desk.get("/admin/oauthserver/application/").context["cl"].result_list
    told = {app.name: (app.members, app.last_call_at is not None, app.refused_members) for app in listed}
    assert told == {"Careless": (3, True, 2), "Notebook": (1, True, 0)}
    filtered = desk.get("/admin/oauthserver/application/?refused=day").content.decode()
    assert (">Careless<" in filtered, ">Notebook<" in filtered) == (True, False)
    page = desk.get(f"/admin/oauthserver/application/{row(bad).pk}/change/").content.decode()
    assert "it sent invalid values" in page


def test_an_app_can_only_be_verified(desk: Client, owner_member: Any) -> None:
    app = App.registered()
    path = f"/admin/oauthserver/application/{row(app).pk}/change/"
    desk.post(path, {"verified": "on", "name": "Renamed", "redirect_uris": "https://evil.example"})
    assert (row(app).verified, row(app).name, row(app).redirect_uris) == (True, "Planner", app.redirect_uri)
    page = Browser(owner_member).visit(app.query()).content
    assert (b"Unverified" in page, b"Verified app" in page) == (False, True)


@pytest.mark.same_statements
def test_everything_of_an_app_can_be_revoked(desk: Client, owner_member: Any, make_member: Any) -> None:
    app, other = App.registered(), App.registered()
    members = [owner_member, make_member()]
    tokens, kept = [app.connect(member) for member in members], other.connect(owner_member)
    response = run(desk, "application", "revoke_everything", row(app).pk)
    assert b"Revoked: 2 connections." in response.content
    assert [status_of(pair["access_token"]) for pair in [*tokens, kept]] == [401, 401, 200]


@pytest.mark.same_statements
def test_one_revocation_uses_the_singular(desk: Client, owner_member: Any) -> None:
    app = App.registered()
    app.connect(owner_member)
    response = run(desk, "application", "revoke_everything", row(app).pk)
    assert b"Revoked: 1 connection." in response.content


def test_everything_of_a_member_can_be_revoked(desk: Client, owner_member: Any, make_member: Any) -> None:
    app, stranger = App.registered(), make_member()
    mine, theirs = app.connect(owner_member), app.connect(stranger)
    listed = desk.get("/admin/oauthserver/connectedmember/").content
    assert owner_member.email.encode() in listed
    run(desk, "connectedmember", "revoke_everything", owner_member.pk)
    assert (status_of(mine["access_token"]), status_of(theirs["access_token"])) == (401, 200)
    assert owner_member.email.encode() not in desk.get("/admin/oauthserver/connectedmember/").content


def test_one_connection_can_be_revoked(desk: Client, owner_member: Any) -> None:
    from oauthserver.models import live_refresh_tokens

    app = App.registered()
    one, other = app.connect(owner_member), app.connect(owner_member)
    first = live_refresh_tokens().order_by("created").first()
    assert first is not None
    run(desk, "refreshtoken", "revoke", first.pk)
    assert (status_of(one["access_token"]), status_of(other["access_token"])) == (401, 200)


def test_the_connections_of_an_app_are_linked(desk: Client, owner_member: Any) -> None:
    app = App.registered()
    app.connect(owner_member)
    link = f"/admin/oauthserver/refreshtoken/?application__id__exact={row(app).pk}"
    assert link in desk.get(f"/admin/oauthserver/application/{row(app).pk}/change/").content.decode()
    assert owner_member.email in desk.get(link).content.decode()


@each("model", ["accesstoken", "grant"])
def test_codes_and_access_tokens_are_not_listed(desk: Client, model: str) -> None:
    assert desk.get(f"/admin/oauthserver/{model}/").status_code == 404


@pytest.mark.same_statements
@each("listing", ["application", "refreshtoken", "connectedmember"])
def test_operators_who_can_only_view_see_no_actions(make_member: Any, owner_member: Any, listing: str) -> None:
    from django.contrib.auth.models import Permission

    App.registered().connect(owner_member)
    operator = make_member(is_staff=True)
    operator.user_permissions.set(Permission.objects.filter(codename=f"view_{listing}"))
    looking = Client()
    looking.force_login(operator)
    page = looking.get(f"/admin/oauthserver/{listing}/")
    assert (page.status_code, b'name="action"' in page.content) == (200, False)


@pytest.mark.same_statements
@each("term", ["Notebook", "notes.example", "svcclient_"])
def test_an_app_is_found_by_name_address_or_client_id(desk: Client, term: str) -> None:
    App.registered(client_name="Notebook", redirect_uris=["https://notes.example/back"])
    assert b">Notebook<" in desk.get(f"/admin/oauthserver/application/?q={term}").content
    assert b">Notebook<" not in desk.get(f"/admin/oauthserver/application/?q=other{term}").content
