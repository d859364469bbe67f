"""A member's connected apps, which the key page lists and disconnects (spec, Connected app)."""

from datetime import timedelta
from typing import Any
from unittest.mock import ANY
from uuid import uuid4

import pytest
import time_machine
from django.utils import timezone

from studyservice.operations.declaration import Scope
from tests.support.oauth import App, Browser, error_of, status_of

pytestmark = [pytest.mark.django_db, pytest.mark.same_statements]


def test_a_connected_app_is_listed(owner_member: Any, make_member: Any) -> None:
    from accounts.credentials.connections import ConnectedApp
    from oauthserver.connections import connected_apps

    App.registered().connect(make_member())
    App.registered(client_name="Assistant", redirect_uris=["https://claude.ai/api/mcp/auth_callback"]).connect(
        owner_member, write=False
    )
    assert connected_apps(owner_member) == [
        ConnectedApp(
            id=ANY,
            name="Assistant",
            is_named=True,
            verified=True,
            hosts=("Claude (claude.ai)",),
            scopes=frozenset({Scope.READ}),
            connected_at=ANY,
        )
    ]


def test_an_app_with_two_consents_is_listed_once(owner_member: Any) -> None:
    from oauthserver.connections import connected_apps

    app = App.registered()
    start = timezone.now()
    with time_machine.travel(start) as clock:
        app.connect(owner_member, write=False)
        clock.move_to(start + timedelta(hours=3))
        app.connect(owner_member)
    [connected] = connected_apps(owner_member)
    assert (connected.verified, connected.scopes) == (False, frozenset(Scope))
    assert connected.connected_at - start >= timedelta(0)
    assert connected.connected_at - start < timedelta(hours=1)


def test_an_app_without_a_valid_token_is_not_listed(owner_member: Any) -> None:
    from oauthserver.connections import connected_apps

    app = App.registered()
    app.code(owner_member)
    app.revoke(app.connect(owner_member)["refresh_token"])
    assert connected_apps(owner_member) == []


def test_disconnecting_invalidates_codes_and_tokens(owner_member: Any) -> None:
    """From the next call on, for every consent of only this app."""
    from oauthserver.connections import connected_apps, disconnect

    app, other = App.registered(), App.registered(client_name="Other")
    kept = other.connect(owner_member)
    tokens, refreshed, code = app.connect(owner_member), app.connect(owner_member), app.code(owner_member)
    second = app.refresh(refreshed["refresh_token"]).json()
    [connected] = [found for found in connected_apps(owner_member) if found.name == "Planner"]
    disconnect(owner_member, connected.id)
    assert [status_of(held["access_token"]) for held in (tokens, refreshed, second)] == [401, 401, 401]
    assert error_of(app.refresh(tokens["refresh_token"])) == (400, "invalid_grant")
    assert error_of(app.exchange(code)) == (400, "invalid_grant")
    assert status_of(kept["access_token"]) == 200


def test_another_member_stays_connected(owner_member: Any, make_member: Any) -> None:
    from oauthserver.connections import disconnect
    from oauthserver.models import Application

    app = App.registered()
    mine, theirs = app.connect(owner_member), app.connect(make_member())
    disconnect(owner_member, Application.objects.get(client_id=app.id).id)
    assert (status_of(mine["access_token"]), status_of(theirs["access_token"])) == (401, 200)


@pytest.mark.database("both")
def test_disconnecting_an_unconnected_app_does_nothing(owner_member: Any) -> None:
    from oauthserver.connections import disconnect

    tokens = App.registered().connect(owner_member)
    disconnect(owner_member, uuid4())
    assert status_of(tokens["access_token"]) == 200


def test_an_app_can_be_connected_again(owner_member: Any) -> None:
    from oauthserver.connections import connected_apps, disconnect

    app = App.registered()
    app.connect(owner_member)
    disconnect(owner_member, connected_apps(owner_member)[0].id)
    assert status_of(app.connect(owner_member)["access_token"]) == 200


def test_a_listing_does_not_load_every_token(owner_member: Any) -> None:
    """An app may have connected and refreshed any number of times."""
    from django.db.models.signals import post_init

    from oauthserver.connections import connected_apps
    from oauthserver.models import Grant, RefreshToken

    app = App.registered()
    for _ in range(8):
        app.refresh(app.connect(owner_member)["refresh_token"])
    loaded: list[Any] = []

    def note(instance: Any, **_: Any) -> None:
        loaded.append(instance)

    for model in (Grant, RefreshToken):
        post_init.connect(note, model)
    try:
        [connected] = connected_apps(owner_member)
    finally:
        for model in (Grant, RefreshToken):
            post_init.disconnect(note, model)
    assert connected.name == "Planner"
    assert loaded == []


def test_the_newest_of_many_apps_are_listed_and_all_can_be_disconnected(
    owner_member: Any, client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from accounts.pages import keys
    from oauthserver.models import Application

    monkeypatch.setattr(keys, "MAX_APPS", 2)
    apps = [App.registered(client_name=f"App {number}") for number in range(3)]
    held = [app.connect(owner_member) for app in apps]
    client.force_login(owner_member)
    page = client.get("/keys")
    assert [app.name for app in page.context["apps"]] == ["App 2", "App 1"]
    assert "Disconnect one to see older ones." in page.content.decode()
    first = Application.objects.get(client_id=apps[0].id)
    assert "App 0" in client.get(f"/keys/apps/{first.id}/disconnect").content.decode()
    client.post(f"/keys/apps/{first.id}/disconnect")
    assert [status_of(tokens["access_token"]) for tokens in held] == [401, 200, 200]
    assert "to see older ones" not in client.get("/keys").content.decode()


def test_a_read_only_consent_ends_earlier_write_access(owner_member: Any, make_member: Any) -> None:
    """Decisions 10: a narrower consent replaces all tokens and codes of the same member and app."""
    app, other, neighbour = App.registered(), App.registered(client_name="Other"), make_member()
    wide, narrow = app.connect(owner_member), app.connect(owner_member, scope="read")
    code = app.code(owner_member)
    kept = [app.connect(neighbour), other.connect(owner_member)]
    narrowed = app.refresh(app.connect(owner_member)["refresh_token"], scope="read").json()
    fresh = app.exchange(app.code(owner_member, write=False)).json()
    assert [status_of(tokens["access_token"]) for tokens in (wide, narrowed)] == [401, 401]
    assert error_of(app.refresh(wide["refresh_token"])) == (400, "invalid_grant")
    assert error_of(app.exchange(code)) == (400, "invalid_grant")
    assert [status_of(tokens["access_token"]) for tokens in (narrow, fresh, *kept)] == [200] * 4


def test_a_wide_consent_and_a_denial_end_nothing(owner_member: Any) -> None:
    app = App.registered()
    held = [app.connect(owner_member, write=False), app.connect(owner_member)]
    app.connect(owner_member)
    Browser(owner_member).decide(app.query(scope="read"), "deny")
    assert [status_of(tokens["access_token"]) for tokens in held] == [200, 200]
