"""The base of every operation: who is asking, and may they."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Protocol

from django.http import HttpRequest, HttpResponse
from rest_framework.request import Request
from rest_framework.viewsets import ViewSet

from accounts.credentials import Credential
from accounts.models import Member
from studyservice.http.bodies import read_json, require_whole
from studyservice.http.responses import json_response
from studyservice.operations.codec import encode
from studyservice.operations.declaration import Operation
from studyservice.operations.errors import (
    Detail,
    InsufficientScope,
    MembershipRequired,
    MethodNotAllowed,
    ValidationFailed,
)
from studyservice.operations.fields import parse_uuid
from studyservice.operations.serializers import Query


class Arguments(Protocol):
    """What a caller sent to an operation, unchecked, whichever door it came through."""

    @property
    def path_ids(self) -> Mapping[str, Any]:
        """The ids in the path, by name."""

    def query(self, declared: type[Query]) -> dict[str, Any]:
        """The parsed query parameters.

        Raises:
            ValidationFailed: some are wrong.
        """

    def body(self) -> Any:
        """The JSON value of the body.

        Raises:
            InvalidRequest: it cannot be read.
        """


@dataclass(frozen=True, slots=True)
class HttpArguments:
    """The arguments of a REST request."""

    request: HttpRequest
    path_ids: Mapping[str, Any]

    def query(self, declared: type[Query]) -> dict[str, Any]:
        """From the query string."""
        return declared.parse(self.request.GET)

    def body(self) -> Any:
        """From the request's body."""
        return read_json(self.request)


class MemberViewSet(ViewSet):
    """Runs declared operations for the member whose credential the request carries.

    The route, the credential and the rate limit were checked before (`accounts.middleware`). `admit` checks the
    rest in the service's fixed order: membership, method, scope, content type and JSON, path ids and parameters. The
    object, its parent, the body and the count limits are the action's. DRF comes in through `initial`, every other
    door through `run`.

    Attributes:
        tag: the heading of these operations in `/openapi.json`.
        credential: who is asking.
        member: whose data this is.
        query: the parsed query parameters.
    """

    http_method_names = ("get", "head", "post", "put", "patch", "delete")
    tag: ClassVar[str]

    credential: Credential
    member: Member
    query: dict[str, Any]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Refuse an action that declares nothing about itself."""
        super().__init_subclass__(**kwargs)
        for name, attribute in vars(cls).items():
            public = callable(attribute) and not name.startswith("_")
            if public and not hasattr(attribute, "operation"):
                raise TypeError(f"{cls.__name__}.{name} is not declared with @operation")

    @cached_property
    def operation(self) -> Operation:
        """The declared operation of this request's method.

        Raises:
            MethodNotAllowed: the route has no such method.
        """
        declared: Operation | None = getattr(getattr(self, self.action or "", None), "operation", None)
        if declared is None:
            raise MethodNotAllowed(headers={"Allow": ", ".join(self.allowed_methods)})
        return declared

    @property
    def body(self) -> dict[str, Any]:
        """The validated body.

        Raises:
            NotFound: the body is wrong, and so is the path's object, which comes first.
            ValidationFailed: the body is wrong.
        """
        body = self.operation.body
        if body is None:
            raise TypeError(f"{self.operation.id} declares no body")
        try:
            return body.parse(self._json, partial=self.operation.partial)
        except ValidationFailed:
            if self.operation.exists is not None:
                self.operation.exists(self.member, **self.kwargs)
            raise

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """DRF's hook before the action."""
        django_request = request._request
        credential: Credential = django_request.credential  # type: ignore[attr-defined]  # set by the middleware
        self.admit(credential, HttpArguments(django_request, kwargs))
        if self.operation.body is None and request.method == "DELETE":
            require_whole(django_request)

    @classmethod
    def run(cls, action: str, credential: Credential, arguments: Arguments) -> bytes:
        """The JSON that `action` answers, without a REST request.

        Raises:
            ApiError: as its REST route would answer.
        """
        view = cls()
        view.action = action
        view.action_map = {action: action}
        view.kwargs = {}
        view.admit(credential, arguments)
        return encode(getattr(view, action)(None, **view.kwargs))

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        """DRF's hook after the action: what it answered, as JSON; an error is a response already."""
        if not isinstance(response, HttpResponse):
            response = json_response(response, self.operation.status)
        return super().finalize_response(request, response, *args, **kwargs)

    def admit(self, credential: Credential, arguments: Arguments) -> None:
        """Every check that comes before the object itself."""
        self.credential = credential
        self.member = credential.member
        self._check_caller()
        if self.operation.body is not None:
            self._json = arguments.body()
        self._parse_parameters(arguments)

    def _check_caller(self) -> None:
        if not self._works_without_membership() and not self.member.membership_is_active():
            raise MembershipRequired
        if self.operation.scope not in self.credential.scopes:
            raise InsufficientScope(f"This credential has no {self.operation.scope} permission. Use one that has it.")

    def _works_without_membership(self) -> bool:
        """Whether this route's operations do; a method it does not have is 405 for a lapsed member too."""
        operations = [getattr(self, name).operation for name in set(self.action_map.values())]
        return not any(operation.membership for operation in operations)

    def _parse_parameters(self, arguments: Arguments) -> None:
        details: list[Detail] = []
        for name in self.operation.path_ids:
            if name not in arguments.path_ids:
                details.append({"field": name, "message": "This field is required."})
                continue
            self.kwargs[name] = parse_uuid(arguments.path_ids[name])
            if self.kwargs[name] is None:
                details.append({"field": name, "message": "Must be a UUID."})
        try:
            query = self.operation.query
            self.query = arguments.query(query) if query is not None else {}
        except ValidationFailed as error:
            details += error.details or []
        if details:
            raise ValidationFailed(details)

    @property
    def default_response_headers(self) -> dict[str, str]:
        """None: `Allow` belongs to 405, and there is one media type."""
        return {}
