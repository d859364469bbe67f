"""Which paths belong to the API, and which answer JSON even when something goes wrong."""

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

HEALTH_ROOT = "/health"
"""What load balancers ask, by whatever address they know an instance."""

DESCRIPTION_ROOTS = ("/.well-known", "/openapi.json")
"""Paths that describe the service, the same to everybody."""

JSON_ROOTS = (*API_ROOTS, *OAUTH_ROOTS, HEALTH_ROOT, *DESCRIPTION_ROOTS)
"""Paths below which HTML never leaves the server, and that scripts of any site may call."""

UNSTORED_ROOTS = (*API_ROOTS, "/oauth", HEALTH_ROOT, ADMIN_ROOT)
"""Paths whose answers no cache may keep: members' data, credentials, and the state of the moment."""


def is_below(path: str, root: str) -> bool:
    """Whether `path` is `root` or lies below it."""
    return path == root or path.startswith(root + "/")


def _below(path: str, roots: tuple[str, ...]) -> bool:
    return any(is_below(path, root) for root in roots)


def is_api_path(path: str) -> bool:
    """Whether a request for `path` takes a credential and is counted."""
    return _below(path, API_ROOTS)


def is_mcp_path(path: str) -> bool:
    """Whether `path` belongs to the tools' endpoint."""
    return _below(path, (MCP_ROOT,))


def is_health_path(path: str) -> bool:
    """Whether a request for `path` asks whether the service is up."""
    return _below(path, (HEALTH_ROOT,))


def is_json_path(path: str) -> bool:
    """Whether errors under `path` are the JSON envelope rather than a page."""
    return _below(path, JSON_ROOTS)


def is_oauth_path(path: str) -> bool:
    """Whether errors under `path` have the shape of RFC 6749 rather than the envelope."""
    return _below(path, OAUTH_ROOTS)


def is_connecting_path(path: str) -> bool:
    """Whether a member may pass `path` on the way from an app and back to it."""
    return _below(path, CONNECTING_ROOTS)


def is_unstored_path(path: str) -> bool:
    """Whether no cache may keep an answer under `path`."""
    return _below(path, UNSTORED_ROOTS)


def is_description_path(path: str) -> bool:
    """Whether `path` describes the service."""
    return _below(path, DESCRIPTION_ROOTS)
