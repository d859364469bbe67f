"""Client registration: POST /oauth/register (spec, Client registration; RFC 7591)."""

from typing import Any
from unittest.mock import ANY

import pytest
from django.test import Client

from tests.support.cases import each
from tests.support.oauth import CALLBACK, App, error_of, register

pytestmark = [pytest.mark.django_db, pytest.mark.same_statements]

ANSWER = {
    "client_id": ANY,
    "client_secret_expires_at": 0,
    "client_id_issued_at": ANY,
    "client_name": "Planner",
    "redirect_uris": [CALLBACK],
    "grant_types": ["authorization_code", "refresh_token"],
    "response_types": ["code"],
    "scope": "read write",
}


def test_it_registers_a_public_client() -> None:
    response = register()
    assert response.status_code == 201
    assert response.json() == ANSWER | {"token_endpoint_auth_method": "none"}
    assert response.json()["client_id"].startswith("svcclient_")
    assert type(response.json()["client_id_issued_at"]) is int
    assert response.headers["Cache-Control"] == "no-store"
    assert response.headers["X-Request-Id"].startswith("req_")


@each("method", ["client_secret_basic", "client_secret_post"])
def test_it_registers_a_confidential_client(method: str) -> None:
    response = register(token_endpoint_auth_method=method)
    assert response.status_code == 201
    assert response.json() == ANSWER | {"client_secret": ANY, "token_endpoint_auth_method": method}
    assert response.json()["client_secret"].startswith("svc_cs_")


def test_the_default_method_is_basic() -> None:
    """RFC 7591 section 2."""
    response = Client().post("/oauth/register", {"redirect_uris": [CALLBACK]}, content_type="application/json")
    assert response.json() == ANSWER | {
        "client_name": "app.example",
        "client_secret": ANY,
        "token_endpoint_auth_method": "client_secret_basic",
    }


def test_unknown_metadata_is_ignored() -> None:
    """RFC 7591 section 2. The answer contains the registered metadata."""
    response = register(
        logo_uri="https://app.example/logo.png",
        contacts=None,
        grant_types=["authorization_code", "implicit"],
        scope="x",
    )
    assert response.json() == ANSWER | {"token_endpoint_auth_method": "none"}


def test_at_most_ten_redirect_uris_are_accepted() -> None:
    uris = [f"{CALLBACK}/{number}" for number in range(11)]
    assert register(redirect_uris=uris[:10]).json()["redirect_uris"] == uris[:10]
    assert error_of(register(redirect_uris=uris)) == (400, "invalid_redirect_uri")


@each("uris", [None, [], "https://app.example/", 5, {}, [None], [5], [[]], [CALLBACK, ""], [CALLBACK, {"a": 1}]])
def test_malformed_redirect_uris_are_rejected(uris: Any) -> None:
    assert error_of(register(redirect_uris=uris)) == (400, "invalid_redirect_uri")


@each(
    "metadata",
    [
        {"client_name": None},
        {"client_name": ""},
        {"client_name": "  "},
        {"client_name": "x" * 121},
        {"client_name": 5},
        {"client_name": ["a"]},
        {"client_name": {}},
        {"client_name": "nul\0"},
        {"client_name": "two\nlines"},
        {"client_name": "evil \u202egpj"},
        {"client_name": "\ud800"},
        {"token_endpoint_auth_method": "private_key_jwt"},
        {"token_endpoint_auth_method": ["none"]},
        {"grant_types": ["client_credentials"]},
        {"grant_types": "authorization_code"},
        {"grant_types": [1]},
        {"response_types": ["token"]},
        {"response_types": None},
        {"scope": ["read"]},
    ],
)
def test_invalid_metadata_is_rejected(metadata: dict[str, Any]) -> None:
    assert error_of(register(**metadata)) == (400, "invalid_client_metadata")


def test_null_as_a_method_is_rejected() -> None:
    body = {"redirect_uris": [CALLBACK], "token_endpoint_auth_method": None}
    response = Client().post("/oauth/register", body, content_type="application/json")
    assert error_of(response) == (400, "invalid_client_metadata")


@each(
    ("body", "content_type"),
    [
        (b"", "application/json"),
        (b"{", "application/json"),
        (b"[]", "application/json"),
        (b"null", "application/json"),
        (b"\xff\xfe", "application/json"),
        (b"[" * 100_000, "application/json"),
        (b'{"redirect_uris": NaN}', "application/json"),
        (b'{"client_name": "' + b"x" * 1_100_000 + b'"}', "application/json"),
        (b"redirect_uris=x", "application/x-www-form-urlencoded"),
        (b"{}", "text/plain"),
    ],
)
def test_an_invalid_body_is_rejected(body: bytes, content_type: str) -> None:
    response = Client(raise_request_exception=False).post("/oauth/register", body, content_type=content_type)
    status, code = error_of(response)
    assert status == 400
    assert code in {"invalid_client_metadata", "invalid_redirect_uri"}


def test_the_twenty_first_in_an_hour_is_rejected() -> None:
    """Spec, Limits. Invalid requests do not count."""
    for _ in range(20):
        register(redirect_uris=[])
        assert register().status_code == 201
    response = register()
    assert error_of(response) == (429, "temporarily_unavailable")
    assert 1 <= int(response.headers["Retry-After"]) <= 3600
    elsewhere = Client(REMOTE_ADDR="203.0.113.9")
    body = {"redirect_uris": [CALLBACK]}
    assert elsewhere.post("/oauth/register", body, content_type="application/json").status_code == 201


def test_it_accepts_only_post() -> None:
    response = Client().get("/oauth/register")
    assert error_of(response) == (405, "invalid_request")
    assert response.headers["Allow"] == "POST"


def test_browsers_can_call_it() -> None:
    response = Client().post(
        "/oauth/register", {}, content_type="application/json", headers={"Origin": "https://inspector.example"}
    )
    assert response.headers["Access-Control-Allow-Origin"] == "*"


def test_each_registration_creates_a_client() -> None:
    assert App.registered().id != App.registered().id
