"""Undo a replaced list of grade categories."""

from typing import Any
from uuid import UUID

from accounts.changes.contents import Part, type_of
from accounts.changes.recording import Write
from accounts.changes.values import as_kept, columns, value_of
from accounts.models import Member
from accounts.undo.made import delete_again
from courses.courses import require_course
from courses.errors import NoSuchCourse
from grades.categories import listed_categories
from grades.models import GradeCategory
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
            known = columns(GradeCategory)
            old_values = {name: value_of(known[name], value) for name, value in was.items() if name != "id"}
            mine.filter(id=entry["id"]).update(**old_values)
