"""Prometheus metrics of the requests. Loaded only with `METRICS_ADDRESS`, served by `metrics_server`.

Labels have few values, all known in advance: operations, names of routes, statuses, named rates. Text from clients or
members is never a label.
"""

import logging
from functools import cache
from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.contrib.auth.signals import user_login_failed
from django.db import Error, OperationalError
from django.http import HttpRequest, HttpResponse
from prometheus_client import Counter, Gauge, Histogram

from studyservice.database.waits import ended_waiting, gave_up
from studyservice.http.logs import RequestLogMiddleware
from studyservice.http.requests import TOOL, TOOL_FAILURE, is_api_path, is_oauth_path
from studyservice.rates.limiter import Rate, exceeded
from studyservice.rates.shared import fallback
from studyservice.server.signals import MAIL_OUTCOMES, MODEL_OUTCOMES, Reading, calendar_read, mail_ended, syllabus_read

REQUESTS = Counter(
    "studyservice_requests",
    "Requests by operation and status; a failed tool call has the status of its error.",
    ("operation", "status"),
)
SECONDS = Histogram(
    "studyservice_request_seconds",
    "Seconds from the parsed request to its answer.",
    ("operation",),
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
)
RATE_LIMITED = Counter("studyservice_rate_limited", "Requests and attempts that exceeded a rate, by rate.", ("rate",))
AUTHENTICATION_FAILURES = Counter(
    "studyservice_authentication_failures",
    "Refused API credentials, OAuth clients, passwords, codes, passkeys, returns of the identity provider.",
    ("kind",),
)
DATABASE_ERRORS = Counter("studyservice_database_errors", "Database errors that were logged.")

LOCK_TIMEOUTS = Counter("studyservice_lock_timeouts", "Calls that timed out waiting for a database lock.")
MAILS = Counter("studyservice_mails", "E-mails: sent, failed, or dropped because too many waited.", ("outcome",))
SCHOOL_CALENDARS = Counter(
    "studyservice_school_calendars", "Readings of school calendars that members asked for, by outcome.", ("outcome",)
)
MODEL_READINGS = Counter(
    "studyservice_syllabus_model_readings", "Readings of syllabi by the language model, by outcome.", ("outcome",)
)
MODEL_SECONDS = Histogram(
    "studyservice_syllabus_model_seconds",
    "Seconds of a reading by the language model, without its wait for a turn.",
    buckets=(1, 2.5, 5, 10, 20, 30, 60, 90, 120),
)
WAIT_SECONDS = Histogram(
    "studyservice_wait_seconds",
    "Seconds that a request waited for a thread.",
    buckets=(0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10),
)

# Sampled gauges (`studyservice.server.sampling`): the sum over processes, or the latest value of any.
INFO = Gauge("studyservice_info", "1, labeled with the running version.", ("version",), multiprocess_mode="livemax")
THREADS = Gauge("studyservice_threads", "Threads that answer requests.", multiprocess_mode="livesum")
BUSY_THREADS = Gauge("studyservice_busy_threads", "Threads that are answering one.", multiprocess_mode="livesum")
WAITING = Gauge("studyservice_waiting_requests", "Requests that wait for a thread.", multiprocess_mode="livesum")
REDIS_FALLBACK = Gauge(
    "studyservice_redis_fallback_processes",
    "Processes that count rates separately because Redis does not answer.",
    multiprocess_mode="livesum",
)
LOCK_WAITS = Gauge(
    "studyservice_lock_waits", "Sessions of PostgreSQL that wait for a lock.", multiprocess_mode="livemostrecent"
)
CLOCK_DRIFT = Gauge(
    "studyservice_clock_drift_seconds",
    "Least difference between this machine's clock and PostgreSQL's.",
    multiprocess_mode="livemax",
)
OVERDUE_CALENDARS = Gauge(
    "studyservice_overdue_school_calendars",
    "School calendars that have been due for more than half an hour.",
    multiprocess_mode="livemostrecent",
)
LAST_RUN = Gauge(
    "studyservice_last_run_timestamp_seconds",
    "End of the last run of each scheduled command, in Unix time; 0 if it never ran.",
    ("name",),
    multiprocess_mode="livemostrecent",
)
LAST_PURGE = Gauge(
    "studyservice_last_purge_timestamp_seconds",
    "End of the last purgeexpired, as above, under its name of version 0.6.0.",
    multiprocess_mode="livemostrecent",
)
NEWEST_BACKUP = Gauge(
    "studyservice_newest_backup_timestamp_seconds",
    "End of the last deploy/backup.sh, in Unix time; 0 if it never ran.",
    multiprocess_mode="livemostrecent",
)
MAIL_QUEUE_AGE = Gauge(
    "studyservice_mail_queue_age_seconds",
    "Age of the oldest queued e-mail; 0 if none is queued.",
    multiprocess_mode="livemostrecent",
)
DROPPED_MORNINGS = Gauge(
    "studyservice_dropped_morning_mails",
    "Members whose morning e-mail of today or yesterday the mail server put off until their noon.",
    multiprocess_mode="livemostrecent",
)

_LOGIN_KINDS = {"code": "code", "recovery": "code", "passkey": "passkey", "provider": "provider"}
"""The method of a failed sign-in, by the submitted field. The default is a password."""

UNROUTED = "unrouted"
"""The label of requests without a route: unknown paths and methods, CORS preflight, redirects to https."""


class MeasuringRequestLogMiddleware(RequestLogMiddleware):
    """Counts each request when it is logged."""

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
    """Return the counter. Cached, since `labels` costs more than counting."""
    return REQUESTS.labels(operation, str(int(status)))


@cache
def _seconds(operation: str) -> Histogram:
    return SECONDS.labels(operation)


def operation_of(request: HttpRequest) -> str:
    """Return the operationId, over REST or as a tool, else the name of the route, else `UNROUTED`.

    For a batch of tool calls that is the last one, as in the log.
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
    """Count a refused credential. Requests without one do not count, since MCP clients start that way."""
    sent = "HTTP_AUTHORIZATION" in request.META or "HTTP_X_API_KEY" in request.META
    if is_oauth_path(request.path_info):
        AUTHENTICATION_FAILURES.labels("client").inc()
    elif sent and is_api_path(request.path_info):
        AUTHENTICATION_FAILURES.labels("credential").inc()


class _DatabaseErrors(logging.Handler):
    """Counts database errors when they are logged, once each, wherever they were caught."""

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        if isinstance(error, Error):
            DATABASE_ERRORS.inc()
        if isinstance(error, OperationalError) and ended_waiting(error):
            LOCK_TIMEOUTS.inc()


def _on_exceeded(rate: Rate, **more: Any) -> None:
    RATE_LIMITED.labels(rate.name.lower()).inc()


def _on_login_failed(credentials: dict[str, Any], **more: Any) -> None:
    kinds = (kind for way, kind in _LOGIN_KINDS.items() if way in credentials)
    AUTHENTICATION_FAILURES.labels(next(kinds, "password")).inc()


def _on_mail(outcome: str, **more: Any) -> None:
    MAILS.labels(outcome).inc()


def _on_calendar_read(outcome: Reading, **more: Any) -> None:
    SCHOOL_CALENDARS.labels(outcome.value).inc()


def _on_syllabus_read(outcome: str, seconds: float, **more: Any) -> None:
    MODEL_READINGS.labels(outcome).inc()
    MODEL_SECONDS.observe(seconds)


def _on_fallback(away: bool, **more: Any) -> None:
    REDIS_FALLBACK.set(int(away))


def _on_lock_timeout(**more: Any) -> None:
    LOCK_TIMEOUTS.inc()


# Create the known series at the start, so that an alert sees the first event as an increase.
for _rate in Rate:
    RATE_LIMITED.labels(_rate.name.lower())
for _kind in ("credential", "client", "password", "code", "passkey"):
    AUTHENTICATION_FAILURES.labels(_kind)
for _outcome in MAIL_OUTCOMES:
    MAILS.labels(_outcome)
for _reading in Reading:
    SCHOOL_CALENDARS.labels(_reading.value)
for _outcome in MODEL_OUTCOMES:
    MODEL_READINGS.labels(_outcome)

exceeded.connect(_on_exceeded)
fallback.connect(_on_fallback)
gave_up.connect(_on_lock_timeout)
mail_ended.connect(_on_mail)
calendar_read.connect(_on_calendar_read)
syllabus_read.connect(_on_syllabus_read)
user_login_failed.connect(_on_login_failed)
logging.getLogger().addHandler(_DatabaseErrors(logging.ERROR))
