"""The colors of the signed-in member's courses, read at most once for each page."""

from collections.abc import Iterable
from typing import TypedDict
from uuid import UUID

from django.http import HttpRequest

from accounts.pages.signed_in import signed_in
from courses.colors import shown_hue
from courses.courses import COURSES_BY_AGE
from courses.models import Course
from courses.serializers import CourseRow
from studyservice.http.requests import RequestKey
from studyservice.rows.access import Access, MemberSelect

_HUES = RequestKey[dict[UUID, int]]("course_hues")


class _Hue(TypedDict):
    id: UUID
    hue: int | None


class _WithHue(CourseRow):
    hue: int | None


_LIST = MemberSelect(Course.rows.declared.order_by(), _Hue)
_COURSES = MemberSelect(COURSES_BY_AGE, _WithHue)


def hues_here(request: HttpRequest) -> dict[UUID, int]:
    """The hue of each course."""
    hues = _HUES.get(request)
    if hues is None:
        hues = {row["id"]: shown_hue(row["id"], row["hue"]) for row in _LIST.all(Access(signed_in(request)))}
        _HUES.set(request, hues)
    return hues


def courses_here(request: HttpRequest) -> list[CourseRow]:
    """Every course, oldest first. The same query reads the hues of the page."""
    courses: list[_WithHue] = _COURSES.all(Access(signed_in(request)))
    _HUES.set(request, {course["id"]: shown_hue(course["id"], course["hue"]) for course in courses})
    return list[CourseRow](courses)


def open_courses(courses: Iterable[CourseRow]) -> list[CourseRow]:
    """The courses that have not ended."""
    return [course for course in courses if not course["archived"]]
