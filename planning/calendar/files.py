"""Reading a calendar file from a member or a school, on the side of the service."""

import zlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import IO, Any

import orjson

from planning.calendar.comparison import UNKNOWN, Absence, FileEvent, Key
from planning.calendar.reader import MAX_COMPONENTS, MAX_EVENTS, WINDOW
from planning.calendar.serializers import SkippedEventRow
from studyservice.operations.errors import InvalidRequest
from studyservice.rates.limiter import Rate, require_rate
from studyservice.reading.process import read_in_child
from studyservice.rows.access import Access

MAX_BYTES = 2 * 1024 * 1024

_READER = "planning.calendar.reader.read"

_NO_CALENDAR = "This is no calendar. Send an iCalendar file (.ics), as a calendar or a learning platform exports it."
_TOO_MANY = (
    f"There is too much in this calendar: at most {MAX_COMPONENTS} components and {MAX_EVENTS} events are read. "
    "Export a shorter time."
)


@dataclass(frozen=True, slots=True)
class CalendarFile:
    """The contents of a file.

    Attributes:
        prodid: the program that wrote it.
        events: dated events, with each instance separately.
        cancelled: canceled events.
        skipped: events that cannot be imported.
        present: keys of skipped events, if any, which the file still contains.
        cut: UIDs of recurring events with too many instances.
        bare: titles without the brackets that name a course, by the key of the event.
    """

    prodid: str
    events: list[FileEvent]
    cancelled: frozenset[Key]
    skipped: list[SkippedEventRow]
    present: frozenset[Key]
    cut: frozenset[str]
    bare: Mapping[Key, str]

    def absence(self, today: date, present: Collection[Key] | None = None, prodid: str | None = None) -> Absence:
        """The meaning of events that this file lacks.

        Args:
            today: the member's, when it is read.
            present: keys of the events that count as present, in place of all.
            prodid: as in `Absence`.
        """
        there = {event.key for event in self.events} if present is None else present
        return Absence({*there, *self.present}, self.cancelled, self.cut, today - WINDOW, today + WINDOW, prodid)

    def without_brackets(self) -> "CalendarFile":
        """The same file, with the course in brackets cut off the titles."""
        events = [replace(event, title=self.bare.get(event.key, event.title)) for event in self.events]
        return replace(self, events=events, bare={})


class NotACalendar(Exception):
    """The file is not a calendar.

    Attributes:
        too_much: it may be a calendar, but exceeds a limit.
    """

    def __init__(self, *, too_much: bool) -> None:
        super().__init__(_TOO_MANY if too_much else _NO_CALENDAR)
        self.too_much = too_much


def read_calendar(access: Access, file: IO[bytes]) -> CalendarFile:
    """Read a file in the child process, and count it. Must not be called inside a transaction.

    Raises:
        InvalidRequest: it is not a calendar, or exceeds a limit.
        RateLimited: too many files were read, or others are being read.
    """
    charged = Rate.CALENDAR_IMPORTS, str(access.member.id)
    require_rate(*charged)
    try:
        return _read(access, file, charged)
    except NotACalendar as error:
        raise InvalidRequest(str(error)) from error


def read_school_calendar(access: Access, file: IO[bytes]) -> CalendarFile:
    """The same for a school's file, which is not counted and gets bare titles.

    Raises:
        NotACalendar: it is not a calendar, or exceeds a limit.
        RateLimited: others are being read.
    """
    return _read(access, file).without_brackets()


def _read(access: Access, file: IO[bytes], charged: tuple[Rate, str] | None = None) -> CalendarFile:
    options = {"today": access.today().isoformat(), "time_zone": access.member.time_zone}
    outcome = read_in_child(_READER, file, options, charged=charged)
    if outcome.hit_limit:
        raise NotACalendar(too_much=True)
    found = outcome.found
    if not outcome.complete or "refusal" in found:
        raise NotACalendar(too_much=found.get("refusal") == "too_many")
    keyed = [((event["uid"], event["instance"]), event) for event in found["events"]]
    return CalendarFile(
        prodid=found["prodid"],
        events=[
            FileEvent(key, event["title"], date.fromisoformat(event["due_on"]), event["label"], event["due_time"])
            for key, event in keyed
            if not event["cancelled"]
        ],
        cancelled=frozenset(key for key, event in keyed if event["cancelled"]),
        skipped=found["skipped"],
        present=frozenset((uid, instance) for uid, instance in found["present"]),
        cut=frozenset(found["cut"]),
        bare={key: event["bare"] for key, event in keyed if event["bare"] != event["title"]},
    )


def as_json(calendar: CalendarFile) -> dict[str, Any]:
    """The contents as JSON, for storage."""
    return {
        "prodid": calendar.prodid,
        "events": [
            [*event.key, event.title, event.due_on.isoformat(), event.label, event.due_time]
            for event in calendar.events
        ],
        "cancelled": sorted(calendar.cancelled),
        "skipped": calendar.skipped,
        "present": sorted(calendar.present),
        "cut": sorted(calendar.cut),
        "bare": [[*key, title] for key, title in calendar.bare.items()],
    }


def from_json(read: Mapping[str, Any]) -> CalendarFile:
    """Load the contents stored by `as_json`. Older ones have no labels, and unknown times."""
    return CalendarFile(
        prodid=read["prodid"],
        events=[_event(*event) for event in read["events"]],
        cancelled=frozenset((uid, instance) for uid, instance in read["cancelled"]),
        skipped=read["skipped"],
        present=frozenset((uid, instance) for uid, instance in read.get("present", ())),
        cut=frozenset(read["cut"]),
        bare={(uid, instance): title for uid, instance, title in read.get("bare", ())},
    )


def _event(  # noqa: PLR0917  # the order of stored events
    uid: str, instance: str, title: str, due_on: str, label: str = "", due_time: str | None = UNKNOWN
) -> FileEvent:
    return FileEvent((uid, instance), title, date.fromisoformat(due_on), label, due_time)


def packed(calendar: CalendarFile) -> bytes:
    """The contents, compressed."""
    return zlib.compress(orjson.dumps(as_json(calendar)))


def unpacked(stored: bytes | memoryview) -> CalendarFile:
    """The contents from `packed`."""
    return from_json(orjson.loads(zlib.decompress(bytes(stored))))
