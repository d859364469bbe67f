"""A request: what its path belongs to, the values that the service stores on it, and the address of its client."""

import ipaddress
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Generic, TypeVar
from uuid import UUID

from django.conf import settings
from django.http import HttpRequest

from studyservice.operations.errors import ApiError
from studyservice.rates.networks import IPV6_PREFIX

MCP_ROOT = "/mcp"
"""The MCP endpoint."""

ADMIN_ROOT = "/admin"
"""The operators' pages."""

API_ROOTS = ("/v1", MCP_ROOT)
"""Paths that require a credential and count against the request rate."""

OAUTH_ROOTS = ("/oauth/token", "/oauth/register", "/oauth/revoke")
"""Paths with errors in RFC 6749's format (section 5.2)."""

CONNECTING_ROOTS = ("/oauth/authorize", "/sign-in")
"""Pages that a member visits on the way from an app and back to it."""

CALENDAR_ROOT = "/calendar"
"""Members' calendars, each with a secret address."""

HEALTH_ROOT = "/health"
"""Health checks of load balancers, which may use any address of an instance."""

DESCRIPTION_ROOTS = ("/.well-known", "/openapi.json")
"""Paths that describe the service, identical for everybody."""

MISTAKEN_FOR_MCP = ("/sse", "/api/mcp", "/v1/mcp")
"""Paths of tool endpoints in other services, which clients also try here."""

JSON_ROOTS = (*API_ROOTS, *OAUTH_ROOTS, HEALTH_ROOT, *DESCRIPTION_ROOTS, *MISTAKEN_FOR_MCP)
"""Paths that never return HTML, and that scripts of any site may call."""

UNSTORED_ROOTS = (*API_ROOTS, "/oauth", CALENDAR_ROOT, HEALTH_ROOT, ADMIN_ROOT)
"""Paths whose answers must not be cached: members' data, credentials, and current state."""


def is_below(path: str, root: str) -> bool:
    """Return whether `path` is `root` or below it."""
    return path == root or path.startswith(root + "/")


def _below(*roots: str) -> Callable[[str], bool]:
    """Return a function that tells whether a path is one of `roots` or below one. Called several times per request."""
    prefixes = tuple(f"{root}/" for root in roots)
    return lambda path: f"{path}/".startswith(prefixes)


is_api_path = _below(*API_ROOTS)
"""Return whether a request for `path` needs a credential and is counted."""

is_mcp_path = _below(MCP_ROOT)
"""Return whether `path` belongs to the MCP endpoint."""

is_meant_for_mcp = _below(MCP_ROOT, *MISTAKEN_FOR_MCP)
"""Return whether an unknown `path` was probably meant as the MCP endpoint."""

is_health_path = _below(HEALTH_ROOT)
"""Return whether `path` is a health check."""

is_json_path = _below(*JSON_ROOTS)
"""Return whether errors under `path` are JSON rather than a page."""

is_oauth_path = _below(*OAUTH_ROOTS)
"""Return whether errors under `path` have RFC 6749's format rather than the envelope."""

is_connecting_path = _below(*CONNECTING_ROOTS)
"""Return whether `path` is a page between an app and its consent."""

is_unstored_path = _below(*UNSTORED_ROOTS)
"""Return whether answers under `path` must not be cached."""

is_description_path = _below(*DESCRIPTION_ROOTS)
"""Return whether `path` describes the service."""

is_calendar_path = _below(CALENDAR_ROOT)
"""Return whether `path` is, or may be meant as, a calendar's secret address."""


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


TOLD_PREFIXES = {4: 24, 6: 56}
"""Significant bits of a stored address. They identify a provider's or an organization's network but not a household's
device (many providers assign a /56 to one customer, RFC 6177 section 2).
"""

_LONGEST = 45
"""Length of the longest address without a zone."""

_REMEMBERED = 4096


def client_address(request: HttpRequest) -> str:
    """Return the address for rate limits: the client's IPv4 address, or the /64 network of its IPv6 address.

    With `TRUSTED_PROXIES=n` it is the n-th entry of `X-Forwarded-For` from the right. Each trusted proxy appends the
    peer it saw; entries further left came from the client. If the header is missing, too short or invalid, the
    connection's peer is used.
    """
    return counted_address(request.META.get("REMOTE_ADDR", ""), request.META.get("HTTP_X_FORWARDED_FOR", ""))


def counted_address(peer: str, forwarded_for: str) -> str:
    """Likewise for the connection's peer and the value of `X-Forwarded-For`, empty if not sent."""
    return _counted(_trusted_address(peer, forwarded_for))


def client_network(request: HttpRequest) -> str:
    """Return the network of the client, which may be stored: `203.0.113.0/24`, `2001:db8:1200::/56`.

    Empty if the peer has no address, as behind a Unix socket.
    """
    return _network(_trusted_address(request.META.get("REMOTE_ADDR", ""), request.META.get("HTTP_X_FORWARDED_FOR", "")))


def logged_address(request: HttpRequest) -> str:
    """Return the client for log lines: its network, its address or nothing, by `LOG_CLIENT_ADDRESS`."""
    match settings.LOG_CLIENT_ADDRESS:
        case "network":
            return client_network(request)
        case "full":
            return _trusted_address(request.META.get("REMOTE_ADDR", ""), request.META.get("HTTP_X_FORWARDED_FOR", ""))
    return ""


def _trusted_address(peer: str, forwarded_for: str) -> str:
    """Return the address from the trusted proxies or the connection."""
    trusted: int = settings.TRUSTED_PROXIES
    if trusted:
        forwarded = forwarded_for.split(",")
        if len(forwarded) >= trusted:
            told = forwarded[-trusted].strip()
            if len(told) <= _LONGEST and _parsed(told) is not None:
                return told
    return peer


@lru_cache(_REMEMBERED)
def _parsed(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Parse an address. An IPv4-mapped IPv6 address becomes IPv4."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return mapped or address


@lru_cache(_REMEMBERED)
def _counted(text: str) -> str:
    address = _parsed(text)
    if address is None:
        return text
    return str(address) if address.version == 4 else _truncated(address, IPV6_PREFIX)


@lru_cache(_REMEMBERED)
def _network(text: str) -> str:
    address = _parsed(text)
    return "" if address is None else _truncated(address, TOLD_PREFIXES[address.version])


def _truncated(address: ipaddress.IPv4Address | ipaddress.IPv6Address, bits: int) -> str:
    """Return the network with that many bits. The zone (RFC 4007) is dropped."""
    return str(ipaddress.ip_network((address.packed, bits), strict=False))
