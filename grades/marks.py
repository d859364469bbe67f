"""Marks of graded items, stored with the items as scores change, because calendars show them."""

from uuid import UUID

from django.db.models import DateTimeField, Exists, F, OuterRef, Q, Subquery

from accounts.models import Member
from courses.models import Item
from grades.models import GradeScore
from studyservice.changes.recording import Write
from studyservice.database.statements import Param, Update
from studyservice.operations.errors import Conflict
from studyservice.registry.data import Touched
from studyservice.rows.access import Access, MemberSelect, as_array
from studyservice.rows.rows import OneOf, Row


def settle_marks(access: Access) -> None:
    """Update the marks of the member's items. Each changed mark is a new revision. One statement."""
    _SETTLE.later(member_id=access.member.id, now=access.now)


def repair_marks(member_id: UUID) -> int:
    """Do the same for scores that bypassed the service. Return how many marks were wrong."""
    return _REPAIR.run(member_id=member_id)


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
    if item_ids := {row["item_id"] for row in touched.get(GradeScore, ())} - {None}:
        _CATEGORIZE.later(member_id=member.id, item_ids=as_array(item_ids))
    apart = _APART.first(Access(member))
    if apart is not None:
        told = f"“{apart['label']}” and its item “{apart['title']}” would be in different categories"
        raise Conflict(f"{told}, and an undo overwrites nothing. Undo the later change first.")
    _SETTLE.later(member_id=member.id, now=write.now)


_SCORES = GradeScore.rows.whole.filter(item_id=OuterRef("pk"))
_OF_SCORE = Item.rows.whole.filter(id=OuterRef("item_id"))
_WRONG = Item.rows.whole.annotate(scored=Exists(_SCORES)).exclude(graded=F("scored"))
"""The items whose mark contradicts their scores."""

_SETTLE = Update(
    _WRONG, {"graded": ~Q(graded=True), "sequence": F("sequence") + 1, "marked_at": Param("now", DateTimeField())}
)
_REPAIR = Update(_WRONG, {"graded": ~Q(graded=True)})
_CATEGORIZE = Update(
    Item.rows.whole.filter(OneOf("id", "item_ids"), category=None),
    {"category_id": Subquery(_SCORES.values("category_id")[:1])},
)
_APART = MemberSelect[Row](
    GradeScore.rows.whole.filter(item__isnull=False)
    .exclude(Exists(_OF_SCORE.filter(category_id=OuterRef("category_id"))))
    .annotate(title=Subquery(_OF_SCORE.values("title"))),
    {"label": "label", "title": "title"},
)
