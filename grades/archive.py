"""Grade categories and scores in an archive, and as a table for a spreadsheet."""

from collections.abc import Iterator
from typing import Any

from accounts.archive.fields import MomentField
from accounts.members.archived import MAX_POSITION
from accounts.models import Member
from grades.models import GradeScore
from grades.serializers import ScoreBody
from studyservice.database.snapshots import in_pieces
from studyservice.operations.fields import IdField, IntegerField, NumberField, StringField
from studyservice.operations.serializers import Body
from studyservice.operations.spreadsheets import csv_lines


class GradeCategoryLine(Body):
    """A category of a course's grade."""

    id = IdField()
    course_id = IdField()
    name = StringField(max_length=60)
    weight = NumberField(min_value=0, max_value=100)
    drop_lowest = IntegerField(min_value=0, max_value=20)
    position = IntegerField(min_value=1, max_value=MAX_POSITION)


class GradeScoreLine(ScoreBody):
    """A score."""

    id = IdField()
    created_at = MomentField(past=True)


_COLUMNS = {
    "course": "category__course__name",
    "category": "category__name",
    "weight": "category__weight",
    "label": "label",
    "score": "score",
    "recorded_at": "created_at",
}


def write_grades(member: Member) -> Iterator[bytes]:
    """One row per score, with its category and its course."""
    mine = GradeScore.objects.filter(member_id=member.id, category__member_id=member.id)
    scores: Any = mine.filter(category__course__member_id=member.id).order_by(
        "category__course__created_at", "category__course_id", "category__position", "created_at", "id"
    )
    return csv_lines(_COLUMNS, in_pieces(scores.values_list(*_COLUMNS.values())))
