"""Access tokens as credentials of the API (spec, Credentials and Scopes)."""

from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.test import Client, RequestFactory
from django.utils import timezone

from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.oauth import App, status_of

pytestmark = [pytest.mark.django_db, pytest.mark.same_statements]


@pytest.fixture
def app(db: None) -> App:
    return App.registered()


def test_it_costs_one_query(app: App, owner_member: Any, django_assert_num_queries: Any) -> None:
    """As many as for a key."""
    from accounts.credentials.keys import create_api_key
    from accounts.credentials.resolving import credential_of

    key, _ = create_api_key(owner_member, "test")
    token = app.connect(owner_member)["access_token"]
    status_of(key)
    for secret in (key, token):
        request = RequestFactory().get("/v1/me", headers={"Authorization": f"Bearer {secret}"})
        with django_assert_num_queries(1):
            assert credential_of(request) is not None


def test_it_opens_its_members_data_with_its_scopes(app: App, owner_member: Any) -> None:
    entry_point = RestEntryPoint(app.connect(owner_member, write=False)["access_token"])
    me = entry_point.made("get_me")
    assert (me["email"], me["scopes"]) == ("owner@example.org", ["read"])


def test_writing_requires_the_write_scope(app: App, owner_member: Any) -> None:
    reader = RestEntryPoint(app.connect(owner_member, write=False)["access_token"])
    writer = RestEntryPoint(app.connect(owner_member)["access_token"])
    assert reader.call("create_course", name="Biology").error == "insufficient_scope"
    assert writer.call("create_course", name="Biology").error is None
    assert len(reader.made("list_courses")["data"]) == 1


def test_it_expires_after_an_hour(app: App, owner_member: Any) -> None:
    token = app.connect(owner_member)["access_token"]
    start = timezone.now()
    with time_machine.travel(start) as clock:
        clock.move_to(start + timedelta(minutes=59))
        assert status_of(token) == 200
        clock.move_to(start + timedelta(minutes=61))
        assert status_of(token) == 401


@pytest.mark.database("both")
def test_a_token_without_refresh_tokens_fails(app: App, owner_member: Any) -> None:
    """They were deleted directly in the database."""
    from oauthserver.models import RefreshToken

    token = app.connect(owner_member)["access_token"]
    RefreshToken.objects.all().delete()
    assert status_of(token) == 401


@pytest.mark.database("both")
def test_it_ends_with_its_app(app: App, owner_member: Any) -> None:
    from oauthserver.models import Application

    token = app.connect(owner_member)["access_token"]
    Application.objects.all().delete()
    assert status_of(token) == 401


def test_a_lapsed_membership_is_403_with_a_token_too(app: App, make_member: Any) -> None:
    entry_point = RestEntryPoint(app.connect(make_member(membership_active=False))["access_token"])
    assert entry_point.call("get_me").error is None
    assert entry_point.call("list_courses").error == "membership_required"


@each("kind", ["refresh_token", "code", "hash"])
def test_other_secrets_are_not_credentials(app: App, owner_member: Any, kind: str) -> None:
    from studyservice.secrets.generated import sha256

    tokens = app.connect(owner_member)
    secret = {
        "refresh_token": tokens["refresh_token"],
        "code": app.code(owner_member),
        "hash": sha256(tokens["access_token"]),
    }[kind]
    assert status_of(secret) == 401


def test_it_does_not_work_as_an_api_key(app: App, owner_member: Any) -> None:
    token = app.connect(owner_member)["access_token"]
    assert Client().get("/v1/me", headers={"X-API-Key": token}).status_code == 401


def test_each_token_has_its_own_rate_limit(app: App, owner_member: Any) -> None:
    one, other = (app.connect(owner_member)["access_token"] for _ in range(2))
    headers = [
        Client().get("/v1/me", headers={"Authorization": f"Bearer {token}"}).headers["RateLimit-Remaining"]
        for token in (one, one, other)
    ]
    assert headers == ["119", "118", "119"]
