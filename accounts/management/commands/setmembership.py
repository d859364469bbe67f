"""Renew or end memberships."""

from argparse import ArgumentTypeError
from datetime import date
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.changes.calls import acting, command
from accounts.events.log import holding, record_event
from accounts.events.models import EventKind
from accounts.management.arguments import add_json_option, answer, member_named, text
from accounts.members.membership import lapse, note_of_membership, renew
from accounts.operators.membership_file import FileRefused, apply_file
from studyservice.management.operators import OperatorCommand
from studyservice.operations.errors import NotFound

MAX_COMPLAINTS = 20
"""Maximum number of invalid lines listed."""


def calendar_date(argument: str) -> date:
    """Parse a date written YYYY-MM-DD."""
    try:
        day = date.fromisoformat(argument)
    except ValueError:
        day = None
    if day is None or day.isoformat() != argument:  # Python reads other ISO 8601 forms too
        raise ArgumentTypeError(f"a date written YYYY-MM-DD, not {argument!r}")
    return day


class Command(OperatorCommand):
    """`setmembership EMAIL active|inactive`, or `--file CSV`."""

    help = "Make a membership active (open-ended or until a last day) or inactive, or apply a file, all or nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email", type=text, nargs="?")
        parser.add_argument("state", choices=["active", "inactive"], nargs="?")
        parser.add_argument("--until", type=calendar_date, help="last day included, in the member's time zone")
        parser.add_argument("--file", type=Path, metavar="CSV", help="CSV with the columns email, state, until")
        add_json_option(parser)

    @acting(command("setmembership"))
    def handle(self, *args: object, **options: Any) -> None:
        """Change memberships, with an account event for each member."""
        if options["file"] is not None:
            if options["email"] or options["until"]:
                raise CommandError("--file cannot be combined with a member or --until.")
            self._from_file(options["file"], as_json=options["json"])
            return
        if options["state"] is None:
            raise CommandError("Name a member and active or inactive, or --file.")
        self._of_member(options)

    def _of_member(self, options: dict[str, Any]) -> None:
        if options["state"] == "inactive" and options["until"]:
            raise CommandError("--until requires active.")
        member = member_named(options["email"])
        try:
            with holding(member.id):
                if options["state"] == "active":
                    renew(member, options["until"])
                else:
                    lapse(member)
                note = note_of_membership(member.membership_active, member.membership_until)
                record_event(member.id, EventKind.OPERATOR_ACTION, detail=note)
        except NotFound:
            raise CommandError(f"{member.email} is being deleted.") from None
        active = member.membership_is_active()
        answer(
            self,
            {"email": member.email, "active": active, "until": member.membership_until},
            as_json=options["json"],
            text=f"The membership of {member.email} is {'active' if active else 'inactive'}"
            + (f", last day {member.membership_until}." if member.membership_until else "."),
        )

    def _from_file(self, path: Path, *, as_json: bool) -> None:
        try:
            with path.open(encoding="utf-8-sig", newline="") as rows:
                number = apply_file(rows)
        except (OSError, UnicodeDecodeError) as error:
            raise CommandError(f"--file cannot be read: {error}") from None
        except FileRefused as error:
            told, more = error.complaints[:MAX_COMPLAINTS], len(error.complaints) - MAX_COMPLAINTS
            raise CommandError(
                "\n".join(["Nothing was changed.", *told, *([f"and {more} more"] if more > 0 else [])])
            ) from None
        answer(self, {"members": number}, as_json=as_json, text=f"Set the memberships of {number}.")
