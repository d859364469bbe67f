"""Courses, their files and their items in an archive."""

from typing import Any

from rest_framework import serializers

from accounts.archive.fields import MomentField
from accounts.members.archived import MAX_POSITION
from courses.models import HUES, MAX_SYLLABUS_CHARACTERS
from courses.serializers import CourseBody, PlainItemBody
from courses.syllabi.reading.files import MAX_FILENAME, TextStatus
from courses.syllabi.reading.limits import MAX_PAGES
from courses.uploads.rows import MAX_BYTES_OF_MEMBER
from studyservice.operations.fields import BooleanField, ChoiceField, DateField, IdField, IntegerField, StringField
from studyservice.operations.serializers import Body


class CourseLine(CourseBody):
    """A course."""

    syllabus_id: Any = None  # removes the field of the base class
    id = IdField()
    hue = IntegerField(allow_null=True, min_value=0, max_value=HUES - 1)
    created_at = MomentField(past=True)
    updated_at = MomentField(past=True)


class SyllabusFileLine(Body):
    """A syllabus file, and the text read from it."""

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
        """Require a text if the file was read, and none otherwise."""
        if attrs["characters"] != len(attrs["text"] or ""):
            raise serializers.ValidationError({"characters": ["Is not the length of text."]})
        if (attrs["text"] is None) is (attrs["text_status"] == TextStatus.READ):
            raise serializers.ValidationError({"text": ["Must be there if text_status is read, and else be null."]})
        return attrs


class ItemLine(PlainItemBody):
    """An item."""

    id = IdField()
    course_id = IdField()
    done = BooleanField()
    done_at = MomentField(allow_null=True, past=True)
    missable_from = DateField()
    sequence = IntegerField(min_value=0, max_value=MAX_POSITION)
    created_at = MomentField(past=True)
    updated_at = MomentField(past=True)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Require the time of completion if and only if the item is done."""
        if attrs["done"] is (attrs["done_at"] is None):
            raise serializers.ValidationError({"done_at": ["Must be there if done is true, and else be null."]})
        return attrs
