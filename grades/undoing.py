"""Undo changes of grade categories and of scores."""

from typing import Any
from uuid import UUID

from django.db.models import OuterRef, Q, Subquery

from accounts.changes.contents import Part, type_of
from accounts.changes.recording import Write
from accounts.changes.values import as_kept, columns, value_of
from accounts.members.data import Columns
from accounts.models import Member
from accounts.undo.made import delete_again
from courses.courses import require_course
from courses.errors import NoSuchCourse
from courses.models import Item
from grades.categories import MADE_WITH, ask_for_categories, listed_categories
from grades.models import GradeCategory, GradeScore
from studyservice.database.ahead import update_later
from studyservice.database.batches import batches
from studyservice.operations.errors import Conflict


def put_categories_back(member: Member, write: Write, course_id: UUID, after: Any, before: Any) -> None:
    """Restore the previous categories of a course, except those that the change deleted, which undo restores
    separately.

    Raises:
        Conflict: the course was deleted, the list has changed, or a category to delete has scores.
    """
    asked = ask_for_categories(member, course_id)
    try:
        require_course(member, course_id)
    except NoSuchCourse as gone:
        raise Conflict("The course is gone. Undo its deletion first.") from gone
    before, after = ([MADE_WITH | entry for entry in entries] for entries in (before, after))
    if as_kept({"categories": listed_categories(asked())})["categories"] != after:
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
            mine = GradeCategory.objects.filter(member_id=member.id, course_id=course_id, id=entry["id"])
            update_later(mine, **old_values)


def of_its_category(item_id: UUID) -> Q:
    """Scores that an item can have. A score that moved to another category stays unlinked."""
    item = Item.objects.filter(member_id=OuterRef("member_id"), id=item_id)
    return Q(category_id=Subquery(item.values("category_id")))


def categorize_again(member: Member, rows: list[Columns]) -> None:
    """Set the category of items without one to that of their restored scores."""
    scores = GradeScore.objects.filter(member_id=member.id, item_id=OuterRef("pk"))
    for item_ids in batches(row["item_id"] for row in rows if row["item_id"] is not None):
        mine = Item.objects.filter(member_id=member.id, id__in=item_ids, category=None)
        update_later(mine, category_id=Subquery(scores.values("category_id")[:1]))
