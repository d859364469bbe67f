"""The scores in an archive, as a table for a spreadsheet."""

from collections.abc import Iterator
from typing import Any

from accounts.models import Member
from grades.models import GradeScore
from studyservice.database.snapshots import in_pieces
from studyservice.operations.spreadsheets import csv_lines

_COLUMNS = {
    "course": "category__course__name",
    "category": "category__name",
    "weight": "category__weight",
    "label": "label",
    "score": "score",
    "recorded_at": "created_at",
    "points": "points",
    "out_of": "out_of",
}


def write_grades(member: Member) -> Iterator[bytes]:
    """One row per score, with its category and its course."""
    mine = GradeScore.objects.filter(member_id=member.id, category__member_id=member.id)
    scores: Any = mine.filter(category__course__member_id=member.id).order_by(
        "category__course__created_at", "category__course_id", "category__position", "created_at", "id"
    )
    return csv_lines(_COLUMNS, in_pieces(scores.values_list(*_COLUMNS.values())))
