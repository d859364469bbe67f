"""Importing a calendar file into a course: new events become items, and known ones are compared."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import IO
from uuid import UUID

from accounts.members.data import Maximum
from accounts.rows.access import Access, MemberSelect, change
from accounts.rows.rows import Row
from courses.approval import Applied
from courses.errors import NoSuchCourse
from courses.item_batches import add_items
from courses.items import change_items, delete_items
from courses.models import Item
from courses.serializers import ItemFields, NewItem
from courses.syllabi.kinds import kind_of
from planning.calendar.comparison import (
    REMEMBERED,
    Change,
    Comparison,
    FileEvent,
    Key,
    KnownEvent,
    Remembered,
    Version,
    compare,
)
from planning.calendar.files import CalendarFile, read_calendar
from planning.calendar.moves import follow_moves
from planning.calendar.serializers import (
    CalendarEventRow,
    CalendarImportRow,
    ComparedRow,
    EventVersionRow,
    SkippedEventRow,
)
from planning.models import ImportedEvent
from planning.school_calendars.assigning import label_rows, summaries
from planning.school_calendars.loading import load_courses
from studyservice.database.statements import Param

EVENTS_OF_COURSE = Maximum(
    most=3000,
    what="imported events of a course",
    full="With these there would be over {most} imported events in this course.",
    per="course",
)
"""The remembered events of a course, including those whose item was deleted."""


def import_calendar(
    access: Access, course_id: UUID, file: IO[bytes], *, dry_run: bool, label: str | None = None
) -> CalendarImportRow:
    """Read a file and import it into the course. With `label`, import only its events.

    Raises:
        NotFound: the member has no such course.
        InvalidRequest: it is not a calendar, or exceeds a limit.
        RateLimited: too many files were read, or others are being read.
        Conflict: there would be too many items.
    """
    courses = load_courses(access).named
    if all(one.id != course_id for one in courses):
        raise NoSuchCourse
    calendar = read_calendar(access, file)
    labels = label_rows(summaries(calendar.without_brackets().events), courses, {}, None)
    wanted = calendar if label is None else calendar.of_labels({label})
    return {**take_calendar(access, course_id, wanted, dry_run=dry_run), "labels": labels}


def take_calendar(access: Access, course_id: UUID, calendar: CalendarFile, *, dry_run: bool) -> ComparedRow:
    """Compare the contents with the course and apply the changes, unless `dry_run`.

    Raises:
        NotFound: the course was deleted.
        Conflict: there would be too many items.
    """
    if dry_run:
        return import_row(compared(access, course_id, calendar), calendar, [], dry_run=True)
    with change(access, "import_calendar"):
        found = compared(access, course_id, calendar)
        made, _ = take(access, course_id, calendar, all_of(found))
    return import_row(found, calendar, made, dry_run=False)


@dataclass(frozen=True, slots=True)
class Plan:
    """The changes to apply.

    Attributes:
        new: events with their new items.
        changes: items with their changes.
        bases: remembered events with their new keys and versions.
        deleted: items to delete.
        shared: events whose item another calendar created.
    """

    new: Sequence[tuple[FileEvent, NewItem]]
    changes: Sequence[tuple[UUID, ItemFields]]
    bases: Sequence[tuple[KnownEvent, FileEvent]]
    deleted: Sequence[UUID] = ()
    shared: Sequence[tuple[FileEvent, UUID]] = ()


_ITEMS = MemberSelect[Row](
    Item.rows.declared.filter(course_id=Param("course_id")), {name: name for name in ("id", "title", "kind", "due_on")}
)
_REMEMBERED = MemberSelect[Row](
    ImportedEvent.rows.declared.filter(course_id=Param("course_id")).order_by("due_on", "id"), REMEMBERED
)


def compared(access: Access, course_id: UUID, calendar: CalendarFile) -> Comparison:
    """Compare the contents with the course. Two queries: the imported events, and their remaining items.

    If several calendars remember an event, that of files is compared, else one with the title and date of the file.
    """
    mine = _ITEMS.ahead(access, course_id=course_id)
    rows = [Remembered(**row) for row in _REMEMBERED.all(access, course_id=course_id)]
    items = {item["id"]: item for item in mine()}
    versions = {event.key: event.version for event in calendar.events}
    best: dict[Key, Remembered] = {}
    for row in sorted(rows, key=lambda row: (row.calendar_id is None, row.version == versions.get(row.key))):
        best[row.key] = row
    known = {row.key: known_event(row, items.get(row.item_id)) for row in rows if best[row.key] is row}
    absence = calendar.absence(access.today())
    known = follow_moves(calendar.events, known, absence)
    found = compare(calendar.events, known)
    found.gone = absence.gone(known, prodid=calendar.prodid)
    return found


def known_event(row: Remembered, item: Row | None) -> KnownEvent:
    """A remembered event with its item, None if the member has deleted it."""
    return KnownEvent(
        id=row.id,
        key=row.key,
        prodid=row.prodid,
        base=row.version,
        item_id=row.item_id,
        kind="" if item is None else item["kind"],
        mine=None if item is None else Version(item["title"], item["due_on"]),
    )


def all_of(found: Comparison) -> Plan:
    """The complete plan of a file without approval."""
    return Plan(
        new=[
            (event, {"title": event.title, "kind": kind_of(event.title), "due_on": event.due_on}) for event in found.new
        ],
        changes=[
            (one.known.item_id, {"title": one.version.title, "due_on": one.version.due_on}) for one in found.changed
        ],
        bases=found.bases,
    )


def take(
    access: Access,
    course_id: UUID,
    calendar: CalendarFile,
    plan: Plan,
    *,
    calendar_id: UUID | None = None,
) -> tuple[list[UUID], Applied]:
    """Apply the plan inside a change. Return the ids of the new items and the number of changed ones.

    Args:
        calendar_id: the school calendar that was read; None for a file.

    Raises:
        NotFound: the member has no such course.
        Conflict: there would be too many items.
    """
    remembered = ImportedEvent.rows.of(access)
    if plan.new or plan.shared:
        present = ImportedEvent.rows.of(access.whole).count(course_id=course_id)
        EVENTS_OF_COURSE.require(present, len(plan.new) + len(plan.shared))
    deleted = delete_items(access, course_id, plan.deleted)
    made = add_items(access, course_id, [item for _, item in plan.new])
    changed = change_items(access, course_id, plan.changes)
    # The remembered versions are the file's and not study data. An undo leaves them, so that undone items count as
    # deleted or changed by the member.
    new = zip((event for event, _ in plan.new), made, strict=True)
    remembered.insert(
        *(
            {
                "course_id": course_id,
                "item_id": item_id,
                "calendar_id": calendar_id,
                **_columns(event.key, calendar.prodid, event.version),
            }
            for event, item_id in (*new, *plan.shared)
        )
    )
    remembered.update_each(
        (
            {"id": base.id, **_columns(base.key, base.prodid, base.base)},
            _columns(event.key, calendar.prodid, event.version),
        )
        for base, event in plan.bases
    )
    return made, Applied(len(made), changed, deleted)


def _columns(key: Key, prodid: str, version: Version) -> Row:
    uid, instance = key
    return {"uid": uid, "instance": instance, "prodid": prodid, "title": version.title, "due_on": version.due_on}


def import_row(found: Comparison, calendar: CalendarFile, made: list[UUID], *, dry_run: bool) -> ComparedRow:
    """The answer for a file. `made` has the ids of new items; for `dry_run` it is a preview."""
    deleted: list[SkippedEventRow] = [
        {"uid": one.key[0], "title": one.title, "reason": "deleted"} for one in found.deleted
    ]
    ids: Iterable[UUID | None] = [None] * len(found.new) if dry_run else made
    return {
        "dry_run": dry_run,
        "new": [_new(event, item_id) for event, item_id in zip(found.new, ids, strict=True)],
        "changed": [{**_event(one, one.version), "before": _version(one.other)} for one in found.changed],
        "kept": [{**_event(one, one.version), "file": _version(one.other)} for one in found.kept],
        "gone": [_row(known.key, known.item_id, known.kind, known.mine or known.base) for known in found.gone],
        "unchanged": found.unchanged,
        "skipped": [*calendar.skipped, *deleted],
    }


def _new(event: FileEvent, item_id: UUID | None) -> CalendarEventRow:
    return _row(event.key, item_id, kind_of(event.title), event.version)


def _event(change: Change, version: Version) -> CalendarEventRow:
    return _row(change.known.key, change.known.item_id, change.known.kind, version)


def _row(key: Key, item_id: UUID | None, kind: str, version: Version) -> CalendarEventRow:
    return {"uid": key[0], "item_id": item_id, "title": version.title, "kind": kind, "due_on": version.due_on}


def _version(version: Version) -> EventVersionRow:
    return {"title": version.title, "due_on": version.due_on}
