"""A calendar file as rows for the member's approval, and applying the approved rows."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import cast
from uuid import UUID

from accounts.changes.writing import writing
from accounts.rows.access import Access, change
from courses.approval import Applied, Approve, Approved, ReviewRow, State, day_in_words
from courses.courses import require_course
from courses.models import Course
from courses.serializers import ItemFields
from courses.syllabi.kinds import kind_of
from planning.calendar.comparison import Comparison, FileEvent, Key, Version
from planning.calendar.files import CalendarFile
from planning.calendar.importing import Plan, compared, take


def calendar_rows(access: Access, course_id: UUID, calendar: CalendarFile) -> tuple[list[ReviewRow], Comparison]:
    """The rows of a file's changes in the course, and the comparison behind them.

    Raises:
        NotFound: the member has no such course.
    """
    require_course(access, course_id)
    found = compared(access, course_id, calendar)
    return list(rows_of(found)), found


def rows_of_courses(
    access: Access, parts: Mapping[UUID, CalendarFile]
) -> tuple[list[ReviewRow], dict[UUID, Comparison]]:
    """The same for several courses. Rows name their course.

    Args:
        parts: the part of the file for each course.

    Raises:
        NotFound: one of the courses does not exist.
    """
    if len(parts) == 1:
        [(course_id, calendar)] = parts.items()
        rows, found = calendar_rows(access, course_id, calendar)
        return rows, {course_id: found}
    all_rows: list[ReviewRow] = []
    comparisons: dict[UUID, Comparison] = {}
    for course_id, calendar in parts.items():
        name = require_course(access, course_id)["name"]
        rows, comparisons[course_id] = calendar_rows(access, course_id, calendar)
        all_rows += [replace(row, notes=(name, *row.notes)) for row in rows]
    return all_rows, comparisons


def take_approved(access: Access, parts: Mapping[UUID, CalendarFile], approve: Approve) -> list[tuple[str, Applied]]:
    """Apply the result of `approve`, all or nothing, with one change for each course. Return the courses' names with
    what was applied.

    Conflicts are reported only once. Events that were not selected are offered again.

    Raises:
        NotFound: the course was deleted.
        Conflict: there would be too many items.
    """
    done: list[tuple[str, Applied]] = []
    with writing(access.member.id):
        rows, comparisons = rows_of_courses(access, parts)
        approved = {one.row.key: one for one in approve(rows)}
        for course_id, calendar in parts.items():
            with change(access, "apply_calendar") as log:
                name = require_course(access, course_id)["name"]
                log.about(Course, course_id, name, course_id)
                _, applied = take(access, course_id, calendar, _plan(comparisons[course_id], approved))
            done.append((name, applied))
    return done


def _plan(found: Comparison, approved: dict[str, Approved]) -> Plan:
    new = [(event, approved[key_of(event.key)].item) for event in found.new if key_of(event.key) in approved]
    differing = {one.known.key: one.known.item_id for one in (*found.changed, *found.kept)}
    left = {one.known.key for one in found.changed if key_of(one.known.key) not in approved}
    return Plan(
        new=new,
        changes=[
            (item_id, cast("ItemFields", approved[key_of(key)].item))
            for key, item_id in differing.items()
            if key_of(key) in approved
        ],
        bases=[(known, event) for known, event in found.bases if known.key not in left],
        deleted=[known.item_id for known in found.gone if key_of(known.key) in approved],
    )


def key_of(key: Key) -> str:
    """The key of an event in a form."""
    return f"e{hashlib.blake2s(repr(key).encode(), digest_size=12).hexdigest()}"


def rows_of(found: Comparison) -> Iterator[ReviewRow]:
    """The rows of a comparison: new, changed, kept and gone."""
    for event in sorted(found.new, key=lambda one: (one.due_on, one.title)):
        yield _new(event)
    kept = {one.known.key: one for one in found.kept}
    for one in found.changed:
        told = kept.pop(one.known.key, None)
        notes = [f"was {_in_words(one.other, one.version)}"]
        if told is not None:
            notes.append(f"What you changed yourself stays; the file has {_in_words(told.other, told.version)}.")
        yield ReviewRow(
            key_of(one.known.key),
            State.CHANGED,
            one.version.title,
            one.known.kind,
            one.version.due_on,
            ticked=True,
            source=one.version.title if told is None else told.other.title,
            notes=tuple(notes),
            item_id=one.known.item_id,
        )
    for one in kept.values():
        yield ReviewRow(
            key_of(one.known.key),
            State.KEPT,
            one.other.title,
            one.known.kind,
            one.other.due_on,
            ticked=False,
            source=one.other.title,
            notes=(f"You have {_in_words(one.version, one.other)}, and that stays unless you tick this.",),
            item_id=one.known.item_id,
        )
    for known in found.gone:
        mine = known.mine or known.base
        yield ReviewRow(
            key_of(known.key),
            State.GONE,
            mine.title,
            known.kind,
            mine.due_on,
            ticked=False,
            notes=("The file has it no more. Tick it to delete it.",),
            item_id=known.item_id,
        )


def _new(event: FileEvent) -> ReviewRow:
    return ReviewRow(
        key_of(event.key),
        State.NEW,
        event.title,
        kind_of(event.title),
        event.due_on,
        ticked=True,
        source=event.title,
        place=day_in_words(event.due_on),
    )


def _in_words(version: Version, beside: Version) -> str:
    """The fields of `version` that differ from the compared one."""
    words = []
    if version.title != beside.title:
        words.append(f"“{version.title}”")
    if version.due_on != beside.due_on:
        words.append(day_in_words(version.due_on))
    return ", ".join(words)
