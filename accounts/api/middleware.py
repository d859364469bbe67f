"""Middleware around every API route: credential, rate limit and membership. For pages it sets the current call."""

import logging
from collections.abc import Callable, Collection, Iterable
from typing import Any

from django.conf import settings
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse

from accounts.credentials.resolving import DEAD_CREDENTIAL, credential_of, presented_secret
from accounts.credentials.uses import cause_of, note_call, note_network
from accounts.members.models import Member
from studyservice.changes.calls import Actor, acting
from studyservice.http.bodies import challenge, error_response, rpc_error_response
from studyservice.http.requests import (
    ADMIN_ROOT,
    CALLER,
    REFUSAL,
    RequestKey,
    client_address,
    client_network,
    is_api_path,
    is_below,
    is_mcp_path,
)
from studyservice.models import ActorKind
from studyservice.operations.declaration import Operation
from studyservice.operations.errors import (
    InternalError,
    InvalidRequest,
    MembershipRequired,
    RateLimited,
    Unauthorized,
)
from studyservice.rates.limiter import Rate, Window, hit, peek
from studyservice.rows.access import CREDENTIAL, Credential
from studyservice.server.lanes import MEMBER
from studyservice.viewsets import routed

logger = logging.getLogger(__name__)

_PLAIN_HTTP = "Use https. A credential that was sent over http may have been read on the way: replace it."


WINDOW = RequestKey[Window]("window")
"""The rate limit's state after the request was counted. Missing if it was not counted."""


class CredentialMiddleware:
    """Resolves the credential of an API request, counts the request against its window and checks the membership.

    A request without a live credential counts against its client address. Unknown routes are counted and answered 404;
    401, 403 and 429 need a route that exists (`process_view`). Behind https, plain http is refused. CORS preflight
    needs no credential and is not counted. Any other OPTIONS on `/mcp` needs no credential either. Every answer carries
    the `RateLimit-*` headers (spec, Conventions 5), and is recorded (`accounts.credentials.uses`).
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Count `request`, process it with its credential, and record the result."""
        if not is_api_path(request.path_info):
            return self.get_response(request)
        if is_preflight(request):
            window = peek(Rate.API, client_address(request))
            response = self.get_response(request)
        else:
            window = self._count(request)
            response = self.get_response(request)
            note_call(request, response)
            note_network(request)
        for name, value in (WINDOW.get(request) or window).headers().items():
            response.headers[name] = value
        return response

    def _count(self, request: HttpRequest) -> Window:
        """Return the state of the request's window. Sets `REFUSAL` if the request is refused."""
        if settings.SECURE_SSL_REDIRECT and not request.is_secure():
            REFUSAL.set(request, (InvalidRequest(_PLAIN_HTTP), None))
            return hit(Rate.API, client_address(request))
        try:
            credential = credential_of(request)
        except DatabaseError as error:
            logger.exception("The credential could not be looked up")
            REFUSAL.set(request, (InternalError.of(error), None))
            return hit(Rate.API, client_address(request))
        window = count(credential) if credential else hit(Rate.API, client_address(request))
        WINDOW.set(request, window)
        if credential is not None:
            CREDENTIAL.set(request, credential)
            CALLER.set(request, credential.caller)
            request.META[MEMBER] = credential.member.id  # for the fairness of the request queue
        elif (dead := DEAD_CREDENTIAL.get(request)) is not None:
            CALLER.set(request, dead.caller)
        return window

    def process_view(self, request: HttpRequest, view: Any, args: Any, kwargs: Any) -> HttpResponse | None:
        """Return 429, 401 or 403 on a route that exists.

        If an operation of the route needs no membership, an unsupported method is 405 for a lapsed member too. Tools
        check the membership for each call (`mcpbridge.server`).
        """
        window = WINDOW.get(request)
        if window is None:
            return None
        is_mcp = is_mcp_path(request.path_info)
        respond = rpc_error_response if is_mcp else error_response
        if window.exceeded:
            return respond(RateLimited(window.reset))
        credential = CREDENTIAL.get(request)
        if credential is None:
            if is_mcp and request.method == "OPTIONS":
                return None
            return respond(_unauthorized(request))
        try:
            require_membership(credential.member, _requested(view, request.method or ""))
        except MembershipRequired as error:
            return error_response(error)
        return None


def _unauthorized(request: HttpRequest) -> Unauthorized:
    """Return the 401 with its cause. Without a credential the challenge has no error (RFC 6750 section 3.1)."""
    cause, path = cause_of(request), request.path_info
    header = challenge(path) if presented_secret(request) is None else challenge(path, "invalid_token", cause)
    return Unauthorized(cause, headers={"WWW-Authenticate": header})


class CallMiddleware:
    """Sets the current call for pages: the actor is the operator in the admin, and a page everywhere else.

    API requests have their own. The user is looked up at the first change.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Run `request` as the signed-in user, and add the user to the log line if one was looked up."""
        if is_api_path(request.path_info):
            return self.get_response(request)
        with acting(lambda: _on_a_page(request), client_network(request)):
            response = self.get_response(request)
        member = _known(request)
        if member is not None:
            CALLER.set(request, {"member": member.id, **(CALLER.get(request) or {})})
        return response


def _known(request: HttpRequest) -> Member | None:
    """Return the signed-in user if already looked up. Costs no query."""
    user = vars(request).get("_cached_user", vars(request).get("user"))  # set by Django's middleware and `login`
    return user if type(user) is Member else None


def _on_a_page(request: HttpRequest) -> Actor:
    user = request.user
    if is_below(request.path_info, ADMIN_ROOT) and isinstance(user, Member):
        return Actor(ActorKind.OPERATOR, user.id, user.name)
    return Actor(ActorKind.PAGE)


def _requested(view: Callable[..., HttpResponse], method: str) -> Collection[Operation]:
    """Return the route's operation for `method`, or all its operations if it has none and each needs a membership."""
    operations = routed(view)
    asked = operations.get("get" if method == "HEAD" else method.lower())
    if asked is not None:
        return [asked]
    return operations.values() if all(operation.membership for operation in operations.values()) else ()


def is_preflight(request: HttpRequest) -> bool:
    """Return whether this is a CORS preflight (Fetch standard, CORS-preflight request)."""
    return request.method == "OPTIONS" and "HTTP_ACCESS_CONTROL_REQUEST_METHOD" in request.META


def count(credential: Credential, amount: int = 1) -> Window:
    """Count `amount` requests of `credential`. Return the window with less remaining.

    A request refused by its own window does not count against its connection's. So one runaway token leaves the others
    their share.
    """
    own = hit(Rate.API, str(credential.id), amount)
    if credential.connection is None or own.exceeded:
        return own
    return min(own, hit(Rate.CONNECTION, str(credential.connection.id), amount), key=_sort_key)


def count_more(request: HttpRequest, amount: int) -> Window | None:
    """Count `amount` further requests in the same HTTP request. None without a credential; nothing is counted then."""
    credential = CREDENTIAL.get(request)
    if credential is None or amount <= 0:
        return None
    window = count(credential, amount)
    WINDOW.set(request, window)
    return window


def _sort_key(window: Window) -> tuple[bool, int, int]:
    """Sort key of windows: exceeded ones first, then by the remaining requests, then the later end first."""
    return (not window.exceeded, window.remaining, -window.reset)


def require_membership(member: Member, operations: Iterable[Operation]) -> None:
    """Raise unless the membership is active or none of `operations` needs one (spec, rule 7).

    Raises:
        MembershipRequired: an operation needs an active membership.
    """
    if any(operation.membership for operation in operations) and not member.membership_is_active():
        url = settings.MEMBERSHIP_URL
        renew = f"Your membership is not active. Renew it at {url} to use this operation again."
        raise MembershipRequired(renew if url else None)
