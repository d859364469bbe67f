"""Import memberships from the billing system's CSV with the columns `email`, `state` and `until`, all or nothing."""

import csv
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date

from django.db import transaction

from accounts.events.log import record_event
from accounts.events.models import EventKind
from accounts.members.membership import note_of_membership
from accounts.members.models import Member

COLUMNS = ("email", "state", "until")

_AT_ONCE = 500
"""Number of addresses per query."""


class FileRefused(Exception):
    """The file is invalid. Nothing was changed.

    Attributes:
        complaints: the errors, each with its line number.
    """

    def __init__(self, complaints: list[str]) -> None:
        super().__init__("\n".join(complaints))
        self.complaints = complaints


@dataclass(frozen=True, slots=True)
class _Line:
    number: int
    email: str
    active: bool
    until: date | None


def apply_file(rows: Iterable[str]) -> int:
    """Set the membership of each member in the file (RFC 4180), in one transaction. Return their number.

    Raises:
        FileRefused: lists every invalid line.
    """
    complaints: list[str] = []
    lines = list(_read(rows, complaints))
    with transaction.atomic():
        ids = _ids([line.email for line in lines])
        unknown = [line for line in lines if line.email not in ids]
        complaints += [f"line {line.number}: there is no member {line.email}" for line in unknown]
        if complaints:
            raise FileRefused(sorted(complaints, key=_number))
        for line in sorted(lines, key=lambda line: ids[line.email]):  # the same order for all, to avoid deadlocks
            stored = Member.objects.filter(id=ids[line.email], email=line.email, erasure_began_at=None)
            found = stored.select_for_update(no_key=True).values_list("id", "membership_active", "membership_until")
            if (before := found.first()) is None:
                raise FileRefused([f"line {line.number}: {line.email} was deleted or renamed meanwhile"])
            if before[1:] != (line.active, line.until):
                stored.update(membership_active=line.active, membership_until=line.until)
                note = note_of_membership(line.active, line.until)
                record_event(before[0], EventKind.OPERATOR_ACTION, detail=note)
    return len(lines)


def _read(rows: Iterable[str], complaints: list[str]) -> Iterator[_Line]:
    reader = csv.reader(rows, strict=True)
    seen: dict[str, int] = {}
    try:
        header = [name.strip().lower() for name in next(reader, [])]
        if sorted(header) != sorted(COLUMNS):
            complaints.append(f"line 1: the columns are {', '.join(COLUMNS)}, not {', '.join(header) or 'missing'}")
            return
        for cells in reader:
            number = reader.line_num
            if not any(cell.strip() for cell in cells):
                continue
            if len(cells) != len(header):
                complaints.append(f"line {number}: {len(cells)} values, not {len(header)}")
                continue
            named = dict(zip(header, (cell.strip() for cell in cells), strict=True))
            email = named["email"].lower()
            if email in seen:
                complaints.append(f"line {number}: {email} is already in line {seen[email]}")
                continue
            seen[email] = number
            try:
                yield _Line(number, email, *_membership(named["state"], named["until"]))
            except ValueError as error:
                complaints.append(f"line {number}: {error}")
    except csv.Error as error:
        complaints.append(f"line {reader.line_num}: {error}")


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
        day = date.fromisoformat(until)
    except ValueError:
        day = None
    if day is None or day.isoformat() != until:  # Python reads other ISO 8601 forms too
        raise ValueError(f"until is a date written YYYY-MM-DD, not {until!r}")
    return True, day


def _ids(emails: list[str]) -> dict[str, str]:
    """Return the ids of members by address."""
    found: dict[str, str] = {}
    for start in range(0, len(emails), _AT_ONCE):
        batch = Member.objects.filter(email__in=emails[start : start + _AT_ONCE])
        found |= {email: str(member_id) for email, member_id in batch.values_list("email", "id")}
    return found


def _number(complaint: str) -> int:
    return int(complaint.split()[1].rstrip(":"))
