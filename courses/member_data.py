"""The members' rows of this app, and their rules in an archive."""

from typing import Any

from rest_framework import serializers

from courses.courses import COURSES, COURSES_IN_ALL
from courses.item_batches import ITEMS_OF_COURSE, ITEMS_OF_MEMBER
from courses.item_rows import computed_of_item, folded_course
from courses.models import MAX_SYLLABUS_CHARACTERS, Course, Item, SyllabusFile
from courses.serializers import CourseBody, PlainItemBody
from courses.syllabi.reading.files import TextStatus
from courses.uploads.rows import FILES_OF_COURSE, expiry, require_room, seen_files
from studyservice.operations.fields import StringField
from studyservice.operations.serializers import Body
from studyservice.registry.archived import Archived
from studyservice.registry.data import Computed, Logged, MemberData, Visible, register


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
        """Require a date with a time, and the time of completion if and only if the item is done."""
        super().validate(attrs)
        if attrs["done"] is (attrs["done_at"] is None):
            raise serializers.ValidationError({"done_at": ["Must be there if done is true, and else be null."]})
        return attrs


register(
    MemberData(
        Course,
        course="self",
        archived=Archived(
            name="courses",
            rules=CourseBody,
            order=("created_at", "id"),
            left_out={"folded": "made of the name when it is taken in"},
            must_be_empty=True,
        ),
        maxima=(COURSES, COURSES_IN_ALL),
        log=Logged(made_with={"archived": False}),
        computed=Computed(derived=folded_course, derived_from=("name",)),
    )
)
register(
    MemberData(
        SyllabusFile,
        course="course",
        archived=Archived(
            name="syllabus_files",
            rules=SyllabusFileRules,
            order=("created_at", "id"),
            left_out={
                "compared_with_id": "of an upload that waits for its course",
                "sent_by": "a credential, of which no archive has any",
                "expires_at": "of an upload that waits for its course",
                "model_state": "a reading is no study data",
                "model_asked_at": "a reading is no study data",
                "model_error": "a reading is no study data",
                "model_answer": "a reading is no study data",
            },
            only={"course__isnull": False},
            require_room=require_room,
        ),
        maxima=(FILES_OF_COURSE,),
        visible=Visible(seen=seen_files),
        log=Logged(columns=("filename", "media_type", "size", "course_id", "text_status", "characters", "pages")),
        computed=Computed(derived=expiry, derived_from=("course_id",)),
    )
)
register(
    MemberData(
        Item,
        course="course",
        archived=Archived(
            name="items",
            rules=ItemRules,
            order=("created_at", "id"),
            shares={"category_id": "course_id"},
            left_out={
                "graded": "told by the scores",
                "marked_at": "an import is a later change",
                "folded": "made of title and note when it is taken in",
                "time_in_order": "made of due_time when it is taken in",
            },
        ),
        maxima=(ITEMS_OF_MEMBER, ITEMS_OF_COURSE),
        log=Logged(
            restamped=("created_at", "updated_at"),
            defaults=lambda member: {"missable_from": member.today()},
            unstamped=("category_id",),
            made_with={"due_time": None, "category_id": None, "note": None, "done": False},
        ),
        computed=Computed(
            derived=computed_of_item,
            derived_from=("title", "note", "due_time"),
            revised_by=("title", "kind", "due_on", "due_time", "done"),
        ),
    )
)
