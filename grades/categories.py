"""Replacing a course's grade categories as a whole."""

from collections.abc import Callable, Iterable
from typing import Any
from uuid import UUID

from accounts.changes.contents import Fields, fields_of
from accounts.changes.deleting import delete_rows
from accounts.changes.writing import writing
from accounts.members.limits import Limit
from accounts.models import Member
from courses.courses import require_course
from courses.entry_serializers import MAX_CATEGORIES
from courses.models import Course
from grades.breakdown import get_grades
from grades.marks import settle_marks
from grades.models import GradeCategory
from grades.serializers import CATEGORY_COLUMNS, CategoryFields, GradeBreakdownRow
from studyservice.database.ahead import Ahead, insert_later, update_later
from studyservice.operations.errors import Detail, ValidationFailed

CATEGORIES_OF_COURSE = Limit(
    most=MAX_CATEGORIES,
    what="grade categories of a course",
    full="You have reached the limit of {most} grade categories in this course. Delete one first.",
    per="course",
)

MADE_WITH = {"drop_lowest": 0}
"""Defaults for columns missing in older rows of the log of changes."""


def set_grade_categories(member: Member, course_id: UUID, *, categories: list[CategoryFields]) -> GradeBreakdownRow:
    """Replace the course's complete list of categories, in this order, and return the breakdown.

    An entry with the id of an existing category changes it and keeps its scores. Omitted categories are deleted with
    their scores.

    Raises:
        NotFound: the member has no such course.
        ValidationFailed: an id is repeated, or is not a category of this course; nothing was changed.
    """
    with writing(member.id, "set_grade_categories") as write:
        mine = GradeCategory.objects.filter(member_id=member.id, course_id=course_id)
        asked = ask_for_categories(member, course_id)
        course = require_course(member, course_id)
        present = {category.id: category for category in asked()}
        kept = _kept(categories, present)
        old = listed_categories(present.values())
        before: dict[str, object] = {"categories": old}
        if left_out := present.keys() - kept:
            before |= delete_rows(write, mine.filter(id__in=left_out))
            settle_marks(write)
        listed, new = [], []
        for position, entry in enumerate(categories, start=1):
            known = entry.get("id")
            fields = sent_of(entry) | {"position": position}
            if known:
                fields = {"drop_lowest": present[known].drop_lowest} | fields
            category = GradeCategory(member_id=member.id, course_id=course_id, **fields)
            if not known:
                new.append(category)
            else:
                category.id = known
                if listed_categories([category]) != listed_categories([present[known]]):
                    update_later(mine.filter(id=known), **fields)
            listed.append(category)
        insert_later(new)
        write.changed(Course, course_id, course["name"], before, {"categories": listed_categories(listed)})
        write.touched(GradeCategory, (one.id for one in listed if listed_categories([one])[0] not in old))
        return get_grades(member, course_id)


def ask_for_categories(member: Member, course_id: UUID) -> Callable[[], list[GradeCategory]]:
    """Queue the query, and return a function that returns the course's categories (`studyservice.database.ahead`)."""
    mine = GradeCategory.objects.filter(member_id=member.id, course_id=course_id)
    rows: Ahead[Any] = Ahead(mine.values_list())
    return lambda: [GradeCategory(*row) for row in rows]


def sent_of(entry: Fields) -> dict[str, Any]:
    """The columns sent in an entry. Null counts as not sent."""
    return {name: value for name, value in entry.items() if name != "id" and value is not None}


def listed_categories(categories: Iterable[GradeCategory]) -> list[Fields]:
    """The writable columns of the categories, in order."""
    return [
        fields_of(category, ("id", *CATEGORY_COLUMNS, "position"))
        for category in sorted(categories, key=lambda category: (category.position, category.id))
    ]


def _kept(categories: list[CategoryFields], present: dict[UUID, GradeCategory]) -> set[UUID]:
    kept: set[UUID] = set()
    details: list[Detail] = []
    for index, entry in enumerate(categories):
        category_id = entry.get("id")
        if category_id is None:
            continue
        field = f"categories[{index}].id"
        if category_id not in present:
            details.append({"field": field, "message": "Not a category of this course."})
        elif category_id in kept:
            details.append({"field": field, "message": "Is in the list already."})
        kept.add(category_id)
    if details:
        raise ValidationFailed(details)
    return kept
