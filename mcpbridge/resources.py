"""Empty lists of resources, because some clients request them anyway and log an error if the method is missing."""

from typing import Any

from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.types import (
    ListResourcesResult,
    ListResourceTemplatesResult,
    PaginatedRequestParams,
    ServerCapabilities,
)

from mcpbridge.listing import require_first_page


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
