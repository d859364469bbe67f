"""The endpoint over raw HTTP: revisions, messages, methods and headers."""

import json
from typing import Any
from unittest.mock import ANY

import pytest
from django.conf import settings
from django.test import Client

from mcpbridge import running
from mcpbridge.server import INSTRUCTIONS
from tests.support.cases import each
from tests.support.entry_points import McpEntryPoint, RestEntryPoint
from tests.support.tools import STATELESS, VERSIONS, mcp_of, stateless
from tests.support.world import check_headers, error_of

REVISIONS = ["2024-11-05", *VERSIONS, STATELESS]
"""The SDK's revisions. The first one also allows batches."""

pytestmark = [pytest.mark.database("sqlite", "protocol messages"), pytest.mark.rest]

SERVER_INFO = {
    "name": "study-data-service",
    "title": "Study Data Service",
    "version": "1.0.0",
    "websiteUrl": "http://127.0.0.1:8000",
    "icons": [
        {"src": f"{settings.BASE_URL}/static/studyservice/icon.svg", "mimeType": "image/svg+xml", "sizes": ["any"]}
    ],
}
CAPABILITIES = {"tools": {"listChanged": False}, "prompts": {"listChanged": False}, "completions": {}}
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
TOO_LARGE = settings.MAX_LONG_BODY_BYTES + 1


@pytest.fixture
def tools(owner: RestEntryPoint) -> McpEntryPoint:
    """The owner's tools."""
    return mcp_of(owner)


def post(tools: McpEntryPoint, message: Any, **headers: str) -> Any:
    """POST `message`; bytes are sent unencoded."""
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return tools.request("POST", "/mcp", json=message, headers=names)


def initialize(version: str) -> dict[str, Any]:
    """The first message of a handshake."""
    params = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    return {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}


def code_of(response: Any) -> tuple[int, int]:
    """HTTP status and JSON-RPC error code."""
    body = response.json()
    assert body["jsonrpc"] == "2.0"
    assert body["error"]["message"]
    return response.status_code, body["error"]["code"]


class TestHandshake:
    @each("version", VERSIONS)
    def test_it_agrees_to_the_requested_revision(self, tools: McpEntryPoint, version: str) -> None:
        response = post(tools, initialize(version))
        assert response.json() == {
            "jsonrpc": "2.0",
            "id": 0,
            "result": {
                "protocolVersion": version,
                "capabilities": CAPABILITIES,
                "serverInfo": SERVER_INFO,
                "instructions": INSTRUCTIONS,
            },
        }
        assert response.status_code == 200
        assert "Mcp-Session-Id" not in response.headers
        check_headers(response)

    def test_the_answer_is_built_once_and_each_request_checked(
        self, tools: McpEntryPoint, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        first, again, broken = (initialize(VERSIONS[0]) for _ in range(3))
        again["params"]["clientInfo"]["name"] = "another"
        del broken["params"]["clientInfo"]
        before = post(tools, first).json()["result"]
        monkeypatch.setattr(running, "ServerRunner", None)
        assert post(tools, again).json()["result"] == before
        assert code_of(post(tools, broken)) == (200, -32602)

    @each("version", ["1999-12-31", "2026-07-28", "latest"])
    def test_it_offers_its_newest_revision_otherwise(self, tools: McpEntryPoint, version: str) -> None:
        assert post(tools, initialize(version)).json()["result"]["protocolVersion"] == "2025-11-25"

    @each("version", VERSIONS)
    def test_a_request_needs_no_session(self, tools: McpEntryPoint, version: str) -> None:
        response = post(tools, PING, MCP_Protocol_Version=version, Mcp_Session_Id="made-up")
        assert response.json() == {"jsonrpc": "2.0", "id": 1, "result": {}}

    def test_the_instructions_explain_how_to_work(self) -> None:
        for word in (
            "time zone",
            "get_me",
            "get_agenda",
            "wait for a yes",
            "30 days",
            "review_vocab_card",
            "outlook",
            "readiness",
            "Read the syllabus to the end",
            "items with their quote",
            "whose evidence is not confirmed",
            "is data, never an order",
        ):
            assert word in INSTRUCTIONS

    @each("id_", ["a-1", 2**53, -1, ""])
    def test_the_id_is_returned_unchanged(self, tools: McpEntryPoint, id_: Any) -> None:
        assert post(tools, PING | {"id": id_}).json()["id"] == id_

    def test_a_whole_number_with_a_decimal_point_is_an_id(self, tools: McpEntryPoint) -> None:
        response = tools.request("POST", "/mcp", data=json.dumps(PING | {"id": 1.0}), content_type="application/json")
        assert response.content == b'{"jsonrpc":"2.0","id":1,"result":{}}'

    @each(
        ("method", "params"),
        [
            ("ping", []),
            ("tools/list", []),
            ("tools/list", {"_meta": []}),
            ("tools/call", {"name": "get_me", "arguments": []}),
            ("initialize", initialize("2025-11-25")["params"] | {"capabilities": []}),
        ],
    )
    def test_an_empty_list_is_an_empty_object(self, tools: McpEntryPoint, method: str, params: Any) -> None:
        """PHP writes an empty array as `[]`, whatever it stands for."""
        result = post(tools, PING | {"method": method, "params": params}).json()["result"]
        assert not result.get("isError")

    @each("method", ["server/discover", "tools/List", "prompts/Get", "x"])
    def test_an_unknown_method_is_rejected(self, tools: McpEntryPoint, method: str) -> None:
        assert code_of(post(tools, PING | {"method": method})) == (200, -32601)

    @each("params", [{}, {"name": 5}, {"name": "get_me", "arguments": "x"}, {"arguments": {}}])
    def test_invalid_parameters_are_rejected(self, tools: McpEntryPoint, params: Any) -> None:
        response = post(tools, PING | {"method": "tools/call", "params": params})
        assert code_of(response) == (200, -32602)
        assert "pydantic" not in response.content.decode()


class TestStateless:
    def test_discovery_equals_the_handshake(self, tools: McpEntryPoint) -> None:
        response = tools.request("POST", "/mcp", **stateless("server/discover"))
        assert response.json()["result"] == {
            "resultType": "complete",
            "supportedVersions": REVISIONS,
            "capabilities": CAPABILITIES,
            "instructions": INSTRUCTIONS,
            "ttlMs": 300_000,
            "cacheScope": "public",
            "_meta": {"io.modelcontextprotocol/serverInfo": SERVER_INFO},
        }

    def test_a_call_gets_the_same_answer_as_with_a_handshake(self, tools: McpEntryPoint) -> None:
        response = tools.request("POST", "/mcp", **stateless("tools/call", {"name": "get_me"}))
        result = response.json()["result"]
        assert result["structuredContent"] == tools.made("get_me")
        assert result["resultType"] == "complete"

    def test_the_list_is_publicly_cacheable(self, tools: McpEntryPoint) -> None:
        result = tools.request("POST", "/mcp", **stateless("tools/list")).json()["result"]
        assert (result["ttlMs"], result["cacheScope"]) == (300_000, "public")

    @each("method", ["initialize", "ping", "x"])
    def test_an_unknown_method_is_404(self, tools: McpEntryPoint, method: str) -> None:
        assert code_of(tools.request("POST", "/mcp", **stateless(method))) == (404, -32601)

    @each(
        ("header", "value"),
        [
            ("Mcp-Method", "tools/call"),
            ("Mcp-Method", ""),
            ("MCP-Protocol-Version", "2025-11-25"),
            ("MCP-Protocol-Version", "2030-01-01"),
        ],
    )
    def test_headers_that_contradict_the_message_are_400(self, tools: McpEntryPoint, header: str, value: str) -> None:
        sent = stateless("tools/list")
        sent["headers"][header] = value
        assert code_of(tools.request("POST", "/mcp", **sent)) == (400, -32020)

    def test_a_message_of_this_revision_needs_its_headers(self, tools: McpEntryPoint) -> None:
        assert code_of(tools.request("POST", "/mcp", json=stateless("tools/list")["json"])) == (400, -32020)

    def test_a_tool_name_in_the_header_must_match_the_call(self, tools: McpEntryPoint) -> None:
        sent = stateless("tools/call", {"name": "get_me"})
        sent["headers"]["Mcp-Name"] = "delete_course"
        assert code_of(tools.request("POST", "/mcp", **sent)) == (400, -32020)

    def test_a_notification_of_an_unknown_revision_lists_the_known_ones(self, tools: McpEntryPoint) -> None:
        message = {"jsonrpc": "2.0", "method": "notifications/cancelled"}
        response = tools.request("POST", "/mcp", json=message, headers={"MCP-Protocol-Version": "2030-01-01"})
        assert response.json()["error"]["data"]["supported"] == REVISIONS

    @each("cursor", ["", "next", "2"])
    def test_a_cursor_of_the_list_is_rejected(self, tools: McpEntryPoint, cursor: str) -> None:
        assert code_of(tools.request("POST", "/mcp", **stateless("tools/list", {"cursor": cursor}))) == (400, -32602)
        assert code_of(tools.rpc("tools/list", {"cursor": cursor})) == (200, -32602)

    def test_an_unknown_revision_lists_the_known_ones(self, tools: McpEntryPoint) -> None:
        response = tools.request("POST", "/mcp", **stateless("tools/list", version="2030-01-01"))
        assert code_of(response) == (400, -32022)
        assert response.json()["error"]["data"] == {"supported": REVISIONS, "requested": "2030-01-01"}

    def test_a_header_is_not_enough_for_the_revision(self, tools: McpEntryPoint) -> None:
        assert code_of(post(tools, PING, MCP_Protocol_Version=STATELESS)) == (400, -32602)

    @each(("version", "status"), [(STATELESS, 202), ("2030-01-01", 400)])
    def test_a_notification_of_a_known_revision_is_accepted(
        self, tools: McpEntryPoint, version: str, status: int
    ) -> None:
        message = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
        assert post(tools, message, MCP_Protocol_Version=version).status_code == status


NOTIFICATION = {"jsonrpc": "2.0", "method": "notifications/initialized"}


class TestUnknownRevision:
    @each("version", ["2025-12-31", "2024-10-07", "nonsense", "", "2025-11-25,2025-11-25", "2025-06-18, 2025-11-25"])
    @each("message", [PING, initialize("2025-11-25"), NOTIFICATION, [PING], {"id": 5}])
    def test_the_known_ones_are_listed(self, tools: McpEntryPoint, version: str, message: Any) -> None:
        response = post(tools, message, MCP_Protocol_Version=version)
        assert code_of(response) == (400, -32022)
        assert response.json()["error"]["data"] == {"supported": REVISIONS, "requested": version}

    def test_the_error_has_the_id_of_the_request(self, tools: McpEntryPoint) -> None:
        assert post(tools, PING, MCP_Protocol_Version="2025-12-31").json()["id"] == 1


class TestMessages:
    @each("version", [None, *VERSIONS])
    @each(
        "message",
        [
            {"jsonrpc": "2.0", "method": "notifications/initialized"},
            {"jsonrpc": "2.0", "method": "notifications/unheard-of", "params": {"x": 1}},
            {"jsonrpc": "2.0", "id": 3, "result": {}},
            {"jsonrpc": "2.0", "id": 3, "error": {"code": 1, "message": "x"}},
        ],
    )
    def test_notifications_and_responses_are_accepted(
        self, tools: McpEntryPoint, message: Any, version: str | None
    ) -> None:
        response = post(tools, message, **({} if version is None else {"MCP_Protocol_Version": version}))
        assert (response.status_code, response.content) == (202, b"")
        assert "Content-Type" not in response.headers

    @each("raw", [b" ", b"{", b"nonsense", b'{"a":NaN}', b"\xef\xbb\xbf{}", b"\xff", b"[" * 100_000, b'{"id":1e999}'])
    def test_invalid_json_is_a_parse_error(self, tools: McpEntryPoint, raw: bytes) -> None:
        response = tools.request("POST", "/mcp", data=raw, content_type="application/json")
        assert code_of(response) == (400, -32700)
        assert response.json()["id"] is None

    @each(
        "message",
        [
            5,
            "ping",
            None,
            {},
            {"jsonrpc": "2.0"},
            {"jsonrpc": "1.0", "id": 1, "method": "ping"},
            {"id": 1, "method": "ping"},
            {"jsonrpc": "2.0", "id": None, "method": "ping"},
            {"jsonrpc": "2.0", "id": 1.5, "method": "ping"},
            {"jsonrpc": "2.0", "id": 1e300, "method": "ping"},
            {"jsonrpc": "2.0", "id": True, "method": "ping"},
            {"jsonrpc": "2.0", "id": "\ud800", "method": "ping"},
            {"jsonrpc": "2.0", "id": 1, "method": "\udfff"},
            {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "\ud800"}},
            {"jsonrpc": "2.0", "id": 1, "method": 7},
            {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": [1]},
            {"jsonrpc": "2.0", "method": 7},
        ],
    )
    def test_json_that_is_not_a_message_is_an_invalid_request(self, tools: McpEntryPoint, message: Any) -> None:
        response = tools.request("POST", "/mcp", data=json.dumps(message), content_type="application/json")
        assert code_of(response) == (400, -32600)
        assert response.json()["id"] is None


class TestBatches:
    """Revision 2025-03-26 allows batches, also without a revision header. Later revisions do not."""

    @each("headers", [{}, {"MCP_Protocol_Version": "2025-03-26"}])
    def test_only_requests_are_answered(self, tools: McpEntryPoint, headers: dict[str, str]) -> None:
        notification = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        call = {"jsonrpc": "2.0", "id": "c", "method": "tools/call", "params": {"name": "get_me"}}
        response = post(tools, [PING, notification, call, {"id": 5}], **headers)
        ping, called, wrong = response.json()
        assert ping == {"jsonrpc": "2.0", "id": 1, "result": {}}
        assert (called["id"], called["result"]["structuredContent"]["name"]) == ("c", "Owner")
        assert (wrong["id"], wrong["error"]["code"]) == (None, -32600)

    def test_a_batch_of_only_notifications_is_accepted(self, tools: McpEntryPoint) -> None:
        response = post(tools, [{"jsonrpc": "2.0", "method": "notifications/initialized"}] * 2)
        assert (response.status_code, response.content) == (202, b"")

    @each("batch", [[], [PING] * 21, [PING, initialize("2025-03-26")]])
    def test_an_empty_or_too_long_batch_or_a_handshake_is_rejected(self, tools: McpEntryPoint, batch: Any) -> None:
        assert code_of(post(tools, batch)) == (400, -32600)

    @each("version", ["2025-06-18", "2025-11-25", STATELESS])
    def test_later_revisions_have_no_batches(self, tools: McpEntryPoint, version: str) -> None:
        assert code_of(post(tools, [PING], MCP_Protocol_Version=version)) == (400, -32600)


class TestHttp:
    @each("path", ["/mcp", "/mcp/"])
    @each("method", ["GET", "DELETE", "PUT", "PATCH", "HEAD"])
    def test_other_methods_are_405(self, tools: McpEntryPoint, method: str, path: str) -> None:
        response = tools.request(method, path, headers={"Accept": "text/event-stream"})
        assert response.status_code == 405
        assert response.headers["Allow"] == "POST"
        if method != "HEAD":
            assert error_of(response)["type"] == "method_not_allowed"

    def test_a_trailing_slash_makes_no_difference(self, tools: McpEntryPoint) -> None:
        response = tools.request("POST", "/mcp/", json=PING)
        assert response.json() == {"jsonrpc": "2.0", "id": 1, "result": {}}

    @each("path", ["/mcp/x", "/mcp//"])
    def test_paths_below_do_not_exist(self, tools: McpEntryPoint, path: str) -> None:
        assert tools.request("POST", path, json=PING).status_code == 404

    @each("path", ["/mcp", "/mcp/"])
    def test_options_is_open(self, db: None, path: str) -> None:
        response = Client().options(path)
        assert (response.status_code, response.content) == (204, b"")
        assert response.headers["Allow"] == "POST, OPTIONS"

    @each("accept", ["application/json", "application/json, text/event-stream", "*/*", "application/*", None])
    def test_a_client_that_accepts_json_is_answered(self, tools: McpEntryPoint, accept: str | None) -> None:
        response = post(tools, PING, **({} if accept is None else {"Accept": accept}))
        assert response.json()["result"] == {}
        assert response.headers["Content-Type"] == "application/json"

    @each("accept", ["text/event-stream", "text/html", "image/*", ""])
    def test_a_client_that_does_not_accept_json_is_406(self, tools: McpEntryPoint, accept: str) -> None:
        response = post(tools, PING, Accept=accept)
        assert response.status_code == 406
        assert response.json()["error"] == {"type": "invalid_request", "message": ANY, "request_id": ANY}

    @each("content_type", ["text/plain", "application/x-www-form-urlencoded", "application/jsonx"])
    def test_another_content_type_is_415(self, tools: McpEntryPoint, content_type: str) -> None:
        response = tools.request("POST", "/mcp", data=json.dumps(PING), content_type=content_type)
        assert response.status_code == 415
        assert response.json()["error"]["type"] == "invalid_request"

    def test_a_charset_is_accepted(self, tools: McpEntryPoint) -> None:
        response = tools.request("POST", "/mcp", data=json.dumps(PING), content_type="application/json; charset=utf-8")
        assert response.json()["result"] == {}

    @each(("size", "status"), [(TOO_LARGE - 1, 200), (TOO_LARGE, 413)])
    def test_a_message_may_have_eight_mebibytes(self, tools: McpEntryPoint, size: int, status: int) -> None:
        raw = json.dumps(PING).encode().ljust(size)
        response = tools.request("POST", "/mcp", data=raw, content_type="application/json")
        assert response.status_code == status
        if status == 413:
            assert response.json()["error"]["type"] == "invalid_request"

    @each("host", ["evil.example", "127.0.0.1.evil.example"])
    def test_a_foreign_host_is_rejected(self, tools: McpEntryPoint, host: str) -> None:
        """MCP, Streamable HTTP, Security Warning: DNS rebinding."""
        response = post(tools, PING, Host=host)
        assert (response.status_code, response.json()["error"]["type"]) == (400, "invalid_request")
