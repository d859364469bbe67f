"""Classify paths: which belong to the API, and which answer errors as JSON."""

from collections.abc import Callable

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
