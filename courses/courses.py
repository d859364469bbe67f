"""A member's courses."""

from typing import Unpack, cast
from uuid import UUID

from django.db.models import BooleanField, ExpressionWrapper, Q

from accounts.deleting import delete_object
from accounts.models import Member
from accounts.writing import writing
from courses.errors import NoSuchCourse
from courses.items import next_items
from courses.models import DEFAULT_TERM, Course
from courses.serializers import CourseDetailRow, CourseFields, CourseRecord, CourseRow
from studyservice.database.statements import Param, Select
from studyservice.operations.errors import Conflict
from studyservice.operations.serializers import DeletedRow, deletion

MAX_COURSES = 30
"""Courses per member (spec, Limits)."""

_COURSES = (
    Course.objects.filter(member_id=Param("member_id"))
    .annotate(has_syllabus=ExpressionWrapper(Q(syllabus_text__isnull=False), output_field=BooleanField()))
    .order_by("created_at", "id")
)


class _WithSyllabus(CourseRow):
    syllabus_text: str | None


_LIST = Select[CourseRow](_COURSES, CourseRecord)
_ONE = Select[CourseRow](_COURSES.filter(id=Param("course_id")).order_by(), CourseRecord)
_ONE_WITH_SYLLABUS = Select[_WithSyllabus](
    _COURSES.filter(id=Param("course_id")).order_by(),
    CourseRecord.columns() | {"syllabus_text": "syllabus_text"},
)


def list_courses(member: Member) -> list[CourseRow]:
    """Every course, oldest first."""
    return _LIST.all(member_id=member.id)


def require_course(member: Member, course_id: UUID) -> CourseRow:
    """The course.

    Raises:
        NotFound: there is no such course of the member's.
    """
    course = _ONE.first(member_id=member.id, course_id=course_id)
    if course is None:
        raise NoSuchCourse
    return course


def get_course(member: Member, course_id: UUID, *, include_syllabus: bool) -> CourseDetailRow:
    """The course with its next five dated items, and its syllabus text if asked for.

    Raises:
        NotFound: there is no such course of the member's.
    """
    statement: Select[CourseRow] = _ONE_WITH_SYLLABUS if include_syllabus else _ONE
    course = statement.first(member_id=member.id, course_id=course_id)
    if course is None:
        raise NoSuchCourse
    detail = cast("CourseDetailRow", course)
    detail["next_items"] = next_items(member, course_id)
    return detail


def create_course(
    member: Member,
    *,
    name: str,
    term: str = DEFAULT_TERM,
    code: str | None = None,
    meets: str | None = None,
    institution: str | None = None,
    subject: str | None = None,
    syllabus_text: str | None = None,
) -> CourseRow:
    """A new course.

    Raises:
        Conflict: the member has `MAX_COURSES` courses.
    """
    with writing(member.id, "create_course") as write:
        if Course.objects.filter(member_id=member.id).count() >= MAX_COURSES:
            raise Conflict(f"There are {MAX_COURSES} courses, the most there can be. Delete one first.")
        fields: CourseFields = {
            "name": name,
            "code": code,
            "term": term,
            "meets": meets,
            "institution": institution,
            "subject": subject,
            "syllabus_text": syllabus_text,
        }
        course = Course.objects.create(member_id=member.id, created_at=write.now, updated_at=write.now, **fields)
        write.made(Course, course.id, name, fields)
        return require_course(member, course.id)


def update_course(member: Member, course_id: UUID, **changes: Unpack[CourseFields]) -> CourseRow:
    """Change the fields given; those that are as they were leave the course untouched.

    Raises:
        NotFound: there is no such course of the member's.
    """
    with writing(member.id, "update_course") as write:
        mine = Course.objects.filter(member_id=member.id, id=course_id)
        stored = mine.values(*{"name", *changes}).first()
        if stored is None:
            raise NoSuchCourse
        if different := write.differing(Course, course_id, stored["name"], stored, changes):
            mine.update(**different, updated_at=write.now)
        return require_course(member, course_id)


def delete_course(member: Member, course_id: UUID) -> DeletedRow:
    """Remove the course with its items, milestones, grades and files.

    Raises:
        NotFound: there is no such course of the member's.
    """
    with writing(member.id, "delete_course") as write:
        if not delete_object(write, Course, course_id):
            raise NoSuchCourse
    return deletion(course_id)
