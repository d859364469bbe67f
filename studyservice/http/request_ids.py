"""The request id, in the answer, its errors and its log lines."""

import logging
import os
import secrets
from collections import deque
from collections.abc import Callable
from contextvars import ContextVar

from django.http import HttpRequest, HttpResponse

from studyservice.http.request_keys import REQUEST_ID

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
