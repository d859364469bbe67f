"""The changes that a reading makes in each course: its events are matched with imported ones by UID."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any
from uuid import UUID

from django.db.models import Exists, OuterRef, Q

from courses.errors import NoSuchCourse
from planning.calendar.assigning import FILLED_IN, Courses, ask_for_courses
from planning.calendar.comparison import Comparison, FileEvent, Key, KnownEvent, Version, compare
from planning.calendar.files import CalendarFile
from planning.calendar.moves import follow_moves, is_same
from planning.models import ImportedEvent, SchoolCalendar
from studyservice.database.statements import Param
from studyservice.rows.access import Access, MemberSelect, as_array
from studyservice.rows.rows import OneOf, Row


@dataclass(frozen=True, slots=True)
class Source:
    """A reading of a school calendar or of a file, and the courses that it is imported into.

    Of a file all events count as known that any calendar remembers in these courses, and none moves to another course.
    A school calendar knows its own events in all courses.

    Attributes:
        courses: the course of each label, None if unassigned; ignored labels are missing.
        targets: the courses to compare.
        calendar_id: the school calendar; None for a file.
        left: courses whose items are left as they are, because they have ended.
    """

    reading: CalendarFile
    courses: Mapping[str, UUID | None]
    targets: Sequence[UUID]
    calendar_id: UUID | None = None
    left: frozenset[UUID] = frozenset()

    @classmethod
    def of_file(cls, reading: CalendarFile, course_id: UUID) -> "Source":
        """All events of a file, for one course."""
        return cls(reading, {event.label: course_id for event in reading.events}, [course_id])

    @classmethod
    def of_labels(cls, reading: CalendarFile, courses: Mapping[str, UUID], course_id: UUID) -> "Source":
        """The events of some labels of a file, with bare titles; without labels none of them, for `course_id`."""
        return cls(reading.without_brackets(), courses, [*dict.fromkeys(courses.values())] or [course_id])


def match(access: Access, source: Source, courses: Courses | None = None) -> dict[UUID, Comparison]:
    """The changes of the reading, by course. One query.

    Args:
        courses: with their items; without them they are read in the same round trip.

    Raises:
        NotFound: one of the courses was deleted.
    """
    ask = ask_for_courses(access, with_items=True) if courses is None else lambda: courses
    rows = _REMEMBERED.all(access, calendar_id=source.calendar_id, targets=as_array({*source.targets}))
    there = ask()
    if not all(map(there.name_of, source.targets)):
        raise NoSuchCourse
    return _Matching(access.today(), source, rows, there.items).found()


class _Matching:
    def __init__(self, today: date, source: Source, found: Iterable[Row], items: Mapping[UUID, Row]) -> None:
        self.today, self.source, self.reading = today, source, source.reading
        rows = [KnownEvent(**row, item=items.get(row["item_id"])) for row in found]
        self.others: defaultdict[tuple[UUID, str], list[KnownEvent]] = defaultdict(list)
        self.taken: set[UUID] = set()
        courses = [*source.targets, *sorted({row.course_id for row in rows} - {*source.targets})]
        self.known: dict[UUID, dict[Key, KnownEvent]] = {course_id: {} for course_id in courses}
        versions = {event.key: event.version for event in self.reading.events}
        # If several calendars remember an event, that of files is compared, else one with the title and date of now.
        rows.sort(key=lambda row: (row.calendar_id is None, _has_title_and_date(row, versions.get(row.key))))
        for row in rows:
            if source.calendar_id in {None, row.calendar_id}:
                self.known[row.course_id][row.key] = row
            else:
                self.others[row.course_id, row.uid].append(row)
        absence = self.reading.absence(self.today)
        for course_id, known in self.known.items():
            self.known[course_id] = follow_moves(self.reading.events, known, absence)
        self.comparisons = {
            course_id: Comparison(course_id) for course_id in self.known if course_id not in source.left
        }
        self.events: defaultdict[UUID, list[FileEvent]] = defaultdict(list)
        self.there: defaultdict[UUID, set[Key]] = defaultdict(set)

    def found(self) -> dict[UUID, Comparison]:
        for row, event in self._sorted():
            self._move(row, event)
        for course_id, one in self.comparisons.items():
            self._compare(course_id, one)
        return self.comparisons

    def _sorted(self) -> list[tuple[KnownEvent, FileEvent]]:
        """Group the events by course. Return those that a school calendar knows in another course.

        Events that it knows only in courses that have ended are left out.
        """
        moving = []
        for event in self.reading.events:
            if event.label not in self.source.courses:
                continue
            target = self.source.courses[event.label]
            at = [course_id for course_id, known in self.known.items() if event.key in known]
            ended = [course_id for course_id in at if course_id in self.source.left]
            at = [course_id for course_id in at if course_id not in ended]
            if not at and any(is_same(self.known[course_id][event.key], event) for course_id in ended):
                continue
            if target is None:
                for course_id in at:  # still in the reading, in whatever course
                    self.there[course_id].add(event.key)
                continue
            if at and target not in at and self.source.calendar_id is not None:
                moving.append((self.known[at[0]][event.key], event))
            elif at or not self._is_shared(target, event):
                self.events[target].append(event)
            self.there[target].add(event.key)
        return moving

    def _is_shared(self, target: UUID, event: FileEvent) -> bool:
        """Return whether another calendar created the item. Take over an event of a file, or of a deleted calendar.

        Only one with the same title and date: programs of two schools may write the same UID.
        """
        rows = sorted(self.others[target, event.key[0]], key=lambda row: row.key != event.key)
        same = [row for row in rows if _has_title_and_date(row, event.version) and row.id not in self.taken]
        keys = {(row.key, row.calendar_id) for row in rows}
        for row in same:
            key_is_free = row.key == event.key or (event.key, row.calendar_id) not in keys
            if key_is_free and not row.of_other:
                self.taken.add(row.id)
                self.known[target][event.key] = row
                self.comparisons[target].adopted.append(row)
                return False
        of_others = [row for row in same if row.of_other]
        for row in of_others[:1]:
            self.taken.add(row.id)
            one = self.comparisons[target]
            one.shared.append((event, row.item_id))
            if row.item is None:
                one.deleted.append(event)
            else:
                one.unchanged += 1
        return bool(of_others)

    def _move(self, row: KnownEvent, event: FileEvent) -> None:
        """Move an event to its label's course unless the member changed it; otherwise it is reported as gone."""
        target = self.source.courses[event.label]
        if target is None:
            return
        if row.item is None:
            self.comparisons[target].deleted.append(event)
        elif _is_untouched(row, row.item):
            self.events[target].append(event)
            self.comparisons[row.course_id].moved_out.append(row)
            self.there[row.course_id].add(event.key)

    def _compare(self, course_id: UUID, one: Comparison) -> None:
        known, events = self.known[course_id], self.events[course_id]
        compare(one, events, known)
        if self.source.calendar_id is None:
            absence = self.reading.absence(self.today, prodid=self.reading.prodid)
        else:
            absence = self.reading.absence(self.today, self.there[course_id])
        gone = [event for event in absence.gone(known) if not self._is_elsewhere(event)]
        one.gone = sorted(gone, key=lambda event: (event.due_on, event.id))
        if self.source.calendar_id is None:
            return
        one.newly_gone = [event for event in sorted(one.gone, key=lambda event: event.key) if not event.is_gone]
        one.back = [before for event in events if (before := known.get(event.key)) and before.is_gone]
        own = [event for event in known.values() if event.calendar_id == self.source.calendar_id]
        one.live = sum(event.item is not None and not event.is_gone and event.due_on >= self.today for event in own)

    def _is_elsewhere(self, event: KnownEvent) -> bool:
        """Return whether another calendar still has the event with this item."""
        rows = self.others[event.course_id, event.uid]
        return any(row.item_id == event.item_id and row.of_other and not row.is_gone for row in rows)


_OTHERS = SchoolCalendar.rows.declared.filter(id=OuterRef("calendar_id")).exclude(id=Param("calendar_id"))
_REMEMBERED = MemberSelect[Row](
    ImportedEvent.rows.declared.filter(Q(calendar_id=Param("calendar_id")) | Q(OneOf("course_id", "targets")))
    .annotate(of_other=Exists(_OTHERS))
    .order_by("due_on", "id"),
    {name: name for name in KnownEvent.__dataclass_fields__ if name != "item"},
)
"""The events of this calendar, and all events of the courses."""


def _has_title_and_date(event: KnownEvent, version: Version | None) -> bool:
    """Return whether an event is remembered with this title and date. Its time may be unknown."""
    return version is not None and event.base[:2] == version[:2]


def _is_untouched(event: KnownEvent, item: Mapping[str, Any]) -> bool:
    """Return whether the item is unchanged since the calendar created it, and nothing depends on it."""
    base = event.base._replace(due_time=event.due_time or None)
    return event.mine == base and not any(item[name] for name in (*FILLED_IN, "graded", "has_milestones"))
