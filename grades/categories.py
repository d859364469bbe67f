"""The grade categories of a course: those of a new one, and replacing them as a whole."""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any
from uuid import UUID

from courses.courses import seen_course
from courses.entry_serializers import MAX_CATEGORIES, CategoryEntryFields, EnteredCategoryRow
from courses.models import Course
from courses.syllabi.warnings import about_weights
from grades.breakdown import get_grades
from grades.marks import settle_marks
from grades.models import GradeCategory
from grades.serializers import CATEGORY_COLUMNS, CategoryFields, GradeBreakdownRow
from studyservice.changes.calls import doubt
from studyservice.changes.contents import Fields
from studyservice.operations.errors import Detail, ValidationFailed
from studyservice.registry.data import Maximum
from studyservice.rows.access import Access, change
from studyservice.rows.rows import Row

CATEGORIES_OF_COURSE = Maximum(
    most=MAX_CATEGORIES,
    what="grade categories of a course",
    full="You have reached the limit of {most} grade categories in this course. Delete one first.",
    per="course",
)


def set_grade_categories(access: Access, course_id: UUID, *, categories: list[CategoryFields]) -> GradeBreakdownRow:
    """Replace the course's complete list of categories, in this order, and return the breakdown.

    An entry with the id of an existing category changes it and keeps its scores. Omitted categories are deleted with
    their scores.

    Raises:
        NotFound: the call sees no such course.
        ValidationFailed: an id is repeated, or is not a category of this course; nothing was changed.
    """
    with change(access, "set_grade_categories") as log:
        course = seen_course(access, course_id)
        rows = GradeCategory.rows.of(access)
        present = {category["id"]: category for category in rows.all(course_id=course_id)}
        kept = _kept(categories, present)
        log.about(Course, course_id, course["name"], course_id)
        if left_out := [category for id_, category in present.items() if id_ not in kept]:
            rows.delete_found(left_out)
            settle_marks(access)
        listed, new = [], []
        for position, entry in enumerate(categories, start=1):
            fields = sent_of(entry) | {"position": position}
            known = entry.get("id")
            if known:
                listed.append(present[known] | rows.update(present[known], fields))
            else:
                new.append(fields | {"course_id": course_id})
        before, after = _listed(present.values()), _listed([*listed, *rows.insert(*new)])
        if before != after:
            log.tell({"categories": before}, {"categories": after}, instead_of=GradeCategory)
            log.stream.ordered(GradeCategory, course_id, (one["id"] for one in after))
        doubt(partial(about_weights, [float(one["weight"]) for one in after]))
        return get_grades(access, course_id)


def sent_of(entry: Fields) -> dict[str, Any]:
    """The columns sent in an entry. Null counts as not sent."""
    return {name: value for name, value in entry.items() if name != "id" and value is not None}


def add_categories(access: Access, course_id: UUID, entries: Sequence[CategoryEntryFields]) -> list[EnteredCategoryRow]:
    """Create the categories in one statement, whatever their number, inside the change that creates the course.

    It is the hook `courses.courses.COURSE_CATEGORIES`.
    """
    made = GradeCategory.rows.of(access).insert(
        *(
            {"course_id": course_id, "position": position, **sent_of(entry)}
            for position, entry in enumerate(entries, start=1)
        )
    )
    return [
        {"id": one["id"], "name": one["name"], "weight": float(one["weight"]), "drop_lowest": one["drop_lowest"]}
        for one in made
    ]


def _listed(categories: Iterable[Row]) -> list[Row]:
    """The writable columns of the categories, in order."""
    return [
        {name: category[name] for name in ("id", *CATEGORY_COLUMNS, "position")}
        for category in sorted(categories, key=lambda category: (category["position"], category["id"]))
    ]


def _kept(categories: list[CategoryFields], present: dict[UUID, Row]) -> set[UUID]:
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
