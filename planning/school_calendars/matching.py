"""The changes of a reading in each course: its events are matched with imported ones by UID within the calendar."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from uuid import UUID

from django.db.models import Exists, OuterRef, Q

from accounts.models import Member
from planning.calendar.comparison import Comparison, FileEvent, Key, KnownEvent, Version, compare, gone
from planning.calendar.files import CalendarFile
from planning.calendar.reader import WINDOW
from planning.models import ImportedEvent
from planning.school_calendars.loading import Courses, StoredItem
from planning.school_calendars.models import SchoolCalendar

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
        adopted: remembered events that this calendar takes over from a file.
        newly_gone: remembered events missing for the first time.
        back: remembered events that reappeared.
        moved_out: remembered events, with their items, that move to another course.
        live: number of this calendar's future items that are still in the file.
    """

    course_id: UUID
    comparison: Comparison = field(default_factory=Comparison)
    adopted: list[UUID] = field(default_factory=list)
    newly_gone: list[ImportedEvent] = field(default_factory=list)
    back: list[UUID] = field(default_factory=list)
    moved_out: list[ImportedEvent] = field(default_factory=list)
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
    member: Member, calendar_id: UUID, reading: CalendarFile, courses: Courses, assigned: Mapping[str, UUID | None]
) -> dict[UUID, CourseMatch]:
    """The changes of the reading, by course. One query.

    Args:
        courses: with their items.
        assigned: the course of each label, None if unassigned; ignored labels are missing.
    """
    return _Matching(member, calendar_id, reading, courses, assigned).found()


class _Matching:
    def __init__(
        self,
        member: Member,
        calendar_id: UUID,
        reading: CalendarFile,
        courses: Courses,
        assigned: Mapping[str, UUID | None],
    ) -> None:
        self.member, self.calendar_id, self.reading, self.assigned = member, calendar_id, reading, assigned
        targets = {course_id for course_id in assigned.values() if course_id is not None}
        rows = list(_remembered(member, calendar_id, targets))
        self.items = courses.items
        self.in_course = {(row.course_id, _key(row)): row for row in rows}
        self.own: defaultdict[Key, list[ImportedEvent]] = defaultdict(list)
        for row in rows:
            if row.calendar_id == calendar_id:
                self.own[_key(row)].append(row)
        self.matches = {
            course_id: CourseMatch(course_id) for course_id in sorted(targets | {row.course_id for row in rows})
        }
        self.events: defaultdict[UUID, list[FileEvent]] = defaultdict(list)
        self.there: defaultdict[UUID, set[Key]] = defaultdict(set)

    def found(self) -> dict[UUID, CourseMatch]:
        for row, event in self._sorted():
            self._move(row, event)
        for course_id, one in self.matches.items():
            self._compare(course_id, one)
        return self.matches

    def _sorted(self) -> list[tuple[ImportedEvent, FileEvent]]:
        """Group the events by course. Return those known in another course."""
        moving = []
        for event in self.reading.events:
            if event.label not in self.assigned:
                continue
            target = self.assigned[event.label]
            if target is None:
                for row in self.own[event.key]:  # still in the file, in whatever course
                    self.there[row.course_id].add(event.key)
                continue
            row_there = self.in_course.get((target, event.key))
            elsewhere = [row for row in self.own[event.key] if row.course_id != target]
            if row_there is not None and row_there.of_other:  # type: ignore[attr-defined]  # annotated
                self.matches[target].comparison.unchanged += 1
            elif row_there is None and elsewhere:
                moving.append((elsewhere[0], event))
            else:
                self.events[target].append(event)
            self.there[target].add(event.key)
        return moving

    def _move(self, row: ImportedEvent, event: FileEvent) -> None:
        """Move an event to its label's course unless the member changed it; otherwise it is reported as gone."""
        target = self.assigned[event.label]
        item = self.items.get(row.item_id)
        if target is None:
            return
        if item is None:
            self.matches[target].comparison.deleted.append(event)
        elif _is_untouched(item, row):
            self.events[target].append(event)
            self.matches[row.course_id].moved_out.append(row)
            self.there[row.course_id].add(event.key)

    def _compare(self, course_id: UUID, one: CourseMatch) -> None:
        rows = {key: row for (course, key), row in self.in_course.items() if course == course_id}
        rows = {key: row for key, row in rows.items() if not row.of_other}  # type: ignore[attr-defined]  # annotated
        deleted, unchanged = one.comparison.deleted, one.comparison.unchanged
        known = {key: self._known(row) for key, row in rows.items()}
        events = self.events[course_id]
        one.comparison = found = compare(events, known)
        found.deleted += deleted
        found.unchanged += unchanged
        here = {event.key for event in events}
        one.adopted = [rows[key].id for key in here & rows.keys() if rows[key].calendar_id != self.calendar_id]
        own = {key: known[key] for key, row in rows.items() if row.calendar_id == self.calendar_id}
        found.gone = gone(
            own,
            self.there[course_id] | self.reading.present,
            self.reading.cancelled,
            prodid=self.reading.prodid,
            cut=self.reading.cut,
            today=self.member.today(),
            window=WINDOW,
        )
        lost = {event.key for event in found.gone}
        one.newly_gone = [rows[key] for key in sorted(lost) if not rows[key].is_gone]
        one.back = [row.id for key, row in rows.items() if row.is_gone and key in here]
        today = self.member.today()
        one.live = sum(
            known[key].mine is not None and not rows[key].is_gone and rows[key].due_on >= today for key in own
        )

    def _known(self, row: ImportedEvent) -> KnownEvent:
        item = self.items.get(row.item_id)
        return KnownEvent(
            key=_key(row),
            prodid=self.reading.prodid,  # an address is one source, whatever program writes its files
            base=Version(row.title, row.due_on),
            item_id=row.item_id,
            kind="" if item is None else item.kind,
            mine=None if item is None else Version(item.title, item.due_on),
        )


def _remembered(member: Member, calendar_id: UUID, targets: set[UUID]) -> Iterable[ImportedEvent]:
    """The events of this calendar, and all events of the courses; `of_other` marks those of another calendar."""
    others = SchoolCalendar.objects.filter(member_id=member.id, id=OuterRef("calendar_id")).exclude(id=calendar_id)
    mine = ImportedEvent.objects.filter(Q(calendar_id=calendar_id) | Q(course_id__in=targets), member_id=member.id)
    return mine.annotate(of_other=Exists(others)).order_by("due_on", "id")


def _key(row: ImportedEvent) -> Key:
    return row.uid, row.instance


def _is_untouched(item: StoredItem, row: ImportedEvent) -> bool:
    """Return whether the item is unchanged since the calendar created it, and nothing depends on it."""
    as_made = (item.title, item.due_on) == (row.title, row.due_on)
    return as_made and not (item.done or item.graded or item.note or item.category_id or item.has_milestones)
