"""The message that a refused assistant shows. The official Python client shows only JSON-RPC errors."""

import re
from typing import Any
from unittest.mock import ANY

import pytest
from django.test import Client as Browser
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp.shared.exceptions import MCPError

from accounts.models import Member
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.event_loops import run_async
from tests.support.tools import mcp_of, rpc_error_of

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.rest,
    pytest.mark.database("sqlite", "answers sent before any statement"),
]

ADDRESS = "http://127.0.0.1:8000/mcp"
MISTAKEN = ["/sse", "/sse/", "/sse/messages", "/api/mcp", "/mcp/sse", "/mcp/messages/1", "/v1/mcp"]
"""Addresses that people and clients try because other services use them."""

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


def exhausted(entry_point: RestEntryPoint) -> None:
    """Use up the requests of the minute."""
    assert [entry_point.request("GET", "/v1/me").status_code for _ in range(120)] == [200] * 120


@each("path", ["/mcp", "/mcp/"])
@each("headers", [{}, {"Authorization": "Bearer svc_sk_dead"}])
def test_an_invalid_credential_is_an_http_and_a_json_rpc_error(db: None, path: str, headers: dict[str, str]) -> None:
    response = Browser().post(path, PING, content_type="application/json", headers=headers)
    assert response.status_code == 401
    error = rpc_error_of(response)
    assert (error["type"], bool(error["message"])) == ("unauthorized", True)


@each("batch", [False, True])
def test_exceeding_the_rate_is_both_errors_and_names_the_wait(owner: RestEntryPoint, batch: bool) -> None:
    exhausted(owner)
    response = owner.request("POST", "/mcp", json=[PING | {"id": number} for number in range(3)] if batch else PING)
    assert response.status_code == 429
    error = rpc_error_of(response)
    assert error["type"] == "rate_limited"
    assert error["message"] == waiting(response.headers["Retry-After"])


def test_a_batch_over_the_remaining_rate_names_the_wait(owner: RestEntryPoint) -> None:
    for _ in range(118):
        owner.request("GET", "/v1/me")
    response = owner.request("POST", "/mcp", json=[PING | {"id": number} for number in range(3)])
    assert (response.status_code, rpc_error_of(response)["message"]) == (429, waiting(response.headers["Retry-After"]))


def test_rest_names_the_wait_only_in_the_envelope(owner: RestEntryPoint) -> None:
    exhausted(owner)
    response = owner.request("GET", "/v1/me")
    expected = {"type": "rate_limited", "message": waiting(response.headers["Retry-After"]), "request_id": ANY}
    assert response.json() == {"error": expected}


def waiting(seconds: str) -> str:
    return f"Too many requests. Wait {seconds} {'second' if seconds == '1' else 'seconds'} and try again."


@each("method", ["GET", "POST", "DELETE"])
@each("path", MISTAKEN)
def test_a_wrong_address_names_the_right_one(db: None, method: str, path: str) -> None:
    response = Browser().generic(
        method, path, "{}", "application/json", headers={"Origin": "https://inspector.example"}
    )
    assert response.status_code == 404
    assert response.headers["Content-Type"] == "application/json"
    assert response.headers["Cache-Control"] == "no-store"
    assert response.headers["Access-Control-Allow-Origin"] == "*"
    error = rpc_error_of(response)
    assert (error["type"], ADDRESS in error["message"]) == ("not_found", True)


@each("content_type", ["application/json", "application/x-www-form-urlencoded"])
def test_a_post_to_the_home_page_names_the_address_of_the_tools(db: None, content_type: str) -> None:
    response = Browser(enforce_csrf_checks=True).post("/", b"{}", content_type=content_type)
    assert (response.status_code, response.headers["Cache-Control"]) == (404, "no-store")
    assert ADDRESS in rpc_error_of(response)["message"]


def test_the_home_page_is_unaffected(client: Browser, owner_member: Member) -> None:
    assert client.put("/").status_code == 405
    for _ in range(2):
        page = client.get("/")
        assert (page.status_code, page.headers["Content-Type"]) == (200, "text/html; charset=utf-8")
        # each button of the consent form has its own address
        assert not re.findall(r'<form(?! id="ticks")[^>]*method="post"(?![^>]*action="/.)', page.content.decode())
        client.force_login(owner_member)


@each("path", ["/ssexy", "/api", "/api/mcpx", "/mcpx"])
def test_other_unknown_addresses_are_unaffected(db: None, path: str) -> None:
    assert Browser().get(path).headers["Content-Type"] == "text/html; charset=utf-8"


async def _connect(url: str, secret: str, mode: str) -> None:
    async with (
        create_mcp_http_client({"Authorization": f"Bearer {secret}"}) as http,
        Client(streamable_http_client(url, http_client=http), mode=mode) as client,
    ):
        await client.list_tools()


def connection_error(url: str, secret: str, mode: str) -> str:
    """The error of the official Python client while connecting."""
    with pytest.raises(ExceptionGroup) as raised:
        run_async(_connect, url, secret, mode)
    found: BaseException = raised.value
    while isinstance(found, ExceptionGroup):
        [found] = found.exceptions
    assert isinstance(found, MCPError)
    return str(found)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("mode", ["legacy", "auto", "2026-07-28"])
def test_the_official_client_shows_the_message(live_server: Any, owner: RestEntryPoint, mode: str) -> None:
    """With a handshake, with a probe without one, and with that revision only."""
    assert "This API key is malformed" in connection_error(f"{live_server.url}/mcp", "svc_sk_dead", mode)
    assert f"The MCP address is {ADDRESS}." in connection_error(f"{live_server.url}/sse", owner.secret, mode)
    exhausted(owner)
    assert re.search(r"Wait \d+ seconds? and try again", connection_error(f"{live_server.url}/mcp", owner.secret, mode))


def test_a_rejected_tool_call_in_a_session_names_the_reason(owner: RestEntryPoint) -> None:
    entry_point = mcp_of(owner)
    exhausted(owner)
    assert rpc_error_of(entry_point.rpc("tools/call", {"name": "get_me"}))["type"] == "rate_limited"
