"""Importing a calendar file into a course: new events become items, and known ones are compared."""

from collections.abc import Sequence
from typing import IO
from uuid import UUID

from accounts.rows.access import Access, change
from courses.errors import NoSuchCourse
from courses.syllabi.kinds import kind_of
from planning.calendar.applying import all_of, take
from planning.calendar.assigning import label_rows, load_courses, summaries
from planning.calendar.comparison import Change, Comparison, FileEvent, Key, Version
from planning.calendar.files import CalendarFile, read_calendar
from planning.calendar.matching import Source, match
from planning.calendar.serializers import (
    CalendarEventRow,
    CalendarImportRow,
    ComparedRow,
    EventVersionRow,
    SkippedEventRow,
)


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
        "changed": [{**_event(one, one.version), "before": _version(one.other)} for one in found.changed],
        "kept": [{**_event(one, one.version), "file": _version(one.other)} for one in found.kept],
        "gone": [_row(known.key, known.item_id, known.kind, known.mine or known.base) for known in found.gone],
        "unchanged": found.unchanged,
        "skipped": [*reading.skipped, *deleted],
    }


def _new(event: FileEvent, item_id: UUID | None) -> CalendarEventRow:
    return _row(event.key, item_id, kind_of(event.title), event.version)


def _event(change: Change, version: Version) -> CalendarEventRow:
    return _row(change.known.key, change.known.item_id, change.known.kind, version)


def _row(key: Key, item_id: UUID | None, kind: str, version: Version) -> CalendarEventRow:
    return {"uid": key[0], "item_id": item_id, "title": version.title, "kind": kind, "due_on": version.due_on}


def _version(version: Version) -> EventVersionRow:
    return {"title": version.title, "due_on": version.due_on}
