"""Applying the changes of a reading to items, and importing a calendar file."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import IO, cast
from uuid import UUID

from courses.approval import Applied
from courses.errors import NoSuchCourse
from courses.item_batches import add_items
from courses.items import change_items, delete_items
from courses.models import Course
from courses.serializers import ItemFields, NewItem
from courses.syllabi.words import kind_of
from planning.calendar.assigning import Courses, label_rows, load_courses, summaries
from planning.calendar.comparison import Comparison, EventChange, FileEvent, Key, KnownEvent, Version
from planning.calendar.files import CalendarFile, read_calendar
from planning.calendar.matching import Source, match
from planning.calendar.serializers import (
    CalendarEventRow,
    CalendarImportRow,
    ComparedRow,
    SkippedEventRow,
)
from planning.models import ImportedEvent
from studyservice.registry.data import Maximum
from studyservice.rows.access import Access, change
from studyservice.rows.rows import Row

EVENTS_OF_COURSE = Maximum(
    most=3000,
    what="imported events of a course",
    full="With these there would be over {most} imported events in this course.",
    per="course",
)
"""The remembered events of a course, including those whose item was deleted."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The changes of a comparison to apply.

    Attributes:
        new: events with their new items.
        changes: items with their changes.
        bases: remembered events with their new keys and versions.
        deleted: items to delete.
    """

    new: Sequence[tuple[FileEvent, NewItem]]
    changes: Sequence[tuple[UUID, ItemFields]]
    bases: Sequence[tuple[KnownEvent, FileEvent]]
    deleted: Sequence[UUID] = ()


def all_of(found: Comparison) -> Plan:
    """The complete plan of a reading without approval."""
    return Plan(
        new=[(event, event.version.item(kind_of(event.title))) for event in found.new],
        changes=[
            (one.known.item_id, cast("ItemFields", one.version.fields())) for one in (*found.changed, *found.timed)
        ],
        bases=found.bases,
    )


def take(access: Access, source: Source, found: Comparison, plan: Plan) -> tuple[list[UUID], Applied]:
    """Apply the plan inside a change. Return the ids of the new items and the numbers of all.

    Raises:
        NotFound: the member has no such course.
        Conflict: there would be too many items.
    """
    remembered = ImportedEvent.rows.of(access)
    if found.moved_out:
        remembered.delete(*(event.id for event in found.moved_out))
    if plan.new or found.shared:
        present = ImportedEvent.rows.of(access.whole).count(course_id=found.course_id)
        EVENTS_OF_COURSE.require(present, len(plan.new) + len(found.shared))
    moved_out = [event.item_id for event in found.moved_out]
    deleted = delete_items(access, found.course_id, [*plan.deleted, *moved_out])
    made = add_items(access, found.course_id, [item for _, item in plan.new])
    changed = change_items(access, found.course_id, plan.changes)
    # The remembered versions are the calendar's and not study data. An undo leaves them, so that undone items count as
    # deleted or changed by the member.
    prodid, calendar_id = source.reading.prodid, source.calendar_id
    new = zip((event for event, _ in plan.new), made, strict=True)
    of_source = {"course_id": found.course_id, "calendar_id": calendar_id}
    remembered.insert(
        *(
            {**of_source, "item_id": item_id, **_columns(event.key, prodid, event.version)}
            for event, item_id in (*new, *found.shared)
        )
    )
    updates: list[tuple[KnownEvent, Row]] = [
        *((known, _columns(event.key, prodid, event.version)) for known, event in plan.bases),
        *((known, {"calendar_id": calendar_id, "is_gone": False}) for known in found.adopted),
        *((known, {"is_gone": True}) for known in found.newly_gone),
        *((known, {"is_gone": False}) for known in found.back),
    ]
    remembered.update_each((_stored(known), columns) for known, columns in updates)
    return made, Applied(len(made), changed, deleted)


def take_each(
    access: Access, source: Source, courses: Courses, operation: str, plans: Iterable[tuple[Comparison, Plan]]
) -> Mapping[UUID, Applied]:
    """Apply plans, inside a write, with one change for each course. Return what was applied, by course.

    Raises:
        NotFound: the member has no such course.
        Conflict: there would be too many items.
    """
    done: dict[UUID, Applied] = {}
    for found, plan in sorted(plans, key=lambda one: not one[0].moved_out):  # so that each event is remembered once
        of_course = replace(access, write=None)  # a change of its own
        with change(of_course, operation) as log:
            log.about(Course, found.course_id, courses.name_of(found.course_id), found.course_id)
            _, done[found.course_id] = take(of_course, source, found, plan)
    return done


def _columns(key: Key, prodid: str, version: Version) -> Row:
    uid, instance = key
    return {"uid": uid, "instance": instance, "prodid": prodid, **version._asdict()}


def _stored(known: KnownEvent) -> Row:
    columns = _columns(known.key, known.prodid, known.base)
    return {"id": known.id, "calendar_id": known.calendar_id, "is_gone": known.is_gone, **columns}


def import_calendar(
    access: Access, course_id: UUID, file: IO[bytes], *, dry_run: bool, label: str | None = None
) -> CalendarImportRow:
    """Read a file, and import it into the course unless `dry_run`. With `label`, only its events.

    Raises:
        NotFound: the member has no such course.
        InvalidRequest: it is not a calendar, or exceeds a limit.
        RateLimited: too many files were read, or others are being read.
        Conflict: there would be too many items.
    """
    courses = load_courses(access)
    if not courses.name_of(course_id):
        raise NoSuchCourse
    calendar = read_calendar(access, file)
    labels = label_rows(summaries(calendar.without_brackets().events), courses.named, {}, None)
    if label is None:
        source = Source.of_file(calendar, course_id)
    else:
        source = Source.of_labels(calendar, {label: course_id}, course_id)
    if dry_run:
        [found] = match(access, source).values()
        row = compared_row(found, calendar)
    else:
        with change(access, "import_calendar"):
            [found] = match(access, source).values()
            made, _ = take(access, source, found, all_of(found))
        row = compared_row(found, calendar, made)
    return {"dry_run": dry_run, **row, "labels": labels}


def compared_row(found: Comparison, reading: CalendarFile, made: Sequence[UUID] | None = None) -> ComparedRow:
    """The comparison in an answer. `made` has the ids of new items, unless it is a preview."""
    deleted: list[SkippedEventRow] = [
        {"uid": one.key[0], "title": one.title, "reason": "deleted"} for one in found.deleted
    ]
    ids = [None] * len(found.new) if made is None else made
    return {
        "new": [_new(event, item_id) for event, item_id in zip(found.new, ids, strict=True)],
        "changed": [{**_event(one, one.version), "before": one.other.fields()} for one in found.changed],
        "kept": [{**_event(one, one.version), "file": one.other.fields()} for one in found.kept],
        "gone": [_row(known.key, known.item_id, known.kind, known.mine or known.base) for known in found.gone],
        "unchanged": found.unchanged,
        "skipped": [*reading.skipped, *deleted],
    }


def _new(event: FileEvent, item_id: UUID | None) -> CalendarEventRow:
    return _row(event.key, item_id, kind_of(event.title), event.version)


def _event(change: EventChange, version: Version) -> CalendarEventRow:
    return _row(change.known.key, change.known.item_id, change.known.kind, version)


def _row(key: Key, item_id: UUID | None, kind: str, version: Version) -> CalendarEventRow:
    return {"uid": key[0], "item_id": item_id, "kind": kind, **version.fields()}
