"""Undo changes of milestones."""

from collections import Counter
from typing import Any
from uuid import UUID

from django.db.models import Count, Max

from accounts.changes.recording import Write
from accounts.members.data import Columns
from accounts.models import Member
from planning.milestone_order import positions_of, set_positions
from planning.models import Milestone
from studyservice.database.batches import batches
from studyservice.operations.errors import Conflict


def move_to_free_positions(member: Member, rows: list[Columns]) -> None:
    """Move restored milestones to the end of their item's list if their position is taken."""
    back = Counter((row["item_id"], row["position"]) for row in rows)
    for item_ids in batches({row["item_id"] for row in rows}):
        there = Milestone.objects.filter(member_id=member.id, item_id__in=item_ids).order_by()
        shared = there.values_list("item_id", "position").annotate(number=Count("id")).filter(number__gt=1)
        taken = {(item_id, position) for item_id, position, number in shared if number > back[item_id, position]}
        for row in rows:
            if (row["item_id"], row["position"]) in taken:
                last = there.filter(item_id=row["item_id"]).aggregate(last=Max("position"))["last"]
                there.filter(id=row["id"]).update(position=last + 1)


def put_order_back(member: Member, write: Write, item_id: UUID, after: Any, before: Any) -> None:
    """Restore the positions of an item's milestones from before a move.

    Raises:
        Conflict: the item has other milestones now, or another order.
    """
    if [str(id_) for id_ in positions_of(member.id, item_id)] != [id_ for id_, _ in after]:
        raise Conflict(
            "The item has other milestones by now, or another order, and an undo overwrites nothing. Undo that first."
        )
    old = {UUID(id_): position for id_, position in before}
    set_positions(member.id, old)
    write.touched(Milestone, old)


def put_place_back(member: Member, write: Write, milestone_id: UUID, after: Any, before: Any) -> None:
    """Do nothing: the logged place is restored with the order of the item (`put_order_back`)."""


def keep_import(member: Member, write: Write, event_id: UUID, after: Any, before: Any) -> None:
    """Do nothing: remembered calendar events stay, and undone changes count as changes by the member.

    Older rows of the log still contain the remembered events.
    """
