"""The headers of every kind of answer equal tests/header_sets.json, which `make openapi` writes."""

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from accounts.models import Member
from studyservice.rates import limiter as rates
from studyservice.rates.limiter import Rate
from tests import ROOT
from tests.support.cases import each
from tests.support.forked import ended
from tests.support.samples import UNKNOWN_ID

pytestmark = pytest.mark.database("sqlite", "response headers")

BASELINE = ROOT / "tests" / "header_sets.json"
ORIGIN = {"Origin": "https://app.example"}
JSON = {"Content-Type": "application/json"}
PREFLIGHT = ORIGIN | {"Access-Control-Request-Method": "GET", "Access-Control-Request-Headers": "authorization"}
CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "get_me", "arguments": {}}}

OPEN: dict[str, tuple[str, str, Any, dict[str, str]]] = {
    "a page": ("GET", "/", None, {}),
    "a page for another site": ("GET", "/", None, ORIGIN),
    "a page with a form": ("GET", "/sign-in", None, {}),
    "a page that is not there": ("GET", "/nothing-here", None, {}),
    "a page behind sign-in": ("GET", "/keys", None, {}),
    "a form without its token": ("POST", "/sign-in", {}, {}),
    "the reference": ("GET", "/docs", None, {}),
    "the admin": ("GET", "/admin/", None, {}),
    "the page that connects, refusing": ("GET", "/oauth/authorize", None, {}),
    "the icon's redirect": ("GET", "/favicon.ico", None, {}),
    "health": ("GET", "/health", None, {}),
    "health for another site": ("GET", "/health/live", None, ORIGIN),
    "the description": ("GET", "/openapi.json", None, ORIGIN),
    "the description by a wrong method": ("POST", "/openapi.json", {}, {}),
    "metadata": ("GET", "/.well-known/oauth-protected-resource/mcp", None, {}),
    "metadata that is not there": ("GET", "/.well-known/nothing-here", None, ORIGIN),
    "the token endpoint, refusing": ("POST", "/oauth/token", {}, ORIGIN),
    "the token endpoint by a wrong method": ("GET", "/oauth/token", None, {}),
    "registration, refusing": ("POST", "/oauth/register", {}, JSON),
    "a preflight": ("OPTIONS", "/v1/me", None, PREFLIGHT),
    "a preflight of the endpoint of tools": ("OPTIONS", "/mcp", None, PREFLIGHT),
    "a preflight of the token endpoint": ("OPTIONS", "/oauth/token", None, PREFLIGHT),
    "a preflight of no route": ("OPTIONS", "/v1/nothing-here", None, PREFLIGHT),
    "a preflight of a page": ("OPTIONS", "/", None, PREFLIGHT),
    "the endpoint's methods": ("OPTIONS", "/mcp", None, {}),
    "no credential": ("GET", "/v1/me", None, {}),
    "no credential, of another site": ("GET", "/v1/me", None, ORIGIN),
    "a wrong credential": ("GET", "/v1/me", None, {"X-API-Key": "svc_sk_wrong"}),
    "no credential for tools": ("POST", "/mcp", CALL, JSON),
    "no route": ("GET", "/v1/nothing-here", None, {}),
    "no route but a slash": ("GET", "/v1/me/", None, {}),
    "another host": ("GET", "/v1/me", None, {"Host": "elsewhere.example"}),
    "a page by another host": ("GET", "/", None, {"Host": "elsewhere.example"}),
}
"""Requests without a credential: method, path, body, headers."""

WITH_KEY: dict[str, tuple[str, str, Any, dict[str, str]]] = {
    "a record": ("GET", "/v1/me", None, {}),
    "a record for another site": ("GET", "/v1/me", None, ORIGIN),
    "a record without its body": ("HEAD", "/v1/me", None, {}),
    "a created record": ("POST", "/v1/courses", {"name": "Cells"}, JSON | ORIGIN),
    "an object that is not there": ("GET", f"/v1/courses/{UNKNOWN_ID}", None, ORIGIN),
    "a wrong id": ("GET", "/v1/courses/17", None, {}),
    "a wrong method": ("DELETE", "/v1/me", None, {}),
    "methods": ("OPTIONS", "/v1/me", None, ORIGIN),
    "a wrong body": ("POST", "/v1/courses", {}, JSON),
    "no route with a key": ("GET", "/v1/nothing-here", None, ORIGIN),
    "a tool": ("POST", "/mcp", CALL, JSON),
    "a tool for another site": ("POST", "/mcp", CALL, JSON | ORIGIN),
    "the tools": ("POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, JSON),
    "a notification": ("POST", "/mcp", {"jsonrpc": "2.0", "method": "notifications/initialized"}, JSON),
    "no stream": ("GET", "/mcp", None, {}),
    "tools in no type": ("POST", "/mcp", CALL, {"Content-Type": "text/plain"}),
}
"""Requests of a member. The key is added."""

OVER_HTTPS = {
    "no credential",
    "no route",
    "a preflight",
    "a page that is not there",
    "health for another site",
    "the description",
    "metadata",
    "the token endpoint by a wrong method",
    "a page for another site",
}
"""Requests also sent to a service behind https, both plain and encrypted."""

_CHANGING = {"x-request-id", "content-length", "expires", "ratelimit-remaining", "ratelimit-reset", "retry-after"}


def headers_of(client: Client, method: str, path: str, body: Any, headers: dict[str, str], **extra: Any) -> list[str]:
    """Status and sorted headers of the answer in lower case. Headers with variable values have only their name."""
    kind = headers.get("Content-Type", "application/x-www-form-urlencoded")
    data = b"" if body is None else json.dumps(body).encode() if kind != "application/x-www-form-urlencoded" else b"a=b"
    sent = {name: text for name, text in headers.items() if name != "Content-Type"}
    response = client.generic(method, path, data, content_type=kind if data else "", headers=sent, **extra)
    found = [_described(name.lower(), text) for name, text in response.headers.items()]
    return [f"{response.status_code}", *sorted(found + [f"set-cookie: {name}" for name in response.cookies])]


def _described(name: str, text: str) -> str:
    if name == "content-security-policy":  # its directives come in any order
        text = "; ".join(sorted(text.split("; ")))
    return f"{name}: {'…' if name in _CHANGING else text}"


@pytest.fixture(scope="session")
def baseline(pytestconfig: pytest.Config) -> Iterator[dict[str, list[str]]]:
    """The committed file, or the headers of this run when refreshing it."""
    if not pytestconfig.getoption("--refresh-baselines"):
        yield json.loads(BASELINE.read_text())
        return
    found: dict[str, list[str]] = _Refreshed()
    yield found
    BASELINE.write_text(json.dumps(found, indent=1, ensure_ascii=False, sort_keys=True) + "\n")


class _Refreshed(dict[str, list[str]]):
    """Records requests as they arrive, those of all cases in one."""

    def __deepcopy__(self, memo: Any) -> "_Refreshed":
        return self


def check(baseline: dict[str, list[str]], name: str, found: list[str]) -> None:
    """Check that `found` equals the committed headers `name`."""
    if isinstance(baseline, _Refreshed):
        baseline[name] = found
    assert baseline[name] == found


@pytest.mark.django_db
@each("name", OPEN)
def test_a_public_answer_has_the_committed_headers(baseline: dict[str, list[str]], name: str) -> None:
    check(baseline, name, headers_of(Client(raise_request_exception=False, enforce_csrf_checks=True), *OPEN[name]))


@pytest.mark.django_db
@each("name", WITH_KEY)
def test_an_answer_to_a_member_has_the_committed_headers(
    baseline: dict[str, list[str]], name: str, owner_member: Member, make_key: Any
) -> None:
    client = Client(raise_request_exception=False, headers={"Authorization": f"Bearer {make_key(owner_member)[0]}"})
    check(baseline, name, headers_of(client, *WITH_KEY[name]))


@pytest.mark.django_db
def test_a_rate_limit_error_has_the_committed_headers(baseline: dict[str, list[str]]) -> None:
    for _ in range(Rate.API.item.amount):
        rates.hit(Rate.API, "127.0.0.1")
    check(baseline, "a refused rate", headers_of(Client(), "GET", "/v1/me", None, ORIGIN))


def test_answers_behind_https_have_the_committed_headers(baseline: dict[str, list[str]], tmp_path: Path) -> None:
    """Settings are read once per process, so this runs in another one."""
    script = "import django; django.setup(); from tests.server.test_header_sets import print_https; print_https()"
    environment = os.environ | {"BASE_URL": "https://study.example.org", "HSTS_INCLUDE_SUBDOMAINS": "true"}
    done = ended(tmp_path, "-c", script, environment=environment)
    found = json.loads(done.stdout)
    assert len(found) == 2 * len(OVER_HTTPS)
    for name, headers in found.items():
        check(baseline, name, headers)


def print_https() -> None:
    """Print the headers of answers behind https that need no database."""
    settings.WHITENOISE_AUTOREFRESH = True
    host = {"Host": "study.example.org"}
    found = {}
    for name in sorted(OVER_HTTPS):
        method, path, body, headers = OPEN[name]
        for way, secure in (("in the clear", False), ("encrypted", True)):
            client = Client(raise_request_exception=False)
            found[f"{name}, {way}"] = headers_of(client, method, path, body, headers | host, secure=secure)
    sys.stdout.write(json.dumps(found))
