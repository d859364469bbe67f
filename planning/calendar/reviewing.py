"""A reading as rows for the member's approval, and applying the approved rows."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import cast
from uuid import UUID

from courses.approval import Applied, Approve, Approved, ReviewRow, State, due_in_words
from courses.serializers import ItemFields
from courses.syllabi.words import kind_of
from planning.calendar.assigning import Courses, load_courses
from planning.calendar.comparison import Comparison, FileEvent, Key, Version
from planning.calendar.importing import Plan, take_each
from planning.calendar.matching import Source, match
from studyservice.changes.writing import writing
from studyservice.database.times import END_OF_DAY
from studyservice.rows.access import Access


def take_approved(access: Access, source: Source, approve: Approve) -> list[tuple[str, Applied]]:
    """Apply the result of `approve`, all or nothing, with one change for each course. Return the courses' names with
    what was applied.

    Conflicts are reported only once. Events that were not selected are offered again.

    Raises:
        NotFound: a course was deleted.
        Conflict: there would be too many items.
    """
    with writing(access.member.id):
        courses = load_courses(access, with_items=True)
        found = match(access, source, courses)
        approved = {one.row.key: one for one in approve(rows_of_courses(found, courses))}
        plans = [(one, _plan(one, approved)) for one in found.values()]
        done = take_each(access, source, courses, "apply_calendar", plans)
    return [(courses.name_of(course_id), applied) for course_id, applied in done.items()]


def rows_of_courses(found: Mapping[UUID, Comparison], courses: Courses) -> list[ReviewRow]:
    """The rows of all courses. Of several they name their course."""
    if len(found) == 1:
        return [row for one in found.values() for row in rows_of(one)]
    return [
        replace(row, notes=(courses.name_of(course_id), *row.notes))
        for course_id, one in found.items()
        for row in rows_of(one)
    ]


def _plan(found: Comparison, approved: dict[str, Approved]) -> Plan:
    new = [(event, approved[key_of(event.key)].item) for event in found.new if key_of(event.key) in approved]
    changed = (*found.changed, *found.timed)
    differing = {one.known.key: one.known.item_id for one in (*changed, *found.kept)}
    left = {one.known.key for one in changed if key_of(one.known.key) not in approved}
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
    for event in sorted(found.new, key=lambda one: (one.due_on, one.due_time or END_OF_DAY, one.title)):
        yield _new(event)
    kept = {one.known.key: one for one in found.kept}
    for one in (*found.changed, *found.timed):
        told = kept.pop(one.known.key, None)
        notes = [f"was {_in_words(one.other, one.version)}"]
        if told is not None:
            notes.append(f"What you changed yourself stays; the file has {_in_words(told.other, told.version)}.")
        yield ReviewRow(
            key_of(one.known.key),
            State.CHANGED,
            one.version.item(one.known.kind),
            ticked=True,
            source=one.version.title if told is None else told.other.title,
            notes=tuple(notes),
            item_id=one.known.item_id,
        )
    for one in kept.values():
        yield ReviewRow(
            key_of(one.known.key),
            State.KEPT,
            one.other.item(one.known.kind),
            ticked=False,
            source=one.other.title,
            notes=(f"You have {_in_words(one.version, one.other)}, and that stays unless you tick this.",),
            item_id=one.known.item_id,
        )
    for known in found.gone:
        yield ReviewRow(
            key_of(known.key),
            State.GONE,
            (known.mine or known.base).item(known.kind),
            ticked=False,
            notes=("The file has it no more. Tick it to delete it.",),
            item_id=known.item_id,
        )


def _new(event: FileEvent) -> ReviewRow:
    return ReviewRow(
        key_of(event.key),
        State.NEW,
        event.version.item(kind_of(event.title)),
        ticked=True,
        source=event.title,
        place=due_in_words(event.due_on, event.due_time),
    )


def _in_words(version: Version, beside: Version) -> str:
    """The fields of `version` that differ from the compared one."""
    words = []
    if version.title != beside.title:
        words.append(f"“{version.title}”")
    if version[1:] != beside[1:]:
        words.append(due_in_words(version.due_on, version.due_time))
    return ", ".join(words)
