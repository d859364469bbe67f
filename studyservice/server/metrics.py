"""Prometheus metrics of the requests; loaded with `METRICS_ADDRESS` alone, and served by `metrics_server`.

Labels have few values, all known beforehand: operations, names of routes, statuses, named rates. Nothing that a client
or a member wrote becomes one.
"""

import logging
from functools import cache
from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.contrib.auth.signals import user_login_failed
from django.db import Error
from django.http import HttpRequest, HttpResponse
from prometheus_client import Counter, Histogram

from studyservice.http.logs import RequestLogMiddleware
from studyservice.http.paths import is_api_path, is_oauth_path
from studyservice.http.request_keys import TOOL, TOOL_FAILURE
from studyservice.rates.limiter import Rate, exceeded

REQUESTS = Counter(
    "studyservice_requests",
    "Requests by operation and status; a failed tool call has its error's.",
    ("operation", "status"),
)
SECONDS = Histogram(
    "studyservice_request_seconds",
    "Seconds from the parsed request to its answer.",
    ("operation",),
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
)
RATE_LIMITED = Counter("studyservice_rate_limited", "Requests and attempts beyond a rate, by the rate.", ("rate",))
AUTHENTICATION_FAILURES = Counter(
    "studyservice_authentication_failures", "Refused API credentials, OAuth clients, passwords, codes.", ("kind",)
)
DATABASE_ERRORS = Counter("studyservice_database_errors", "Faults of the database that were logged.")

UNROUTED = "unrouted"
"""The label of what no route answered: unknown addresses and methods, CORS preflight, redirects to https."""


class MeasuringRequestLogMiddleware(RequestLogMiddleware):
    """Counts each request where it is logged."""

    def note(self, request: HttpRequest, response: HttpResponse, seconds: float) -> None:
        """Log the request and count it."""
        super().note(request, response, seconds)
        operation = operation_of(request)
        failure = TOOL_FAILURE.get(request)
        _requests(operation, failure.status if failure else response.status_code).inc()
        _seconds(operation).observe(seconds)
        if response.status_code == HTTPStatus.UNAUTHORIZED:
            _count_refused_credential(request)


@cache
def _requests(operation: str, status: int) -> Counter:
    """Kept, since `labels` costs more than counting does."""
    return REQUESTS.labels(operation, str(int(status)))


@cache
def _seconds(operation: str) -> Histogram:
    return SECONDS.labels(operation)


def operation_of(request: HttpRequest) -> str:
    """The operationId, through whichever door; else the name of the route; `UNROUTED` if there is none.

    Of a batch of tool calls the last is named, as in the log.
    """
    tool = TOOL.get(request)
    if tool is not None:
        return tool
    match = request.resolver_match
    if match is None:
        return "static" if request.path_info.startswith(settings.STATIC_URL) else UNROUTED
    actions: dict[str, str] | None = getattr(match.func, "actions", None)
    if actions is None:
        return match.view_name
    method = (request.method or "").lower()
    return actions.get("get" if method == "head" else method, UNROUTED)


def _count_refused_credential(request: HttpRequest) -> None:
    """One that was sent: clients of MCP begin without, to be told where to get one."""
    sent = "HTTP_AUTHORIZATION" in request.META or "HTTP_X_API_KEY" in request.META
    if is_oauth_path(request.path_info):
        AUTHENTICATION_FAILURES.labels("client").inc()
    elif sent and is_api_path(request.path_info):
        AUTHENTICATION_FAILURES.labels("credential").inc()


class _DatabaseErrors(logging.Handler):
    """Counts the faults where they are logged, once each, wherever they were caught."""

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info and isinstance(record.exc_info[1], Error):
            DATABASE_ERRORS.inc()


def _on_exceeded(rate: Rate, **more: Any) -> None:
    RATE_LIMITED.labels(rate.name.lower()).inc()


def _on_login_failed(credentials: dict[str, Any], **more: Any) -> None:
    AUTHENTICATION_FAILURES.labels("code" if "code" in credentials else "password").inc()


exceeded.connect(_on_exceeded)
user_login_failed.connect(_on_login_failed)
logging.getLogger().addHandler(_DatabaseErrors(logging.ERROR))
