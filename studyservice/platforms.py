"""The table of platforms whose callbacks members may trust (RECOGNIZED_PLATFORMS).

A callback identifies a platform only if it serves just the platform's own members. It does not if anybody's app is
called back at the same address (Zapier, Power Automate, Pipedream, Postman), or if it redirects to any address in the
request (vscode.dev).
"""

from dataclasses import dataclass
from typing import Self
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

# fmt: off
WELL_KNOWN = (
    ("Claude", "https://claude.ai/api/mcp/auth_callback"),
    ("Claude", "https://claude.com/api/mcp/auth_callback"),
    ("ChatGPT", "https://chatgpt.com/connector_platform_oauth_redirect"),
    ("ChatGPT", "https://chatgpt.com/connector/oauth/"),
    ("Mistral", "https://callback.mistral.ai/v1/integrations_auth/oauth2_callback"),
    ("Perplexity", "https://www.perplexity.ai/rest/connections/oauth_callback"),
    ("Perplexity", "https://enterprise.perplexity.ai/rest/connections/oauth_callback"),
    ("Grok", "https://grok.com/connectors-oauth-exchange-code/"),
    ("Cursor", "https://www.cursor.com/agents/mcp/oauth/callback"),
    ("Devin", "https://api.devin.ai/mcp/oauth/callback"),
    ("Make", "https://www.make.com/oauth/cb/mcp"),
)
# fmt: on
"""Assistants and automation tools with their callbacks, as of November 2026."""


@dataclass(frozen=True, slots=True)
class Platform:
    """One row of the table.

    Attributes:
        name: known to members.
        host: without a port.
        port: 443 by default.
        path: of the callback; with a trailing slash it includes everything below.
    """

    name: str
    host: str
    port: int
    path: str

    @classmethod
    def parse(cls, name: str, prefix: str) -> Self:
        """Return the row for `name` and the https prefix of its callbacks.

        Raises:
            ValueError: the name is missing, or the prefix is not such an address.
        """
        parts = urlsplit(prefix)
        if not name or parts.scheme != "https" or not parts.hostname or not parts.path:
            raise ValueError("no name, or no https address with a path")
        if "@" in parts.netloc or "?" in prefix or "#" in prefix:
            raise ValueError("more than host, port and path")
        return cls(name, parts.hostname, parts.port or 443, parts.path)


def platforms_from(text: str) -> tuple[Platform, ...]:
    """Parse RECOGNIZED_PLATFORMS: `NAME=https://host/path`, separated by commas; the well-known ones if it is empty.

    Raises:
        ImproperlyConfigured: an entry is invalid.
    """
    rows = [entry.partition("=") for entry in text.split(",") if entry.strip()]
    pairs = [(name.strip(), prefix.strip()) for name, _, prefix in rows] if rows else WELL_KNOWN
    found = []
    for name, prefix in pairs:
        try:
            found.append(Platform.parse(name, prefix))
        except ValueError:
            raise ImproperlyConfigured(
                f"RECOGNIZED_PLATFORMS has entries such as Name=https://host/callback, not {name or prefix!r}."
            ) from None
    return tuple(found)
