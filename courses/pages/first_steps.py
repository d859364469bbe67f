"""The first steps of a new account: a course from a syllabus, then a connected assistant."""

from typing import NamedTuple

from accounts.credentials.connections import CONNECTED_APPS
from accounts.models import Member
from courses.courses import list_courses


class FirstSteps(NamedTuple):
    """The completed steps."""

    has_course: bool
    has_app: bool


def first_steps(member: Member) -> FirstSteps | None:
    """Return the first steps, or None once both are done or the member has a second course. Takes 1 or 2 statements."""
    return first_steps_with(member, len(list_courses(member)))


def first_steps_with(member: Member, number: int) -> FirstSteps | None:
    """The same for a member with this many courses. One statement, or none with a second course."""
    if number > 1:
        return None
    steps = FirstSteps(has_course=number == 1, has_app=bool(CONNECTED_APPS.get().of(member).listed))
    return None if all(steps) else steps
