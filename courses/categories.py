"""Grade categories that items refer to. The app `grades` stores them."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from accounts.rows.access import Access
from courses.models import Item
from studyservice.operations.errors import Detail, ValidationFailed

GRADE_CATEGORY: Any = Item._meta.get_field("category").related_model


def require_categories(access: Access, course_id: UUID, named: Mapping[str, UUID | None]) -> None:
    """Reject categories of other courses. One statement, or none without categories.

    Args:
        named: category ids, by the name of their field in the request.

    Raises:
        ValidationFailed: a category does not belong to the course.
    """
    wanted = {category_id for category_id in named.values() if category_id is not None}
    if not wanted:
        return
    found = GRADE_CATEGORY.rows.of(access).all("id", course_id=course_id, id__in=wanted)
    there = {category["id"] for category in found}
    details: list[Detail] = [
        {"field": field, "message": "Not a category of this course; get_grades lists the ids."}
        for field, category_id in named.items()
        if category_id is not None and category_id not in there
    ]
    if details:
        raise ValidationFailed(details)
