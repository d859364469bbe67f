"""Which paths belong to the API, and which answer JSON even when something goes wrong."""

MCP_ROOT = "/mcp"
"""The tools' endpoint."""

API_ROOTS = ("/v1", MCP_ROOT)
"""Paths that take a credential and are counted against the request rate."""

JSON_ROOTS = (
    *API_ROOTS,
    "/oauth/token",
    "/oauth/register",
    "/oauth/revoke",
    "/.well-known",
    "/health",
    "/openapi.json",
)
"""Paths below which HTML never leaves the server."""


def _below(path: str, roots: tuple[str, ...]) -> bool:
    return any(path == root or path.startswith(root + "/") for root in roots)


def is_api_path(path: str) -> bool:
    """Whether a request for `path` takes a credential and is counted."""
    return _below(path, API_ROOTS)


def is_mcp_path(path: str) -> bool:
    """Whether `path` belongs to the tools' endpoint."""
    return _below(path, (MCP_ROOT,))


def is_json_path(path: str) -> bool:
    """Whether errors under `path` are the JSON envelope rather than a page."""
    return _below(path, JSON_ROOTS)
