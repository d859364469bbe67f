"""Write the archive of a member's data."""

import os
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from accounts.events import all_events
from accounts.management.arguments import member_named, text
from accounts.members.models import Member
from studyservice.archive.exporting import write_archive
from studyservice.changes.calls import acting, command
from studyservice.changes.writing import writing
from studyservice.management.operators import JsonCommand
from studyservice.operations.errors import NotFound

EVERYTHING = "all study data"
"""The object named in the member's log of changes."""


class Command(JsonCommand):
    """`exportmember EMAIL FILE`."""

    help = "Write all of a member's stored data to a new file that only its owner can read."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email", type=text)
        parser.add_argument("file", type=Path)

    def handle(self, *args: object, **options: Any) -> None:
        """Export, and record it in the member's log."""
        member, path = member_named(options["email"]), options["file"]
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except OSError as error:
            raise CommandError(f"{path}: {error.strerror}.") from None
        try:
            with os.fdopen(descriptor, "wb") as file:
                _note(member)
                write_archive(member, file, timezone.now(), account_events=all_events(member))
        except BaseException:
            path.unlink()
            raise
        size = path.stat().st_size
        self.answer(options, {"file": str(path), "bytes": size}, text=f"{path}: {size} bytes.")


def _note(member: Member) -> None:
    try:
        with acting(command("exportmember")), writing(member.id, "operator_read") as write:
            write.looked_at(Member, member.id, EVERYTHING)
    except NotFound:
        raise CommandError("The member is being deleted.") from None
