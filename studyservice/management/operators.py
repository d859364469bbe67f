"""Base of the operators' commands."""

import json
from collections.abc import Mapping
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from studyservice.server.checks import ENVIRONMENT


class OperatorCommand(BaseCommand):
    """A command that operators and their timers run next to a server.

    Before it runs, it checks the environment, which may differ from the server's. The other system checks (models,
    URLs, tools) depend only on the code and take a second. The server runs them at its start, as do `check` and
    `migrate`.
    """

    requires_system_checks = (ENVIRONMENT,)


class JsonCommand(OperatorCommand):
    """A command with `--json`, which prints one JSON object and nothing else."""

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        parser = super().create_parser(prog_name, subcommand, **kwargs)
        parser.add_argument("--json", action="store_true", help="print one JSON object, nothing else")
        return parser

    def answer(self, options: Mapping[str, Any], fields: Mapping[str, object], text: str) -> None:
        """Print `fields` as one JSON object, or `text`."""
        self.stdout.write(json.dumps(fields, default=str) if options["json"] else text)
