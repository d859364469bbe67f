"""Milestones when a change is taken back: their limits."""

from accounts.models import Member
from accounts.undoing.hooks import Columns
from accounts.undoing.values import batches
from planning.milestones import require_within_limits


def milestones_come_back(member: Member, rows: list[Columns]) -> None:
    """Raises `Conflict` if an item, or the member, has too many now."""
    for item_ids in batches({row["item_id"] for row in rows}):
        require_within_limits(member, item_ids)
