"""Revocation: POST /oauth/revoke (spec, Authorization code flow 5; RFC 7009; decisions 12)."""

from typing import Any

import pytest
from django.test import Client

from tests.support.cases import each
from tests.support.oauth import App, error_of, post_form, status_of

pytestmark = [pytest.mark.database("sqlite", "requests and answers of apps"), pytest.mark.django_db]


@pytest.fixture(params=["none", "client_secret_basic", "client_secret_post"])
def app(request: Any, db: None) -> App:
    return App.registered(token_endpoint_auth_method=request.param)


def test_revoking_a_refresh_token_ends_its_access_tokens(app: App, owner_member: Any) -> None:
    first = app.connect(owner_member)
    second = app.refresh(first["refresh_token"]).json()
    assert app.revoke(second["refresh_token"]).status_code == 200
    assert (status_of(first["access_token"]), status_of(second["access_token"])) == (401, 401)
    assert error_of(app.refresh(second["refresh_token"])) == (400, "invalid_grant")


def test_revoking_an_access_token_ends_nothing_else(app: App, owner_member: Any) -> None:
    tokens = app.connect(owner_member)
    assert app.revoke(tokens["access_token"]).status_code == 200
    assert status_of(tokens["access_token"]) == 401
    assert app.refresh(tokens["refresh_token"]).status_code == 200


@each("registered", ["client_secret_basic", "client_secret_post", None])
@each("used", ["client_secret_basic", "client_secret_post"])
def test_the_secret_is_accepted_by_either_method(registered: str | None, used: str, owner_member: Any) -> None:
    """Libraries revoke by Basic by default, whatever method they registered."""
    app = App.registered(token_endpoint_auth_method=registered)
    tokens = app.connect(owner_member)
    assert app.by(used).revoke(tokens["refresh_token"]).status_code == 200
    assert status_of(tokens["access_token"]) == 401


@each("registered", ["client_secret_basic", "client_secret_post", None])
@each("used", ["client_secret_basic", "client_secret_post", "none"])
def test_without_its_secret_a_confidential_client_ends_nothing(
    registered: str | None, used: str, owner_member: Any
) -> None:
    app = App.registered(token_endpoint_auth_method=registered)
    tokens = app.connect(owner_member)
    for secret in ("", "svc_cs_wrong"):
        assert app.by(used, secret).revoke(tokens["refresh_token"]).status_code == 200
    assert status_of(tokens["access_token"]) == 200


@each(
    ("used", "secret"),
    [("client_secret_basic", ""), ("client_secret_basic", "svc_cs_made_up"), ("client_secret_post", "svc_cs_made_up")],
)
def test_a_secret_of_a_public_client_is_ignored(used: str, secret: str, owner_member: Any) -> None:
    app = App.registered()
    tokens = app.connect(owner_member)
    assert app.by(used, secret).revoke(tokens["refresh_token"]).status_code == 200
    assert status_of(tokens["access_token"]) == 200


@each("hint", ["access_token", "refresh_token", "nonsense"])
def test_a_wrong_hint_does_no_harm(hint: str, owner_member: Any) -> None:
    """RFC 7009 section 2.1."""
    app = App.registered()
    tokens = app.connect(owner_member)
    app.revoke(tokens["refresh_token"], token_type_hint=hint)
    assert status_of(tokens["access_token"]) == 401


def test_another_consent_of_the_same_app_stays_valid(owner_member: Any) -> None:
    app = App.registered()
    one, other = app.connect(owner_member), app.connect(owner_member)
    app.revoke(one["refresh_token"])
    assert (status_of(one["access_token"]), status_of(other["access_token"])) == (401, 200)


def test_a_wrong_client_ends_nothing(app: App, owner_member: Any) -> None:
    tokens = app.connect(owner_member)
    impostor = App(
        {"client_id": app.id, "client_secret": "svc_cs_x", "token_endpoint_auth_method": "client_secret_post"}
    )
    for response in (
        App.registered().revoke(tokens["refresh_token"]),
        App.registered().revoke(tokens["access_token"]),
        impostor.revoke(tokens["refresh_token"]),
        post_form("/oauth/revoke", {"token": tokens["refresh_token"]}),
        post_form("/oauth/revoke", {"token": tokens["access_token"]}, Authorization="Basic !"),
    ):
        assert (response.status_code, response.json()) == (200, {})
    assert status_of(tokens["access_token"]) == 200
    assert app.refresh(tokens["refresh_token"]).status_code == 200


@each("fields", [{}, {"token": ""}, {"token": "svc_rt_unknown"}, {"token": "x" * 100_000}])
def test_it_always_answers_200(app: App, fields: dict[str, str]) -> None:
    response = app.post("/oauth/revoke", fields)
    assert (response.status_code, response.json()) == (200, {})


def test_revoking_twice_is_200_too(app: App, owner_member: Any) -> None:
    tokens = app.connect(owner_member)
    assert [app.revoke(tokens["refresh_token"]).status_code for _ in range(2)] == [200, 200]


def test_it_accepts_only_post() -> None:
    response = Client().get("/oauth/revoke")
    assert error_of(response) == (405, "invalid_request")
    assert response.headers["Allow"] == "POST"


def test_browsers_can_call_it() -> None:
    response = post_form("/oauth/revoke", {"token": "x"}, Origin="https://inspector.example")
    assert response.headers["Access-Control-Allow-Origin"] == "*"
