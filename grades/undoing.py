"""Grades when a change is taken back: a replaced list of categories, and the limit of scores."""

from collections import Counter
from typing import Any
from uuid import UUID

from accounts.changes.contents import Part, type_of
from accounts.changes.recording import Write
from accounts.changes.values import as_kept
from accounts.models import Member
from accounts.undo.hooks import Columns
from accounts.undo.made import delete_again
from courses.courses import require_course
from courses.errors import NoSuchCourse
from grades.categories import listed_categories
from grades.models import GradeCategory
from grades.scores import require_room
from studyservice.operations.errors import Conflict


def put_categories_back(member: Member, write: Write, course_id: UUID, after: Any, before: Any) -> None:
    """What a course's categories were, but for those that the change had deleted: these come back by themselves.

    Raises:
        Conflict: the course is gone, the list is another by now, or a category that goes has scores.
    """
    try:
        require_course(member, course_id)
    except NoSuchCourse as gone:
        raise Conflict("The course is gone. Undo its deletion first.") from gone
    mine = GradeCategory.objects.filter(member_id=member.id, course_id=course_id)
    if as_kept({"categories": listed_categories(mine)})["categories"] != after:
        raise Conflict("The categories were changed since, and an undo overwrites nothing. Undo that first.")
    old = {entry["id"]: entry for entry in before}
    type_ = type_of(GradeCategory)
    new = [Part(type_, UUID(entry["id"]), entry["name"], None, entry) for entry in after if entry["id"] not in old]
    delete_again(member, write, type_, new)
    for entry in after:
        was = old.get(entry["id"])
        if was is not None and was != entry:
            mine.filter(id=entry["id"]).update(name=was["name"], weight=str(was["weight"]), position=was["position"])


def scores_come_back(member: Member, rows: list[Columns]) -> None:
    """Raises `Conflict` if a course has too many scores now."""
    categories = Counter(row["category_id"] for row in rows)
    courses = GradeCategory.objects.filter(member_id=member.id, id__in=list(categories))
    for course_id in set(courses.values_list("course_id", flat=True)):
        require_room(member, course_id, more=0)
