"""Renew or end memberships, one at a time, or by the billing system's CSV with the columns email, state and until."""

from argparse import ArgumentTypeError
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from django.core.management.base import CommandError, CommandParser
from django.db import transaction

from accounts.events import EventKind, holding, record_event
from accounts.management.arguments import calendar_date, member_named, text
from accounts.management.csv_files import Complaint, in_words, read_csv
from accounts.members import waiting
from accounts.members.membership import lapse, note_of_membership, renew
from accounts.members.models import Member
from accounts.members.waiting import Told
from studyservice.changes.calls import acting, command
from studyservice.database.executing import batches
from studyservice.management.operators import JsonCommand
from studyservice.operations.errors import NotFound

COLUMNS = ("email", "state", "until")


class Applied(NamedTuple):
    """The numbers of memberships that a file set, and of those that wait for their address to join."""

    members: int
    waiting: int


def _apply_file(path: Path) -> Applied:
    """Set the membership of each member in the file, in one transaction. Those of other addresses wait.

    Raises:
        CommandError: lists the invalid lines. Nothing was changed.
    """
    lines, told = _read(path)
    with transaction.atomic():
        ids = _ids(told)
        unknown = {email: one for email, one in told.items() if email not in ids}
        waiting.wait(unknown)
        joined = _ids(unknown)  # meanwhile, in transactions that `wait` waited for
        waiting.forget(joined)
        ids |= joined
        for email in sorted(ids, key=ids.__getitem__):  # the same order for all, to avoid deadlocks
            stored = Member.objects.filter(id=ids[email], email=email, erasure_began_at=None)
            found = stored.select_for_update(no_key=True).values_list("id", "membership_active", "membership_until")
            if (before := found.first()) is None:
                raise _refused([Complaint(lines[email], f"{email} was deleted or renamed meanwhile")])
            active, until = told[email]
            if before[1:] != (active, until):
                stored.update(membership_active=active, membership_until=until)
                note = note_of_membership(active, until)
                record_event(before[0], EventKind.OPERATOR_ACTION, detail=note)
    return Applied(len(ids), len(told) - len(ids))


def _read(path: Path) -> tuple[dict[str, int], dict[str, Told]]:
    """Return the line and the membership of each address in the file.

    Raises:
        CommandError: lists the invalid lines.
    """
    lines: dict[str, int] = {}
    told: dict[str, Told] = {}
    complaints: list[Complaint] = []
    for row in read_csv(path, COLUMNS):
        if isinstance(row, Complaint):
            complaints.append(row)
            continue
        try:
            told[row.email] = _membership(row.cells["state"], row.cells["until"])
        except ValueError as error:
            complaints.append(Complaint(row.line, str(error)))
        lines[row.email] = row.line
    if complaints:
        raise _refused(complaints)
    return lines, told


def _refused(complaints: list[Complaint]) -> CommandError:
    return CommandError(f"Nothing was changed.\n{in_words(complaints)}")


def _membership(state: str, until: str) -> Told:
    """Return the membership of a line.

    Raises:
        ValueError: the state or the day is invalid.
    """
    if state not in {"active", "inactive"}:
        raise ValueError(f"state is active or inactive, not {state!r}")
    if not until:
        return Told(state == "active", None)
    if state == "inactive":
        raise ValueError("until requires active")
    try:
        return Told(True, calendar_date(until))
    except ArgumentTypeError as error:
        raise ValueError(f"until is {error}") from None


def _ids(emails: Iterable[str]) -> dict[str, str]:
    """Return the ids of members by address."""
    found = (Member.objects.filter(email__in=batch).values_list("email", "id") for batch in batches(emails))
    return {email: str(member_id) for rows in found for email, member_id in rows}


class Command(JsonCommand):
    """`setmembership EMAIL active|inactive`, or `--file CSV`."""

    help = "Make a membership active (open-ended or until a last day) or inactive, or apply a file, all or nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email", type=text, nargs="?")
        parser.add_argument("state", choices=["active", "inactive"], nargs="?")
        parser.add_argument("--until", type=calendar_date, help="last day included, in the member's time zone")
        parser.add_argument("--file", type=Path, metavar="CSV", help="CSV with the columns email, state, until")

    @acting(command("setmembership"))
    def handle(self, *args: object, **options: Any) -> None:
        """Change memberships, with an account event for each member."""
        if options["file"] is not None:
            if options["email"] or options["until"]:
                raise CommandError("--file cannot be combined with a member or --until.")
            self._from_file(options)
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
        self.answer(
            options,
            {"email": member.email, "active": active, "until": member.membership_until},
            text=f"The membership of {member.email} is {'active' if active else 'inactive'}"
            + (f", last day {member.membership_until}." if member.membership_until else "."),
        )

    def _from_file(self, options: dict[str, Any]) -> None:
        applied = _apply_file(options["file"])
        waits = f" {applied.waiting} wait until the address joins." if applied.waiting else ""
        self.answer(options, applied._asdict(), text=f"Set the memberships of {applied.members}.{waits}")
