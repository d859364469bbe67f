"""Invite somebody to become a member, or everybody in a CSV file."""

from argparse import ArgumentTypeError
from dataclasses import asdict, dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError, CommandParser
from django.db import transaction
from django.utils import timezone

from accounts.joining import AlreadyInvited, Given, invite, require_open
from accounts.management.arguments import calendar_date, text, told_refusals
from accounts.management.csv_files import Complaint, Row, in_words, read_csv
from accounts.members import outbox
from studyservice.management.operators import JsonCommand

OPTIONAL = ("name", "time_zone", "until")


@dataclass(slots=True)
class Result:
    """Counts of the lines of a file.

    Attributes:
        invited: the number of new invitations.
        left: the number of addresses of members, or with a valid invitation.
        refused: the lines that are wrong.
    """

    invited: int = 0
    left: int = 0
    refused: list[Complaint] = field(default_factory=list)


def _invite_all(path: Path, *, dry_run: bool) -> Result:
    """Invite each line in its own transaction, with its e-mail, so that an interrupted run can be repeated."""
    result = Result()
    for row in read_csv(path, ("email",), OPTIONAL):
        if isinstance(row, Complaint):
            result.refused.append(row)
            continue
        try:
            with told_refusals():
                is_new = _invite_row(row, dry_run=dry_run)
        except CommandError as error:
            result.refused.append(Complaint(row.line, str(error)))
        else:
            result.invited += is_new
            result.left += not is_new
    return result


def _invite_row(row: Row, *, dry_run: bool) -> bool:
    """Invite the address of a line. False if it is a member's, or has a valid invitation.

    Raises:
        ValidationError: a cell is wrong.
    """
    given: Given = {"until": _last_day(row.cells.get("until", ""))}
    if name := row.cells.get("name"):
        given["name"] = name
    if time_zone := row.cells.get("time_zone"):
        given["time_zone"] = time_zone
    with transaction.atomic():
        try:
            invite(row.email, replace=False, **given)
        except AlreadyInvited:
            return False
        transaction.set_rollback(dry_run)
        return True


def _last_day(cell: str) -> date | None:
    if not cell:
        return None
    try:
        day = calendar_date(cell)
    except ArgumentTypeError as error:
        raise ValidationError(f"until is {error}") from None
    if day < timezone.now().date():
        raise ValidationError(f"until is {day}, which is over")
    return day


class Command(JsonCommand):
    """`invite EMAIL`, or `invite --file CSV`."""

    help = (
        "E-mail an invitation to join, which works once within 7 days, and print its link; or queue one for everybody "
        "in a file."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email", type=text, nargs="?")
        parser.add_argument(
            "--file",
            type=Path,
            metavar="CSV",
            help="CSV with the column email, and optionally name, time_zone, until; safe to repeat",
        )
        parser.add_argument("--dry-run", action="store_true", help="only check the file and count")

    @told_refusals()
    def handle(self, *args: object, **options: Any) -> None:
        """Invite one, replacing an earlier invitation, or all in a file who are neither members nor invited."""
        if (options["file"] is None) == (options["email"] is None):
            raise CommandError("Name an address or --file, not both.")
        if options["file"] is not None:
            self._from_file(options)
            return
        if options["dry_run"]:
            raise CommandError("--dry-run requires --file.")
        self._one(options)

    def _one(self, options: dict[str, Any]) -> None:
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

    def _from_file(self, options: dict[str, Any]) -> None:
        require_open()
        result = _invite_all(options["file"], dry_run=options["dry_run"])
        done = "Would invite" if options["dry_run"] else "Invited"
        told = f"{done} {result.invited}; {result.left} are members or invited already."
        if result.invited and not options["dry_run"]:
            told += " delivermail sends the e-mails."
        self.answer(options, asdict(result), text=told)
        if result.refused:
            raise CommandError(f"Refused {len(result.refused)}:\n{in_words(result.refused)}")
