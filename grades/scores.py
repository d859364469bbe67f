"""Recording and removing scores."""

from decimal import Decimal
from uuid import UUID

from accounts.deleting import delete_object
from accounts.models import Member
from accounts.writing import writing
from courses.courses import require_course
from grades.models import GradeCategory, GradeScore
from grades.serializers import GradeScoreRow
from studyservice.operations.errors import Conflict, NotFound, ValidationFailed
from studyservice.operations.serializers import DeletedRow, deletion

MAX_SCORES = 500
"""Scores per course."""


def add_grade_score(member: Member, course_id: UUID, *, category_id: UUID, label: str, score: Decimal) -> GradeScoreRow:
    """A new score, in percent, in one of the course's categories.

    Raises:
        NotFound: there is no such course of the member's.
        ValidationFailed: `category_id` is no category of this course.
        Conflict: the course has `MAX_SCORES` scores.
    """
    with writing(member.id, "add_grade_score") as write:
        require_course(member, course_id)
        categories = GradeCategory.objects.filter(member_id=member.id, course_id=course_id)
        if not categories.filter(id=category_id).exists():
            raise ValidationFailed.of("category_id", "Is no category of this course. get_grades gives the ids.")
        of_course = GradeScore.objects.filter(
            member_id=member.id, category__member_id=member.id, category__course_id=course_id
        )
        if of_course.count() >= MAX_SCORES:
            raise Conflict(f"There are {MAX_SCORES} scores in this course, the most there can be. Delete one first.")
        fields = {"category_id": category_id, "label": label, "score": score}
        added = GradeScore.objects.create(member_id=member.id, created_at=write.now, **fields)
        write.made(GradeScore, added.id, label, fields)
    return {
        "id": added.id,
        "category_id": category_id,
        "label": label,
        "score": float(score),
        "created_at": write.now,
    }


def delete_grade_score(member: Member, score_id: UUID) -> DeletedRow:
    """Remove the score.

    Raises:
        NotFound: there is no such score of the member's.
    """
    with writing(member.id, "delete_grade_score") as write:
        if not delete_object(write, GradeScore, score_id):
            raise NotFound("There is no such score. get_grades gives the ids.")
    return deletion(score_id)
