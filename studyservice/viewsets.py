"""The base of every operation: checks the caller and the arguments, then runs the action.

The checks have the order of Django REST framework: method, credential, rate, permission, parsing, action. Tools have no
HTTP request of their own, so `MemberViewSet` makes them for both entry points, without `APIView.initial` and its
authentication, permission and throttle classes. Requests for unknown routes count toward the rate too, and those have
no view.

Three parts of the framework are left out for speed. CPU time in µs, the minimum of 40 measurements on a busy machine,
with the framework and here: an empty answer by `Request`, content negotiation, `Response` and a renderer, 65 to 70 and
5.5; a body of three fields in a serializer for each request, 83 to 94, and in one shared instance of it, 14 to 16; 25
items by `serializer(many=True).data` and `JSONRenderer`, 1,220 to 1,254, and as rows of the statement by orjson, 20 to
33.
"""

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache, update_wrapper
from http import HTTPStatus
from typing import Any, ClassVar, Protocol, cast
from uuid import UUID

import orjson
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from rest_framework.viewsets import ViewSet

from studyservice.changes.calls import acting
from studyservice.changes.replaying import META, REPLAYED, KeyedAnswer, KeyedCall, answer_once
from studyservice.database.statements import Row
from studyservice.http.bodies import (
    JSON_TYPE,
    challenge,
    content_response,
    download_response,
    error_response,
    json_response,
    read_json,
    read_raw,
)
from studyservice.http.requests import CHANGE_ID, RequestKey
from studyservice.http.uploads import read_upload
from studyservice.operations.answers import DownloadRow
from studyservice.operations.codec import encode
from studyservice.operations.declaration import Operation
from studyservice.operations.errors import (
    ApiError,
    Detail,
    InsufficientScope,
    MethodNotAllowed,
    NotFound,
    ValidationFailed,
)
from studyservice.operations.fields import parse_uuid
from studyservice.operations.serializers import Query
from studyservice.operations.uploads import Received, UploadedFile
from studyservice.registry import Member
from studyservice.rows.access import CREDENTIAL, Access, Credential
from studyservice.rows.limits import require_grades_left_out, require_within

UPLOAD = RequestKey[Received]("upload")
"""The files of a request, closed after the answer."""


class Arguments(Protocol):
    """The unchecked arguments of an operation, from REST or from a tool."""

    @property
    def path_ids(self) -> Mapping[str, Any]:
        """Return the ids in the path, by name."""

    def query(self, declared: type[Query]) -> dict[str, Any]:
        """Return the parsed query parameters.

        Raises:
            ValidationFailed: some are wrong.
        """

    def body(self, operation: Operation) -> Any:
        """Return the JSON value of the body, or its files.

        If the operation takes neither, return the bytes of a POST, which are ignored, or None.

        Raises:
            InvalidRequest: the body cannot be read.
        """


@dataclass(frozen=True, slots=True)
class HttpArguments:
    """The arguments of a REST request."""

    request: HttpRequest
    path_ids: Mapping[str, Any]

    def query(self, declared: type[Query]) -> dict[str, Any]:
        """Return the parameters of the query string and of the form fields beside a file."""
        values = self.request.GET.dict() if self.request.META.get("QUERY_STRING") else {}
        received = UPLOAD.get(self.request)
        beside = {} if received is None else received.fields
        if different := [name for name in beside if values.get(name, beside[name]) != beside[name]]:
            message = "Has one value in the query and another in the form. Send one of them."
            raise ValidationFailed([{"field": name, "message": message} for name in different])
        return declared.parse_text({**values, **beside})

    def body(self, operation: Operation) -> Any:
        """Read the request's body."""
        upload, takes_json = operation.upload, operation.body is not None
        if upload is not None and not (takes_json and self.request.content_type in {JSON_TYPE, ""}):
            with ExitStack() as turn:
                if upload.turn is not None:
                    turn.enter_context(upload.turn())
                received = read_upload(self.request, upload, or_json=takes_json)
                received.turn.push(turn.pop_all())
            UPLOAD.set(self.request, received)
            return received
        if takes_json:
            return read_json(self.request, long=operation.long_body)
        return read_raw(self.request) if self.request.method == "POST" else None


class MemberViewSet(ViewSet):
    """Runs declared operations for one member.

    Route, credential, rate limit and membership were checked before: for REST by `accounts.api.middleware`, for tools
    by `mcpbridge.server`. Both entry points set the current call (`studyservice.changes.calls`) and call `run`, which
    makes the remaining checks in a fixed order (docs/architecture.md). Each writes the returned record in its own way.
    DRF contributes routing and description: `as_view`, and the viewset that drf-spectacular reads.

    Attributes:
        tag: the heading of these operations in `/openapi.json`.
        credential: the caller's credential.
        member: the member who owns the data.
        access: what the call may see of it.
        query: the parsed query parameters.
        body: the validated body.
        status: the status of a success; None for the declared one.
        upload: the uploaded file, if the operation takes one; not set when the body was JSON instead.
    """

    http_method_names = ("get", "head", "post", "put", "patch", "delete")
    tag: ClassVar[str]

    credential: Credential
    member: Member
    access: Access
    query: dict[str, Any]
    body: dict[str, Any]
    status: HTTPStatus | None = None
    upload: UploadedFile

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Refuse an action without a declaration."""
        super().__init_subclass__(**kwargs)
        for name, attribute in vars(cls).items():
            if callable(attribute) and not name.startswith("_"):
                raise TypeError(f"{cls.__name__}.{name} is not declared with @operation")

    @classmethod
    def as_view(cls, actions: Any = None, **initkwargs: Any) -> Any:
        """Return the view of a route; `actions` maps lower-case HTTP methods to names of operations.

        It has the attributes of a DRF view. DRF's own would bind each action of the route to the instance on every
        request.
        """
        described = super().as_view(actions, **initkwargs)
        methods = {**actions, "head": actions["get"]} if "get" in actions else actions

        def view(request: HttpRequest, **path_ids: str) -> HttpResponseBase:
            viewset = cls(**initkwargs)
            viewset.action_map = methods
            return viewset.dispatch(request, **path_ids)

        update_wrapper(view, described)
        view.__dict__["max_body_bytes"] = max(getattr(cls, name).max_body_bytes for name in actions.values())
        return view

    def dispatch(self, request: HttpRequest, *args: Any, **path_ids: str) -> HttpResponseBase:
        """Answer a REST request."""
        try:
            operation = self._operation_of(request)
            credential, arguments = CREDENTIAL.require(request), HttpArguments(request, path_ids)
            response: HttpResponseBase
            with acting(credential.actor, operation=operation) as call:
                if request.method == "POST" and META in request.META:
                    response = self._answer_once(operation, credential, arguments)
                else:
                    response = self._response(operation, self.run(operation, credential, arguments))
        except ApiError as error:
            if isinstance(error, InsufficientScope):
                error.headers["WWW-Authenticate"] = challenge(request.path_info, "insufficient_scope")
            return error_response(error)
        finally:
            if (received := UPLOAD.get(request)) is not None:
                received.close()
        if call.change_id is not None:
            CHANGE_ID.set(request, call.change_id)
        return response

    def _response(self, operation: Operation, row: Row) -> HttpResponseBase:
        status = self.status or operation.status
        if operation.downloads:
            return download_response(cast("DownloadRow", row), status)
        return json_response(row, status)

    def _operation_of(self, request: HttpRequest) -> Operation:
        name = self.action_map.get((request.method or "").lower())
        if name is None:
            allowed = [method.upper() for method in self.http_method_names if method in self.action_map]
            raise MethodNotAllowed(headers={"Allow": ", ".join(allowed)})
        operation: Operation = getattr(self, name)
        return operation

    def _answer_once(self, operation: Operation, credential: Credential, arguments: HttpArguments) -> HttpResponse:
        """Answer a POST that carries an `Idempotency-Key`."""
        sent = _checked_body(operation, credential, arguments)
        keyed = KeyedCall.of(
            arguments.request, operation, sent, member_id=credential.member.id, holder=credential.holder
        )

        def run() -> KeyedAnswer:
            content = encode(self._act(operation, credential, arguments, sent))
            return KeyedAnswer(self.status or operation.status, content)

        outcome = answer_once(keyed, run)
        content = outcome.content
        if outcome.replayed and credential.limits.keep_back:
            content = self._replayed(operation, credential, arguments, content)
        response = content_response(content, outcome.status)
        if outcome.replayed:
            response.headers[REPLAYED] = "true"
        return response

    def _replayed(self, operation: Operation, credential: Credential, arguments: Arguments, content: bytes) -> bytes:
        """Return a replayed answer, filtered by the credential's current limits.

        Raises:
            ApiError: the credential no longer sees the object of the answer.
        """
        self._set(credential)
        if operation.exists is not None:
            operation.exists(self.access, **self._parse_parameters(operation, arguments))
            return content
        if operation.still_seen is None:
            raise NotFound
        row = operation.still_seen(self.access, orjson.loads(content))
        return content if row is None else encode(row)

    def run(self, operation: Operation, credential: Credential, arguments: Arguments) -> Row:
        """Run an operation of this viewset and return its record.

        Raises:
            ApiError: the first check that fails.
        """
        return self._act(operation, credential, arguments, _checked_body(operation, credential, arguments))

    def _act(self, operation: Operation, credential: Credential, arguments: Arguments, sent: object) -> Row:
        """Run an operation whose body has been read.

        A missing object is reported before errors in the body. The action checks object, parent and count limits.
        """
        self._set(credential)
        path_ids = self._parse_parameters(operation, arguments)
        try:
            if isinstance(sent, Received):
                self.upload = sent.one()
            if operation.body is not None:
                partial = operation.partial or isinstance(sent, Received)
                self.body = operation.body.parse(sent.fields if isinstance(sent, Received) else sent, partial=partial)
        except ValidationFailed:
            if operation.exists is not None:
                operation.exists(self.access, **path_ids)
            raise
        return operation.action(self, **path_ids)

    def _set(self, credential: Credential) -> None:
        """Answer for the credential: its member, and the limits that its consent or its key set."""
        self.credential = credential
        self.member = credential.member
        self.access = Access(credential.member, credential.limits, credential.kind, credential.holder)

    def _parse_parameters(self, operation: Operation, arguments: Arguments) -> dict[str, UUID]:
        """Return the ids in the path, and set `query`.

        Raises:
            ValidationFailed: lists every error in both.
        """
        path_ids: dict[str, UUID] = {}
        details: list[Detail] = []
        for name in operation.path_ids:
            if name not in arguments.path_ids:
                details.append({"field": name, "message": "This field is required."})
                continue
            sent = arguments.path_ids[name]
            parsed = parse_uuid(sent)
            if parsed is None:
                details.append({"field": name, "message": "Must not be null." if sent is None else "Must be a UUID."})
            else:
                path_ids[name] = parsed
        try:
            self.query = {} if operation.query is None else arguments.query(operation.query)
        except ValidationFailed as error:
            details += error.details or []
        if details:
            raise ValidationFailed(details)
        return path_ids


def _checked_body(operation: Operation, credential: Credential, arguments: Arguments) -> object:
    """Return the body, after checking that the credential may call the operation."""
    if operation.scope not in credential.scopes:
        raise InsufficientScope(f"This credential has no {operation.scope} permission. Use one that has it.")
    require_within(operation, credential.limits)
    sent = arguments.body(operation)
    require_grades_left_out(operation, credential.limits, sent)
    return sent


@cache
def routed(view: Callable[..., Any]) -> dict[str, Operation]:
    """Return the operations of a view by lower-case HTTP method; empty unless the view is a `MemberViewSet`.

    Cached: every route has one view.
    """
    viewset = getattr(view, "cls", None)
    if not (isinstance(viewset, type) and issubclass(viewset, MemberViewSet)):
        return {}
    actions: Mapping[str, str] = vars(view)["actions"]  # set by DRF's as_view
    return {method: getattr(viewset, name) for method, name in actions.items()}
