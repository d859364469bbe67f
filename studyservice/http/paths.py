"""Which paths belong to the API, and which answer JSON even when something goes wrong."""

from collections.abc import Callable

MCP_ROOT = "/mcp"
"""The tools' endpoint."""

ADMIN_ROOT = "/admin"
"""The operators' pages."""

API_ROOTS = ("/v1", MCP_ROOT)
"""Paths that take a credential and are counted against the request rate."""

OAUTH_ROOTS = ("/oauth/token", "/oauth/register", "/oauth/revoke")
"""Paths whose errors have the shape of RFC 6749 section 5.2."""

CONNECTING_ROOTS = ("/oauth/authorize", "/sign-in")
"""Pages that a member passes on the way from an app and back to it."""

CALENDAR_ROOT = "/calendar"
"""Members' calendars, each under an address that is a credential."""

HEALTH_ROOT = "/health"
"""What load balancers ask, by whatever address they know an instance."""

DESCRIPTION_ROOTS = ("/.well-known", "/openapi.json")
"""Paths that describe the service, the same to everybody."""

MISTAKEN_FOR_MCP = ("/sse", "/api/mcp", "/v1/mcp")
"""Where clients look for the tools' endpoint, by the addresses that other services have."""

JSON_ROOTS = (*API_ROOTS, *OAUTH_ROOTS, HEALTH_ROOT, *DESCRIPTION_ROOTS, *MISTAKEN_FOR_MCP)
"""Paths below which HTML never leaves the server, and that scripts of any site may call."""

UNSTORED_ROOTS = (*API_ROOTS, "/oauth", CALENDAR_ROOT, HEALTH_ROOT, ADMIN_ROOT)
"""Paths whose answers no cache may keep: members' data, credentials, and the state of the moment."""


def is_below(path: str, root: str) -> bool:
    """Whether `path` is `root` or lies below it."""
    return path == root or path.startswith(root + "/")


def _below(*roots: str) -> Callable[[str], bool]:
    """Whether a path is one of `roots` or lies below one; asked several times on every request."""
    prefixes = tuple(f"{root}/" for root in roots)
    return lambda path: f"{path}/".startswith(prefixes)


is_api_path = _below(*API_ROOTS)
"""Whether a request for `path` takes a credential and is counted."""

is_mcp_path = _below(MCP_ROOT)
"""Whether `path` belongs to the tools' endpoint."""

is_meant_for_mcp = _below(MCP_ROOT, *MISTAKEN_FOR_MCP)
"""Whether `path`, if there is nothing at it, was meant as the tools' endpoint."""

is_health_path = _below(HEALTH_ROOT)
"""Whether a request for `path` asks whether the service is up."""

is_json_path = _below(*JSON_ROOTS)
"""Whether errors under `path` are the JSON envelope rather than a page."""

is_oauth_path = _below(*OAUTH_ROOTS)
"""Whether errors under `path` have the shape of RFC 6749 rather than the envelope."""

is_connecting_path = _below(*CONNECTING_ROOTS)
"""Whether a member may pass `path` on the way from an app and back to it."""

is_unstored_path = _below(*UNSTORED_ROOTS)
"""Whether no cache may keep an answer under `path`."""

is_description_path = _below(*DESCRIPTION_ROOTS)
"""Whether `path` describes the service."""

is_calendar_path = _below(CALENDAR_ROOT)
"""Whether `path` is, or may be meant as, the secret address of a calendar."""
