"""Logs: one JSON object per line, the request's id in each, and never a secret."""

import io
import json
import logging
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any
from unittest.mock import ANY

import pytest
from django.conf import settings
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.urls import include, path

from studyservice.logs import JSONFormatter
from studyservice.request_ids import RequestIdFilter
from tests.doors import RestDoor

Lines = Callable[[], list[dict[str, Any]]]


def broken(request: HttpRequest) -> HttpResponse:
    logging.getLogger("studyservice.tests").warning("About to fail")
    raise RuntimeError("the reason")


@pytest.fixture
def a_broken_route(settings) -> None:
    """`/v1/broken` and `/broken`, whose view fails."""
    urls = ModuleType("broken_urls")
    patterns = [path("v1/broken", broken), path("broken", broken), path("", include("studyservice.urls"))]
    vars(urls).update(urlpatterns=patterns, handler500="studyservice.errors.server_error")
    settings.ROOT_URLCONF = urls


@pytest.fixture
def lines() -> Iterator[Lines]:
    """What has been logged, by the service's own formatter."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.addFilter(RequestIdFilter())
    handler.setFormatter(JSONFormatter())
    root = logging.getLogger()
    root.addHandler(handler)
    yield lambda: [json.loads(line) for line in stream.getvalue().splitlines()]
    root.removeHandler(handler)


def test_a_request_is_one_line(owner: RestDoor, owner_member, lines: Lines) -> None:
    response = owner.request("GET", "/v1/courses", query={"token": "in-the-query"})
    key = owner_member.api_keys.get()
    [line] = lines()
    assert line == {
        "time": ANY,
        "level": "INFO",
        "logger": "studyservice.requests",
        "message": f"GET /v1/courses 200 {line['ms']}ms",
        "request_id": response.headers["X-Request-Id"],
        "method": "GET",
        "path": "/v1/courses",
        "status": 200,
        "ms": ANY,
        "member": str(owner_member.id),
        "api_key": str(key.id),
    }


def test_the_path_cannot_forge_a_line(owner: RestDoor, lines: Lines) -> None:
    owner.request("GET", "/v1/x%0A2026-11-21 INFO forged")
    [line] = lines()
    assert line["path"] == "/v1/x%0A2026-11-21%20INFO%20forged"


def test_a_text_that_is_no_utf_8_is_still_logged() -> None:
    record = logging.makeLogRecord({"msg": "lone \ud800"})
    assert json.loads(JSONFormatter().format(record))["message"] == "lone \ud800"


@pytest.mark.usefixtures("a_broken_route")
def test_a_fault_is_logged_under_its_id_and_answered_without_a_reason(owner: RestDoor, lines: Lines) -> None:
    """Spec, Errors: generic, with no stack trace."""
    response = owner.request("GET", "/v1/broken")
    request_id = response.headers["X-Request-Id"]
    assert response.status_code == 500
    assert response.json() == {
        "error": {
            "type": "internal_error",
            "message": "Something went wrong on our side. Try again later; if it persists, report the request id.",
            "request_id": request_id,
        }
    }
    assert [(line["logger"], line["request_id"]) for line in lines()] == [
        ("studyservice.tests", request_id),
        ("django.request", request_id),
        ("studyservice.requests", request_id),
    ]
    assert lines()[1]["exception"].endswith("RuntimeError: the reason")


@pytest.mark.django_db(transaction=True)
def test_a_lost_database_is_a_fault_and_then_over(owner: RestDoor, lines: Lines) -> None:
    connection.ensure_connection()
    connection.connection.close()
    response = owner.request("GET", "/v1/courses")
    connection.close()
    assert (response.status_code, response.json()["error"]["type"]) == (500, "internal_error")
    assert "Traceback" in lines()[0]["exception"]
    assert {line["request_id"] for line in lines()} == {response.headers["X-Request-Id"]}
    assert owner.request("GET", "/v1/courses").status_code == 200


@pytest.mark.usefixtures("a_broken_route")
def test_a_fault_outside_the_api_is_a_page() -> None:
    response = Client(raise_request_exception=False).get("/broken")
    assert response.status_code == 500
    assert response.headers["Content-Type"] == "text/html; charset=utf-8"
    assert b"the reason" not in response.content


@pytest.mark.usefixtures("a_broken_route")
@pytest.mark.parametrize("path", ["/v1/courses", "/v1/broken", "/v1/none", "/admin/login/"])
def test_no_line_holds_a_secret(owner: RestDoor, lines: Lines, path: str) -> None:
    """An accepted key, a rejected one, a password and a query."""
    rejected = f"{settings.CREDENTIAL_PREFIX}_sk_rejected-secret"
    login = {"username": "owner@example.org", "password": "typed-password"}
    for client in (owner.client, Client(raise_request_exception=False, headers={"X-API-Key": rejected})):
        client.get(path, query_params={"q": "typed-query"})
        client.post(path, login)
    written = json.dumps(lines())
    assert len(lines()) >= 4
    for secret in (owner.secret, owner.secret[8:], "rejected-secret", "typed-password", "typed-query"):
        assert secret not in written


def test_a_tool_call_is_one_line_with_the_tool_and_what_failed(owner: RestDoor, lines: Lines) -> None:
    for arguments in ({}, {"days": 0}):
        call = {"name": "get_agenda", "arguments": arguments}
        owner.request("POST", "/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call})
    worked, failed = lines()
    assert (worked["tool"], worked.get("error"), worked["path"]) == ("get_agenda", None, "/mcp")
    assert (failed["tool"], failed["error"], failed["status"]) == ("get_agenda", "validation_failed", 200)
