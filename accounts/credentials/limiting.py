"""Limits of a credential: only some courses, no grades, until a date.

They are stored with the credential and read at each call, which passes them on in its `Access`. Statements limit
themselves (`studyservice.rows.seen`).
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import date
from typing import Annotated, Any, TypedDict
from uuid import UUID

from django.db.models import QuerySet

from accounts.members.models import Member
from studyservice.hooks import Hook, HookTable
from studyservice.operations.answers import answer
from studyservice.rows.access import Access
from studyservice.rows.limits import NO_LIMITS, Limits

MOST_GONE = 100
"""Number of deleted courses that a credential keeps, because an undo can restore them."""


@answer(courses=["3f0c8a52-7f1e-4a4d-9d3b-2f6a1c5e8b10"], other=False, grades=False, until="2031-01-31")
class LimitsRow(TypedDict):
    """What a credential is limited to."""

    courses: Annotated[
        list[UUID] | None,
        "The courses that it sees, also those it creates; null for all. Others do not exist for it.",
    ]
    other: Annotated[bool, "Whether it sees decks of no course: true with all courses."]
    grades: Annotated[bool, "Whether it sees grades. Without, operations on them are 403."]
    until: Annotated[date | None, "The last day that it works, in the member's time zone; null for no end."]


class CourseName(TypedDict):
    """The id and name of a course, and whether it has ended."""

    id: UUID
    name: str
    archived: bool


CourseNames = Callable[[UUID], list[CourseName]]
"""Returns the courses of the member with this id, oldest first, in one query."""

COURSE_NAMES = Hook[CourseNames]("COURSE_NAMES")


LimitedRows = Callable[[UUID, UUID], QuerySet[Any]]
"""Returns the rows whose column `limits` holds those of a credential, by the ids of its member and its holder."""

LIMITED_ROWS = HookTable[LimitedRows]("LIMITED_ROWS")
"""By the kind of credential (`Credential.kind`)."""


def with_new_course(access: Access, course_id: UUID) -> None:
    """Let a credential that is limited to courses see the course that it creates. Needs the member's lock."""
    if access.limits.courses is None:
        return
    rows_of = LIMITED_ROWS.get(access.kind)
    if rows_of is None or access.holder is None:
        raise LookupError(access.kind)
    rows = rows_of(access.member.id, access.holder)
    stored = Limits.of(rows.values_list("limits", flat=True).first())
    if stored.courses is not None:
        kept = replace(stored, courses=(*_without_old(access.member.id, stored.courses), str(course_id)))
        rows.update(limits=kept.stored())
    access.with_course(course_id)


def _without_old(member_id: UUID, courses: tuple[str, ...]) -> tuple[str, ...]:
    """Drop all but the newest `MOST_GONE` deleted courses, so that the list does not grow without end."""
    if len(courses) < MOST_GONE:
        return courses
    there = {str(course["id"]) for course in COURSE_NAMES.get()(member_id)}
    old = [id_ for id_ in courses if id_ not in there][:-MOST_GONE]
    return tuple(id_ for id_ in courses if id_ not in old)


def told(limits: Limits, there: Iterable[UUID]) -> LimitsRow | None:
    """Return the limits for an answer; None for no limits.

    Args:
        there: the ids of the member's existing courses.
    """
    if limits == NO_LIMITS:
        return None
    allowed = None if limits.courses is None else {*limits.courses}
    return {
        "courses": None if allowed is None else [id_ for id_ in there if str(id_) in allowed],
        "other": allowed is None,
        "grades": limits.grades,
        "until": limits.until,
    }


def limits_of(member: Member, limits: Limits) -> LimitsRow | None:
    """Like `told`, with a query if the limits name courses."""
    named = COURSE_NAMES.get()(member.id) if limits.courses is not None else []
    return told(limits, [course["id"] for course in named])
