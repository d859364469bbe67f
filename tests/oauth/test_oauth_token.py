"""Exchanging codes and refreshing: POST /oauth/token (spec, Authorization code flow 3, 4, 6)."""

from datetime import timedelta
from typing import Any
from unittest.mock import ANY

import pytest
import time_machine
from django.test import Client, RequestFactory
from django.utils import timezone

from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.oauth import BASE, FORM, App, challenge_of, error_of, post_form, status_of

pytestmark = [pytest.mark.django_db, pytest.mark.same_statements]

TOKENS = {
    "access_token": ANY,
    "token_type": "Bearer",
    "expires_in": 3600,
    "refresh_token": ANY,
    "scope": "read write",
}


@pytest.fixture
def app(db: None) -> App:
    return App.registered()


def test_a_code_is_exchanged_for_tokens(app: App, owner_member: Any) -> None:
    response = app.exchange(app.code(owner_member))
    assert response.status_code == 200
    assert response.json() == TOKENS
    assert response.json()["access_token"].startswith("svc_at_")
    assert response.json()["refresh_token"].startswith("svc_rt_")
    assert response.headers["Cache-Control"] == "no-store"
    assert status_of(response.json()["access_token"]) == 200


def test_a_code_works_once_and_a_second_use_ends_its_tokens(app: App, owner_member: Any) -> None:
    """RFC 6749 section 4.1.2; refreshed tokens of the code end too."""
    code = app.code(owner_member)
    first = app.exchange(code).json()
    second = app.refresh(first["refresh_token"]).json()
    assert error_of(app.exchange(code)) == (400, "invalid_grant")
    assert (status_of(first["access_token"]), status_of(second["access_token"])) == (401, 401)
    assert error_of(app.refresh(second["refresh_token"])) == (400, "invalid_grant")


def test_a_spent_code_ends_only_its_own_tokens(app: App, owner_member: Any) -> None:
    other = app.connect(owner_member)
    code = app.code(owner_member)
    app.exchange(code)
    app.exchange(code)
    assert status_of(other["access_token"]) == 200


def test_a_code_expires_after_ten_minutes(app: App, owner_member: Any) -> None:
    start = timezone.now()
    with time_machine.travel(start) as clock:
        early, late = app.code(owner_member), app.code(owner_member)
        clock.move_to(start + timedelta(minutes=9, seconds=50))
        assert app.exchange(early).status_code == 200
        clock.move_to(start + timedelta(minutes=10, seconds=10))
        assert error_of(app.exchange(late)) == (400, "invalid_grant")


@each(
    ("verifier", "error"),
    [(None, "invalid_request"), ("", "invalid_request"), ("wrong" * 10, "invalid_grant"), ("ä" * 43, "invalid_grant")],
)
def test_the_verifier_must_match(app: App, owner_member: Any, verifier: str | None, error: str) -> None:
    """RFC 7636 section 4.6. A failed try does not spend the code."""
    code = app.code(owner_member)
    assert error_of(app.exchange(code, code_verifier=verifier)) == (400, error)
    assert app.exchange(code).status_code == 200


def test_the_challenge_does_not_work_as_a_verifier(app: App, owner_member: Any) -> None:
    code = app.code(owner_member)
    assert error_of(app.exchange(code, code_verifier=challenge_of(app.verifier))) == (400, "invalid_grant")


@each(
    ("uri", "error"),
    [
        (None, "invalid_request"),
        ("https://app.example/callback/", "invalid_grant"),
        ("https://evil.example/", "invalid_grant"),
    ],
)
def test_the_redirect_uri_must_be_the_same(app: App, owner_member: Any, uri: str | None, error: str) -> None:
    """RFC 6749 section 4.1.3 and 5.2."""
    assert error_of(app.exchange(app.code(owner_member), redirect_uri=uri)) == (400, error)


def test_another_client_cannot_use_a_code(app: App, owner_member: Any) -> None:
    code = app.code(owner_member)
    thief = App.registered()
    thief.verifier = app.verifier
    assert error_of(thief.exchange(code)) == (400, "invalid_grant")
    assert app.exchange(code).status_code == 200


def test_a_stored_hash_does_not_work_as_a_code(app: App, owner_member: Any) -> None:
    from studyservice.secrets.generated import sha256

    code = app.code(owner_member)
    assert error_of(app.exchange(sha256(code))) == (400, "invalid_grant")


def test_a_refresh_rotates(app: App, owner_member: Any) -> None:
    first = app.connect(owner_member)
    response = app.refresh(first["refresh_token"])
    assert response.json() == TOKENS
    assert response.json()["refresh_token"] != first["refresh_token"]
    assert error_of(app.refresh(first["refresh_token"])) == (400, "invalid_grant")
    assert app.refresh(response.json()["refresh_token"]).status_code == 200


def test_an_access_token_outlives_its_refresh(app: App, owner_member: Any) -> None:
    """Spec, States and transitions: it ends after an hour, by revocation or by disconnection."""
    first = app.connect(owner_member)
    app.refresh(first["refresh_token"])
    assert status_of(first["access_token"]) == 200


def test_reusing_a_rotated_token_at_once_does_no_harm(app: App, owner_member: Any) -> None:
    """Parallel sessions of one client do this. Within a minute counts as at once."""
    first = app.connect(owner_member)
    start = timezone.now()
    with time_machine.travel(start) as clock:
        second = app.refresh(first["refresh_token"]).json()
        assert error_of(app.refresh(first["refresh_token"])) == (400, "invalid_grant")
        clock.move_to(start + timedelta(seconds=55))
        assert error_of(app.refresh(first["refresh_token"])) == (400, "invalid_grant")
        assert status_of(second["access_token"]) == 200
        assert app.refresh(second["refresh_token"]).status_code == 200


def test_reusing_a_rotated_token_after_a_minute_ends_its_family(app: App, owner_member: Any) -> None:
    """RFC 9700 section 4.14.2."""
    other = app.connect(owner_member)
    first = app.connect(owner_member)
    start = timezone.now()
    with time_machine.travel(start) as clock:
        second = app.refresh(first["refresh_token"]).json()
        clock.move_to(start + timedelta(seconds=61))
        assert error_of(app.refresh(first["refresh_token"])) == (400, "invalid_grant")
        assert error_of(app.refresh(second["refresh_token"])) == (400, "invalid_grant")
        assert (status_of(second["access_token"]), status_of(other["access_token"])) == (401, 200)


def test_a_refresh_token_expires_after_sixty_days(app: App, owner_member: Any) -> None:
    tokens, other = app.connect(owner_member), app.connect(owner_member)
    start = timezone.now()
    with time_machine.travel(start) as clock:
        clock.move_to(start + timedelta(days=59, hours=23))
        refreshed = app.refresh(tokens["refresh_token"])
        assert refreshed.status_code == 200
        clock.move_to(start + timedelta(days=60, minutes=1))
        assert error_of(app.refresh(other["refresh_token"])) == (400, "invalid_grant")
        assert app.refresh(refreshed.json()["refresh_token"]).status_code == 200


def test_another_client_cannot_use_a_refresh_token(app: App, owner_member: Any) -> None:
    tokens = app.connect(owner_member)
    assert error_of(App.registered().refresh(tokens["refresh_token"])) == (400, "invalid_grant")
    assert app.refresh(tokens["refresh_token"]).status_code == 200


def test_a_refresh_can_narrow_scopes_without_changing_the_grant(app: App, owner_member: Any) -> None:
    tokens = app.connect(owner_member)
    narrow = app.refresh(tokens["refresh_token"], scope="read").json()
    assert narrow["scope"] == "read"
    assert app.refresh(narrow["refresh_token"]).json()["scope"] == "read write"


@each("scope", ["read write", "write", "read unknown", "unknown", "offline_access write read"])
def test_a_refresh_that_asks_for_more_gets_what_was_granted(app: App, owner_member: Any, scope: str) -> None:
    """RFC 6749 section 3.3: the scope in the answer says so."""
    tokens = app.connect(owner_member, write=False)
    refreshed = app.refresh(tokens["refresh_token"], scope=scope)
    assert (refreshed.status_code, refreshed.json()["scope"]) == (200, "read")
    secret = refreshed.json()["access_token"]
    answer = RestEntryPoint(secret).call("create_course", name="Cell Biology")
    assert answer.error == "insufficient_scope"


def test_a_deactivated_member_gets_nothing(app: App, owner_member: Any) -> None:
    tokens, code = app.connect(owner_member), app.code(owner_member)
    owner_member.is_active = False
    owner_member.save()
    assert error_of(app.exchange(code)) == (400, "invalid_grant")
    assert error_of(app.refresh(tokens["refresh_token"])) == (400, "invalid_grant")
    assert status_of(tokens["access_token"]) == 401


@each("resource", [None, BASE, f"{BASE}/", BASE.upper(), [BASE, f"{BASE}/mcp"]])
def test_a_token_for_the_origin_works_everywhere(app: App, owner_member: Any, resource: Any) -> None:
    """RFC 8707, decisions 12."""
    tokens = app.connect(owner_member, resource=resource)
    assert [works_at(path, tokens) for path in ("/v1/me", "/mcp", "/mcp/")] == [True, True, True]


@each("spelling", [f"{BASE}/mcp", f"{BASE}/mcp/", f"{BASE.upper()}/mcp"])
def test_a_token_for_mcp_works_only_there(app: App, owner_member: Any, spelling: str) -> None:
    """However the client spells the address (decisions 10)."""
    tokens = app.connect(owner_member, resource=spelling)
    assert app.refresh(tokens["refresh_token"], resource=spelling).status_code == 200
    assert [works_at(path, tokens) for path in ("/v1/me", "/mcp", "/mcp/", "/mcpx")] == [False, True, True, False]
    assert status_of(tokens["access_token"], "/v1/me") == 401


def works_at(path: str, tokens: dict[str, Any]) -> bool:
    """Return whether the token is a credential for a call to `path`."""
    from accounts.credentials.resolving import credential_of

    request = RequestFactory().get(path, headers={"Authorization": f"Bearer {tokens['access_token']}"})
    return credential_of(request) is not None


def test_a_token_request_can_narrow_the_resource(app: App, owner_member: Any) -> None:
    tokens = app.exchange(app.code(owner_member), resource=f"{BASE}/mcp").json()
    assert status_of(tokens["access_token"]) == 401
    wide = app.refresh(tokens["refresh_token"]).json()
    assert status_of(wide["access_token"]) == 200


def test_a_token_request_cannot_widen_the_resource(app: App, owner_member: Any) -> None:
    code = app.code(owner_member, resource=f"{BASE}/mcp")
    assert error_of(app.exchange(code, resource=BASE)) == (400, "invalid_target")
    tokens = app.exchange(code, resource=f"{BASE}/mcp").json()
    assert error_of(app.refresh(tokens["refresh_token"], resource=f"{BASE}/")) == (400, "invalid_target")
    assert error_of(app.refresh(tokens["refresh_token"], resource="https://other.example")) == (400, "invalid_target")
    assert app.refresh(tokens["refresh_token"]).status_code == 200


@each(
    ("changes", "error"),
    [
        ({"grant_type": None}, "invalid_request"),
        ({"grant_type": "password"}, "unsupported_grant_type"),
        ({"grant_type": "client_credentials"}, "unsupported_grant_type"),
        ({"grant_type": "urn:ietf:params:oauth:grant-type:device_code"}, "unsupported_grant_type"),
        ({"code": None}, "invalid_request"),
        ({"code": "svc_ac_unknown"}, "invalid_grant"),
        ({"code": "x" * 100_000}, "invalid_grant"),
    ],
)
def test_an_invalid_request_is_rejected(app: App, changes: dict[str, Any], error: str) -> None:
    assert error_of(app.exchange("svc_ac_x", **changes)) == (400, error)


def test_parameters_in_the_url_are_ignored(app: App, owner_member: Any) -> None:
    code = app.code(owner_member)
    query = f"grant_type=authorization_code&code={code}&client_id={app.id}"
    assert error_of(post_form(f"/oauth/token?{query}", {})) == (400, "invalid_request")


@each("content_type", ["application/json", "multipart/form-data; boundary=x", "text/plain", ""])
def test_it_accepts_only_forms(content_type: str) -> None:
    response = Client().post("/oauth/token", b"grant_type=refresh_token", content_type=content_type)
    assert error_of(response) == (400, "invalid_request")


def test_it_accepts_only_post() -> None:
    response = Client().get("/oauth/token")
    assert error_of(response) == (405, "invalid_request")
    assert response.headers["Allow"] == "POST"


def test_the_sixty_first_request_in_a_minute_is_rejected(app: App) -> None:
    """Spec, Limits. Rejected requests count too."""
    for _ in range(60):
        assert app.refresh("svc_rt_unknown").status_code == 400
    response = app.refresh("svc_rt_unknown")
    assert error_of(response) == (429, "temporarily_unavailable")
    assert 1 <= int(response.headers["Retry-After"]) <= 60
    elsewhere = Client(REMOTE_ADDR="203.0.113.9")
    assert elsewhere.post("/oauth/token", "grant_type=none", content_type=FORM).status_code == 400


def test_browsers_can_call_it() -> None:
    client = Client()
    preflight = client.options(
        "/oauth/token",
        headers={"Origin": "https://inspector.example", "Access-Control-Request-Method": "POST"},
    )
    assert preflight.status_code == 200
    assert preflight.headers["Access-Control-Allow-Origin"] == "*"
    response = post_form("/oauth/token", {}, Origin="https://inspector.example")
    assert response.headers["Access-Control-Allow-Origin"] == "*"
    assert "WWW-Authenticate" in response.headers["Access-Control-Expose-Headers"]


def test_a_crash_after_the_commit_requires_at_most_a_new_consent(app: App, owner_member: Any) -> None:
    """The client never got the answer and tries again: no second pair is created."""
    from oauthserver.models import live_refresh_tokens

    tokens = app.connect(owner_member)
    app.refresh(tokens["refresh_token"])
    assert error_of(app.refresh(tokens["refresh_token"])) == (400, "invalid_grant")
    assert live_refresh_tokens().count() == 1
