"""The bridge to the Model Context Protocol."""

from typing import Any

from django.apps import AppConfig
from django.core.checks import CheckMessage, Error, register
from django.core.exceptions import ImproperlyConfigured


def check_tools(**kwargs: Any) -> list[CheckMessage]:
    """Create the tools, which each process caches. The service does not start if a tool violates a limit."""
    # Imported here, because the protocol's types take half a second and most commands do not need them.
    from mcpbridge.tools import tools

    try:
        tools()
    except ImproperlyConfigured as error:
        return [Error(str(error), id="mcpbridge.E001")]
    return []


class McpBridgeConfig(AppConfig):
    """The operations as MCP tools."""

    name = "mcpbridge"

    def ready(self) -> None:
        """Register the check of the tools."""
        register(check_tools)
