"""What is planned when a change is taken back: the limits of milestones, and what was remembered of calendar files."""

from typing import Any
from uuid import UUID

from accounts.changes.recording import Write
from accounts.models import Member
from accounts.undo.hooks import Columns
from planning.milestones import require_within_limits
from planning.models import ImportedEvent
from studyservice.database.batches import batches


def milestones_come_back(member: Member, rows: list[Columns]) -> None:
    """Raises `Conflict` if an item, or the member, has too many now."""
    for item_ids in batches({row["item_id"] for row in rows}):
        require_within_limits(member, item_ids)


def forget_import(member: Member, write: Write, event_id: UUID, after: Any, before: Any) -> None:
    """An event is remembered as it was before an import, or no more if that was its first.

    A field that a later import left otherwise, without a change of the item, stays as that has it.
    """
    event = ImportedEvent.objects.filter(member_id=member.id, id=event_id)
    if before is None:
        event.delete()
        return
    for name, value in before.items():
        event.filter(**{name: after[name]}).update(**{name: value})
