"""The declaration of an operation.

An operation is a viewset action decorated with `@operation`, which turns it into an `Operation`. The REST route, the
entry in `/openapi.json` and the MCP tool are derived from it. The action's name is the operationId, its UUID parameters
are the path ids. The first paragraph of its docstring is the text for tools and the OpenAPI document. Further
paragraphs are for people, on the reference page only.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, fields
from enum import StrEnum
from http import HTTPStatus
from typing import Any
from uuid import UUID

from django.conf import settings

from studyservice.database.statements import Row
from studyservice.operations.serializers import Body, Query
from studyservice.operations.uploads import Upload

MAX_DESCRIPTION = 300
"""Longest description, in characters (spec, Limits: MCP)."""

MAX_NAME = 64
"""Longest operationId and tool name, in characters (spec, Limits: MCP)."""


class Scope(StrEnum):
    """The permissions of a credential (spec, Scopes)."""

    READ = "read"
    WRITE = "write"


StillSeen = Callable[[Any, Mapping[str, Any]], Row | None]
"""Takes the member and a stored answer. Raises `ApiError` if the credential no longer sees its object. Returns a
replacement, or None to keep the answer.
"""

Action = Callable[..., Row]
"""A method that takes the path's UUIDs and returns the answer."""


@dataclass(frozen=True, slots=True)
class Declaration:
    """The declarations of an operation, besides its action.

    Attributes:
        title: a few words for lists.
        scope: required of the credential.
        answer: the class of a success, declared by `studyservice.operations.answers.answer`.
        status: HTTP status of a success.
        other_status: of another success, like one that had nothing to create; the action sets its viewset's `status`.
        many: whether the answer is a Page of `answer`.
        downloads: the media types of a success that is a file instead of JSON; the action returns a `DownloadRow`.
        query: query parameters.
        body: request body.
        long_body: whether its limit is `MAX_LONG_BODY_BYTES` instead of `MAX_BODY_BYTES`.
        partial: whether only the fields that were sent are changed.
        exists: raises `NotFound` unless the path's object is the member's; called only before a 422 about the body,
            because the 404 of a missing object comes first.
        counted: whether a count limit can cause 409.
        membership: whether an active membership is required.
        consequential: whether an application should ask the member before a call.
        upload: the file that is the request body.
        tool: whether it is also an MCP tool; operations on bytes or the account are REST only.
        still_seen: for a POST without `exists`: filters a stored answer for a limited credential.
        grades: whether it is about grades, which may be hidden from a credential.
        grade_fields: fields of the body that are about grades, like `category_id` and `more.category_id`.
        whole_account: whether it concerns all of the member's data, and so is refused to limited credentials.
    """

    title: str
    _: KW_ONLY
    scope: Scope
    answer: type[object]
    status: HTTPStatus = HTTPStatus.OK
    other_status: HTTPStatus | None = None
    many: bool = False
    downloads: tuple[str, ...] = ()
    query: type[Query] | None = None
    body: type[Body] | None = None
    long_body: bool = False
    partial: bool = False
    exists: Callable[..., object] | None = None
    counted: bool = False
    membership: bool = True
    consequential: bool = False
    upload: Upload | None = None
    tool: bool = True
    still_seen: StillSeen | None = None
    grades: bool = False
    grade_fields: tuple[str, ...] = ()
    whole_account: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation(Declaration):
    """One operation: the action and its declarations.

    Attributes:
        action: the code; `studyservice.viewsets` runs it for REST and for tools.
        id: operationId and tool name.
        description: for tools and `/openapi.json`, at most `MAX_DESCRIPTION` characters.
        about: paragraphs for people, only for the reference page.
        path_ids: names of the UUIDs in the path, outermost first.
    """

    action: Action
    id: str
    description: str
    about: tuple[str, ...]
    path_ids: tuple[str, ...]

    @property
    def max_body_bytes(self) -> int:
        """Return the largest body of a request."""
        most: int = settings.MAX_LONG_BODY_BYTES if self.long_body else settings.MAX_BODY_BYTES
        return most if self.upload is None else max(most, self.upload.max_body_bytes)

    def error_statuses(self, method: str) -> list[HTTPStatus]:
        """Return the statuses other than success that the operation may answer (spec, Operation rules).

        For a POST that includes the errors of its `Idempotency-Key`.

        Args:
            method: of its route, in capitals.
        """
        found = {
            HTTPStatus.UNAUTHORIZED,
            HTTPStatus.FORBIDDEN,
            HTTPStatus.TOO_MANY_REQUESTS,
            HTTPStatus.INTERNAL_SERVER_ERROR,
        }
        takes_cursor = self.query is not None and "cursor" in self.query.shared().fields
        if self.body is not None or self.upload is not None or takes_cursor:
            found.add(HTTPStatus.BAD_REQUEST)
        if self.path_ids:
            found.add(HTTPStatus.NOT_FOUND)
        if self.path_ids or self.query is not None or self.body is not None:
            found.add(HTTPStatus.UNPROCESSABLE_ENTITY)
        if self.counted:
            found.add(HTTPStatus.CONFLICT)
        if method == "POST":
            found |= {HTTPStatus.BAD_REQUEST, HTTPStatus.CONFLICT, HTTPStatus.UNPROCESSABLE_ENTITY}
        return sorted(found)


class operation(Declaration):  # noqa: N801  # a decorator
    """Declare a viewset action as an operation."""

    def __call__(self, action: Action) -> Operation:
        """Return the operation.

        Raises:
            TypeError: at import, when the name or the text for tools is missing or too long.
        """
        if len(action.__name__) > MAX_NAME:
            raise TypeError(f"{action.__qualname__}: name over {MAX_NAME} characters")
        description, *about = (" ".join(part.split()) for part in (inspect.getdoc(action) or "").split("\n\n"))
        if not 0 < len(description) <= MAX_DESCRIPTION:
            raise TypeError(
                f"{action.__qualname__}: docstring of 1 to {MAX_DESCRIPTION} characters in its first paragraph"
            )
        parameters = inspect.signature(action, eval_str=True).parameters.values()
        return Operation(
            **{field.name: getattr(self, field.name) for field in fields(self)},
            action=action,
            id=action.__name__,
            description=description,
            about=tuple(about),
            path_ids=tuple(parameter.name for parameter in parameters if parameter.annotation is UUID),
        )
