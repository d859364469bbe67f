"""Adding, changing and deleting scores."""

from datetime import datetime
from typing import Unpack, cast
from uuid import UUID

from django.db.models import F, QuerySet

from accounts.changes.contents import Fields, fields_of
from accounts.changes.deleting import delete_object
from accounts.changes.recording import Write
from accounts.changes.writing import writing
from accounts.members.limits import Limit
from accounts.models import Member
from courses.categories import require_categories
from courses.courses import require_course
from courses.models import Item
from grades.marks import settle_marks
from grades.models import GradeScore
from grades.serializers import GradeScoreRow, NewScore, ScoreBody, ScoreFields
from studyservice.database.ahead import update_later
from studyservice.operations.errors import NotFound, ValidationFailed
from studyservice.operations.serializers import DeletedRow, deletion

SCORES_OF_COURSE = Limit(
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


class _Score(NewScore):
    id: UUID
    created_at: datetime


class _ScoreOfCourse(_Score):
    course_id: UUID


def _answered(score: _Score) -> GradeScoreRow:
    """The record for the answer, with the score as a float."""
    values: Fields = score
    row = {name: values[name] for name in GradeScoreRow.__annotations__}
    return cast("GradeScoreRow", row | {"score": float(score["score"])})


def add_grade_score(member: Member, course_id: UUID, **fields: Unpack[NewScore]) -> GradeScoreRow:
    """Create a score, in percent, in one of the course's categories.

    Raises:
        NotFound: the member has no such course.
        ValidationFailed: `category_id` is not a category of this course, or `item_id` not an item that it can grade.
        Conflict: the course has the maximum number of scores.
    """
    item_id = fields.setdefault("item_id", None)
    with writing(member.id, "add_grade_score") as write:
        require_course(member, course_id)
        write.belongs(course_id)
        require_categories(member.id, course_id, {"category_id": fields["category_id"]})
        item = None if item_id is None else _gradable(member, course_id, item_id, fields["category_id"])
        mine = GradeScore.objects.filter(member_id=member.id, category__member_id=member.id)
        SCORES_OF_COURSE.require_room(mine.filter(category__course_id=course_id))
        added = GradeScore.objects.create(member_id=member.id, created_at=write.now, **fields)
        write.made(GradeScore, added.id, added.label, fields_of(added, ScoreBody.Meta.fields))
        if item is not None:
            _categorize(write, item, fields["category_id"])
            settle_marks(write)
    return _answered({"id": added.id, "created_at": write.now, **fields})


def require_score(member: Member, score_id: UUID) -> _ScoreOfCourse:
    """The stored score with its course.

    Raises:
        NotFound: the member has no such score.
    """
    mine = GradeScore.objects.filter(member_id=member.id, id=score_id, category__member_id=member.id)
    score = mine.values(*GradeScoreRow.__annotations__, course_id=F("category__course_id")).first()
    if score is None:
        raise NoSuchScore
    return cast("_ScoreOfCourse", score)


def update_grade_score(member: Member, score_id: UUID, **changes: Unpack[ScoreFields]) -> GradeScoreRow:
    """Change the given fields. A score can only move to another category of its course, and its item moves with it.

    Raises:
        NotFound: the member has no such score.
        ValidationFailed: `category_id` is not a category of the score's course, or `item_id` not an item that it can
            grade.
    """
    with writing(member.id, "update_grade_score") as write:
        stored = require_score(member, score_id)
        course_id = stored["course_id"]
        write.belongs(course_id)
        require_categories(member.id, course_id, {"category_id": changes.get("category_id")})
        category_id = changes.get("category_id", stored["category_id"])
        item_id = changes.get("item_id", stored["item_id"])
        item = None
        if item_id is not None and item_id != stored["item_id"]:
            item = _gradable(member, course_id, item_id, category_id)
        elif item_id is not None and category_id != stored["category_id"]:
            item = _items(member, course_id).get(id=item_id)
        different = write.differing(GradeScore, score_id, stored["label"], stored, changes)
        if different:
            update_later(GradeScore.objects.filter(member_id=member.id, id=score_id), **different)
        if item is not None:
            _categorize(write, item, category_id)
        if "item_id" in different:
            settle_marks(write)
    return _answered(cast("_Score", stored | different))


def delete_grade_score(member: Member, score_id: UUID) -> DeletedRow:
    """Delete the score.

    Raises:
        NotFound: the member has no such score.
    """
    with writing(member.id, "delete_grade_score") as write:
        if not delete_object(write, GradeScore, score_id):
            raise NoSuchScore
        settle_marks(write)
    return deletion(score_id)


def _items(member: Member, course_id: UUID) -> QuerySet[Item]:
    return Item.objects.filter(member_id=member.id, course_id=course_id).only("title", "category_id", "graded")


def _gradable(member: Member, course_id: UUID, item_id: UUID, category_id: UUID) -> Item:
    """The item for a score of the category.

    Raises:
        ValidationFailed: it is not in the course, already has a score, or is in another category.
    """
    item = _items(member, course_id).filter(id=item_id).first()
    if item is None:
        raise ValidationFailed.of("item_id", "Not an item of this course; list_items lists the ids.")
    if item.graded:
        there = GradeScore.objects.filter(member_id=member.id, item_id=item_id).values_list("id", flat=True)
        raise ValidationFailed.of("item_id", _GRADED.format(score_id=there.first()))
    if item.category_id not in {None, category_id}:
        raise ValidationFailed.of(
            "item_id", "This item is of another category. Change its category_id with update_item first."
        )
    return item


def _categorize(write: Write, item: Item, category_id: UUID) -> None:
    """Set the item's category to its score's. `updated_at` is kept, as this is not a separate change."""
    before, after = {"category_id": item.category_id}, {"category_id": category_id}
    write.changed(Item, item.id, item.title, before, after)
    if before != after:
        update_later(Item.objects.filter(member_id=write.member_id, id=item.id), **after)
