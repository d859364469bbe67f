"""The order of an item's milestones: by position, then by age, then by id."""

from collections.abc import Sequence
from uuid import UUID

from accounts.rows.access import Access
from planning.models import Milestone
from studyservice.operations.errors import ValidationFailed

ORDER = ("position", "created_at", "id")

Positions = dict[UUID, int]
"""The positions of an item's milestones, in order."""


def positions_of(access: Access, item_id: UUID) -> Positions:
    """The positions of the item's milestones. One statement."""
    rows = Milestone.rows.of(access).all(*ORDER, item_id=item_id)
    rows.sort(key=lambda row: [row[name] for name in ORDER])
    return {row["id"]: row["position"] for row in rows}


def require_place(place: int, most: int) -> None:
    """Reject a place that the item does not have.

    Raises:
        ValidationFailed: `place` exceeds `most`.
    """
    if place > most:
        raise ValidationFailed.of("place", f"Must be at most {most} for this item.")


def renumber(access: Access, item_id: UUID, before: Positions, order: Sequence[UUID], *, logged: bool) -> None:
    """Number the milestones of `order` from 1.

    Args:
        before: the positions of existing milestones. Those created by this change have their new positions.
        logged: whether an undo restores them. New numbers for the same order alone are not a change.
    """
    places = {milestone_id: place for place, milestone_id in enumerate(order, start=1)}
    moves = [({"id": id_, "position": position}, {"position": places[id_]}) for id_, position in before.items()]
    if Milestone.rows.of(access).update_each(moves, logged=logged) and logged:
        access.open_write.stream.ordered(Milestone, item_id, order)
