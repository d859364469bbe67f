"""Lists with a single page: tools, and the empty lists of resources, which some clients request anyway.

The list of tools is serialized once for each revision. It has some 40 kB, changes only with the service, and is read in
every session of an assistant. Without the methods for resources, these clients would log an error.
"""

from functools import cache
from typing import Any

import orjson
from django.conf import settings
from mcp.server.caching import CacheHint, apply_cache_hint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp.types import (
    INVALID_PARAMS,
    Icon,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    ServerCapabilities,
)
from mcp_types.methods import serialize_server_result

from mcpbridge.tools import SECURITY_SCHEMES, tools


def icon(name: str) -> Icon:
    """Return `name`.svg from the service's static files, which is sharp at any size."""
    source = f"{settings.BASE_URL}{settings.STATIC_URL}studyservice/{name}.svg"
    return Icon(src=source, mime_type="image/svg+xml", sizes=["any"])


LISTS_HINT = CacheHint(ttl_ms=5 * 60 * 1000, scope="public")
"""How long a client may cache the lists. They change only with a new version of the service."""


def require_first_page(params: PaginatedRequestParams | None, named: str) -> None:
    """Refuse requests for a further page of a list.

    Raises:
        MCPError: a cursor was sent, but none was ever issued.
    """
    if params is not None and params.cursor is not None:
        raise MCPError(INVALID_PARAMS, f"Unknown cursor. All {named} are on one page: send none.")


@cache
def listed(version: str) -> orjson.Fragment:
    """Return every tool as JSON, in the SDK's format for `version`, without fields that the revision lacks.

    Fields that the SDK drops because the protocol does not define them are added again.
    """
    result = apply_cache_hint(ListToolsResult(tools=[tool.definition for tool in tools().values()]), LISTS_HINT)
    dumped = result.model_dump(by_alias=True, mode="json", exclude_none=True)
    shaped = serialize_server_result("tools/list", version, dumped)["tools"]
    return orjson.Fragment(
        orjson.dumps([tool | {SECURITY_SCHEMES: tool["_meta"][SECURITY_SCHEMES]} for tool in shaped])
    )


async def list_resources(context: ServerRequestContext, params: PaginatedRequestParams | None) -> ListResourcesResult:
    """Return an empty list.

    Raises:
        MCPError: a cursor was sent.
    """
    require_first_page(params, "resources")
    return ListResourcesResult(resources=[])


async def list_resource_templates(
    context: ServerRequestContext, params: PaginatedRequestParams | None
) -> ListResourceTemplatesResult:
    """Return an empty list.

    Raises:
        MCPError: a cursor was sent.
    """
    require_first_page(params, "resource templates")
    return ListResourceTemplatesResult(resource_templates=[])


class ServerWithoutResources(Server[Any]):
    """The SDK's server without the resources capability, which it would declare because the methods exist."""

    def get_capabilities(self, *args: Any, **kwargs: Any) -> ServerCapabilities:
        """Return the capabilities that the server declares."""
        return super().get_capabilities(*args, **kwargs).model_copy(update={"resources": None})
