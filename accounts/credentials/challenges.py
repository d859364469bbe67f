"""The `WWW-Authenticate` header: how to authenticate, and why a credential was refused (RFC 6750 section 3)."""

from typing import Literal

from django.conf import settings

from studyservice.http.requests import MCP_ROOT, is_mcp_path
from studyservice.operations.declaration import Scope

Reason = Literal["invalid_token", "insufficient_scope"]
"""The error codes of RFC 6750 section 3.1. A request without a credential has none."""


def challenge(path: str, error: Reason | None = None, description: str = "") -> str:
    """Return the challenge for a request to `path`, which points to its resource metadata (RFC 9728 section 5.1).

    `description` explains the error to developers. It has no quotation mark and no backslash (RFC 6750 section 3). On
    `/mcp`, and for a missing scope, the challenge also names the scopes that a client should request (MCP
    authorization, Scope Selection Strategy).
    """
    is_mcp = is_mcp_path(path)
    metadata = f"{settings.BASE_URL}/.well-known/oauth-protected-resource{MCP_ROOT if is_mcp else ''}"
    parts = [f'resource_metadata="{metadata}"']
    if is_mcp or error == "insufficient_scope":
        parts.append(f'scope="{" ".join(Scope)}"')
    if error is not None:
        described = [f'error_description="{description}"'] if description else []
        parts = [f'error="{error}"', *described, *reversed(parts)]
    return f"Bearer {', '.join(parts)}"
