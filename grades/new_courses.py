"""The grade categories of a new course (`courses.courses.COURSE_CATEGORIES`)."""

from collections.abc import Sequence
from uuid import UUID

from accounts.changes.contents import fields_of
from accounts.changes.recording import Write
from courses.entry_serializers import CategoryEntryFields, EnteredCategoryRow
from grades.categories import sent_of
from grades.models import GradeCategory
from grades.serializers import CATEGORY_COLUMNS
from studyservice.database.ahead import insert_later


def add_categories(write: Write, course_id: UUID, entries: Sequence[CategoryEntryFields]) -> list[EnteredCategoryRow]:
    """Create the categories in one statement, whatever their number."""
    categories = [
        GradeCategory(member_id=write.member_id, course_id=course_id, position=position, **sent_of(entry))
        for position, entry in enumerate(entries, start=1)
    ]
    insert_later(categories)
    for one in categories:
        write.made(GradeCategory, one.id, one.name, fields_of(one, ("course_id", *CATEGORY_COLUMNS, "position")))
    return [
        {"id": one.id, "name": one.name, "weight": float(one.weight), "drop_lowest": one.drop_lowest}
        for one in categories
    ]
