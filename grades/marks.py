"""Whether items are graded: kept with them as their scores come and go, because calendars show it."""

from uuid import UUID

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from accounts.changes.recording import Write
from accounts.models import Member
from courses.models import Item
from grades.models import GradeScore
from studyservice.database.ahead import update_later
from studyservice.operations.errors import Conflict


def settle_marks(write: Write) -> None:
    """Bring the marks of the member's items up to date: each that comes or goes is a new revision. One statement."""
    update_later(_wrong(write.member_id), graded=~Q(graded=True), sequence=F("sequence") + 1, marked_at=write.now)


def repair_marks(member_id: UUID) -> int:
    """Do the same for scores that were written past the service; return how many marks were wrong."""
    return _wrong(member_id).update(graded=~Q(graded=True))


def settle_undone(member: Member, write: Write) -> None:
    """Settle what an undo changed of scores and items.

    Raises:
        Conflict: a score and its item would be in different categories.
    """
    mine = GradeScore.objects.filter(member_id=member.id, item__member_id=member.id)
    apart = mine.exclude(category_id=F("item__category_id")).select_related("item").first()
    if apart is not None:
        told = f"“{apart.label}” and its item “{apart.item}” would be in different categories"
        raise Conflict(f"{told}, and an undo overwrites nothing. Undo the later change first.")
    settle_marks(write)


def _wrong(member_id: UUID) -> QuerySet[Item]:
    """The items whose mark is not what their scores say."""
    scores = GradeScore.objects.filter(member_id=member_id, item_id=OuterRef("pk"))
    mine = Item.objects.filter(member_id=member_id).annotate(scored=Exists(scores))
    return mine.exclude(graded=F("scored"))
