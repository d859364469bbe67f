"""Grade categories that items refer to. The app `grades` stores them."""

from collections.abc import Mapping
from uuid import UUID

from django.db.models import Model, QuerySet

from courses.models import Item
from studyservice.operations.errors import Detail, ValidationFailed

GRADE_CATEGORY: type[Model] = Item._meta.get_field("category").related_model


def require_categories(member_id: UUID, course_id: UUID, named: Mapping[str, UUID | None]) -> None:
    """Reject categories of other courses. One statement, or none without categories.

    Args:
        named: category ids, by the name of their field in the request.

    Raises:
        ValidationFailed: a category does not belong to the course.
    """
    wanted = {category_id for category_id in named.values() if category_id is not None}
    if not wanted:
        return
    mine: QuerySet[Model] = QuerySet(GRADE_CATEGORY).filter(member_id=member_id, course_id=course_id, pk__in=wanted)
    there = set(mine.order_by().values_list("pk", flat=True))
    details: list[Detail] = [
        {"field": field, "message": "Not a category of this course; get_grades lists the ids."}
        for field, category_id in named.items()
        if category_id is not None and category_id not in there
    ]
    if details:
        raise ValidationFailed(details)
