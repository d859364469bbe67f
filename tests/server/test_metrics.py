"""Metrics for Prometheus: labels, counts, and where they are served."""

import re
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from django.db import DatabaseError, connection
from django.test import Client
from django.urls import URLResolver, get_resolver
from prometheus_client import REGISTRY
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.samples import Sample

from studyservice.rates.limiter import Rate
from studyservice.viewsets import MemberViewSet
from tests.conftest import MakeMember
from tests.support import server
from tests.support.entry_points import McpEntryPoint, RestEntryPoint, routes
from tests.support.factories import PasskeyFactory
from tests.support.oauth import post_form
from tests.support.redis_server import start_redis

pytestmark = pytest.mark.database("sqlite", "numbers in memory")

Counts = dict[tuple[str, ...], float]


def _counts(samples: Iterator[Sample]) -> Counts:
    """Name and label values; the number of observations of histograms."""
    return {
        (sample.name.removeprefix("studyservice_"), *sample.labels.values()): sample.value
        for sample in samples
        if sample.name.startswith("studyservice_") and sample.name.endswith(("_total", "_count"))
    }


@pytest.fixture
def counted(settings: Any) -> Callable[[], Counts]:
    """Enables metrics, and returns the counts since then."""
    import studyservice.server.metrics  # noqa: F401  # the service loads it with METRICS_ADDRESS alone

    routes()  # requests the description once
    plain, measuring = "http.logs.RequestLogMiddleware", "server.metrics.MeasuringRequestLogMiddleware"
    settings.MIDDLEWARE = [name.replace(plain, measuring) for name in settings.MIDDLEWARE]

    def now() -> Counts:
        return _counts(sample for metric in REGISTRY.collect() for sample in metric.samples)

    before = now()
    return lambda: {key: value - before.get(key, 0) for key, value in now().items() if value != before.get(key, 0)}


def requests(operation: str, status: int, times: int = 1) -> Counts:
    return {
        ("requests_total", operation, str(status)): times,
        ("request_seconds_count", operation): times,
    }


def test_a_call_is_counted_under_its_operation(counted: Any, owner: RestEntryPoint) -> None:
    for _ in range(2):
        owner.call("get_agenda", days=7)
    assert counted() == requests("get_agenda", 200, 2)


def test_a_refused_call_is_counted_under_its_status(counted: Any, owner: RestEntryPoint) -> None:
    """A failed tool call has the status of REST, although its HTTP status is 200."""
    assert owner.call("get_agenda", days=0).error == "validation_failed"
    assert counted() == requests("get_agenda", 422)


def test_other_mcp_messages_are_counted_under_the_endpoint(counted: Any, owner_member: Any, make_key: Any) -> None:
    McpEntryPoint(make_key(owner_member)[0]).rpc("tools/list")
    assert counted() == requests("mcp", 200)


@pytest.mark.parametrize("secret", ["svc_sk_dead", "not-a-key"])
def test_a_rejected_credential_is_an_authentication_failure(counted: Any, db: None, secret: str) -> None:
    RestEntryPoint(secret).request("GET", "/v1/me")
    Client().get("/v1/me")  # none was sent: counted only as a request
    assert counted() == requests("get_me", 401, 2) | {("authentication_failures_total", "credential"): 1}


def test_a_rejected_client_is_an_authentication_failure(counted: Any, db: None) -> None:
    post_form("/oauth/token", {"grant_type": "refresh_token", "refresh_token": "x", "client_id": "svcclient_none"})
    assert counted() == requests("oauth2_provider:token", 401) | {("authentication_failures_total", "client"): 1}


def test_a_wrong_second_factor_does_not_count_as_a_password(
    counted: Callable[[], Counts], make_member: MakeMember, settings: Any
) -> None:
    settings.ADMIN_SECOND_FACTOR = "required"
    operator = make_member(is_staff=True)
    PasskeyFactory.create(member=operator)
    client = Client()
    client.force_login(operator)
    for way in ("passkey", "recovery"):
        client.post("/second-factor", {way: "wrong"})
    found = counted()
    assert {kind: found.get(("authentication_failures_total", kind)) for kind in ("passkey", "code", "password")} == {
        "passkey": 1,
        "code": 1,
        "password": None,
    }


def test_a_refused_return_of_the_identity_provider_is_an_authentication_failure(
    counted: Any, client: Client, provider: Any, db: None
) -> None:
    client.get("/sign-in/oidc/callback")
    assert counted()["authentication_failures_total", "provider"] == 1


def test_a_wrong_password_and_a_wrong_code_are_authentication_failures(
    counted: Any, client: Client, owner_member: Any
) -> None:
    client.post("/sign-in", {"email": owner_member.email, "password": "wrong"})
    client.post("/sign-in", {"email": owner_member.email})
    client.post("/sign-in/code", {"code": "000000"})
    found = counted()
    assert [found["authentication_failures_total", kind] for kind in ("password", "code")] == [1, 1]


def test_requests_over_a_rate_are_counted_by_rate(counted: Any, db: None) -> None:
    for _ in range(Rate.API.item.amount + 2):
        Client().get("/v1/me")
    assert counted()["rate_limited_total", "api"] == 2
    assert counted()["requests_total", "get_me", "429"] == 2


@pytest.mark.same_statements
@pytest.mark.rest
@pytest.mark.parametrize(
    ("method", "path", "label"),
    [
        ("GET", "/v1/nothing-here/3f9f5a9e-6f5e-4a58-9a43-0d4a0b6f2c01", "unrouted"),
        ("BREW", "/v1/me", "unrouted"),
        ("GET", "/static/none.css", "static"),
        ("GET", "/keys", "keys"),
        ("GET", "/admin/accounts/member/3f9f5a9e-6f5e-4a58-9a43-0d4a0b6f2c01/change/", "admin:accounts_member_change"),
        ("HEAD", "/v1/courses/3f9f5a9e-6f5e-4a58-9a43-0d4a0b6f2c01", "get_course"),
    ],
)
def test_a_label_never_contains_client_input(
    counted: Any, owner: RestEntryPoint, method: str, path: str, label: str
) -> None:
    owner.request(method, path)
    assert [key[1] for key in counted() if key[0] == "requests_total"] == [label]


def test_every_route_has_a_label() -> None:
    def unnamed(patterns: list[Any]) -> Iterator[str]:
        for pattern in patterns:
            if isinstance(pattern, URLResolver):
                if pattern.namespace != "admin":
                    yield from unnamed(pattern.url_patterns)
            elif not (pattern.name or issubclass(getattr(pattern.callback, "cls", object), MemberViewSet)):
                yield str(pattern.pattern)

    assert list(unnamed(get_resolver().url_patterns)) == []


@pytest.mark.database("both")
@pytest.mark.rest
def test_a_database_error_is_counted(counted: Any, owner: RestEntryPoint) -> None:
    def gone(*arguments: Any) -> Any:
        raise DatabaseError("gone")

    with connection.execute_wrapper(gone):
        owner.request("GET", "/v1/me")
    assert counted()["database_errors_total",] == 1


@pytest.mark.database("sqlite", "the database is unreachable")
def test_an_outage_found_by_health_is_counted(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"127.0.0.1:{free.getsockname()[1]}"
    nobody = "postgres://nobody@127.0.0.1:9/none"
    with server.started(tmp_path, nobody, METRICS_ADDRESS=address) as running:
        assert [_get(f"{running.url}/health")[0] for _ in range(3)] == [503] * 3
        _, text = _get(f"http://{address}/metrics")
    [counted] = re.findall(r"^studyservice_database_errors_total (\S+)$", text, re.MULTILINE)
    [asked] = re.findall(r'^studyservice_requests_total{operation="health",status="503"} (\S+)$', text, re.MULTILINE)
    assert 1 <= float(counted) <= float(asked)  # concurrent requests share one query


def _get(url: str, **headers: str) -> tuple[int, str]:
    try:
        with urlopen(Request(url, headers=headers), timeout=60) as answer:  # noqa: S310  # http on loopback
            return answer.status, answer.read().decode()
    except HTTPError as refused:
        return refused.code, ""


@pytest.mark.database("sqlite", "server processes")
def test_processes_that_start_and_stop_are_served_as_one(tmp_path: Path) -> None:
    """On a separate address. Each of the two processes ends after its sixth request, and no count is lost."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"127.0.0.1:{free.getsockname()[1]}"
    variables = {"WEB_CONCURRENCY": "2", "WEB_MAX_REQUESTS": "6", "METRICS_ADDRESS": address}
    with start_redis(tmp_path) as redis, server.running(tmp_path, REDIS_URL=redis.url, **variables) as running:
        secret = running.command("createmember", "ada@example.org", "--api-key", "test")["api_key"]
        answers = [_get(f"{running.url}/v1/me", Authorization=f"Bearer {secret}") for _ in range(14)]
        public = _get(f"{running.url}/metrics")
        text = _get(f"http://{address}/metrics")[1]
    counts = _counts(sample for family in text_string_to_metric_families(text) for sample in family.samples)
    assert ([status for status, _ in answers], public[0]) == ([200] * 14, 404)
    assert counts["requests_total", "get_me", "200"] == counts["request_seconds_count", "get_me"] == 14
    assert secret not in text
