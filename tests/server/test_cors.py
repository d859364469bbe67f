"""CORS: any origin, no credentials (spec, rule 4; decisions 3)."""

import pytest

from accounts.models import Member
from tests.support.cases import each
from tests.support.world import PATHS, Call, bearer, check_headers, error_of

pytestmark = [pytest.mark.django_db, pytest.mark.same_statements]

ORIGIN = "https://app.example"
EXPOSED = {
    "X-Request-Id",
    "RateLimit-Limit",
    "RateLimit-Remaining",
    "RateLimit-Reset",
    "Retry-After",
    "Idempotency-Replayed",
    "WWW-Authenticate",
    "Mcp-Session-Id",
    "MCP-Protocol-Version",
    "Content-Disposition",
    "Allow",
}
SENT_BY_CLIENTS = [
    "authorization",
    "x-api-key",
    "content-type",
    "idempotency-key",
    "mcp-protocol-version",
    "mcp-session-id",
    "cache-control",
    "if-none-match",
    "traceparent",
    "tracestate",
]


def preflight(path: str, method: str = "GET", headers: str = "authorization"):
    return Call("OPTIONS", path).send(
        Origin=ORIGIN, Access_Control_Request_Method=method, Access_Control_Request_Headers=headers
    )


@pytest.fixture
def secret(owner_member: Member, make_key) -> str:
    """A key of the owner."""
    return str(make_key(owner_member)[0])


@each("origin", [ORIGIN, "http://localhost:5173", "null"])
def test_any_origin_can_read_an_answer(secret: str, origin: str) -> None:
    response = Call("GET", "/v1/me").send(**bearer(secret), Origin=origin)
    assert response.headers["Access-Control-Allow-Origin"] == "*"
    assert "Access-Control-Allow-Credentials" not in response.headers


def test_the_headers_that_clients_need_are_exposed(secret: str) -> None:
    response = Call("GET", "/v1/me").send(**bearer(secret), Origin=ORIGIN)
    assert set(response.headers["Access-Control-Expose-Headers"].split(", ")) == EXPOSED


@each("path", ["/v1/nothing", "/v1/me", "/v1/courses/17"])
def test_errors_can_be_read_too(path: str) -> None:
    response = Call("GET", path).send(Origin=ORIGIN)
    error_of(response)
    assert response.headers["Access-Control-Allow-Origin"] == "*"


def test_a_rate_limit_error_can_be_read_too() -> None:
    for _ in range(121):
        response = Call("GET", "/v1/me").send(Origin=ORIGIN)
    assert response.status_code == 429
    assert response.headers["Access-Control-Allow-Origin"] == "*"


@each("path", PATHS)
def test_preflight_needs_no_credential(path: str) -> None:
    response = preflight(path)
    check_headers(response)
    assert (response.status_code, response.content) == (200, b"")
    assert response.headers["Access-Control-Allow-Origin"] == "*"
    assert "Access-Control-Allow-Credentials" not in response.headers


@each("method", ["GET", "POST", "PUT", "PATCH", "DELETE"])
def test_preflight_allows_every_method_of_the_api(method: str) -> None:
    allowed = preflight("/v1/courses", method).headers["Access-Control-Allow-Methods"]
    assert method in allowed.split(", ")


@pytest.mark.database("both")
@each("header", SENT_BY_CLIENTS)
def test_preflight_allows_the_headers_that_clients_send(header: str) -> None:
    allowed = preflight("/v1/courses", headers=header).headers["Access-Control-Allow-Headers"]
    assert header in allowed.split(", ")


@each("path", ["/health", "/health/live", "/health/ready", "/openapi.json"])
def test_the_description_can_be_read_from_anywhere(path: str) -> None:
    response = Call("GET", path).send(Origin=ORIGIN)
    assert (response.status_code, response.headers["Access-Control-Allow-Origin"]) == (200, "*")


def test_options_without_preflight_headers_is_an_ordinary_request(secret: str) -> None:
    assert error_of(Call("OPTIONS", "/v1/me").send())["type"] == "unauthorized"
    assert error_of(Call("OPTIONS", "/v1/me").send(**bearer(secret)))["type"] == "method_not_allowed"


@each("path", ["/admin/", "/admin/login"])
def test_pages_cannot_be_read_from_other_origins(path: str) -> None:
    response = Call("GET", path).send(Origin=ORIGIN)
    assert "Access-Control-Allow-Origin" not in response.headers
