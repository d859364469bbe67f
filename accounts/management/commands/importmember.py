"""Import an archive into a member's account."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.management.arguments import member_named, text, told_refusals
from studyservice.archive.importing import take_archive
from studyservice.changes.calls import acting, command
from studyservice.changes.words import counts_in_words
from studyservice.management.operators import JsonCommand


class Command(JsonCommand):
    """`importmember EMAIL FILE`."""

    help = "Import an archive into the account of a member without courses and decks, all or nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email", type=text)
        parser.add_argument("file", type=Path)

    def handle(self, *args: object, **options: Any) -> None:
        member, path = member_named(options["email"]), options["file"]
        try:
            with path.open("rb") as file, told_refusals(), acting(command("importmember")):
                taken = take_archive(member, file)
        except OSError as error:
            raise CommandError(f"{path}: {error.strerror}.") from None
        words = counts_in_words(taken["counts"]) or "only the profile"
        self.answer(options, taken["counts"], text=f"Imported: {words}.")
