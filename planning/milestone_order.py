"""The order of an item's milestones: by position, then by age, then by id."""

from collections.abc import Sequence
from uuid import UUID

from accounts.changes.contents import ORDER as LOGGED_ORDER
from accounts.changes.recording import Write
from courses.models import Item
from planning.models import Milestone
from studyservice.operations.errors import ValidationFailed

ORDER = ("position", "created_at", "id")

Positions = dict[UUID, int]
"""The positions of an item's milestones, in order."""


def positions_of(member_id: UUID, item_id: UUID) -> Positions:
    """The positions of the item's milestones. One statement."""
    mine = Milestone.objects.filter(member_id=member_id, item_id=item_id)
    return dict(mine.order_by(*ORDER).values_list("id", "position"))


def require_place(place: int, most: int) -> None:
    """Reject a place that the item does not have.

    Raises:
        ValidationFailed: `place` exceeds `most`.
    """
    if place > most:
        raise ValidationFailed.of("place", f"Must be at most {most} for this item.")


def renumber(write: Write, item_id: UUID, item_title: str, before: Positions, order: Sequence[UUID]) -> None:
    """Number the milestones of `order` from 1, inside `write`.

    The log stores both orders for an undo, unless the order stays, or no position changes.

    Args:
        before: the positions of existing milestones. Those created by this write have their new positions.
    """
    after = {milestone_id: place for place, milestone_id in enumerate(order, start=1)}
    moved = {id_: after[id_] for id_, position in before.items() if after[id_] != position}
    if not moved:
        return
    set_positions(write.member_id, moved)
    if list(before) == list(order):
        return
    write.changed(Item, item_id, item_title, {LOGGED_ORDER: [*before.items()]}, {LOGGED_ORDER: [*after.items()]})
    write.touched(Milestone, moved)


def set_positions(member_id: UUID, positions: Positions) -> None:
    """Store positions. One statement."""
    mine = Milestone.objects.filter(member_id=member_id)
    mine.bulk_update((Milestone(id=id_, position=position) for id_, position in positions.items()), ["position"])
