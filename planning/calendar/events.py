"""The events in a member's calendar, and writing them according to RFC 5545 and RFC 7986 with `icalendar`."""

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated, NamedTuple, TypedDict
from urllib.parse import urlsplit
from uuid import UUID
from zoneinfo import ZoneInfo

from django.conf import settings
from icalendar import Calendar, Event, Timezone, TimezoneStandard, vDuration

from accounts.models import Member
from courses.item_rows import ITEMS, SOONEST_FIRST
from planning.calendar.properties import marked
from planning.milestones import MILESTONES
from studyservice.database.rows import At
from studyservice.database.statements import Param
from studyservice.rows.access import Access, MemberSelect

BEFORE = timedelta(days=30)
"""How far back the calendar reaches from the member's today."""

AHEAD = timedelta(days=365)
"""How far ahead it reaches."""

REFRESH = timedelta(hours=1)
"""How often apps should ask again (RFC 7986 section 5.7)."""

_IN_RANGE = {"due_on__gte": Param("first"), "due_on__lte": Param("last")}
_BREAKS = re.compile("[\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f]")


class _ItemColumns(TypedDict):
    id: UUID
    title: str
    kind: str
    due_on: date
    due_time: str | None
    created_at: datetime
    updated_at: datetime
    marked_at: datetime | None
    done: bool
    graded: bool
    sequence: int
    course_name: Annotated[str, At("course__name")]
    course_updated_at: Annotated[datetime, At("course__updated_at")]
    archived: Annotated[bool, At("course__archived")]


class _MilestoneColumns(TypedDict):
    id: UUID
    title: str
    item_title: Annotated[str, At("item__title")]
    due_on: date
    created_at: datetime
    updated_at: datetime
    item_updated_at: Annotated[datetime, At("item__updated_at")]
    archived: Annotated[bool, At("item__course__archived")]
    sequence: int


_ITEMS = MemberSelect(ITEMS.filter(**_IN_RANGE).order_by(*SOONEST_FIRST), _ItemColumns)
_OPEN_MILESTONES = MemberSelect(
    MILESTONES.filter(**_IN_RANGE, done=False).order_by("due_on", "created_at", "id"), _MilestoneColumns
)


class CalendarEvent(NamedTuple):
    """An event with a title."""

    id: UUID
    summary: str
    category: str
    start: date | datetime
    """A day for an all-day event, or an instant in UTC."""
    created_at: datetime
    revised_at: datetime
    """The time when its texts last changed, including the name of the course."""
    sequence: int
    ended: bool = False
    """Whether the item is done or graded."""
    archived: bool = False
    """Whether the course has ended."""


def events_of(access: Access, today: date, *, milestones: bool, only_open: bool = False) -> list[CalendarEvent]:
    """The member's events around `today`, without those of ended courses. One query, or two.

    Args:
        access: the call.
        today: the member's date.
        milestones: include dated open milestones.
        only_open: leave out done and graded items.
    """
    found = events_between(access, today - BEFORE, today + AHEAD, milestones=milestones)
    return [event for event in found if not event.archived and not (only_open and event.ended)]


def events_between(access: Access, first: date, last: date, *, milestones: bool) -> list[CalendarEvent]:
    """The events from one day to another, inclusive."""
    zone = ZoneInfo(access.member.time_zone)
    found = [
        CalendarEvent(
            id=item["id"],
            summary=f"{marked(item['title']) if _is_ended(item) else item['title']} ({item['course_name']})",
            category=item["kind"],
            start=_start(item, zone),
            created_at=item["created_at"],
            revised_at=max(item["updated_at"], item["course_updated_at"], item["marked_at"] or item["updated_at"]),
            sequence=item["sequence"],
            ended=_is_ended(item),
            archived=item["archived"],
        )
        for item in _ITEMS.all(access, first=first, last=last)
    ]
    if milestones:
        found += [
            CalendarEvent(
                id=step["id"],
                summary=f"{step['title']} ({step['item_title']})",
                category="milestone",
                start=step["due_on"],
                created_at=step["created_at"],
                revised_at=max(step["updated_at"], step["item_updated_at"]),
                sequence=step["sequence"],
                archived=step["archived"],
            )
            for step in _OPEN_MILESTONES.all(access, first=first, last=last)
        ]
    return found


def _start(item: _ItemColumns, zone: ZoneInfo) -> date | datetime:
    """The instant of an item with a time, else its day.

    A time that the clocks skip is later by what they skip, and one that comes twice is the first (PEP 495).
    """
    if item["due_time"] is None:
        return item["due_on"]
    local = datetime.combine(item["due_on"], time.fromisoformat(item["due_time"]), zone)
    try:
        return local.astimezone(UTC)
    except OverflowError:  # in UTC it is outside of the years that dates have
        return item["due_on"]


def _is_ended(item: _ItemColumns) -> bool:
    """Return whether an item is done or graded."""
    return item["done"] or item["graded"]


def calendar_text(events: Iterable[CalendarEvent]) -> bytes:
    """A calendar with these events. Equal events produce equal bytes.

    It has no `METHOD`, because it is published for reading: RFC 5546 section 3.2.1 requires an organizer with one.
    """
    calendar = Calendar()
    calendar.add("prodid", f"-//{settings.SERVICE_NAME}//Calendar//EN")
    calendar.add("version", "2.0")
    calendar.add("calscale", "GREGORIAN")
    calendar.calendar_name = settings.SERVICE_NAME  # NAME of RFC 7986, and X-WR-CALNAME for apps that do not know it
    calendar.add("refresh-interval", REFRESH, parameters={"VALUE": "DURATION"})
    calendar.add("x-published-ttl", vDuration(REFRESH))
    host = urlsplit(settings.BASE_URL).hostname
    for event in events:
        calendar.add_component(_written(event, f"{event.id}@{host}"))
    if not calendar.subcomponents:
        calendar.add_component(_nothing())
    text: bytes = calendar.to_ical()
    return text


def _written(event: CalendarEvent, uid: str) -> Event:
    """An event without an end: that of a date is one day, another has no duration (RFC 5545 section 3.6.1)."""
    written = Event()
    written.add("uid", uid)
    written.add("dtstamp", event.revised_at.astimezone(UTC))
    written.add("created", event.created_at.astimezone(UTC))
    written.add("last-modified", event.revised_at.astimezone(UTC))
    written.add("sequence", event.sequence)
    written.add("summary", _readable(event.summary))
    written.add("categories", [event.category])
    written.add("dtstart", event.start)
    written.add("transp", "TRANSPARENT")
    return written


def _nothing() -> Timezone:
    """A minimal component for a calendar without events, because RFC 5545 section 3.6 requires one."""
    zone, standard = Timezone(), TimezoneStandard()
    zone.add("tzid", "UTC")
    standard.add("dtstart", datetime(1970, 1, 1))  # noqa: DTZ001  # local time, as section 3.6.5 requires
    standard.add("tzoffsetfrom", timedelta())
    standard.add("tzoffsetto", timedelta())
    zone.add_component(standard)
    return zone


def _readable(text: str) -> str:
    """`text` without control characters, which RFC 5545 section 3.1 cannot represent, and with uniform line ends."""
    return _CONTROL.sub("", _BREAKS.sub("\n", text.replace("\r\n", "\n")))


def write_calendar(member: Member) -> Iterator[bytes]:
    """Write every dated item and every dated open milestone as a calendar."""
    yield calendar_text(events_between(Access(member), date.min, date.max, milestones=True))
