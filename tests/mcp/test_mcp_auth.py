"""Authentication of tool calls: the same credentials and rate limits as REST."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.credentials.keys import revoke_api_key
from accounts.models import ApiKey
from studyservice.operations.errors import Unauthorized
from tests.support.cases import each
from tests.support.entry_points import McpEntryPoint, RestEntryPoint
from tests.support.tools import STATELESS, VERSIONS, mcp_of, rpc_error_of, stateless
from tests.support.world import check_headers

pytestmark = [pytest.mark.django_db, pytest.mark.rest, pytest.mark.same_statements]

CHALLENGE = (
    'Bearer resource_metadata="http://127.0.0.1:8000/.well-known/oauth-protected-resource/mcp", scope="read write"'
)
METADATA = 'resource_metadata="http://127.0.0.1:8000/.well-known/oauth-protected-resource'
DEAD = f'Bearer error="invalid_token", error_description="{{}}", scope="read write", {METADATA}/mcp"'
UNKNOWN = f'error="invalid_token", error_description="{Unauthorized.default_message}", '
NOT_OURS = (
    'error="invalid_token", error_description="This is not an API key or an access token of this service. '
    'They begin with svc_sk_ and svc_at_.", '
)
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


def post(message: Any = PING, path: str = "/mcp", **headers: str) -> Any:
    """POST without a credential, except in `headers`."""
    return Client().post(path, data=message, content_type="application/json", headers=headers)


@each("path", ["/mcp", "/mcp/"])
@each("method", ["GET", "POST", "DELETE"])
def test_a_request_without_a_credential_learns_where_to_get_one(method: str, path: str) -> None:
    """Decisions 10 and 12: the `/mcp` variant of the metadata, and the scopes to request."""
    response = Client().generic(method, path)
    assert response.status_code == 401
    assert response.headers["WWW-Authenticate"] == CHALLENGE
    check_headers(response)
    assert rpc_error_of(response)["type"] == "unauthorized"


def test_rest_names_the_root_metadata() -> None:
    challenge = Client().get("/v1/me").headers["WWW-Authenticate"]
    assert challenge == 'Bearer resource_metadata="http://127.0.0.1:8000/.well-known/oauth-protected-resource"'


@each(
    ("headers", "error"),
    [
        ({"Authorization": "Bearer x"}, NOT_OURS),
        ({"Authorization": f"bearer svc_sk_{43 * 'x'}"}, UNKNOWN),
        ({"X-API-Key": "x"}, NOT_OURS),
        ({"Authorization": "Bearer x", "X-API-Key": ""}, NOT_OURS),
        ({"Authorization": "Basic eDp5"}, ""),
        ({"Authorization": "Bearer "}, ""),
        ({"Authorization": ""}, ""),
        ({"X-API-Key": ""}, ""),
        ({}, ""),
    ],
)
def test_an_invalid_credential_is_distinguished_from_a_missing_one(headers: dict[str, str], error: str) -> None:
    """RFC 6750 section 3.1: no error code for a request without authentication, or with another scheme."""
    response = Client().get("/v1/me", headers=headers)
    assert (response.status_code, response.headers["WWW-Authenticate"]) == (401, f'Bearer {error}{METADATA}"')


def test_rest_names_the_scopes_to_request(reader: RestEntryPoint) -> None:
    response = reader.request("POST", "/v1/courses", json={"name": "Botany"})
    assert response.status_code == 403
    expected = f'Bearer error="insufficient_scope", scope="read write", {METADATA}"'
    assert response.headers["WWW-Authenticate"] == expected


def test_a_lapsed_member_is_not_asked_for_another_credential(lapsed: RestEntryPoint) -> None:
    response = lapsed.request("GET", "/v1/courses")
    assert (response.status_code, "WWW-Authenticate" in response.headers) == (403, False)


def test_a_tool_names_the_scopes_to_request(reader: RestEntryPoint, lapsed: RestEntryPoint) -> None:
    call = {"name": "create_course", "arguments": {"name": "Botany"}}
    result = mcp_of(reader).rpc("tools/call", call).json()["result"]
    challenge = f'Bearer error="insufficient_scope", scope="read write", {METADATA}/mcp"'
    assert result["_meta"] == {"mcp/www_authenticate": [challenge]}
    assert "_meta" not in mcp_of(lapsed).rpc("tools/call", call).json()["result"]
    assert "_meta" not in mcp_of(reader).rpc("tools/call", {"name": "get_me"}).json()["result"]


@each("version", [*VERSIONS, STATELESS])
def test_each_tool_declares_its_scope(owner: RestEntryPoint, version: str) -> None:
    sent = stateless("tools/list") if version == STATELESS else {"headers": {"MCP-Protocol-Version": version}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    for tool in owner.request("POST", "/mcp", **{"json": message, **sent}).json()["result"]["tools"]:
        scope = "read" if tool["annotations"]["readOnlyHint"] else "write"
        assert tool["securitySchemes"] == [{"type": "oauth2", "scopes": [scope]}]
        assert tool["_meta"] == {"securitySchemes": tool["securitySchemes"]}


def test_a_key_works_in_either_header(owner: RestEntryPoint) -> None:
    for headers in ({"Authorization": f"Bearer {owner.secret}"}, {"X-API-Key": owner.secret}):
        assert post(**headers).json()["result"] == {}


@pytest.mark.database("both")
@each("dead", ["expired", "revoked", "unknown"])
def test_an_invalid_credential_is_401(owner: RestEntryPoint, dead: str) -> None:
    secret = owner.secret
    if dead == "expired":
        ApiKey.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    elif dead == "revoked":
        key = ApiKey.objects.get()
        revoke_api_key(key)
    else:
        secret = secret[:-1] + ("A" if secret[-1] != "A" else "B")
    response = post(Authorization=f"Bearer {secret}")
    message = rpc_error_of(response)["message"]
    assert (response.status_code, response.headers["WWW-Authenticate"]) == (401, DEAD.format(message))


def test_tools_reach_only_the_data_of_their_member(owner: RestEntryPoint, stranger: RestEntryPoint) -> None:
    course = mcp_of(owner).made("create_course", name="Botany")
    assert owner.made("list_courses")["data"] == [course]
    assert mcp_of(stranger).made("list_courses")["data"] == []


def test_a_read_only_key_can_read(reader: RestEntryPoint) -> None:
    tools = mcp_of(reader)
    assert tools.made("get_me")["scopes"] == ["read"]
    assert tools.call("create_course", name="Botany").error == "insufficient_scope"


def test_tool_calls_and_rest_requests_share_one_rate_limit(owner: RestEntryPoint) -> None:
    owner.request("GET", "/v1/me")
    response = mcp_of(owner).rpc("tools/list")
    assert response.headers["RateLimit-Remaining"] == "118"
    check_headers(response)


def test_the_121st_post_of_a_minute_is_429_over_http(owner: RestEntryPoint) -> None:
    answers = [owner.request("GET", "/v1/me") for _ in range(120)]
    assert {answer.status_code for answer in answers} == {200}
    response = mcp_of(owner).rpc("tools/list")
    assert response.status_code == 429
    assert response.headers["Retry-After"].isdecimal()
    assert rpc_error_of(response)["type"] == "rate_limited"
    assert mcp_of(owner).call("get_me").error == "rate_limited"


def test_a_browser_can_send_a_preflight_request() -> None:
    wanted = ["authorization", "content-type", "accept", "mcp-protocol-version", "mcp-method", "mcp-name"]
    headers = {
        "Origin": "https://client.example",
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": ",".join([*wanted, "mcp-session-id", "x-api-key"]),
    }
    response = Client().options("/mcp", headers=headers)
    assert response.status_code == 200
    assert response.headers["Access-Control-Allow-Origin"] == "*"
    allowed = response.headers["Access-Control-Allow-Headers"].split(", ")
    assert {*wanted, "mcp-session-id", "x-api-key"} <= set(allowed)


def test_a_browser_can_read_the_challenge() -> None:
    response = Client().post("/mcp", headers={"Origin": "https://client.example"})
    assert response.headers["Access-Control-Allow-Origin"] == "*"
    assert "WWW-Authenticate" in response.headers["Access-Control-Expose-Headers"]


def test_a_session_is_not_a_credential(owner_member: Any) -> None:
    """Spec, rule 4: cookies are never used for the API."""
    browser = Client()
    browser.force_login(owner_member)
    response = browser.post("/mcp", data=PING, content_type="application/json")
    assert rpc_error_of(response)["type"] == "unauthorized"


def test_an_mcp_answer_sets_no_cookie(owner: RestEntryPoint) -> None:
    """Spec, rule 4."""
    response = McpEntryPoint(owner.secret).rpc("tools/list")
    assert not response.cookies
