"""Instructions for connecting well-known assistants."""

import json
from typing import NamedTuple

NAME = "study-data"
"""The service's name in the snippets."""

_ADDRESS = "MCP-ADDRESS"
"""The placeholder for our address in the snippets."""


class AssistantClient(NamedTuple):
    """An assistant and its instructions.

    Attributes:
        snippet: text to paste or run; empty if the address is enough.
        label: names the snippet for its copy button.
    """

    name: str
    how: str
    snippet: str = ""
    label: str = ""


_CLIENTS = (
    AssistantClient(
        "Claude (web, desktop, mobile)",
        "Open Settings, then Connectors, choose “Add custom connector” and paste the MCP address.",
    ),
    AssistantClient(
        "ChatGPT",
        "Open Settings, then Apps and connectors. Turn on developer mode under the advanced settings, choose "
        "“Create”, paste the MCP address and choose OAuth.",
    ),
    AssistantClient(
        "Claude Code",
        "Run this in a terminal, then type /mcp in Claude Code to sign in.",
        f"claude mcp add --transport http {NAME} {_ADDRESS}",
        "Claude Code command",
    ),
    AssistantClient(
        "Codex",
        "Run this in a terminal; Codex opens the browser for you to sign in.",
        f"codex mcp add {NAME} --url {_ADDRESS}",
        "Codex command",
    ),
    AssistantClient(
        "Gemini CLI",
        "Run this in a terminal, then type /mcp auth in Gemini CLI to sign in.",
        f"gemini mcp add --transport http {NAME} {_ADDRESS}",
        "Gemini CLI command",
    ),
    AssistantClient(
        "VS Code",
        "Put this into .vscode/mcp.json and choose “Start” above the entry.",
        json.dumps({"servers": {NAME: {"type": "http", "url": _ADDRESS}}}, indent=2),
        "VS Code configuration",
    ),
    AssistantClient(
        "Cursor",
        "Put this into ~/.cursor/mcp.json and choose “Connect” in the settings of Cursor, under MCP.",
        json.dumps({"mcpServers": {NAME: {"url": _ADDRESS}}}, indent=2),
        "Cursor configuration",
    ),
    AssistantClient(
        "Another client, or one without a browser",
        "Choose Streamable HTTP as transport. Where no browser can open, send an API key as a header.",
        "Authorization: Bearer YOUR_API_KEY",
        "header",
    ),
)


def assistant_clients(mcp_url: str) -> list[AssistantClient]:
    """Return the clients that the key page explains, with our address in their snippets."""
    return [client._replace(snippet=client.snippet.replace(_ADDRESS, mcp_url)) for client in _CLIENTS]
