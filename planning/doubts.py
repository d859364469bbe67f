"""Milestones that are due after their item, as tools say it after a write."""

from collections.abc import Collection, Iterator
from functools import partial
from uuid import UUID

from django.db.models import F

from accounts.changes.calls import doubt
from accounts.models import Member
from planning.models import Milestone


def late_milestones(member: Member, item_id: UUID, milestone_ids: Collection[UUID] | None = None) -> Iterator[str]:
    """A sentence for each milestone of the item, or for each of these, if it is not done and due after the item."""
    found = Milestone.objects.filter(
        member_id=member.id, item__member_id=member.id, item_id=item_id, done=False, due_on__gt=F("item__due_on")
    )
    if milestone_ids is not None:
        found = found.filter(id__in=milestone_ids)
    for title, due_on, item, item_due_on in found.order_by("position", "id").values_list(
        "title", "due_on", "item__title", "item__due_on"
    ):
        yield f"“{title}” is due on {due_on}, after “{item}”, which is due on {item_due_on}."


def doubt_milestones(member: Member, item_id: UUID, milestone_ids: Collection[UUID]) -> None:
    """Let a tool say which of the milestones are due after their item."""
    doubt(partial(late_milestones, member, item_id, milestone_ids))
