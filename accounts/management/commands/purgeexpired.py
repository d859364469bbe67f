"""Remove expired data."""

from typing import Any

from accounts.erasure.erasing import purge_all
from studyservice.management.operators import JsonCommand
from studyservice.secrets.sealing import log_unreadable


class Command(JsonCommand):
    """`purgeexpired`; safe to run at any time."""

    help = "Remove expired data, in batches."

    def handle(self, *args: object, **options: Any) -> None:
        """Remove it. As the command runs every day and at each start of a schedule, also log secrets of a lost key."""
        removed = purge_all()
        log_unreadable()
        told = ", ".join(f"{number} {what.replace('_', ' ')}" for what, number in removed.items() if number)
        self.answer(
            options,
            removed,
            text=f"Removed {told}." if told else "Nothing has expired.",
        )
