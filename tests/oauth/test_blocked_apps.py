"""Apps blocked by operators: no consent, no token and no call until they are unblocked."""

from typing import Any

import pytest
from django.test import Client

from accounts.models import Member
from tests.support.cases import each
from tests.support.oauth import App, Browser, error_of, status_of

pytestmark = [pytest.mark.django_db, pytest.mark.same_statements]

DOCUMENT = "https://assistant.example/client.json"
BLOCKED = (400, "unauthorized_client")


@pytest.fixture
def desk(make_member: Any) -> Client:
    """An operator's browser."""
    client = Client()
    client.force_login(make_member(is_staff=True, is_superuser=True))
    return client


def row(app: App) -> Any:
    from oauthserver.models import Application

    return Application.objects.get(client_id=app.id)


def act(desk: Client, action: str, app: App) -> str:
    """Run the action on the app. Return the next page."""
    fields = {"action": action, "_selected_action": [str(row(app).pk)]}
    return str(desk.post("/admin/oauthserver/application/", fields, follow=True).content.decode())


def test_its_tokens_fail_until_it_is_unblocked(desk: Client, owner_member: Member) -> None:
    app, other = App.registered(), App.registered()
    token, others = (each.connect(owner_member)["access_token"] for each in (app, other))
    assert "Blocked: 1 app." in act(desk, "block", app)
    assert (status_of(token), status_of(others)) == (401, 200)
    assert "Unblocked: 1 app." in act(desk, "unblock", app)
    assert status_of(token) == 200


def test_it_gets_no_token(desk: Client, owner_member: Member) -> None:
    app = App.registered()
    refresh_token = app.connect(owner_member)["refresh_token"]
    code = app.code(owner_member)
    act(desk, "block", app)
    assert error_of(app.refresh(refresh_token)) == error_of(app.exchange(code)) == BLOCKED
    act(desk, "unblock", app)
    assert app.refresh(refresh_token).status_code == app.exchange(code).status_code == 200


def test_it_learns_of_the_block_whatever_it_presents(desk: Client) -> None:
    app = App.registered()
    act(desk, "block", app)
    assert error_of(app.refresh("svc_rt_unknown")) == error_of(app.exchange("svc_ac_unknown")) == BLOCKED


def test_only_the_authenticated_app_learns_of_the_block(desk: Client, owner_member: Member) -> None:
    app = App.registered(token_endpoint_auth_method="client_secret_post")
    refresh_token = app.connect(owner_member)["refresh_token"]
    act(desk, "block", app)
    assert error_of(app.refresh(refresh_token, client_secret="wrong")) == (401, "invalid_client")


@each("decision", [None, "allow", "deny"])
def test_the_consent_page_shows_the_block_without_a_redirect(
    desk: Client, owner_member: Member, decision: str | None
) -> None:
    app = App.registered()
    act(desk, "block", app)
    browser = Browser(owner_member)
    page = browser.visit(app.query()) if decision is None else browser.decide(app.query(), decision)
    assert page.status_code == 403
    assert "was blocked by the operators" in page.content.decode()
    assert "Planner is blocked" in page.content.decode()


@pytest.mark.database("both")
def test_the_key_page_shows_the_block_and_can_disconnect(desk: Client, owner_member: Member) -> None:
    app = App.registered()
    app.connect(owner_member)
    client = Browser(owner_member).client
    assert "blocked by the operators" not in client.get("/keys").content.decode()
    act(desk, "block", app)
    assert "blocked by the operators" in client.get("/keys").content.decode()
    client.post(f"/keys/apps/{row(app).pk}/disconnect")
    assert "blocked by the operators" not in client.get("/keys").content.decode()


@pytest.mark.database("both")
def test_it_can_still_revoke_its_tokens(desk: Client, owner_member: Member) -> None:
    app = App.registered()
    given = app.connect(owner_member)
    act(desk, "block", app)
    app.revoke(given["refresh_token"])
    act(desk, "unblock", app)
    assert status_of(given["access_token"]) == 401


def test_an_app_with_a_document_can_be_blocked_before_its_first_use(desk: Client, owner_member: Member) -> None:
    """The document is not fetched: this test has no network."""
    desk.post("/admin/oauthserver/blockedapp/add/", {"client_id": DOCUMENT, "note": "Steals notes"})
    app = App({"client_id": DOCUMENT}, "https://assistant.example/cb")
    page = Browser(owner_member).visit(app.query())
    assert (page.status_code, "This app is blocked" in page.content.decode()) == (403, True)
    assert "Steals notes" not in page.content.decode()


@pytest.mark.database("both")
def test_a_block_outlives_the_app_and_has_its_own_row(desk: Client, owner_member: Member) -> None:
    from oauthserver.models import BlockedApp

    app = App.registered()
    act(desk, "block", app)
    row(app).delete()
    assert Browser(owner_member).visit(app.query()).status_code == 403
    desk.post(f"/admin/oauthserver/blockedapp/{BlockedApp.objects.get().pk}/delete/", {"post": "yes"})
    assert Browser(owner_member).visit(app.query()).status_code == 400


@pytest.mark.database("both")
def test_the_list_shows_and_filters_blocked_apps(desk: Client) -> None:
    app = App.registered(client_name="Notebook")
    App.registered(client_name="Kept")
    act(desk, "block", app)
    listing = "/admin/oauthserver/application/"
    blocked, kept = (desk.get(f"{listing}?block={choice}").content for choice in ("blocked", "open"))
    assert (b">Notebook<" in blocked, b">Kept<" in blocked) == (True, False)
    assert (b">Notebook<" in kept, b">Kept<" in kept) == (False, True)


def test_blocking_twice_equals_blocking_once(desk: Client) -> None:
    app = App.registered()
    act(desk, "block", app)
    assert "Blocked: 0 apps." in act(desk, "block", app)
    act(desk, "unblock", app)
    assert "Unblocked: 0 apps." in act(desk, "unblock", app)
