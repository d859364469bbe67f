"""The bridge to the Model Context Protocol."""

from django.apps import AppConfig


class McpBridgeConfig(AppConfig):
    """The operations as MCP tools."""

    name = "mcpbridge"

    def ready(self) -> None:
        """Register the check of the tools."""
        from mcpbridge import checks  # noqa: F401  # registers itself
