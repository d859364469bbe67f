"""Remove what has expired."""

from typing import Any

from django.contrib.sessions.models import Session
from django.core.management.base import BaseCommand, CommandParser
from django.db.models import QuerySet
from django.utils import timezone

from accounts.management.arguments import add_json_option, answer
from accounts.models import SignInCode

BATCH = 1000
"""Rows per transaction."""


class Command(BaseCommand):
    """`purgeexpired`; safe to run at any time."""

    help = "Remove expired sessions and sign-in codes, in batches."

    def add_arguments(self, parser: CommandParser) -> None:
        """The command's arguments."""
        add_json_option(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        """Remove and count."""
        now = timezone.now()
        removed = {
            "sessions": purge(Session.objects.filter(expire_date__lt=now)),
            "sign_in_codes": purge(SignInCode.objects.filter(expires_at__lt=now)),
        }
        answer(
            self,
            removed,
            as_json=options["json"],
            text="Removed " + ", ".join(f"{n} {what.replace('_', ' ')}" for what, n in removed.items()) + ".",
        )


def purge(expired: QuerySet[Any]) -> int:
    """Delete the rows of `expired`, `BATCH` at a time; gives their number."""
    removed = 0
    while batch := list(expired.values_list("pk", flat=True)[:BATCH]):
        removed += expired.filter(pk__in=batch).delete()[0]
    return removed
