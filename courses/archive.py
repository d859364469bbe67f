"""Courses, their files and their items in an archive."""

from typing import Any

from rest_framework import serializers

from accounts.archive.fields import MomentField
from accounts.archive.tables import MAX_POSITION, ArchiveTable, Limit
from courses.courses import MAX_COURSES
from courses.item_counts import MAX_ITEMS, MAX_ITEMS_OF_MEMBER
from courses.models import MAX_SYLLABUS_CHARACTERS, Course, Item, SyllabusFile
from courses.serializers import CourseBody, ItemBody
from courses.syllabi.reading.files import MAX_FILENAME, TextStatus
from courses.syllabi.reading.limits import MAX_PAGES
from courses.uploads.attaching import MAX_FILES
from courses.uploads.rows import MAX_BYTES_OF_MEMBER, require_room
from studyservice.operations.fields import ChoiceField, IdField, IntegerField, StringField
from studyservice.operations.serializers import Body


class CourseLine(CourseBody):
    """A course."""

    syllabus_id: Any = None  # so is a field left out that a base class has
    id = IdField()
    created_at = MomentField(past=True)
    updated_at = MomentField(past=True)


class SyllabusFileLine(Body):
    """A file of a course's syllabus, and what was read in it."""

    id = IdField()
    course_id = IdField()
    file = serializers.CharField(max_length=100)
    filename = StringField(max_length=MAX_FILENAME, trim_whitespace=False)
    media_type = StringField(max_length=100)
    size = IntegerField(min_value=0, max_value=MAX_BYTES_OF_MEMBER)
    sha256 = StringField(min_length=64, max_length=64)
    text_status = ChoiceField(choices=[one.value for one in TextStatus])
    text = StringField(allow_null=True, max_length=MAX_SYLLABUS_CHARACTERS, trim_whitespace=False)
    characters = IntegerField(min_value=0, max_value=MAX_SYLLABUS_CHARACTERS)
    pages = IntegerField(allow_null=True, min_value=0, max_value=MAX_PAGES)
    created_at = MomentField(past=True)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """A file that was read has a text, another one has none."""
        if attrs["characters"] != len(attrs["text"] or ""):
            raise serializers.ValidationError({"characters": ["Is not the length of text."]})
        if (attrs["text"] is None) is (attrs["text_status"] == TextStatus.READ):
            raise serializers.ValidationError({"text": ["Must be there if text_status is read, and else be null."]})
        return attrs


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
    left_out={
        "compared_with_id": "of an upload that waits for its course",
        "expires_at": "of an upload that waits for its course",
    },
    references={"course_id": "courses"},
    limits=(Limit(most=MAX_FILES, what="files of a course", per=("course_id",)),),
    long_line=8 * 1024 * 1024,
    only={"course__isnull": False},
    require_room=require_room,
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
