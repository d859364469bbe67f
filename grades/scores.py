"""Recording, changing and removing scores."""

from datetime import datetime
from typing import Unpack, cast
from uuid import UUID

from django.db.models import F

from accounts.changes.contents import Fields, fields_of
from accounts.changes.deleting import delete_object
from accounts.changes.writing import writing
from accounts.members.limits import Limit
from accounts.models import Member
from courses.courses import require_course
from grades.models import GradeCategory, GradeScore
from grades.serializers import GradeScoreRow, NewScore, ScoreBody, ScoreFields
from studyservice.operations.errors import NotFound, ValidationFailed
from studyservice.operations.serializers import DeletedRow, deletion

SCORES_OF_COURSE = Limit(
    most=500,
    what="scores of a course",
    full="There are {most} scores in this course, the most there can be. Delete one first.",
    per="category__course",
)


class NoSuchScore(NotFound):
    """There is no such score of the member's."""

    default_message = "There is no such score. get_grades gives the ids."


class _Score(NewScore):
    id: UUID
    created_at: datetime


class _ScoreOfCourse(_Score):
    course_id: UUID


def _answered(score: _Score) -> GradeScoreRow:
    """The answer's record, with the score as a float."""
    values: Fields = score
    row = {name: values[name] for name in GradeScoreRow.__annotations__}
    return cast("GradeScoreRow", row | {"score": float(score["score"])})


def add_grade_score(member: Member, course_id: UUID, **fields: Unpack[NewScore]) -> GradeScoreRow:
    """Create a score, in percent, in one of the course's categories.

    Raises:
        NotFound: there is no such course of the member's.
        ValidationFailed: `category_id` is no category of this course.
        Conflict: the course has as many scores as it can have.
    """
    with writing(member.id, "add_grade_score") as write:
        require_course(member, course_id)
        _require_category(member, course_id, fields["category_id"])
        mine = GradeScore.objects.filter(member_id=member.id, category__member_id=member.id)
        SCORES_OF_COURSE.require_room(mine.filter(category__course_id=course_id))
        added = GradeScore.objects.create(member_id=member.id, created_at=write.now, **fields)
        write.made(GradeScore, added.id, added.label, fields_of(added, ScoreBody.Meta.fields))
    return _answered({"id": added.id, "created_at": write.now, **fields})


def require_score(member: Member, score_id: UUID) -> _ScoreOfCourse:
    """The score as it is stored, with its course.

    Raises:
        NotFound: there is no such score of the member's.
    """
    mine = GradeScore.objects.filter(member_id=member.id, id=score_id, category__member_id=member.id)
    score = mine.values(*GradeScoreRow.__annotations__, course_id=F("category__course_id")).first()
    if score is None:
        raise NoSuchScore
    return cast("_ScoreOfCourse", score)


def update_grade_score(member: Member, score_id: UUID, **changes: Unpack[ScoreFields]) -> GradeScoreRow:
    """Change the fields given. A score can only move to another category of its course.

    Raises:
        NotFound: there is no such score of the member's.
        ValidationFailed: `category_id` is no category of the score's course.
    """
    with writing(member.id, "update_grade_score") as write:
        stored = require_score(member, score_id)
        if "category_id" in changes:
            _require_category(member, stored["course_id"], changes["category_id"])
        different = write.differing(GradeScore, score_id, stored["label"], stored, changes)
        if different:
            GradeScore.objects.filter(member_id=member.id, id=score_id).update(**different)
    return _answered(cast("_Score", stored | different))


def delete_grade_score(member: Member, score_id: UUID) -> DeletedRow:
    """Remove the score.

    Raises:
        NotFound: there is no such score of the member's.
    """
    with writing(member.id, "delete_grade_score") as write:
        if not delete_object(write, GradeScore, score_id):
            raise NoSuchScore
    return deletion(score_id)


def _require_category(member: Member, course_id: UUID, category_id: UUID) -> None:
    """Let nothing be put into a category of another course.

    Raises:
        ValidationFailed: it is no category of this one.
    """
    if not GradeCategory.objects.filter(member_id=member.id, course_id=course_id, id=category_id).exists():
        raise ValidationFailed.of("category_id", "Is no category of this course. get_grades gives the ids.")
