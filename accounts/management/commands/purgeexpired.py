"""Remove expired data."""

from typing import Any

from django.core.management.base import CommandParser

from accounts.erasure.purging import purge_all
from accounts.management.arguments import add_json_option, answer
from studyservice.management.operators import OperatorCommand
from studyservice.secrets.sealing import log_unreadable


class Command(OperatorCommand):
    """`purgeexpired`; safe to run at any time."""

    help = "Remove expired data, in batches."

    def add_arguments(self, parser: CommandParser) -> None:
        add_json_option(parser)

    def handle(self, *args: object, **options: Any) -> None:
        """Remove it. As the command runs every day and at each start of a schedule, also log secrets of a lost key."""
        removed = purge_all()
        log_unreadable()
        told = ", ".join(f"{number} {what.replace('_', ' ')}" for what, number in removed.items() if number)
        answer(
            self,
            removed,
            as_json=options["json"],
            text=f"Removed {told}." if told else "Nothing has expired.",
        )
