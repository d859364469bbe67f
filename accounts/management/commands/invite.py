"""Invite somebody to become a member."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.joining import invite
from accounts.management.arguments import text, told_refusals
from accounts.members import outbox
from studyservice.management.operators import JsonCommand


class Command(JsonCommand):
    """`invite EMAIL`."""

    help = "E-mail an invitation to join, and print its link, which works once within 7 days."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email", type=text)

    def handle(self, *args: object, **options: Any) -> None:
        """Invite. An earlier invitation of the same address stops working."""
        with told_refusals():
            invited = invite(options["email"])
        self.answer(
            options,
            {"email": invited.email, "url": invited.url, "expires_at": invited.expires_at},
            text=f"Invited {invited.email} until {invited.expires_at:%Y-%m-%d %H:%M} UTC: {invited.url}",
        )
        for delivery in outbox.deliver([invited.mail_id]):
            if delivery.failure is not None:
                retried = "" if delivery.final else "; delivermail will retry"
                raise CommandError(f"The link works but could not be sent{retried}: {delivery.failure}")
