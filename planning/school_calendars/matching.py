"""The changes of a reading in each course: its events are matched with imported ones by UID within the calendar."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from uuid import UUID

from django.db.models import Exists, OuterRef, Q

from accounts.rows.access import Access, MemberSelect, as_array
from accounts.rows.rows import OneOf, Row
from planning.calendar.comparison import (
    REMEMBERED,
    Comparison,
    FileEvent,
    Key,
    KnownEvent,
    Remembered,
    compare,
)
from planning.calendar.files import CalendarFile
from planning.calendar.importing import known_event
from planning.calendar.moves import follow_moves
from planning.models import ImportedEvent
from planning.school_calendars.loading import Courses
from planning.school_calendars.models import SchoolCalendar
from studyservice.database.statements import Param

MOST_NEW = 50
"""A reading with more new items in a course waits for confirmation."""

MANY_CHANGED = 10
"""A reading with more changes in a course waits for confirmation, if they are also a quarter of its items."""

_A_QUARTER, _HALF = 4, 2


@dataclass(slots=True)
class CourseMatch:
    """The changes of a reading in one course.

    Attributes:
        comparison: as in import_calendar.
        adopted: remembered events that this calendar takes over from a file, or from a deleted calendar.
        shared: events whose item another calendar created.
        newly_gone: remembered events missing for the first time.
        back: remembered events that reappeared.
        moved_out: remembered events, with their items, that move to another course.
        live: number of this calendar's future items that are still in the file.
    """

    course_id: UUID
    comparison: Comparison = field(default_factory=Comparison)
    adopted: list[Remembered] = field(default_factory=list)
    shared: list[tuple[FileEvent, UUID]] = field(default_factory=list)
    newly_gone: list[Remembered] = field(default_factory=list)
    back: list[Remembered] = field(default_factory=list)
    moved_out: list[Remembered] = field(default_factory=list)
    live: int = 0

    def changes_something(self) -> bool:
        """Return whether there is anything to apply or to report."""
        found = self.comparison
        return bool(found.new or found.changed or found.kept or self.newly_gone or self.moved_out)

    def is_odd(self, item_count: int, today: date) -> bool:
        """Return whether the change is unusual enough to require the member's confirmation.

        Args:
            item_count: of the course.
            today: the member's; past events may disappear without confirmation.
        """
        changed = len(self.comparison.changed)
        ahead = sum(event.due_on >= today for event in self.newly_gone)
        return (
            len(self.comparison.new) > MOST_NEW
            or (changed >= MANY_CHANGED and changed * _A_QUARTER >= item_count)
            or bool(ahead and ahead * _HALF >= self.live)
        )


def match(
    access: Access, calendar_id: UUID, reading: CalendarFile, courses: Courses, assigned: Mapping[str, UUID | None]
) -> dict[UUID, CourseMatch]:
    """The changes of the reading, by course. One query.

    Args:
        courses: with their items.
        assigned: the course of each label, None if unassigned; ignored labels are missing.
    """
    return _Matching(access, calendar_id, reading, courses, assigned).found()


class _Matching:
    def __init__(
        self,
        access: Access,
        calendar_id: UUID,
        reading: CalendarFile,
        courses: Courses,
        assigned: Mapping[str, UUID | None],
    ) -> None:
        self.today, self.calendar_id, self.reading, self.assigned = access.today(), calendar_id, reading, assigned
        targets = {course_id for course_id in assigned.values() if course_id is not None}
        found = _REMEMBERED.all(access, calendar_id=calendar_id, targets=as_array(targets))
        rows = [Remembered(**row) for row in found]
        self.stored = courses.items
        self.rows = {row.id: row for row in rows}
        self.others: defaultdict[tuple[UUID, str], list[Remembered]] = defaultdict(list)
        self.taken: set[UUID] = set()
        self.known: dict[UUID, dict[Key, KnownEvent]] = {
            course_id: {} for course_id in sorted(targets | {row.course_id for row in rows})
        }
        for row in rows:
            if row.calendar_id == calendar_id:
                self.known[row.course_id][row.key] = known_event(row, self.stored.get(row.item_id))
            else:
                self.others[row.course_id, row.uid].append(row)
        absence = reading.absence(self.today)
        for course_id, known in self.known.items():
            self.known[course_id] = follow_moves(reading.events, known, absence)
        self.matches = {course_id: CourseMatch(course_id) for course_id in self.known}
        self.events: defaultdict[UUID, list[FileEvent]] = defaultdict(list)
        self.there: defaultdict[UUID, set[Key]] = defaultdict(set)

    def found(self) -> dict[UUID, CourseMatch]:
        for row, event in self._sorted():
            self._move(row, event)
        for course_id, one in self.matches.items():
            self._compare(course_id, one)
        return self.matches

    def _sorted(self) -> list[tuple[Remembered, FileEvent]]:
        """Group the events by course. Return those known in another course."""
        moving = []
        for event in self.reading.events:
            if event.label not in self.assigned:
                continue
            target = self.assigned[event.label]
            at = [course_id for course_id, known in self.known.items() if event.key in known]
            if target is None:
                for course_id in at:  # still in the file, in whatever course
                    self.there[course_id].add(event.key)
                continue
            if at and target not in at:
                moving.append((self.rows[self.known[at[0]][event.key].id], event))
            elif at or not self._is_shared(target, event):
                self.events[target].append(event)
            self.there[target].add(event.key)
        return moving

    def _is_shared(self, target: UUID, event: FileEvent) -> bool:
        """Return whether another calendar created the item. Take over an event of a file, or of a deleted calendar.

        Only one with the same title and date: programs of two schools may write the same UID.
        """
        rows = sorted(self.others[target, event.key[0]], key=lambda row: row.key != event.key)
        same = [row for row in rows if row.version == event.version and row.id not in self.taken]
        keys = {(row.key, row.calendar_id) for row in rows}
        for row in same:
            key_is_free = row.key == event.key or (event.key, row.calendar_id) not in keys
            if key_is_free and not row.of_other:
                self.taken.add(row.id)
                self.known[target][event.key] = known_event(row, self.stored.get(row.item_id))
                self.matches[target].adopted.append(row)
                return False
        of_others = [row for row in same if row.of_other]
        for row in of_others[:1]:
            self.taken.add(row.id)
            one = self.matches[target]
            one.shared.append((event, row.item_id))
            if row.item_id in self.stored:
                one.comparison.unchanged += 1
            else:
                one.comparison.deleted.append(event)
        return bool(of_others)

    def _move(self, row: Remembered, event: FileEvent) -> None:
        """Move an event to its label's course unless the member changed it; otherwise it is reported as gone."""
        target = self.assigned[event.label]
        item = self.stored.get(row.item_id)
        if target is None:
            return
        if item is None:
            self.matches[target].comparison.deleted.append(event)
        elif _is_untouched(item, row):
            self.events[target].append(event)
            self.matches[row.course_id].moved_out.append(row)
            self.there[row.course_id].add(event.key)

    def _compare(self, course_id: UUID, one: CourseMatch) -> None:
        known, deleted, unchanged = self.known[course_id], one.comparison.deleted, one.comparison.unchanged
        events = self.events[course_id]
        one.comparison = found = compare(events, known)
        found.deleted += deleted
        found.unchanged += unchanged
        absence = self.reading.absence(self.today, self.there[course_id])
        found.gone = [event for event in absence.gone(known) if not self._is_elsewhere(course_id, event)]
        newly_gone = [self.rows[event.id] for event in sorted(found.gone, key=lambda event: event.key)]
        one.newly_gone = [row for row in newly_gone if not row.is_gone]
        here = {known[event.key].id for event in events if event.key in known}
        one.back = [row for row in map(self.rows.__getitem__, here) if row.is_gone]
        own = [event for event in known.values() if self.rows[event.id].calendar_id == self.calendar_id]
        one.live = sum(event.mine is not None and self._is_ahead(self.rows[event.id]) for event in own)

    def _is_ahead(self, row: Remembered) -> bool:
        return not row.is_gone and row.due_on >= self.today

    def _is_elsewhere(self, course_id: UUID, event: KnownEvent) -> bool:
        """Return whether another calendar still has the event with this item."""
        rows = self.others[course_id, event.key[0]]
        return any(row.item_id == event.item_id and row.of_other and not row.is_gone for row in rows)


_OTHERS = SchoolCalendar.rows.declared.filter(id=OuterRef("calendar_id")).exclude(id=Param("calendar_id"))
_REMEMBERED = MemberSelect[Row](
    ImportedEvent.rows.declared.filter(Q(calendar_id=Param("calendar_id")) | Q(OneOf("course_id", "targets")))
    .annotate(of_other=Exists(_OTHERS))
    .order_by("due_on", "id"),
    {**REMEMBERED, "of_other": "of_other"},
)
"""The events of this calendar, and all events of the courses."""


def _is_untouched(item: Row, row: Remembered) -> bool:
    """Return whether the item is unchanged since the calendar created it, and nothing depends on it."""
    as_made = (item["title"], item["due_on"]) == (row.title, row.due_on)
    return as_made and not any(item[name] for name in ("done", "graded", "note", "category_id", "has_milestones"))
