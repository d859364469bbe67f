"""The grade categories of a new course (`courses.courses.COURSE_CATEGORIES`)."""

from collections.abc import Sequence
from uuid import UUID

from accounts.rows.access import Access
from courses.entry_serializers import CategoryEntryFields, EnteredCategoryRow
from grades.categories import sent_of
from grades.models import GradeCategory


def add_categories(access: Access, course_id: UUID, entries: Sequence[CategoryEntryFields]) -> list[EnteredCategoryRow]:
    """Create the categories in one statement, whatever their number, inside the change that creates the course."""
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
