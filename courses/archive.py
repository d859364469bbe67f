"""Courses, their files and their items in an archive."""

from rest_framework import serializers

from accounts.archive.fields import MomentField
from accounts.archive.tables import MAX_POSITION, ArchiveTable, Limit
from courses.courses import MAX_COURSES
from courses.item_counts import MAX_ITEMS, MAX_ITEMS_OF_MEMBER
from courses.models import Course, Item, SyllabusFile
from courses.serializers import CourseBody, ItemBody
from studyservice.operations.fields import IdField, IntegerField, StringField
from studyservice.operations.serializers import Body

MAX_FILES = 10
"""Syllabus files of a course."""


class CourseLine(CourseBody):
    """A course."""

    id = IdField()
    created_at = MomentField(past=True)
    updated_at = MomentField(past=True)


class SyllabusFileLine(Body):
    """A file of a course's syllabus."""

    id = IdField()
    course_id = IdField()
    file = serializers.CharField(max_length=100)
    filename = StringField(max_length=255, trim_whitespace=False)
    created_at = MomentField(past=True)


class ItemLine(ItemBody):
    """An item."""

    id = IdField()
    course_id = IdField()
    sequence = IntegerField(min_value=0, max_value=MAX_POSITION)
    created_at = MomentField(past=True)
    updated_at = MomentField(past=True)


COURSES = ArchiveTable(
    name="courses",
    model=Course,
    line=CourseLine,
    order=("created_at", "id"),
    left_out={"item_count": "counted when it is taken in"},
    limits=(Limit(most=MAX_COURSES, what="courses"),),
    long_line=8 * 1024 * 1024,
    must_be_empty=True,
)

SYLLABUS_FILES = ArchiveTable(
    name="syllabus_files",
    model=SyllabusFile,
    line=SyllabusFileLine,
    order=("created_at", "id"),
    references={"course_id": "courses"},
    limits=(Limit(most=MAX_FILES, what="files of a course", per=("course_id",)),),
)

ITEMS = ArchiveTable(
    name="items",
    model=Item,
    line=ItemLine,
    order=("created_at", "id"),
    references={"course_id": "courses"},
    limits=(
        Limit(most=MAX_ITEMS_OF_MEMBER, what="items"),
        Limit(most=MAX_ITEMS, what="items of a course", per=("course_id",)),
    ),
)
