"""The id that names one request in its answer, its errors and its log lines."""

import logging
import os
import secrets
from collections import deque
from collections.abc import Callable
from contextvars import ContextVar

from django.http import HttpRequest, HttpResponse

from studyservice.http.request_keys import REQUEST_ID

NO_REQUEST = "-"
"""The id outside of a request."""

_current: ContextVar[str] = ContextVar("request_id", default=NO_REQUEST)


def current_request_id() -> str:
    """The id of the request that this thread is answering, or `-` outside of one."""
    return _current.get()


_AHEAD: deque[str] = deque()
"""Ids that were made and are not given yet."""

os.register_at_fork(after_in_child=_AHEAD.clear)


_AT_ONCE = 100
_RANDOM_BYTES = 18


def new_request_id() -> str:
    """A fresh id: `req_` and 24 URL-safe characters (144 random bits).

    They are made a hundred at a time: asking the kernel for randomness hands the interpreter to another thread, which
    takes longer than everything else here.
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

    Outermost, so that every answer of the server carries `X-Request-Id` (spec, Conventions 5).
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer `request` under a fresh id."""
        request_id = new_request_id()
        REQUEST_ID.set(request, request_id)  # for what is logged after the answer
        token = _current.set(request_id)
        try:
            response = self.get_response(request)
        finally:
            _current.reset(token)
        response.headers["X-Request-Id"] = request_id
        return response


class RequestIdFilter(logging.Filter):
    """Puts the id of the current request, or of the one that the record is about, on each log record."""

    def filter(self, record: logging.LogRecord) -> bool:
        about = getattr(record, "request", None)
        named = REQUEST_ID.get(about) if isinstance(about, HttpRequest) else None
        record.request_id = named or current_request_id()
        return True
