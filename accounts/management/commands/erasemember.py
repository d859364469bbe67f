"""Delete a member with all data."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.erasure.erasing import erase_member
from accounts.management.arguments import member_named, text
from studyservice.management.operators import JsonCommand


class Command(JsonCommand):
    """`erasemember EMAIL`."""

    help = "Delete a member with all data, including files and sessions. This cannot be undone."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email", type=text)
        parser.add_argument("--yes", action="store_true", help="do not ask for confirmation")

    def handle(self, *args: object, **options: Any) -> None:
        """Ask for the address again, so that a typing error deletes nobody."""
        member = member_named(options["email"])
        if not options["yes"]:
            try:
                typed = input(f"Type {member.email} to delete the account with all its data: ")
            except EOFError:
                raise CommandError("No answer, so nothing was deleted. Use --yes to skip the question.") from None
            if typed.strip().lower() != member.email:
                raise CommandError("The address does not match. Nothing was deleted.")
        erase_member(member.id)
        self.answer(options, {"id": member.id}, text="Deleted the member with all data.")
