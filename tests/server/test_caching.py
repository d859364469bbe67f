"""Cacheable answers, and JSON addresses without cookies (spec, rule 4; decisions 12)."""

from typing import Any

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from accounts.models import Member
from studyservice.http.requests import is_below, is_json_path
from studyservice.rates import limiter as rates
from tests.support.cases import each
from tests.support.entry_points import whole
from tests.support.world import bearer

pytestmark = [pytest.mark.database("sqlite", "response headers"), pytest.mark.django_db]

UNSTORED = ("/v1", "/mcp", "/oauth", "/health", "/keys", "/sign-in", "/sign-out", "/admin")
PUBLIC = ("/.well-known", "/openapi.json")
SOME_ID = "00000000-0000-4000-8000-000000000000"
BEYOND = [
    "/v1",
    "/v1/",
    "/v1/nothing",
    "/mcp/nothing",
    "/oauth",
    "/oauth/nothing",
    "/oauth/token/",
    "/.well-known/nothing",
]
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")


def addresses(patterns: list[Any], above: str = "/") -> list[str]:
    """One URL for every route."""
    found: list[str] = []
    for pattern in patterns:
        part = str(pattern.pattern)
        for name, converter in pattern.pattern.converters.items():
            value = SOME_ID if type(converter).__name__ == "UUIDConverter" else "1"
            part = part.replace(f"<{_kind(part, name)}{name}>", value)
        if isinstance(pattern, URLResolver):
            found += addresses(pattern.url_patterns, above + part)
        elif isinstance(pattern, URLPattern) and "(" not in part:
            found.append(above + part)
    return found


def _kind(part: str, name: str) -> str:
    """The converter of a placeholder with its colon, as in the route."""
    return part[: part.index(f"{name}>")].rpartition("<")[2]


def all_addresses() -> list[str]:
    return [*addresses(get_resolver().url_patterns), *BEYOND]


def below(path: str, roots: tuple[str, ...]) -> bool:
    return any(is_below(path, root) for root in roots)


def test_no_answer_with_members_data_is_cacheable(owner_member: Member, make_key) -> None:
    """Every route by every method, with and without a credential, including errors."""
    secret, _ = make_key(owner_member)
    kept = []
    paths = [path for path in all_addresses() if below(path, UNSTORED)]
    assert len(paths) > 60
    for path in paths:
        rates.clear()
        for method in METHODS:
            for headers in ({}, bearer(secret)):
                answer = whole(Client().generic(method, path, headers=headers))
                if "no-store" not in answer.headers.get("Cache-Control", ""):
                    kept.append((method, path, answer.status_code))
    assert kept == []


def test_no_page_of_a_signed_in_operator_is_cacheable(admin: Client) -> None:
    paths = [path for path in all_addresses() if below(path, UNSTORED[4:]) and not path.startswith("/admin/r/")]
    kept = [path for path in paths if "no-store" not in admin.get(path).headers.get("Cache-Control", "")]
    assert kept == []


def test_a_preflight_is_not_cacheable() -> None:
    asked = {"Origin": "https://app.example", "Access-Control-Request-Method": "GET"}
    answer = Client().options("/v1/me", headers=asked)
    assert (answer.status_code, answer.headers["Cache-Control"]) == (200, "no-store")


def test_descriptions_are_cacheable_for_a_short_time() -> None:
    paths = [path for path in all_addresses() if below(path, PUBLIC) and path not in BEYOND]
    answers = {path: Client().get(path) for path in paths}
    assert {answer.status_code for answer in answers.values()} == {200}
    assert {path: answer.headers["Cache-Control"] for path, answer in answers.items()} == dict.fromkeys(
        ["/openapi.json", "/.well-known/oauth-authorization-server", "/.well-known/oauth-protected-resource",
         "/.well-known/oauth-protected-resource/mcp"],
        "public, max-age=300",
    )  # fmt: skip


@each(("method", "path"), [("GET", "/.well-known/nothing"), ("POST", "/openapi.json")])
def test_errors_are_not_cacheable(method: str, path: str) -> None:
    assert Client().generic(method, path).headers["Cache-Control"] == "no-store"


def test_json_addresses_ignore_cookies(admin: Client) -> None:
    """Neither cookies for signing in, nor cookies that Django would replace or delete."""
    signed_in = f"sessionid={admin.cookies['sessionid'].value}; csrftoken=broken"
    wrong = []
    paths = [path for path in all_addresses() if is_json_path(path)]
    assert {"/health", "/openapi.json", "/oauth/token", "/oauth/register", "/oauth/revoke"} <= set(paths)
    for path in paths:
        rates.clear()
        for method in METHODS:
            for cookies in (signed_in, "sessionid=; csrftoken="):
                answer = Client(enforce_csrf_checks=True).generic(method, path, headers={"Cookie": cookies})
                if answer.cookies or "Cookie" in answer.headers.get("Vary", ""):
                    wrong.append((method, path, answer.headers.get("Vary"), list(answer.cookies)))
    assert wrong == []


@each("path", ["/openapi.json", "/.well-known/oauth-authorization-server"])
def test_json_addresses_need_no_form_token(path: str) -> None:
    answer = Client(enforce_csrf_checks=True).post(path)
    assert (answer.status_code, answer.headers["Allow"]) == (405, "GET, HEAD")
