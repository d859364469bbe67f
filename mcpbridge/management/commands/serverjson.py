"""Describe this service to the MCP registry, by a `server.json` (schema of 2025-12-11)."""

import ipaddress
import json
import re
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from mcpbridge.server import server
from studyservice import __version__
from studyservice.http.requests import MCP_ROOT

SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"

DESCRIPTION = "A student's own courses, deadlines, grades, practice and flashcards, to read and to change."
"""At most 100 characters."""

SEMANTIC_VERSION = __version__.replace(".dev", "-dev.")
"""The version as the registry wants it: `0.7.0-dev.0+9f8c21d04b7e` between releases (semver.org)."""

_NAME = re.compile(r"[A-Za-z0-9.-]+/[A-Za-z0-9._-]+")


def _registry_name(host: str) -> str:
    """Return the server's name in the namespace of `host`, whose owner proves it by DNS or HTTP.

    Raises:
        ValueError: `host` is not a public name.
    """
    labels = host.split(".")
    try:
        ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        if len(labels) > 1 and all(labels):
            return f"{'.'.join(reversed(labels))}/{server.name}"
    raise ValueError(f"The registry lists only names on the public internet, not {host}.")


def _server_document(name: str | None) -> dict[str, Any]:
    """Return the content of `server.json`.

    Args:
        name: a name in another namespace than the host's, like a GitHub account's.

    Raises:
        ValueError: the registry does not accept this address or name.
    """
    if name is not None and not (_NAME.fullmatch(name) and len(name) <= 200):
        raise ValueError(f"A name is namespace/name, at most 200 characters, not {name!r}.")
    origin = urlsplit(settings.BASE_URL)
    if origin.scheme != "https":
        raise ValueError(f"The registry lists only https addresses on the public internet, not {settings.BASE_URL}.")
    own = _registry_name(origin.hostname or "")
    return {
        "$schema": SCHEMA,
        "name": name or own,
        "title": settings.SERVICE_NAME,
        "description": DESCRIPTION,
        "version": SEMANTIC_VERSION,
        "websiteUrl": settings.BASE_URL,
        "remotes": [{"type": "streamable-http", "url": f"{settings.BASE_URL}{MCP_ROOT}"}],
    }


class Command(BaseCommand):
    """`serverjson [--name NAME]`."""

    help = "Print the server.json by which the MCP registry lists this service."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the command's arguments."""
        parser.add_argument("--name", help="namespace/name; without it the host of BASE_URL, reversed")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print the description."""
        try:
            document = _server_document(options["name"])
        except ValueError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(json.dumps(document, indent=2))
