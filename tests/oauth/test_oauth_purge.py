"""`manage.py purgeexpired` for the authorization server."""

import json
from collections.abc import Iterator
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
import time_machine
from django.core.management import call_command
from django.utils import timezone

from tests.support.oauth import App, error_of, status_of

pytestmark = [pytest.mark.django_db, pytest.mark.same_statements, pytest.mark.usefixtures("files")]


@pytest.fixture
def clock() -> Iterator[Any]:
    with time_machine.travel(timezone.now()) as travelling:
        yield travelling


def purge() -> dict[str, int]:
    printed = StringIO()
    call_command("purgeexpired", "--json", stdout=printed)
    removed: dict[str, int] = json.loads(printed.getvalue())
    return {what: number for what, number in removed.items() if number and what not in {"sessions", "sign_in_codes"}}


def test_valid_tokens_and_codes_are_kept(owner_member: Any, clock: Any) -> None:
    app = App.registered()
    tokens, code = app.connect(owner_member), app.code(owner_member)
    assert purge() == {}
    assert status_of(tokens["access_token"]) == 200
    assert app.exchange(code).status_code == 200


def test_a_refresh_token_outlives_its_access_token(owner_member: Any, clock: Any) -> None:
    app = App.registered()
    tokens = app.connect(owner_member)
    clock.shift(timedelta(days=59))
    assert purge() == {"access_tokens": 1}
    assert app.refresh(tokens["refresh_token"]).status_code == 200


def test_an_unused_expired_code_is_deleted(owner_member: Any, clock: Any) -> None:
    app = App.registered()
    app.connect(owner_member)
    app.code(owner_member)
    clock.shift(timedelta(minutes=11))
    assert purge() == {"authorization_codes": 1}


def test_a_spent_code_is_kept_while_its_tokens_are_valid(owner_member: Any, clock: Any) -> None:
    app = App.registered()
    code = app.code(owner_member)
    tokens = app.exchange(code).json()
    clock.shift(timedelta(days=30))
    purge()
    refreshed = app.refresh(tokens["refresh_token"]).json()
    assert error_of(app.exchange(code)) == (400, "invalid_grant")
    assert status_of(refreshed["access_token"]) == 401


def test_a_rotated_token_is_kept_until_it_would_have_expired(owner_member: Any, clock: Any) -> None:
    app = App.registered()
    first = app.connect(owner_member)
    second = app.refresh(first["refresh_token"]).json()
    clock.shift(timedelta(days=59))
    assert purge() == {"access_tokens": 2}
    assert error_of(app.refresh(first["refresh_token"])) == (400, "invalid_grant")
    assert error_of(app.refresh(second["refresh_token"])) == (400, "invalid_grant")


def test_after_sixty_days_nothing_is_left(owner_member: Any, clock: Any) -> None:
    from oauthserver.models import AccessToken, Application, Grant, RefreshToken

    app = App.registered()
    app.refresh(app.connect(owner_member)["refresh_token"])
    clock.shift(timedelta(days=61))
    assert purge() == {"refresh_tokens": 2, "access_tokens": 2, "authorization_codes": 1}
    assert [model.objects.count() for model in (AccessToken, RefreshToken, Grant)] == [0, 0, 0]
    assert Application.objects.count() == 1


@pytest.mark.database("both")
def test_an_unused_registration_is_deleted_after_a_day(owner_member: Any, clock: Any) -> None:
    from oauthserver.models import Application

    used, unused = App.registered(), App.registered()
    used.connect(owner_member)
    clock.shift(timedelta(hours=23, minutes=55))
    waiting = App.registered()
    assert purge() == {"access_tokens": 1}
    clock.shift(timedelta(minutes=10))
    assert purge()["unused_registrations"] == 1
    assert set(Application.objects.values_list("client_id", flat=True)) == {used.id, waiting.id}
    assert error_of(unused.refresh("svc_rt_x")) == (401, "invalid_client")


def test_a_registration_with_a_fresh_code_is_kept(owner_member: Any, clock: Any) -> None:
    app = App.registered()
    clock.shift(timedelta(hours=25))
    code = app.code(owner_member)
    assert purge() == {}
    assert app.exchange(code).status_code == 200


def test_it_works_in_batches(monkeypatch: pytest.MonkeyPatch, clock: Any) -> None:
    from oauthserver import connections

    monkeypatch.setattr(connections, "BATCH", 2)
    for _ in range(5):
        App.registered()
    clock.shift(timedelta(hours=25))
    assert purge() == {"unused_registrations": 5}
