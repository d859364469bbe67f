"""Structured logs: one line per request, with its id and without secrets.

Paths are logged percent-encoded, without queries and secrets. Headers and bodies are not logged. The id is also in the
answer and in its errors.
"""

import json
import logging
import os
import re
import secrets
import time
from collections import deque
from collections.abc import Callable
from contextvars import ContextVar
from datetime import UTC, datetime
from functools import cache
from typing import Any

import orjson
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.encoding import escape_uri_path

from studyservice.http.requests import (
    CALENDAR_ROOT,
    CALLER,
    CHANGE_ID,
    PROBE,
    REQUEST_ID,
    TOOL,
    TOOL_FAILURE,
    is_calendar_path,
    logged_address,
)

NO_REQUEST = "-"
"""The id outside a request."""

_current: ContextVar[str] = ContextVar("request_id", default=NO_REQUEST)


def current_request_id() -> str:
    """Return the id of the request that this thread is answering, or `-` outside a request."""
    return _current.get()


_AHEAD: deque[str] = deque()
"""Generated ids that are not used yet."""

os.register_at_fork(after_in_child=_AHEAD.clear)


_AT_ONCE = 100
_RANDOM_BYTES = 18


def new_request_id() -> str:
    """Return a new id: `req_` and 24 URL-safe characters (144 random bits).

    Created a hundred at a time, because a call for randomness yields the interpreter to another thread, which takes
    longer than everything else here.
    """
    while True:
        try:
            return _AHEAD.pop()
        except IndexError:
            text = secrets.token_urlsafe(_RANDOM_BYTES * _AT_ONCE)
            length = len(text) // _AT_ONCE
            _AHEAD.extend("req_" + text[start : start + length] for start in range(0, len(text), length))


class RequestIdMiddleware:
    """Gives each request a new id. The client's id is never used.

    The outermost middleware, so that every answer carries `X-Request-Id` (spec, Conventions 5).
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer `request` under a new id."""
        request_id = new_request_id()
        REQUEST_ID.set(request, request_id)  # for log lines after the answer
        token = _current.set(request_id)
        try:
            response = self.get_response(request)
        finally:
            _current.reset(token)
        response.headers["X-Request-Id"] = request_id
        return response


class RequestIdFilter(logging.Filter):
    """Adds the id of the current request, or of the record's own, to each log record."""

    def filter(self, record: logging.LogRecord) -> bool:
        about = getattr(record, "request", None)
        named = REQUEST_ID.get(about) if isinstance(about, HttpRequest) else None
        record.request_id = named or current_request_id()
        return True


logger = logging.getLogger("studyservice.requests")


_HIDDEN = "***"
_STANDARD_ERROR = 2
_TRACEBACKS = logging.Formatter()


@cache
def _secrets(*prefixes: str) -> re.Pattern[str]:
    """Return the pattern of the service's own secrets (`studyservice.secrets.generated`), complete or truncated."""
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, prefixes))})_[a-z]{{2,8}}_[A-Za-z0-9_-]{{16,}}")


def without_secrets(text: str) -> str:
    """Return `text` with asterisks in place of each secret of the service."""
    if "_" not in text:  # true for most paths, and ten times faster
        return text
    return _secrets(settings.CREDENTIAL_PREFIX, *settings.CREDENTIAL_PREFIX_FALLBACKS).sub(_HIDDEN, text)


def told_path(path: str) -> str:
    """Return `path` for logs, percent-encoded. The address of a calendar is a credential, so its secret is masked."""
    if is_calendar_path(path):
        return f"{CALENDAR_ROOT}/{_HIDDEN}.ics"
    return escape_uri_path(without_secrets(path))


class SecretFilter(logging.Filter):
    """Masks secrets in every line of every library, since some log the path of a request."""

    def filter(self, record: logging.LogRecord) -> bool:
        try:
            message = record.getMessage()
        except Exception:  # noqa: BLE001  # a malformed record; the handler reports it
            return True
        told = without_secrets(message)
        if told != message:
            record.msg, record.args = told, ()
        if record.exc_info:
            record.exc_text = without_secrets(record.exc_text or _TRACEBACKS.formatException(record.exc_info))
        return True


class LineHandler(logging.Handler):
    """Writes each line to standard error in one system call, so that lines of threads do not mix.

    Python's own handlers hold a lock meanwhile, so threads with lines to log wait for the lock and then for the
    interpreter. A line over 4 KiB (PIPE_BUF), like an exception, can be interleaved with others if the reader of the
    log is far behind; lines of several processes already could.
    """

    def createLock(self) -> None:  # noqa: N802  # logging's name
        """No lock is needed."""
        self.lock = None

    def handle(self, record: logging.LogRecord) -> bool:
        """Override Python's method, which needs the lock from Python 3.13 on."""
        passed: bool | logging.LogRecord = self.filter(record)
        if passed:
            self.emit(passed if isinstance(passed, logging.LogRecord) else record)
        return bool(passed)

    def emit(self, record: logging.LogRecord) -> None:
        """Write the record's line."""
        try:
            left = f"{self.format(record)}\n".encode("utf-8", "backslashreplace")
            while left:
                left = left[os.write(_STANDARD_ERROR, left) :]
        except Exception:  # noqa: BLE001  # a logging error must not fail a request
            self.handleError(record)


class JSONFormatter(logging.Formatter):
    """One JSON object per line: time, level, logger, message, request_id, and the contents of `extra={"data": …}`."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            "request_id": getattr(record, "request_id", "-"),
        }
        line |= getattr(record, "data", {})
        if record.exc_info:
            line["exception"] = record.exc_text or self.formatException(record.exc_info)
        try:
            return orjson.dumps(line, default=str).decode()
        except TypeError:  # a lone surrogate, which is not valid UTF-8
            return json.dumps(line, default=str)


def error_type(request: HttpRequest, response: HttpResponse) -> str | None:
    """Return the error type of the answer: of a failed tool call, or of the HTTP answer. None for probes."""
    if PROBE.get(request):
        return None
    failure = TOOL_FAILURE.get(request)
    if failure is not None:
        return failure.type
    return getattr(response, "error_type", None)  # of an `ErrorResponse`


class RequestLogMiddleware:
    """Logs each answered request: method, path, status, tool, error type, duration, caller and network.

    An error is that of the HTTP answer, or of the tool call in it. For a batch the line names the last call.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        started = time.perf_counter()
        response = self.get_response(request)
        self.note(request, response, time.perf_counter() - started)
        return response

    def note(self, request: HttpRequest, response: HttpResponse, seconds: float) -> None:
        """Log the answered request."""
        data: dict[str, Any] = {
            "method": request.META["REQUEST_METHOD"],
            "path": told_path(request.path_info),
            "status": response.status_code,
            "ms": round(seconds * 1000, 2),
        }
        tool, error = TOOL.get(request), error_type(request, response)
        if tool is not None:
            data["tool"] = tool
        if error is not None:
            data["error"] = error
        address, change = logged_address(request), CHANGE_ID.get(request)
        if address:
            data["client_address"] = address
        data |= CALLER.get(request) or {}
        if change is not None:
            data["change"] = change
        logger.info(
            "%s %s %s %sms",
            data["method"],
            data["path"],
            data["status"],
            data["ms"],
            extra={"data": data},
        )
