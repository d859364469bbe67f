"""Limits of a credential: some courses only, no grades, until a date.

They are stored with the credential, read at each call, and hold for every statement of the request
(`accounts.members.limited`). A credential without limits has none of this.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from datetime import date
from typing import Protocol, TypedDict
from uuid import UUID

from accounts.credentials.limits import NO_LIMITS, Limits
from accounts.members.limited import limiter_for
from accounts.members.models import Member
from studyservice.database.limiting import Limiter, change_limiter, limited_by
from studyservice.hooks import Hook, HookTable

UNSENT = UUID(int=0)
"""The sender of what was not sent by a credential that is limited to courses."""

MOST_GONE = 100
"""Deleted courses that a credential keeps, as an undo brings them back."""

KEPT_BACK = "The member keeps grades to themself."


class LimitsRow(TypedDict):
    """A `LimitsRecord`."""

    courses: list[UUID] | None
    other: bool
    grades: bool
    until: date | None


class CourseName(TypedDict):
    """A course of a member's."""

    id: UUID
    name: str


CourseNames = Callable[[UUID], list[CourseName]]
"""The courses of the member with this id, oldest first; one query."""

COURSE_NAMES = Hook[CourseNames]("COURSE_NAMES")


class LimitsStore(Protocol):
    """Where the limits of one kind of credential are stored."""

    def read(self, member_id: UUID, holder: UUID) -> Limits:
        """The limits now, in the transaction that is open."""

    def write(self, member_id: UUID, holder: UUID, limits: Limits) -> None:
        """Store them, in the transaction that is open."""


LIMITS_STORES = HookTable[LimitsStore]("LIMITS_STORES")
"""By the kind of credential (`Credential.kind`)."""


@dataclass(frozen=True, slots=True)
class LimitedCaller:
    """The credential behind a request, as far as its limits go.

    Attributes:
        kind: of the credential.
        holder: the API key, or the consent that the access token came from.
    """

    member_id: UUID
    kind: str
    holder: UUID
    limits: Limits


_CALLER = ContextVar[LimitedCaller | None]("limited_caller", default=None)


@contextmanager
def limiting(caller: LimitedCaller | None) -> Iterator[None]:
    """Let the limits of a credential hold for everything inside; None for none."""
    if caller is None or not caller.limits.keep_back:
        yield
        return
    token = _CALLER.set(caller)
    try:
        with limited_by(_limiter_of(caller)):
            yield
    finally:
        _CALLER.reset(token)


def _limiter_of(caller: LimitedCaller) -> Limiter:
    limits = caller.limits
    return limiter_for(caller.member_id, limits.courses, grades=limits.grades, holder=caller.holder)


def current_limits() -> Limits:
    """The limits of the current call."""
    caller = _CALLER.get()
    return NO_LIMITS if caller is None else caller.limits


@contextmanager
def grades_seen() -> Iterator[None]:
    """Let the current call see that there are grades, in its courses, to be told that they are kept back."""
    caller = _CALLER.get()
    if caller is None or caller.limits.grades:
        yield
        return
    with_grades = replace(caller, limits=replace(caller.limits, grades=True))
    limiter = _limiter_of(caller)
    change_limiter(_limiter_of(with_grades))
    try:
        yield
    finally:
        change_limiter(limiter)


def sender() -> UUID:
    """The credential, if it is limited to courses: only it and unlimited ones see what it sends for no course yet."""
    caller = _CALLER.get()
    return UNSENT if caller is None or caller.limits.courses is None else caller.holder


def see_course_too(course_id: UUID) -> None:
    """Let the credential that makes a course see it; under the member's lock."""
    caller = _CALLER.get()
    if caller is None or caller.limits.courses is None:
        return
    store = LIMITS_STORES.get(caller.kind)
    if store is None:
        raise LookupError(caller.kind)
    stored = store.read(caller.member_id, caller.holder)
    if stored.courses is not None:
        kept = replace(stored, courses=(*_without_old(caller.member_id, stored.courses), course_id))
        store.write(caller.member_id, caller.holder, kept)
    seen = replace(caller, limits=replace(caller.limits, courses=(*caller.limits.courses, course_id)))
    _CALLER.set(seen)
    change_limiter(_limiter_of(seen))


def _without_old(member_id: UUID, courses: tuple[UUID, ...]) -> tuple[UUID, ...]:
    """`courses` with the newest `MOST_GONE` of those that are deleted, so that their number does not grow for ever."""
    if len(courses) < MOST_GONE:
        return courses
    there = {course["id"] for course in COURSE_NAMES.get()(member_id)}
    old = [id_ for id_ in courses if id_ not in there][:-MOST_GONE]
    return tuple(id_ for id_ in courses if id_ not in old)


def told(limits: Limits, there: Iterable[UUID]) -> LimitsRow | None:
    """The limits as they are answered; None for none.

    Args:
        there: the ids of the member's courses, deleted ones not among them.
    """
    if limits == NO_LIMITS:
        return None
    allowed = None if limits.courses is None else {*limits.courses}
    return {
        "courses": None if allowed is None else [id_ for id_ in there if id_ in allowed],
        "other": allowed is None,
        "grades": limits.grades,
        "until": limits.until,
    }


def limits_of(member: Member, limits: Limits) -> LimitsRow | None:
    """The same, with a query if the limits name courses."""
    named = COURSE_NAMES.get()(member.id) if limits.courses is not None else []
    return told(limits, [course["id"] for course in named])
