"""Headers and errors common to all answers in `/openapi.json`."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Annotated, Any, NamedTuple, NotRequired, TypedDict

from studyservice.operations.answers import answer, example_of
from studyservice.operations.errors import (
    MAX_DETAILS,
    ApiError,
    Conflict,
    InsufficientScope,
    InternalError,
    InvalidRequest,
    MembershipRequired,
    NotFound,
    RateLimited,
    Unauthorized,
    ValidationFailed,
)

Schema = dict[str, Any]

HEADERS: dict[str, Schema] = {
    "X-Request-Id": {
        "description": "Names this request; quote it when you report a problem.",
        "schema": {"type": "string", "pattern": "^req_"},
    },
    "RateLimit-Limit": {
        "description": "Requests allowed per one-minute window.",
        "schema": {"type": "integer"},
    },
    "RateLimit-Remaining": {
        "description": "Requests left in this window.",
        "schema": {"type": "integer", "minimum": 0},
    },
    "RateLimit-Reset": {
        "description": "Seconds until the window ends.",
        "schema": {"type": "integer", "minimum": 1},
    },
}
"""Headers of every answer (spec, Conventions 5)."""

IDEMPOTENCY_KEY: Schema = {
    "name": "Idempotency-Key",
    "type": {
        "type": "string",
        "minLength": 1,
        "maxLength": 255,
        "pattern": "^[!-~]+$",
        "examples": ["8e03978e-40d5-43dd-bc93-6894a57f9324"],
    },
    "description": "Makes it safe to send this call again: for 24 hours the same call with the same key is answered "
    "as it was the first time, and done once. A random UUID for each call.",
}
"""Request header of every POST."""

REPLAYED: Schema = {
    "Idempotency-Replayed": {
        "description": "Set on a repeated answer to a call with the same Idempotency-Key.",
        "schema": {"type": "string", "enum": ["true"]},
    },
}
"""Header of a successful POST."""

_RETRY_AFTER: Schema = {
    "Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer", "minimum": 1}},
}
_CHALLENGE: Schema = {
    "WWW-Authenticate": {
        "description": "Names the protected resource metadata, and what was wrong (RFC 6750 section 3).",
        "schema": {"type": "string"},
    },
}
_CHALLENGE_OF_A_SCOPE: Schema = {
    "WWW-Authenticate": {
        "description": "Only with insufficient_scope: the scopes to request (RFC 6750 section 3).",
        "schema": {"type": "string"},
    },
}


class ErrorEntry(NamedTuple):
    """An error response that operations share.

    Attributes:
        name: its component.
        errors: the errors with its status.
        text: its description.
        headers: those in addition to `HEADERS`.
    """

    name: str
    errors: tuple[type[ApiError], ...]
    text: str
    headers: Mapping[str, Schema] = {}


ERRORS: dict[int, ErrorEntry] = {
    HTTPStatus.BAD_REQUEST: ErrorEntry(
        "InvalidRequest",
        (InvalidRequest,),
        "Malformed JSON, wrong content type, a bad cursor, or a file that cannot be read.",
    ),
    HTTPStatus.UNAUTHORIZED: ErrorEntry(
        "Unauthorized",
        (Unauthorized,),
        "The credential is missing, invalid, expired or revoked; the message says which where it may.",
        _CHALLENGE,
    ),
    HTTPStatus.FORBIDDEN: ErrorEntry(
        "Forbidden",
        (InsufficientScope, MembershipRequired),
        "insufficient_scope: the credential lacks the scope. membership_required: the membership is not active.",
        _CHALLENGE_OF_A_SCOPE,
    ),
    HTTPStatus.NOT_FOUND: ErrorEntry("NotFound", (NotFound,), "The member has no such object."),
    HTTPStatus.CONFLICT: ErrorEntry(
        "Conflict",
        (Conflict,),
        "A count limit was reached, or there is a conflict, which the message names. With Retry-After: another call is "
        "still running; send this one, with its Idempotency-Key, again.",
        _RETRY_AFTER,
    ),
    HTTPStatus.UNPROCESSABLE_ENTITY: ErrorEntry(
        "ValidationFailed", (ValidationFailed,), "Input failed validation; details lists each field."
    ),
    HTTPStatus.TOO_MANY_REQUESTS: ErrorEntry(
        "RateLimited", (RateLimited,), "Too many requests; Retry-After gives the seconds to wait.", _RETRY_AFTER
    ),
    HTTPStatus.INTERNAL_SERVER_ERROR: ErrorEntry("InternalError", (InternalError,), "A server error."),
}
"""Status to its error response (spec, Errors: Catalogue)."""


@answer(field="title", message="Must not be empty.")
class DetailRow(TypedDict):
    """One field that failed validation."""

    field: Annotated[str, "The field's name, with a path if it is nested."]
    message: Annotated[str, "What is wrong with it."]


def _example(error: type[ApiError]) -> Schema:
    """Return the error object of `error`."""
    example: Schema = {
        "type": error.type,
        "message": error.default_message,
        "request_id": "req_3q2nVw8yZt5kLx0aBcD1eFgH",
    }
    if error is ValidationFailed:
        example["details"] = [example_of(DetailRow)]
    return example


@answer(**_example(ValidationFailed))
class ErrorBodyRow(TypedDict):
    """The error."""

    type: Annotated[str, "The kind of error, for programs."]
    message: Annotated[str, "What went wrong and what to do, for people."]
    request_id: Annotated[str, "Equal to the X-Request-Id header."]
    details: NotRequired[
        Annotated[
            list[DetailRow],
            f"With validation_failed: the fields that are wrong, the first {MAX_DETAILS} where there are more.",
        ]
    ]


@answer(error=example_of(ErrorBodyRow))
class ErrorEnvelopeRow(TypedDict):
    """Every error response of the API."""

    error: Annotated[ErrorBodyRow, "The error."]


def header_refs(headers: Mapping[str, Schema] = HEADERS) -> Schema:
    """Return references to the components of `headers`."""
    return {name: {"$ref": f"#/components/headers/{name}"} for name in headers}


def error_response(response: ErrorEntry) -> Schema:
    """Return the component of `response`, with an example for each of its errors."""
    return {
        "description": response.text,
        "headers": header_refs() | dict(response.headers),
        "content": {
            "application/json": {
                "schema": {"$ref": "#/components/schemas/ErrorEnvelope"},
                "examples": {error.type: {"value": {"error": _example(error)}} for error in response.errors},
            }
        },
    }
