"""The gates before every API route: credential and rate limit, then the membership."""

import logging
from collections.abc import Callable, Collection, Mapping
from functools import cache
from typing import Any

from django.conf import settings
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse

from accounts.api.viewsets import routed
from accounts.changes.acting import Actor, acting
from accounts.changes.models import ActorKind
from accounts.credentials.app_calls import note_call
from accounts.credentials.challenges import Reason, challenge
from accounts.credentials.key_networks import note_network
from accounts.credentials.rates import WINDOW, count
from accounts.credentials.resolving import CREDENTIAL, DEAD_CREDENTIAL, credential_of, presented_secret
from accounts.members.membership import require_membership
from accounts.members.models import Member
from studyservice.http.client_address import client_address, client_network
from studyservice.http.fork import ApiGate
from studyservice.http.paths import ADMIN_ROOT, is_api_path, is_below, is_mcp_path
from studyservice.http.request_keys import CALLER
from studyservice.http.responses import error_response, rpc_error_response
from studyservice.operations.declaration import Operation
from studyservice.operations.errors import (
    ApiError,
    InternalError,
    InvalidRequest,
    MembershipRequired,
    RateLimited,
    Unauthorized,
)
from studyservice.rates.limiter import Rate, Window, hit, peek
from studyservice.server.lanes import MEMBER

logger = logging.getLogger(__name__)

_PLAIN_HTTP = "Use https. A credential that was sent over http may have been read on the way: replace it."


class CredentialMiddleware(ApiGate):
    """Resolves the credential of an API request and counts the request, once, against its fixed window.

    A request without a live credential counts against its client address. Unknown routes are counted and answered 404;
    only a route that exists goes on to 401 and 429 (`process_view`). Where the service stands behind https, plain http
    is refused. CORS preflight needs no credential and is not counted; any other OPTIONS on `/mcp` needs no credential
    either. Every answer carries the `RateLimit-*` headers (spec, Conventions 5), and is noted for the member whose app
    asked.
    """

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Count `request`, go on with its credential, and note what came of it."""
        if not is_api_path(request.path_info):
            return self.get_response(request)
        if is_preflight(request):
            window = peek(Rate.API, client_address(request))
            response = HttpResponse(headers={"Content-Length": "0"})
        else:
            window, refusal = self._count(request)
            response = self.get_response(request) if refusal is None else error_response(refusal)
            note_call(request, response)
            note_network(request)
        for name, value in (WINDOW.get(request) or window).headers().items():
            response.headers[name] = value
        return response

    def _count(self, request: HttpRequest) -> tuple[Window, ApiError | None]:
        """The state of the request's window, and why it goes no further."""
        if settings.SECURE_SSL_REDIRECT and not request.is_secure():
            return hit(Rate.API, client_address(request)), InvalidRequest(_PLAIN_HTTP)
        try:
            credential = credential_of(request)
        except DatabaseError as error:
            logger.exception("The credential could not be looked up")
            return hit(Rate.API, client_address(request)), InternalError.of(error)
        window = count(credential) if credential else hit(Rate.API, client_address(request))
        WINDOW.set(request, window)
        if credential is not None:
            CREDENTIAL.set(request, credential)
            CALLER.set(request, credential.caller)
            request.META[MEMBER] = credential.member.id  # for the order in which requests are served
        elif (dead := DEAD_CREDENTIAL.get(request)) is not None:
            CALLER.set(request, {"client_id": dead.connection.client_id, "credential": dead.refusal.value})
        return window, None

    def process_view(self, request: HttpRequest, view: Any, args: Any, kwargs: Any) -> HttpResponse | None:
        """401 or 429 for a route that exists."""
        window = WINDOW.get(request)
        if window is None:
            return None
        is_mcp = is_mcp_path(request.path_info)
        respond = rpc_error_response if is_mcp else error_response
        if window.exceeded:
            return respond(RateLimited(window.reset))
        if CREDENTIAL.get(request) is None and not (is_mcp and request.method == "OPTIONS"):
            error: Reason | None = None if presented_secret(request) is None else "invalid_token"
            return respond(Unauthorized(headers={"WWW-Authenticate": challenge(request.path_info, error)}))
        return None


class ActingMiddleware:
    """Says who acts on pages: the operator in the admin, elsewhere the member, on a page of this service.

    API requests pass by; their credential acts (`MemberViewSet`). Who is signed in is looked up when something is
    changed.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Go on as whoever is signed in, and name them to the log if that was looked up."""
        with acting(lambda: _on_a_page(request), client_network(request)):
            response = self.get_response(request)
        member = _known(request)
        if member is not None:
            CALLER.set(request, {"member": member.id, **(CALLER.get(request) or {})})
        return response


def _known(request: HttpRequest) -> Member | None:
    """Who is signed in, or signed in just now, if anything asked for it; costs no query."""
    user = vars(request).get("_cached_user", vars(request).get("user"))  # as Django's middleware and `login` leave them
    return user if type(user) is Member else None


def _on_a_page(request: HttpRequest) -> Actor:
    user = request.user
    if is_below(request.path_info, ADMIN_ROOT) and isinstance(user, Member):
        return Actor(ActorKind.OPERATOR, user.id, user.name)
    return Actor(ActorKind.PAGE)


class MembershipMiddleware:
    """REST's door to the rule of memberships, after the rate and before the method.

    A method that the route does not have is 405 for a lapsed member too, where an operation of the route needs none.
    Tools come to the same function one by one (`mcpbridge.server`).
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, view: Any, args: Any, kwargs: Any) -> HttpResponse | None:
        """403 for a lapsed member."""
        credential = CREDENTIAL.get(request)
        if credential is not None:
            try:
                require_membership(credential.member, _asked_for(view, request.method or ""))
            except MembershipRequired as error:
                return error_response(error)
        return None


def _asked_for(view: Callable[..., HttpResponse], method: str) -> Collection[Operation]:
    """The operation that the route answers `method` with; where it has none, all, unless one needs no membership."""
    operations = _operations(view)
    asked = operations.get("get" if method == "HEAD" else method.lower())
    if asked is not None:
        return [asked]
    return operations.values() if all(operation.membership for operation in operations.values()) else ()


@cache
def _operations(view: Callable[..., HttpResponse]) -> Mapping[str, Operation]:
    """The operations of the route of `view`, by method; there are as many views as routes."""
    return routed(view)


def is_preflight(request: HttpRequest) -> bool:
    """Whether this is a CORS preflight (Fetch standard, CORS-preflight request)."""
    return request.method == "OPTIONS" and "HTTP_ACCESS_CONTROL_REQUEST_METHOD" in request.META
