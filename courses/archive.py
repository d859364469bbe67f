"""Rules of courses' files and items in an archive."""

from typing import Any

from rest_framework import serializers

from courses.models import MAX_SYLLABUS_CHARACTERS
from courses.serializers import PlainItemBody
from courses.syllabi.reading.files import TextStatus
from studyservice.operations.fields import StringField
from studyservice.operations.serializers import Body


class SyllabusFileRules(Body):
    """A syllabus file, and the text read from it."""

    file = StringField(max_length=100)
    text = StringField(max_length=MAX_SYLLABUS_CHARACTERS, trim_whitespace=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Require a text if the file was read, and none otherwise."""
        if attrs["characters"] != len(attrs["text"] or ""):
            raise serializers.ValidationError({"characters": ["Is not the length of text."]})
        if (attrs["text"] is None) is (attrs["text_status"] == TextStatus.READ):
            raise serializers.ValidationError({"text": ["Must be there if text_status is read, and else be null."]})
        return attrs


class ItemRules(PlainItemBody):
    """An item."""

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Require the time of completion if and only if the item is done."""
        if attrs["done"] is (attrs["done_at"] is None):
            raise serializers.ValidationError({"done_at": ["Must be there if done is true, and else be null."]})
        return attrs
