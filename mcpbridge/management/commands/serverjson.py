"""Describe this service to the MCP registry."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from mcpbridge.registry import server_document


class Command(BaseCommand):
    """`serverjson [--name NAME]`."""

    help = "Print the server.json by which the MCP registry lists this service."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the command's arguments."""
        parser.add_argument("--name", help="namespace/name; without it the host of BASE_URL, reversed")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print the description."""
        try:
            document = server_document(options["name"])
        except ValueError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(json.dumps(document, indent=2))
