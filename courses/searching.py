"""What is searched of courses and items, stored beside them."""

from collections.abc import Mapping
from uuid import UUID

from courses.models import Course, Item
from studyservice.database.batches import batches
from studyservice.database.folding import contains, fold_all

FOUND = contains("folded", "course__folded", param="q")
"""Items with the folded text `q` in their title, note or course name."""


def folded_course(columns: Mapping[str, object]) -> dict[str, str]:
    """The column of a course that is searched."""
    return {"folded": _folded(columns, "name")}


def folded_item(columns: Mapping[str, object]) -> dict[str, str]:
    """The column of an item that is searched."""
    return {"folded": _folded(columns, "title", "note")}


def _folded(columns: Mapping[str, object], *names: str) -> str:
    return fold_all(None if columns.get(name) is None else str(columns[name]) for name in names)


def repair_folded_courses(member_id: UUID) -> int:
    """Fold what was written past the service; return how many rows were wrong."""
    mine = Course.objects.filter(member_id=member_id)
    wrong = 0
    for row in mine.values("id", "name", "folded"):
        if row["folded"] != (folded := folded_course(row)["folded"]):
            wrong += mine.filter(id=row["id"]).update(folded=folded)
    return wrong


def repair_folded_items(member_id: UUID) -> int:
    """Do the same with the items."""
    mine = Item.objects.filter(member_id=member_id)
    wrong = [
        Item(id=row["id"], **folded)
        for row in mine.values("id", "title", "note", "folded").iterator()
        if row["folded"] != (folded := folded_item(row))["folded"]
    ]
    for batch in batches(wrong):
        mine.bulk_update(batch, ["folded"])
    return len(wrong)
