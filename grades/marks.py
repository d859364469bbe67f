"""Marks of graded items, stored with the items as scores change, because calendars show them."""

from uuid import UUID

from django.db.models import DateTimeField, Exists, F, OuterRef, Q, QuerySet, Subquery

from accounts.changes.recording import Write
from accounts.members.data import Touched
from accounts.models import Member
from accounts.rows.access import Access
from courses.models import Item
from grades.models import GradeScore
from studyservice.database.ahead import update_later
from studyservice.database.batches import batches
from studyservice.database.statements import Param, Update
from studyservice.operations.errors import Conflict


def settle_marks(access: Access) -> None:
    """Update the marks of the member's items. Each changed mark is a new revision. One statement."""
    _SETTLE.later(member_id=access.member.id, now=access.now)


def repair_marks(member_id: UUID) -> int:
    """Do the same for scores that bypassed the service. Return how many marks were wrong."""
    return _wrong(member_id).update(graded=~Q(graded=True))


def of_its_category(item_id: UUID) -> Q:
    """Scores that an item can have. A score that moved to another category stays unlinked."""
    item = Item.objects.filter(member_id=OuterRef("member_id"), id=item_id)
    return Q(category_id=Subquery(item.values("category_id")))


def settle_undone(member: Member, write: Write, touched: Touched) -> None:
    """Update the effects of an undo on scores and items. An item without a category gets that of its restored score.

    Raises:
        Conflict: a score and its item would be in different categories.
    """
    if not touched.keys() & {GradeScore, Item}:
        return
    scored = GradeScore.objects.filter(member_id=member.id, item_id=OuterRef("pk"))
    for item_ids in batches({row["item_id"] for row in touched.get(GradeScore, ())} - {None}):
        uncategorized = Item.objects.filter(member_id=member.id, id__in=item_ids, category=None)
        update_later(uncategorized, category_id=Subquery(scored.values("category_id")[:1]))
    mine = GradeScore.objects.filter(member_id=member.id, item__member_id=member.id)
    apart = mine.exclude(category_id=F("item__category_id")).select_related("item").first()
    if apart is not None:
        told = f"“{apart.label}” and its item “{apart.item}” would be in different categories"
        raise Conflict(f"{told}, and an undo overwrites nothing. Undo the later change first.")
    _SETTLE.later(member_id=member.id, now=write.now)


def _wrong(member_id: UUID | Param) -> QuerySet[Item]:
    """The items whose mark contradicts their scores."""
    scores: QuerySet[GradeScore] = QuerySet(GradeScore).filter(member_id=member_id, item_id=OuterRef("pk"))
    mine: QuerySet[Item] = QuerySet(Item).filter(member_id=member_id)
    return mine.annotate(scored=Exists(scores)).exclude(graded=F("scored"))


_SETTLE = Update(
    _wrong(Param("member_id")),
    {"graded": ~Q(graded=True), "sequence": F("sequence") + 1, "marked_at": Param("now", DateTimeField())},
)
