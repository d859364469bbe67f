"""Remove an operator's second factor, for example after the loss of a phone."""

from typing import Any

from django.core.management.base import CommandParser

from accounts.management.arguments import member_named, text
from accounts.signing_in.second_factor.factors import reset
from studyservice.management.operators import JsonCommand


class Command(JsonCommand):
    """`resetsecondfactor EMAIL`."""

    help = (
        "Remove a member's authenticator app, passkeys and recovery codes, and end all their sessions. The next "
        "sign-in to the admin, with an e-mailed code, sets up new ones. The operators' log records it."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email", type=text)

    def handle(self, *args: object, **options: Any) -> None:
        """Remove the second factor, and e-mail the member. Anyone who may run commands is trusted."""
        member = member_named(options["email"])
        removed = reset(member, by=None)
        counts = f"{removed['apps']} apps, {removed['passkeys']} passkeys, {removed['recovery_codes']} recovery codes"
        self.answer(
            options,
            {"email": member.email, **removed},
            text=f"The second factor of {member.email} is reset ({counts}); every session has ended.",
        )
