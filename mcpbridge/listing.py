"""Lists of one page each. The list of tools is serialized once for each revision.

It is some 40 kB that change with the service alone, and every session of an assistant reads them.
"""

from functools import cache

import orjson
from mcp.server.caching import CacheHint, apply_cache_hint
from mcp.shared.exceptions import MCPError
from mcp.types import INVALID_PARAMS, ListToolsResult, PaginatedRequestParams
from mcp_types.methods import serialize_server_result

from mcpbridge.tools import SECURITY_SCHEMES, tools

LISTS_HINT = CacheHint(ttl_ms=5 * 60 * 1000, scope="public")
"""How long a client may cache the lists. They change only with a new version of the service."""


def require_first_page(params: PaginatedRequestParams | None, named: str) -> None:
    """Let nobody ask for a further page of a list.

    Raises:
        MCPError: a cursor was sent, and none was ever given.
    """
    if params is not None and params.cursor is not None:
        raise MCPError(INVALID_PARAMS, f"Unknown cursor. All {named} are on one page: send none.")


@cache
def listed(version: str) -> orjson.Fragment:
    """Every tool as JSON, as the SDK shapes it for `version`, which drops what that revision does not have.

    What a tool needs stands beside its name too, where the SDK drops it, as the protocol does not have it there.
    """
    result = apply_cache_hint(ListToolsResult(tools=[tool.definition for tool in tools().values()]), LISTS_HINT)
    dumped = result.model_dump(by_alias=True, mode="json", exclude_none=True)
    shaped = serialize_server_result("tools/list", version, dumped)["tools"]
    return orjson.Fragment(
        orjson.dumps([tool | {SECURITY_SCHEMES: tool["_meta"][SECURITY_SCHEMES]} for tool in shaped])
    )
