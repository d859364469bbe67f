"""Nonsense on all five endpoints: never a 5xx, always an error with the correct shape."""

import json
from typing import Any
from urllib.parse import quote

import pytest
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from tests.support.cases import each
from tests.support.oauth import FORM, App, Browser, error_of
from tests.support.properties import examples
from tests.support.run import is_thorough

pytestmark = [
    pytest.mark.database("postgresql", "PostgreSQL texts cannot contain NUL, and columns have lengths"),
    pytest.mark.django_db,
]

LONG = "x" * 100_000
NAMES = [
    "client_id",
    "client_secret",
    "redirect_uri",
    "response_type",
    "scope",
    "state",
    "code_challenge",
    "code_challenge_method",
    "resource",
    "response_mode",
    "grant_type",
    "code",
    "code_verifier",
    "refresh_token",
    "token",
    "token_type_hint",
    "user",
    "client",
    "credentials",
    "arrived_at",
    "presented_grant",
    "wanted",
    "scopes",
    "prompt",
    "claims",
    "unknown",
]
VALUES = [
    "",
    "%00",
    "a%00b",
    "%zz",
    "%",
    "%ff",
    "%C3%28",
    "%ED%A0%80",
    "[]",
    "{}",
    "null",
    quote("ä😀"),
    "%0d%0ax:%20y",
]


def machine(path: str, body: str | bytes, content_type: str = FORM) -> Any:
    return Client(raise_request_exception=False).post(path, body, content_type=content_type)


def fields_of(app: App) -> dict[str, str]:
    return {
        "grant_type": "authorization_code",
        "client_id": app.id,
        "code": "svc_ac_x",
        "code_verifier": app.verifier,
        "redirect_uri": app.redirect_uri,
        "token": "svc_at_x",
    }


@each("name", NAMES)
def test_strange_parameters_cause_no_internal_error(name: str, owner_member: Any) -> None:
    """Each value once, repeated, as an array, and a hundred thousand times."""
    app, browser = App.registered(), Browser(owner_member)
    others = "&".join(f"{key}={quote(given)}" for key, given in fields_of(app).items() if key != name)
    pairs = "&".join(pair for pair in app.query().split("&") if not pair.startswith(f"{name}="))
    values = VALUES if is_thorough() else VALUES[::3]
    for extra in [*(f"{name}={value}" for value in values), f"{name}=a&{name}=b", f"{name}[]=a", f"{name}={LONG}"]:
        assert error_of(machine("/oauth/token", f"{others}&{extra}"))[0] in {400, 401}
        assert machine("/oauth/revoke", f"{others}&{extra}").status_code == 200
        query = f"{pairs}&{extra}"
        for response in (browser.visit(query), browser.decide(query, "deny")):
            assert response.status_code in {200, 302, 400}
            assert "\n" not in response.headers.get("Location", "")


BODIES = [
    b"",
    b"=",
    b"&&&",
    b"\x00",
    b"\xff\xfe",
    b"grant_type",
    b"&".join(b"a%d=1" % number for number in range(5000)),
    b"{}",
    b"[]",
    b"null",
    b"x" * 1_048_576,
]


@each("body", BODIES)
@each("content_type", [FORM, f"{FORM}; charset=utf-8", "application/json", "multipart/form-data", ""])
def test_strange_bodies_cause_no_internal_error(body: bytes, content_type: str) -> None:
    assert error_of(machine("/oauth/token", body, content_type))[0] in {400, 401}
    assert error_of(machine("/oauth/register", body, content_type))[0] == 400
    assert machine("/oauth/revoke", body, content_type).status_code == 200


@each("path", ["/oauth/token", "/oauth/register"])
def test_a_body_over_the_limit_is_rejected(path: str) -> None:
    response = machine(path, b"x" * 1_048_577)
    assert error_of(response)[0] == 400


def test_a_revocation_over_the_limit_ends_nothing() -> None:
    response = machine("/oauth/revoke", b"x" * 1_048_577)
    assert (response.status_code, response.json()) == (200, {})


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
FIELD = st.sampled_from(
    ["client_name", "redirect_uris", "token_endpoint_auth_method", "grant_types", "response_types", "scope", "jwks"]
)


@examples(150)
@given(body=st.dictionaries(FIELD, JSON) | JSON)
def test_registrations_of_any_type_cause_no_internal_error(body: Any, db: None) -> None:
    from studyservice.rates import limiter as rates

    rates.clear()
    raw = json.dumps(body)
    response = machine("/oauth/register", raw, "application/json")
    if response.status_code != 201:
        status, code = error_of(response)
        assert (status, code in {"invalid_redirect_uri", "invalid_client_metadata"}) == (400, True)


@examples(150)
@given(query=st.text(alphabet="abcdefghijklmnopqrstuvwxyz_=&%+0123456789", max_size=80))
def test_queries_of_any_form_cause_no_internal_error(query: str, db: None) -> None:
    response = Client(raise_request_exception=False).generic("GET", "/oauth/authorize", QUERY_STRING=query)
    assert response.status_code == 400


def test_an_internal_error_has_the_correct_shape(monkeypatch: pytest.MonkeyPatch) -> None:
    """The description reveals nothing about the error."""
    from django.db.models.query import QuerySet

    app = App.registered()

    def fail(*args: Any, **kwargs: Any) -> None:
        raise RuntimeError("secret detail")

    monkeypatch.setattr(QuerySet, "first", fail)
    response = app.refresh("svc_rt_x")
    assert error_of(response) == (500, "server_error")
    assert b"secret" not in response.content
