"""A refresh token reused within the tolerance is rejected, logged, and shown to its member."""

import logging
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from accounts.models import Member
from tests.support.oauth import App, Browser, error_of

pytestmark = [pytest.mark.django_db, pytest.mark.same_statements]

SHOWN = "this app used an old token again"
LOGGER = "oauthserver.reuse"


def key_page(member: Member) -> str:
    return str(Browser(member).client.get("/keys").content.decode())


def test_the_member_sees_the_reuse_at_the_app(owner_member: Member) -> None:
    app, other = App.registered(client_name="Careless"), App.registered(client_name="Careful")
    first = app.connect(owner_member)["refresh_token"]
    other.refresh(other.connect(owner_member)["refresh_token"])
    app.refresh(first)
    assert SHOWN not in key_page(owner_member)
    assert error_of(app.refresh(first)) == (400, "invalid_grant")
    page = key_page(owner_member)
    assert page.count(SHOWN) == 1
    row = next(row for row in page.split('<li class="row">') if SHOWN in row)
    assert ("Careless" in row, "Careful" in row) == (True, False)


def test_another_member_of_the_app_sees_nothing(owner_member: Member, make_member: Any) -> None:
    app, stranger = App.registered(), make_member()
    app.connect(stranger)
    first = app.connect(owner_member)["refresh_token"]
    app.refresh(first)
    app.refresh(first)
    assert SHOWN not in key_page(stranger)


def test_it_is_logged_without_the_token(owner_member: Member, caplog: pytest.LogCaptureFixture) -> None:
    app = App.registered()
    first = app.connect(owner_member)["refresh_token"]
    app.refresh(first)
    with caplog.at_level(logging.WARNING, logger=LOGGER):
        app.refresh(first)
    [record] = [record for record in caplog.records if record.name == LOGGER]
    assert app.id in record.getMessage()
    assert str(owner_member.id) in record.getMessage()
    assert first not in record.getMessage()


@pytest.mark.parametrize("wrong", [{"client_secret": "wrong"}, {"resource": "https://elsewhere.example"}])
def test_a_rejection_for_another_reason_is_not_a_reuse(
    owner_member: Member, caplog: pytest.LogCaptureFixture, wrong: dict[str, str]
) -> None:
    """A valid token stays valid, so this is not a reuse."""
    app = App.registered(token_endpoint_auth_method="client_secret_post")
    first = app.connect(owner_member)["refresh_token"]
    assert app.refresh(first, **wrong).status_code in {400, 401}
    assert [record for record in caplog.records if record.name == LOGGER] == []
    assert SHOWN not in key_page(owner_member)


def test_an_unauthenticated_app_does_not_count_as_a_reuse(owner_member: Member) -> None:
    app = App.registered(token_endpoint_auth_method="client_secret_post")
    first = app.connect(owner_member)["refresh_token"]
    app.refresh(first)
    assert app.refresh(first, client_secret="wrong").status_code == 401
    assert SHOWN not in key_page(owner_member)


def test_a_later_reuse_has_no_connection_to_appear_at(owner_member: Member) -> None:
    app = App.registered()
    first = app.connect(owner_member)["refresh_token"]
    app.refresh(first)
    with time_machine.travel(timezone.now() + timedelta(seconds=61)):
        app.refresh(first)
        assert "Planner" not in key_page(owner_member)
