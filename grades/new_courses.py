"""The categories of a grade that a new course begins with (`courses.courses.CourseCategories`)."""

from collections.abc import Sequence
from typing import cast
from uuid import UUID

from accounts.recording import Write
from courses.entry_serializers import CategoryEntryFields, EnteredCategoryRow
from grades.models import GradeCategory
from studyservice.database.statements import Param, Select

_OF_COURSE = Select[EnteredCategoryRow](
    GradeCategory.objects.filter(member_id=Param("member_id"), course_id=Param("course_id")).order_by("position", "id"),
    {name: name for name in EnteredCategoryRow.__annotations__},
)


class NewCourseCategories:
    """Grades, as courses know them."""

    @staticmethod
    def add(write: Write, course_id: UUID, entries: Sequence[CategoryEntryFields]) -> list[EnteredCategoryRow]:
        """In one statement, whatever their number."""
        categories = [
            GradeCategory(member_id=write.member_id, course_id=course_id, position=position, **entry)
            for position, entry in enumerate(entries, start=1)
        ]
        GradeCategory.objects.bulk_create(categories)
        for one in categories:
            fields = {"course_id": course_id, "name": one.name, "weight": one.weight, "position": one.position}
            write.made(GradeCategory, one.id, one.name, fields)
        return [{"id": one.id, "name": one.name, "weight": float(one.weight)} for one in categories]

    @staticmethod
    def of(member_id: UUID, course_id: UUID) -> list[EnteredCategoryRow]:
        """One query."""
        rows = _OF_COURSE.all(member_id=member_id, course_id=course_id)
        return [cast("EnteredCategoryRow", {**row, "weight": float(row["weight"])}) for row in rows]
