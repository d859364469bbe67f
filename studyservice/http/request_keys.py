"""Typed keys for values that the service stores on a request."""

from collections.abc import Mapping
from typing import Generic, TypeVar
from uuid import UUID

from django.http import HttpRequest

from studyservice.operations.errors import ApiError

T = TypeVar("T")


class RequestKey(Generic[T]):
    """A key for one value of each request.

    The value is an attribute of the request object, like Django's `user` and `session`. So it works for any request,
    from the server or a test, and a restarted request has no values.

    Args:
        name: of the attribute.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def set(self, request: HttpRequest, value: T) -> None:
        """Store `value` on `request`."""
        setattr(request, self._name, value)

    def get(self, request: HttpRequest) -> T | None:
        """Return the value, or None if there is none."""
        value: T | None = getattr(request, self._name, None)
        return value

    def require(self, request: HttpRequest) -> T:
        """Return the value.

        Raises:
            AttributeError: there is none, which is a bug in the service.
        """
        value: T = getattr(request, self._name)
        return value


REQUEST_ID = RequestKey[str]("request_id")
"""The id that identifies the request in its answer and in the log."""

CALLER = RequestKey[Mapping[str, UUID | str]]("caller")
"""The caller for log lines: the member's id, and the id of the API key or the app's `client_id`."""

CHANGE_ID = RequestKey[UUID]("change_id")
"""The row that the request added to the log of changes, for its log line. In a batch the last one."""

TOOL = RequestKey[str]("tool")
"""The tool that the request called. In a batch the last one."""

TOOL_FAILURE = RequestKey[ApiError | None]("tool_failure")
"""The error of a failed tool call or a refused prompt."""

MESSAGE_REFUSED = RequestKey[bool]("message_refused")
"""True if the request's JSON-RPC message got an error, perhaps with HTTP status 200. In a batch, the last message."""

PROBE = RequestKey[bool]("probe")
"""True if the request only probed for an optional part of a protocol. Its 405 is then not a refused call."""

REFUSAL = RequestKey[tuple[ApiError, object]]("refusal")
"""The error that answers the request in place of a view, and its reason for the log, if that needs one."""
