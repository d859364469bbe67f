"""Parameters of the operations that read courses and items."""

from datetime import date, datetime
from typing import Any, ClassVar, TypedDict
from uuid import UUID

from rest_framework import serializers

from courses.models import MAX_SYLLABUS_CHARACTERS, ItemKind, ItemStatus
from studyservice.operations.fields import ChoiceField, DateField, IdField, StringField
from studyservice.operations.query_fields import CursorField, QueryBooleanField, QueryIntegerField, QueryTimestampField
from studyservice.operations.serializers import Query

MAX_QUERY = 100
"""Maximum length of a search text, in characters."""


class SyllabusPartQuery(Query):
    """Parameters for a part of a syllabus text, mixed into the parameters of operations that return one.

    Attributes:
        includes_by: the parameter that requests the text.
    """

    includes_by: ClassVar[str]

    syllabus_from = QueryIntegerField(
        required=False,
        min_value=0,
        help_text="Of a text that is asked for: the first character of the part to answer, from 0. Past the end the "
        "part is empty.",
    )
    syllabus_limit = QueryIntegerField(
        required=False,
        min_value=1,
        max_value=MAX_SYLLABUS_CHARACTERS,
        help_text="Of a text that is asked for: the most characters to answer; the rest follows with syllabus_from.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Reject a part if the text was not requested."""
        parts = {"syllabus_from", "syllabus_limit"} & attrs.keys()
        if parts and not attrs[self.includes_by]:
            raise serializers.ValidationError({name: [f"Needs {self.includes_by}."] for name in sorted(parts)})
        if "syllabus_from" in attrs:  # any number is allowed, but not every database has it
            attrs["syllabus_from"] = min(attrs["syllabus_from"], MAX_SYLLABUS_CHARACTERS)
        return attrs


class CourseQuery(SyllabusPartQuery):
    """Parameters of get_course."""

    includes_by = "include_syllabus"

    include_syllabus = QueryBooleanField(default=False, help_text="Whether to answer the syllabus text too.")


ItemFilters = TypedDict(
    "ItemFilters",
    {
        "course_id": UUID,
        "kind": str,
        "status": str,
        "q": str,
        "from": date,
        "to": date,
        "created_after": datetime,
        "updated_after": datetime,
    },
    total=False,
)
"""Filters of a list of items: the parameters of an `ItemsQuery` without those of paging."""


class ItemsQuery(Query):
    """Parameters of list_items."""

    wire_names: ClassVar[dict[str, str]] = {"due_from": "from", "due_to": "to"}

    course_id = IdField(required=False, help_text="Only items of this course.")
    kind = ChoiceField(choices=ItemKind.values, required=False, help_text="Only items of this kind.")
    status = ChoiceField(
        choices=[one.value for one in ItemStatus],
        required=False,
        help_text="Only items of this status: missed ones, say.",
    )
    q = StringField(
        required=False,
        max_length=MAX_QUERY,
        help_text="Only items with this text in their title, note, course name or milestones. Case does not count.",
    )
    due_from = DateField(required=False, help_text="Only items due on or after this date.")
    due_to = DateField(required=False, help_text="Only items due on or before this date.")
    created_after = QueryTimestampField(
        required=False,
        help_text="Only items added after this time; pass the newest created_at you have seen. With it no item is "
        "missed that changes between the pages.",
    )
    updated_after = QueryTimestampField(
        required=False,
        help_text="The same of items added or changed since: pass the newest updated_at. Not with created_after. "
        "Milestones and scores do not count.",
    )
    limit = QueryIntegerField(min_value=1, max_value=100, default=25, help_text="Items per page.")
    cursor = CursorField(required=False, help_text="The previous page's next_cursor.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Reject created_after together with updated_after."""
        if {"created_after", "updated_after"} <= attrs.keys():
            raise serializers.ValidationError({"updated_after": ["Must not be sent together with created_after."]})
        return attrs
