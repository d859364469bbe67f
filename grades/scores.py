"""Adding, changing and deleting scores."""

from typing import Unpack, cast
from uuid import UUID

from courses.courses import seen_course
from courses.models import Item
from grades.marks import settle_marks
from grades.models import GradeCategory, GradeScore
from grades.points import AS_POINTS
from grades.serializers import GradeScoreRow, NewScore, ScoreFields
from studyservice.database.ids import uuid7
from studyservice.operations.errors import NotFound, ValidationFailed
from studyservice.operations.serializers import DeletedRow, deletion
from studyservice.registry.data import Maximum
from studyservice.rows.access import Access, change
from studyservice.rows.rows import COURSE, Row

SCORES_OF_COURSE = Maximum(
    most=500,
    what="scores of a course",
    full="You have reached the limit of {most} scores in this course. Delete one first.",
    per="category__course",
)


_GRADED = (
    "The score {score_id} names this item. Delete it with delete_grade_score and add it again, or change it with "
    "update_grade_score over REST."
)


class NoSuchScore(NotFound):
    """The member has no such score."""

    default_message = "There is no such score. get_grades gives the ids."


def _answered(score: Row) -> GradeScoreRow:
    """The record for the answer, with its numbers as floats."""
    row = {name: score[name] for name in GradeScoreRow.__annotations__}
    numbers = {name: float(row[name]) for name in ("score", *AS_POINTS) if row[name] is not None}
    return cast("GradeScoreRow", row | numbers)


def add_grade_score(access: Access, course_id: UUID, **fields: Unpack[NewScore]) -> GradeScoreRow:
    """Create a score, in percent, in one of the course's categories.

    Raises:
        NotFound: the call sees no such course.
        ValidationFailed: `category_id` is not a category of this course, or `item_id` not an item that it can grade.
        Conflict: the course has the maximum number of scores.
    """
    with change(access, "add_grade_score"):
        seen_course(access, course_id)
        _require_category(access, course_id, fields["category_id"])
        item_id, category_id = fields.get("item_id"), fields["category_id"]
        item = None if item_id is None else _gradable(access, course_id, item_id, category_id)
        SCORES_OF_COURSE.require(GradeScore.rows.of(access.whole).count(category__course_id=course_id))
        # Scores of one change have the same time, and are listed by id then.
        [added] = GradeScore.rows.of(access).insert({"id": uuid7(), **fields}, course_id=course_id)
        if item is not None:
            Item.rows.of(access).update(item, {"category_id": category_id})  # keeps `updated_at`
            settle_marks(access)
    return _answered(added)


def require_score(access: Access, score_id: UUID) -> Row:
    """The stored score with its course.

    Raises:
        NotFound: the call sees no such score.
    """
    return GradeScore.rows.of(access).get(NoSuchScore, id=score_id)


def update_grade_score(access: Access, score_id: UUID, **changes: Unpack[ScoreFields]) -> GradeScoreRow:
    """Change the given fields. A score can only move to another category of its course, and its item moves with it.

    Another percent without points forgets the stored points.

    Raises:
        NotFound: the call sees no such score.
        ValidationFailed: `category_id` is not a category of the score's course, or `item_id` not an item that it can
            grade.
    """
    with change(access, "update_grade_score"):
        stored = require_score(access, score_id)
        course_id = stored[COURSE]
        if "category_id" in changes:
            _require_category(access, course_id, changes["category_id"])
        category_id = changes.get("category_id", stored["category_id"])
        item_id = changes.get("item_id", stored["item_id"])
        item = None
        if item_id is not None and item_id != stored["item_id"]:
            item = _gradable(access, course_id, item_id, category_id)
        elif item_id is not None and category_id != stored["category_id"]:
            item = _item(access, course_id, item_id)
        if "points" not in changes and changes.get("score", stored["score"]) != stored["score"]:
            changes = {**changes, "points": None, "out_of": None}
        different = GradeScore.rows.of(access).update(stored, changes)
        if item is not None:
            Item.rows.of(access).update(item, {"category_id": category_id})  # keeps `updated_at`
        if "item_id" in different:
            settle_marks(access)
    return _answered(stored | different)


def delete_grade_score(access: Access, score_id: UUID) -> DeletedRow:
    """Delete the score.

    Raises:
        NotFound: the call sees no such score.
    """
    with change(access, "delete_grade_score"):
        if not GradeScore.rows.of(access).delete(score_id):
            raise NoSuchScore
        settle_marks(access)
    return deletion(score_id)


def _require_category(access: Access, course_id: UUID, category_id: UUID | None) -> None:
    if GradeCategory.rows.of(access).find("id", id=category_id, course_id=course_id) is None:
        raise ValidationFailed.of("category_id", "Not a category of this course; get_grades lists the ids.")


def _item(access: Access, course_id: UUID, item_id: UUID) -> Row | None:
    return Item.rows.of(access).find("title", "category_id", "graded", id=item_id, course_id=course_id)


def _gradable(access: Access, course_id: UUID, item_id: UUID, category_id: UUID) -> Row:
    """The item for a score of the category.

    Raises:
        ValidationFailed: it is not in the course, already has a score, or is in another category.
    """
    item = _item(access, course_id, item_id)
    if item is None:
        raise ValidationFailed.of("item_id", "Not an item of this course; list_items lists the ids.")
    if item["graded"]:
        [score] = GradeScore.rows.of(access).all("id", item_id=item_id)
        raise ValidationFailed.of("item_id", _GRADED.format(score_id=score["id"]))
    if item["category_id"] not in {None, category_id}:
        raise ValidationFailed.of(
            "item_id", "This item is of another category. Change its category_id with update_item first."
        )
    return item
