"""Renew or end memberships, one at a time, or by the billing system's CSV with the columns email, state and until."""

import csv
from argparse import ArgumentTypeError
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from operator import itemgetter
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.db import transaction

from accounts.events import EventKind, holding, record_event
from accounts.management.arguments import member_named, text
from accounts.members.membership import lapse, note_of_membership, renew
from accounts.members.models import Member
from studyservice.changes.calls import acting, command
from studyservice.database.executing import batches
from studyservice.management.operators import JsonCommand
from studyservice.operations.errors import NotFound

COLUMNS = ("email", "state", "until")

MAX_COMPLAINTS = 20
"""Maximum number of invalid lines listed."""


@dataclass(frozen=True, slots=True)
class _Line:
    number: int
    email: str
    active: bool
    until: date | None


Complaint = tuple[int, str]
"""A line of the file that is wrong, and how."""


def _apply_file(rows: Iterable[str]) -> int:
    """Set the membership of each member in the file (RFC 4180), in one transaction. Return their number.

    Raises:
        CommandError: lists the invalid lines. Nothing was changed.
    """
    complaints: list[Complaint] = []
    lines = list(_read(rows, complaints))
    with transaction.atomic():
        ids = _ids([line.email for line in lines])
        complaints += [(line.number, f"there is no member {line.email}") for line in lines if line.email not in ids]
        if complaints:
            raise _refused(complaints)
        for line in sorted(lines, key=lambda line: ids[line.email]):  # the same order for all, to avoid deadlocks
            stored = Member.objects.filter(id=ids[line.email], email=line.email, erasure_began_at=None)
            found = stored.select_for_update(no_key=True).values_list("id", "membership_active", "membership_until")
            if (before := found.first()) is None:
                raise _refused([(line.number, f"{line.email} was deleted or renamed meanwhile")])
            if before[1:] != (line.active, line.until):
                stored.update(membership_active=line.active, membership_until=line.until)
                note = note_of_membership(line.active, line.until)
                record_event(before[0], EventKind.OPERATOR_ACTION, detail=note)
    return len(lines)


def _refused(complaints: list[Complaint]) -> CommandError:
    told = [f"line {number}: {wrong}" for number, wrong in sorted(complaints, key=itemgetter(0))]
    more = [f"and {len(told) - MAX_COMPLAINTS} more"] if len(told) > MAX_COMPLAINTS else []
    return CommandError("\n".join(["Nothing was changed.", *told[:MAX_COMPLAINTS], *more]))


def _read(rows: Iterable[str], complaints: list[Complaint]) -> Iterator[_Line]:
    reader = csv.reader(rows, strict=True)
    seen: dict[str, int] = {}
    try:
        header = [name.strip().lower() for name in next(reader, [])]
        if sorted(header) != sorted(COLUMNS):
            complaints.append((1, f"the columns are {', '.join(COLUMNS)}, not {', '.join(header) or 'missing'}"))
            return
        for cells in reader:
            number = reader.line_num
            if not any(cell.strip() for cell in cells):
                continue
            if len(cells) != len(header):
                complaints.append((number, f"{len(cells)} values, not {len(header)}"))
                continue
            named = dict(zip(header, (cell.strip() for cell in cells), strict=True))
            email = named["email"].lower()
            if email in seen:
                complaints.append((number, f"{email} is already in line {seen[email]}"))
                continue
            seen[email] = number
            try:
                yield _Line(number, email, *_membership(named["state"], named["until"]))
            except ValueError as error:
                complaints.append((number, str(error)))
    except csv.Error as error:
        complaints.append((reader.line_num, str(error)))


def _membership(state: str, until: str) -> tuple[bool, date | None]:
    """Return whether the membership is active, and its last day.

    Raises:
        ValueError: the state or the day is invalid.
    """
    if state not in {"active", "inactive"}:
        raise ValueError(f"state is active or inactive, not {state!r}")
    if not until:
        return state == "active", None
    if state == "inactive":
        raise ValueError("until requires active")
    try:
        return True, calendar_date(until)
    except ArgumentTypeError as error:
        raise ValueError(f"until is {error}") from None


def _ids(emails: list[str]) -> dict[str, str]:
    """Return the ids of members by address."""
    found = (Member.objects.filter(email__in=batch).values_list("email", "id") for batch in batches(emails))
    return {email: str(member_id) for rows in found for email, member_id in rows}


def calendar_date(argument: str) -> date:
    """Parse a date written YYYY-MM-DD. Python reads other ISO 8601 forms too."""
    with suppress(ValueError):
        day = date.fromisoformat(argument)
        if day.isoformat() == argument:
            return day
    raise ArgumentTypeError(f"a date written YYYY-MM-DD, not {argument!r}")


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
        try:
            with options["file"].open(encoding="utf-8-sig", newline="") as rows:
                number = _apply_file(rows)
        except (OSError, UnicodeDecodeError) as error:
            raise CommandError(f"--file cannot be read: {error}") from None
        self.answer(options, {"members": number}, text=f"Set the memberships of {number}.")
