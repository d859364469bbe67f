"""Logs: one JSON object per line, each with the request's id and never with a secret."""

import io
import json
import logging
from collections import defaultdict
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any
from unittest.mock import ANY

import pytest
from django.conf import settings as service
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.urls import include, path

from accounts.credentials.keys import revoke_api_key
from oauthserver.consents import block
from studyservice.http.logs import JSONFormatter, LineHandler, RequestIdFilter, SecretFilter
from studyservice.models import Change
from studyservice.rates import limiter as rates
from tests.support.calendars import Subscription
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint, routes
from tests.support.oauth import App, Browser
from tests.support.samples import UNKNOWN_ID
from tests.support.world import check_headers

pytestmark = pytest.mark.database("sqlite", "log lines")

Lines = Callable[[], list[dict[str, Any]]]


def broken(request: HttpRequest) -> HttpResponse:
    logging.getLogger("studyservice.tests").warning("About to fail")
    raise RuntimeError("the reason")


@pytest.fixture
def a_broken_route(settings) -> None:
    """Adds `/v1/broken` and `/broken`, whose view fails."""
    urls = ModuleType("broken_urls")
    patterns = [path("v1/broken", broken), path("broken", broken), path("", include("studyservice.urls"))]
    vars(urls).update(urlpatterns=patterns, handler500="studyservice.http.error_pages.server_error")
    settings.ROOT_URLCONF = urls


@pytest.fixture
def lines() -> Iterator[Lines]:
    """The log lines, in the service's format."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.addFilter(RequestIdFilter())
    handler.addFilter(SecretFilter())
    handler.setFormatter(JSONFormatter())
    root = logging.getLogger()
    root.addHandler(handler)
    yield lambda: [json.loads(line) for line in stream.getvalue().splitlines()]
    root.removeHandler(handler)


@pytest.mark.rest
def test_a_request_is_one_line(owner: RestEntryPoint, owner_member, lines: Lines) -> None:
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
        "client_address": "127.0.0.0/24",
        "member": str(owner_member.id),
        "api_key": str(key.id),
    }


@pytest.mark.rest
@pytest.mark.parametrize(
    ("told", "peer", "line"),
    [
        ("network", "203.0.113.77", "203.0.113.0/24"),
        ("network", "2001:db8:12:34ff:5::6", "2001:db8:12:3400::/56"),
        ("network", "::ffff:203.0.113.77", "203.0.113.0/24"),
        ("network", "", None),
        ("full", "203.0.113.77", "203.0.113.77"),
        ("full", "2001:db8:12:34ff:5::6", "2001:db8:12:34ff:5::6"),
        ("none", "203.0.113.77", None),
    ],
)
def test_a_line_contains_the_clients_network_unless_disabled(
    lines: Lines, settings: Any, told: str, peer: str, line: str | None
) -> None:
    settings.LOG_CLIENT_ADDRESS = told
    Client(REMOTE_ADDR=peer).get("/health/live")
    assert lines()[0].get("client_address") == line


@pytest.mark.rest
def test_behind_a_proxy_it_is_the_network_reported_by_the_proxy(lines: Lines, settings: Any) -> None:
    settings.TRUSTED_PROXIES = 1
    for forwarded in ("198.51.100.7, 203.0.113.77", "x" * 5000):
        Client(REMOTE_ADDR="10.1.2.3", headers={"X-Forwarded-For": forwarded}).get("/health/live")
    assert [line["client_address"] for line in lines()] == ["203.0.113.0/24", "10.1.2.0/24"]


@pytest.mark.rest
def test_a_line_identifies_an_ended_key(owner: RestEntryPoint, owner_member: Any, lines: Lines) -> None:
    """Operators can tell the member which script still uses it."""
    key = owner_member.api_keys.get()
    revoke_api_key(key)
    owner.request("GET", "/v1/me")
    [line] = lines()
    assert (line["status"], line["api_key"], line["credential"], "member" in line) == (
        401,
        str(key.id),
        "revoked",
        False,
    )


@pytest.mark.rest
def test_a_line_identifies_the_app_and_not_its_token(owner_member: Any, lines: Lines) -> None:
    """Also with an invalid token, and at the token endpoint. An unauthenticated client is not named."""
    app = App.registered()
    tokens = app.connect(owner_member)
    RestEntryPoint(tokens["access_token"]).request("GET", "/v1/me")
    refreshed = app.refresh(tokens["refresh_token"])
    app.refresh("wrong")
    app.refresh("wrong", client_id="whatever that is")
    app.revoke(refreshed.json()["refresh_token"])
    block(app.id)
    other = App.registered()
    dead = other.connect(owner_member)["access_token"]
    block(other.id)
    RestEntryPoint(dead).request("GET", "/v1/me")
    named = [(line["path"], line.get("client_id"), "member" in line, line.get("credential")) for line in lines()]
    assert [line for line in named if line[0] in {"/v1/me", "/oauth/token", "/oauth/revoke"}] == [
        ("/oauth/token", app.id, True, None),
        ("/v1/me", app.id, True, None),
        ("/oauth/token", app.id, True, None),
        ("/oauth/token", app.id, False, None),
        ("/oauth/token", None, False, None),
        ("/oauth/revoke", app.id, False, None),
        ("/oauth/token", other.id, True, None),
        ("/v1/me", other.id, False, "app_blocked"),
    ]
    consents = [line for line in lines() if line["path"] == "/oauth/authorize"]
    assert {(line["client_id"], line["member"]) for line in consents} == {
        (one.id, str(owner_member.id)) for one in (app, other)
    }


def test_a_line_identifies_its_change(owner: RestEntryPoint, lines: Lines) -> None:
    """For tools as well."""
    owner.made("create_course", name="Biology")
    owner.made("list_courses")
    written, read = [line for line in lines() if line.get("member")]
    assert (written["change"], "change" in read) == (str(Change.objects.get().id), False)


@pytest.mark.rest
def test_a_line_of_a_page_names_the_signed_in_member(owner_member: Any, lines: Lines) -> None:
    client = Client()
    client.force_login(owner_member)
    client.get("/keys")
    client.get("/health/live")
    assert [line.get("member") for line in lines()] == [str(owner_member.id), None]


@pytest.mark.rest
def test_the_path_cannot_forge_a_line(owner: RestEntryPoint, lines: Lines) -> None:
    owner.request("GET", "/v1/x%0A2026-11-21 INFO forged")
    [line] = lines()
    assert line["path"] == "/v1/x%0A2026-11-21%20INFO%20forged"


def test_an_invalid_utf_8_text_is_still_logged() -> None:
    record = logging.makeLogRecord({"msg": "lone \ud800"})
    assert json.loads(JSONFormatter().format(record))["message"] == "lone \ud800"


@pytest.mark.rest
@pytest.mark.usefixtures("a_broken_route")
def test_an_internal_error_is_logged_with_its_id_and_answered_without_a_reason(
    owner: RestEntryPoint, lines: Lines
) -> None:
    """Spec, Errors: generic, with no stack trace."""
    response = owner.request("GET", "/v1/broken")
    request_id = response.headers["X-Request-Id"]
    assert response.status_code == 500
    check_headers(response)
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


@pytest.mark.rest
@pytest.mark.database("both")
@pytest.mark.django_db(transaction=True)
def test_a_lost_database_connection_fails_one_request(owner: RestEntryPoint, lines: Lines) -> None:
    connection.ensure_connection()
    connection.connection.close()
    response = owner.request("GET", "/v1/courses")
    connection.close()
    assert (response.status_code, response.json()["error"]["type"]) == (500, "internal_error")
    assert "Traceback" in lines()[0]["exception"]
    assert {line["request_id"] for line in lines()} == {response.headers["X-Request-Id"]}
    assert owner.request("GET", "/v1/courses").status_code == 200


@pytest.mark.usefixtures("a_broken_route")
def test_an_internal_error_outside_the_api_is_a_page() -> None:
    response = Client(raise_request_exception=False).get("/broken")
    assert response.status_code == 500
    assert response.headers["Content-Type"] == "text/html; charset=utf-8"
    assert b"the reason" not in response.content


@pytest.fixture
def secrets(owner_member: Any, make_key: Any) -> dict[str, str]:
    """Secrets of each kind, valid except the rejected ones. (Sign-in codes: `test_sign_in`.)"""
    app = App.registered(token_endpoint_auth_method="client_secret_post")
    tokens, browser = app.connect(owner_member), Browser(owner_member)
    return {
        "key": make_key(owner_member)[0],
        "rejected key": f"{service.CREDENTIAL_PREFIX}_sk_rejected-secret",
        "access token": tokens["access_token"],
        "refresh_token": tokens["refresh_token"],
        "code": app.code(owner_member),
        "client_secret": app.registration["client_secret"],
        "password": "typed-password",
        "session": browser.client.cookies["sessionid"].value,
        "SECRET_KEY": service.SECRET_KEY,
    }


PATHS = [
    *sorted({route.path for route in routes().values()}),
    *(
        "/v1/broken",
        "/broken",
        "/v1/none",
        "/none",
        "/mcp",
        "/health",
        "/health/live",
        "/health/ready",
        "/openapi.json",
        "/",
        "/docs",
        "/keys",
    ),
    *(
        "/sign-in",
        "/sign-in/code",
        "/admin/",
        "/admin/login/",
        "/admin/accounts/member/",
        "/admin/accounts/apikey/find/",
    ),
    *("/oauth/token", "/oauth/revoke", "/oauth/register", "/oauth/authorize", "/.well-known/none"),
]
WAYS: list[Callable[[Client, str, dict[str, str]], Any]] = [
    lambda client, address, fields: client.get(address, query_params=fields),
    lambda client, address, fields: client.post(address, fields),
    lambda client, address, fields: client.post(address, fields, content_type="application/json"),
    lambda client, address, fields: client.post(address, f"broken {fields}", content_type="application/json"),
]


@pytest.mark.same_statements
@pytest.mark.usefixtures("a_broken_route")
@pytest.mark.parametrize("credential", ["key", "rejected key", "access token", "session"])
def test_no_line_and_no_answer_contains_a_secret(secrets: dict[str, str], lines: Lines, credential: str) -> None:
    """Sent as header, cookie, query, form and JSON to every route, covering errors, pages and tracebacks."""
    answers = []
    for address in (route.format_map(defaultdict(lambda: UNKNOWN_ID)) for route in PATHS):
        rates.clear()
        for send in WAYS:
            headers = {"X-API-Key": secrets["rejected key"]}
            if credential != "session":
                headers["Authorization"] = f"Bearer {secrets[credential]}"
            client = Client(raise_request_exception=False, headers=headers)
            client.cookies["sessionid"] = secrets["session"]
            answers.append(send(client, address, secrets).getvalue().decode(errors="replace"))
    written = json.dumps(lines())
    assert len(lines()) >= len(PATHS) * len(WAYS)
    assert "RuntimeError: the reason" in written
    for kind, secret in secrets.items():
        assert secret not in written, kind
        assert not [answer[:200] for answer in answers if secret in answer], kind


@pytest.mark.rest
def test_a_tool_call_is_one_line_with_the_tool_and_its_error(owner: RestEntryPoint, lines: Lines) -> None:
    for arguments in ({}, {"days": 0}):
        call = {"name": "get_agenda", "arguments": arguments}
        owner.request("POST", "/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call})
    worked, failed = lines()
    assert (worked["tool"], worked.get("error"), worked["path"]) == ("get_agenda", None, "/mcp")
    assert (failed["tool"], failed["error"], failed["status"]) == ("get_agenda", "validation_failed", 200)


@pytest.mark.rest
def test_a_rejected_stream_or_session_is_not_an_error(owner: RestEntryPoint, lines: Lines) -> None:
    """MCP clients request both, and continue after a 405."""
    for method in ("GET", "DELETE", "PUT"):
        owner.request(method, "/mcp")
    told = [(line["method"], line["status"], line.get("error")) for line in lines()]
    assert told == [("GET", 405, None), ("DELETE", 405, None), ("PUT", 405, "method_not_allowed")]


@pytest.mark.rest
def test_the_address_of_a_calendar_feed_is_in_no_line(owner_member, lines: Lines) -> None:
    feed = Subscription(owner_member)
    secret = feed.path.removeprefix("/calendar/").removesuffix(".ics")
    paths = [feed.path, feed.path + "/", f"/calendar/{secret}", f"/x/calendar/{secret}.ics", f"/v1/x/{secret}"]
    for feed.path in paths:
        feed.fetch()
    assert [line["path"] for line in lines()] == [
        *["/calendar/***.ics"] * 3,
        "/x/calendar/***.ics",
        "/v1/x/***",
    ]
    assert secret not in repr(lines())


@pytest.mark.rest
@pytest.mark.parametrize("kind", ["sk", "at", "cal"])
def test_a_secret_logged_by_a_library_is_masked(owner: RestEntryPoint, lines: Lines, kind: str) -> None:
    """Django logs the path of a failed request."""
    logging.getLogger("django.request").error("%s: /calendar/%s.ics", "Fault", f"svc_{kind}_{'x' * 43}")
    assert lines()[-1]["message"] == "Fault: /calendar/***.ics"


@each("formatter", [JSONFormatter(), logging.Formatter()])
def test_a_secret_in_an_exception_is_masked(formatter: logging.Formatter) -> None:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.addFilter(SecretFilter())
    handler.setFormatter(formatter)
    secret = f"svc_at_{'x' * 43}"
    error = RuntimeError(secret)
    about = (RuntimeError, error, None)
    handler.handle(logging.getLogger().makeRecord("x", logging.ERROR, "", 0, "Fault", (), about))
    assert "RuntimeError: ***" in stream.getvalue()
    assert secret not in stream.getvalue()


def test_an_invalid_log_call_of_a_library_fails_no_request(capfd: pytest.CaptureFixture[str]) -> None:
    handler = LineHandler()
    handler.addFilter(SecretFilter())
    handler.handle(logging.getLogger().makeRecord("x", logging.ERROR, "", 0, "%d", ("text",), None))
    assert "Logging error" in capfd.readouterr().err
