"""A member's courses."""

from typing import Any
from uuid import UUID, uuid4

from django.db.models import BooleanField, ExpressionWrapper, Q

from accounts.models import Member
from accounts.writing import writing
from courses.errors import NoSuchCourse
from courses.items import next_items
from courses.models import Course
from courses.serializers import CourseRecord
from studyservice.database.statements import Insert, Param, Row, Select
from studyservice.operations.errors import Conflict
from studyservice.operations.serializers import deletion

MAX_COURSES = 30
"""Courses per member (spec, Limits)."""

_COURSES = (
    Course.objects.filter(member_id=Param("member_id"))
    .annotate(has_syllabus=ExpressionWrapper(Q(syllabus_text__isnull=False), output_field=BooleanField()))
    .order_by("created_at", "id")
)
_LIST = Select(_COURSES, CourseRecord)
_ONE = Select(_COURSES.filter(id=Param("course_id")).order_by(), CourseRecord)
_ONE_WITH_SYLLABUS = Select(
    _COURSES.filter(id=Param("course_id")).order_by(),
    CourseRecord.columns() | {"syllabus_text": "syllabus_text"},
)
_INSERT = Insert(Course)


def list_courses(member: Member) -> list[Row]:
    """Every course, oldest first."""
    return _LIST.all(member_id=member.id)


def require_course(member: Member, course_id: UUID) -> Row:
    """The course.

    Raises:
        NotFound: there is no such course of the member's.
    """
    course = _ONE.first(member_id=member.id, course_id=course_id)
    if course is None:
        raise NoSuchCourse
    return course


def get_course(member: Member, course_id: UUID, *, include_syllabus: bool) -> Row:
    """The course with its next five dated items, and its syllabus text if asked for.

    Raises:
        NotFound: there is no such course of the member's.
    """
    statement = _ONE_WITH_SYLLABUS if include_syllabus else _ONE
    course = statement.first(member_id=member.id, course_id=course_id)
    if course is None:
        raise NoSuchCourse
    return course | {"next_items": next_items(member, course_id)}


def create_course(member: Member, **fields: Any) -> Row:
    """A new course.

    Raises:
        Conflict: the member has `MAX_COURSES` courses.
    """
    with writing(member.id) as now:
        if Course.objects.filter(member_id=member.id).count() >= MAX_COURSES:
            raise Conflict(f"There are {MAX_COURSES} courses, the most there can be. Delete one first.")
        course_id = uuid4()
        optional = dict.fromkeys(("code", "meets", "institution", "subject", "syllabus_text"))
        _INSERT.run(
            id=course_id,
            member_id=member.id,
            created_at=now,
            updated_at=now,
            **(optional | fields),
        )
        return require_course(member, course_id)


def update_course(member: Member, course_id: UUID, **changes: Any) -> Row:
    """Change the fields given.

    Raises:
        NotFound: there is no such course of the member's.
    """
    with writing(member.id) as now:
        if changes:
            mine = Course.objects.filter(member_id=member.id, id=course_id)
            mine.update(**changes, updated_at=now)
        return require_course(member, course_id)


def delete_course(member: Member, course_id: UUID) -> Row:
    """Remove the course with its items, milestones, grades and files.

    Raises:
        NotFound: there is no such course of the member's.
    """
    with writing(member.id):
        course = Course.objects.only("id", "member_id").filter(member_id=member.id, id=course_id).first()
        if course is None:
            raise NoSuchCourse
        course.delete()
    return deletion(course_id)
