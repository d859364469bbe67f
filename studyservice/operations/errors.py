"""The errors of the API: one class per `type` of the specification's catalog.

Code raises them. The entry points of the operations and Django's `handler…` views write the envelope `{"error":
{"type", "message", "request_id"[, "details"]}}`.
"""

import logging
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any, ClassVar, TypedDict

from django.db import InterfaceError, OperationalError
from rest_framework.settings import api_settings

logger = logging.getLogger(__name__)

MAX_DETAILS = 100
"""Maximum number of failed fields in a 422, so that a hostile body gets a short answer."""


class Detail(TypedDict):
    """One failed field: its name as the client wrote it, with a path if nested, and the error."""

    field: str
    message: str


class ApiError(Exception):
    """An error in the answer to a client.

    Attributes:
        type: the catalog's name.
        cause: narrower than the type, for the member's record of refused calls (`accounts.credentials.connections`).
        status: HTTP status.
        message: a sentence that says what to do.
        headers: extra response headers.
        details: the failed fields; only for `validation_failed`.
    """

    type: ClassVar[str]
    cause: ClassVar[str | None] = None
    status: ClassVar[HTTPStatus]
    default_message: ClassVar[str]

    def __init__(
        self,
        message: str | None = None,
        *,
        headers: Mapping[str, str] | None = None,
        details: Sequence[Detail] | None = None,
    ) -> None:
        self.message = message or self.default_message
        self.headers = dict(headers or {})
        self.details = None if details is None else list(details)
        super().__init__(self.message)

    def envelope(self, request_id: str) -> dict[str, Any]:
        """Return the JSON body (spec, Errors: Shape)."""
        error: dict[str, Any] = {
            "type": self.type,
            "message": self.message,
            "request_id": request_id,
        }
        if self.details is not None:
            error["details"] = self.details
        return {"error": error}


class InvalidRequest(ApiError):
    """Malformed JSON, wrong content type, bad cursor."""

    type = "invalid_request"
    status = HTTPStatus.BAD_REQUEST
    default_message = "The request could not be understood."


class Unauthorized(ApiError):
    """Missing, invalid, expired or revoked credential."""

    type = "unauthorized"
    status = HTTPStatus.UNAUTHORIZED
    default_message = "This credential does not work. Check that it is complete, or get another one."


class InsufficientScope(ApiError):
    """The credential lacks the scope of the operation."""

    type = "insufficient_scope"
    status = HTTPStatus.FORBIDDEN
    default_message = "This credential may not do that."


class MembershipRequired(ApiError):
    """The member's subscription is not active."""

    type = "membership_required"
    status = HTTPStatus.FORBIDDEN
    default_message = "Your membership is not active. Subscribe or renew it to use this operation again."


class NotFound(ApiError):
    """No such route, or no such object of this member's."""

    type = "not_found"
    status = HTTPStatus.NOT_FOUND
    default_message = "There is no such object."


class MethodNotAllowed(ApiError):
    """The route has no such method; `Allow` lists what it has."""

    type = "method_not_allowed"
    status = HTTPStatus.METHOD_NOT_ALLOWED
    default_message = "This method is not supported here. The Allow header lists those that are."


class Conflict(ApiError):
    """A count limit was reached, or another call is in the way, then with `Retry-After`."""

    type = "conflict"
    status = HTTPStatus.CONFLICT
    default_message = "A limit was reached."


class ValidationFailed(ApiError):
    """Input failed validation; `details` lists each field, the first `MAX_DETAILS` where there are more.

    The message is that of the first.

    Attributes:
        is_cut: whether there are more.
    """

    type = "validation_failed"
    status = HTTPStatus.UNPROCESSABLE_ENTITY
    default_message = "title: Must not be empty."  # as an example in the description

    def __init__(self, details: Sequence[Detail]) -> None:
        told = details[:MAX_DETAILS]
        self.is_cut = len(told) < len(details)
        super().__init__(self._message(told), details=told)

    def _message(self, told: Sequence[Detail]) -> str:
        """Return the first detail, since many programs show nothing else, and the number of others."""
        first = f"{told[0]['field']}: {told[0]['message']}"
        if self.is_cut:
            return f"{first} See details for the first {MAX_DETAILS}."
        return first if len(told) == 1 else f"{first} See details for this and {len(told) - 1} more."

    @classmethod
    def of(cls, field: str, message: str) -> "ValidationFailed":
        """Return the error for a single field."""
        return cls([{"field": field, "message": message}])


class RateLimited(ApiError):
    """The rate limit was exceeded; the message and `Retry-After` give the seconds to wait.

    Attributes:
        reason: the sentence before the one that names the seconds.

    Args:
        seconds: until it is worth another try, at least 1.
    """

    type = "rate_limited"
    status = HTTPStatus.TOO_MANY_REQUESTS
    reason: ClassVar[str] = "Too many requests."
    default_message = f"{reason} Wait 24 seconds and try again."  # as an example in the description

    def __init__(self, seconds: int) -> None:
        told = "1 second" if seconds == 1 else f"{seconds} seconds"
        super().__init__(f"{self.reason} Wait {told} and try again.", headers={"Retry-After": str(seconds)})


class InternalError(ApiError):
    """A server error. The answer contains only its request id."""

    type = "internal_error"
    status = HTTPStatus.INTERNAL_SERVER_ERROR
    default_message = "Something went wrong on our side. Try again later; if it persists, report the request id."

    @classmethod
    def of(cls, fault: BaseException | None) -> "InternalError":
        """Return the error for `fault`. It has `Retry-After` if the database was temporarily busy or unreachable."""
        passing = isinstance(fault, OperationalError | InterfaceError)
        return cls(headers={"Retry-After": "1"} if passing else None)


def flatten(detail: Any, path: str = "") -> list[Detail]:
    """Flatten DRF's nested error detail to a list, with paths like `categories[2].weight`."""
    if isinstance(detail, Mapping):
        found: list[Detail] = []
        for name, inner in detail.items():
            if name == api_settings.NON_FIELD_ERRORS_KEY:
                found += flatten(inner, path)
            elif isinstance(name, int):
                found += flatten(inner, f"{path}[{name}]")
            else:
                found += flatten(inner, f"{path}.{name}" if path else str(name))
        return found
    if isinstance(detail, list):
        found = []
        for index, inner in enumerate(detail):
            if isinstance(inner, Mapping | list):
                found += flatten(inner, f"{path}[{index}]")
            else:
                found.append({"field": path or "body", "message": str(inner)})
        return found
    return [{"field": path or "body", "message": str(detail)}]
