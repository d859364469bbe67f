"""Reading a calendar file that a member brought, from the service's side."""

from dataclasses import dataclass
from datetime import date
from typing import IO

from accounts.models import Member
from planning.calendar.comparison import FileEvent, Key
from planning.calendar.reader import MAX_COMPONENTS, MAX_EVENTS
from planning.calendar.serializers import SkippedEventRow
from studyservice.operations.errors import InvalidRequest, RateLimited
from studyservice.rates.limiter import Rate, hit
from studyservice.reading.process import read_in_child

MAX_BYTES = 2 * 1024 * 1024

_READER = "planning.calendar.reader.read"
_COST_OF_A_LIMIT = 10
"""What a reading that took all it may counts for."""

_NO_CALENDAR = "This is no calendar. Send an iCalendar file (.ics), as a calendar or a learning platform exports it."
_TOO_MANY = (
    f"There is too much in this calendar: at most {MAX_COMPONENTS} components and {MAX_EVENTS} events are read. "
    "Export a shorter time."
)


@dataclass(frozen=True, slots=True)
class CalendarFile:
    """What is in a file.

    Attributes:
        prodid: what wrote it.
        events: those with a date, each instance for itself.
        cancelled: those that are taken back.
        skipped: what is not taken.
        present: of that the keys, where there are any; the file still has it.
        cut: UIDs of recurring events with more instances than are told.
    """

    prodid: str
    events: list[FileEvent]
    cancelled: frozenset[Key]
    skipped: list[SkippedEventRow]
    present: frozenset[Key]
    cut: frozenset[str]


def read_calendar(member: Member, file: IO[bytes]) -> CalendarFile:
    """Read a file in the child process; counts it. Must not be called inside a transaction.

    Raises:
        InvalidRequest: it is no calendar, or has too much in it.
        RateLimited: too many were read, or others are being read.
    """
    window = hit(Rate.CALENDAR_IMPORTS, str(member.id))
    if window.exceeded:
        raise RateLimited(window.reset)
    outcome = read_in_child(_READER, file, {"today": member.today().isoformat(), "time_zone": member.time_zone})
    if outcome.hit_limit:
        hit(Rate.CALENDAR_IMPORTS, str(member.id), _COST_OF_A_LIMIT - 1)
        raise InvalidRequest(_TOO_MANY)
    found = outcome.found
    if not outcome.complete or "refusal" in found:
        raise InvalidRequest(_TOO_MANY if found.get("refusal") == "too_many" else _NO_CALENDAR)
    keyed = [((event["uid"], event["instance"]), event) for event in found["events"]]
    return CalendarFile(
        prodid=found["prodid"],
        events=[
            FileEvent(key, event["title"], date.fromisoformat(event["due_on"]))
            for key, event in keyed
            if not event["cancelled"]
        ],
        cancelled=frozenset(key for key, event in keyed if event["cancelled"]),
        skipped=found["skipped"],
        present=frozenset((uid, instance) for uid, instance in found["present"]),
        cut=frozenset(found["cut"]),
    )
