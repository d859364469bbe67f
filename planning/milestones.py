"""The study plan of an item."""

from datetime import date
from typing import Any
from uuid import UUID, uuid4

from django.db.models import OuterRef

from accounts.models import Member
from accounts.writing import writing
from courses.errors import NoSuchItem
from courses.items import get_item
from courses.models import Item
from planning.errors import NoSuchMilestone
from planning.models import Milestone
from planning.serializers import MilestoneRecord
from studyservice.database.statements import Insert, Param, Row, Select, aggregated
from studyservice.operations.errors import Conflict
from studyservice.operations.serializers import deletion

MAX_MILESTONES = 20
"""Milestones per item (spec, Limits)."""

MAX_MILESTONES_OF_MEMBER = 5000
"""Milestones per member, over all items; it bounds what get_agenda can answer."""

MILESTONES = Milestone.objects.filter(member_id=Param("member_id"))
"""The member's milestones, for this module and the agenda."""

_ONE = Select(MILESTONES.filter(id=Param("milestone_id")), MilestoneRecord)
_OF_ITEM = Select(
    MILESTONES.filter(item_id=Param("item_id")).order_by("position", "created_at", "id"),
    MilestoneRecord,
)
_HERE = Milestone.objects.filter(item_id=OuterRef("id"))
_ITEM = Select(
    Item.objects.filter(member_id=Param("member_id"), id=Param("item_id")).annotate(
        milestones_here=aggregated(_HERE, "COUNT", "position"),
        last_position=aggregated(_HERE, "MAX", "position"),
        milestones_in_all=aggregated(MILESTONES, "COUNT", "position"),
    ),
    {"here": "milestones_here", "last_position": "last_position", "in_all": "milestones_in_all"},
)
_INSERT = Insert(Milestone)


def with_overdue(milestone: Row, today: date) -> Row:
    """`milestone` with `overdue`."""
    due_on = milestone["due_on"]
    milestone["overdue"] = not milestone["done"] and due_on is not None and due_on < today
    return milestone


def get_milestone(member: Member, milestone_id: UUID) -> Row:
    """The milestone.

    Raises:
        NotFound: there is no such milestone of the member's.
    """
    milestone = _ONE.first(member_id=member.id, milestone_id=milestone_id)
    if milestone is None:
        raise NoSuchMilestone
    return with_overdue(milestone, member.today())


def list_milestones(member: Member, item_id: UUID) -> list[Row]:
    """The item's milestones in order.

    Raises:
        NotFound: there is no such item of the member's.
    """
    get_item(member, item_id)
    today = member.today()
    found = _OF_ITEM.all(member_id=member.id, item_id=item_id)
    return [with_overdue(milestone, today) for milestone in found]


def create_milestone(member: Member, item_id: UUID, **fields: Any) -> Row:
    """A new milestone at the end of the item's list.

    Raises:
        NotFound: there is no such item of the member's.
        Conflict: the item has `MAX_MILESTONES` milestones, or the member `MAX_MILESTONES_OF_MEMBER`.
    """
    with writing(member.id) as now:
        item = _ITEM.first(member_id=member.id, item_id=item_id)
        if item is None:
            raise NoSuchItem
        if item["here"] >= MAX_MILESTONES:
            raise Conflict(
                f"There are {MAX_MILESTONES} milestones on this item, the most there can be. Delete one first."
            )
        if item["in_all"] >= MAX_MILESTONES_OF_MEMBER:
            raise Conflict(
                f"There are {MAX_MILESTONES_OF_MEMBER} milestones on all items together, the most there can be. "
                "Delete one first."
            )
        milestone_id = uuid4()
        values = {"due_on": None} | fields
        _INSERT.run(
            id=milestone_id,
            member_id=member.id,
            item_id=item_id,
            done=False,
            position=(item["last_position"] or 0) + 1,
            created_at=now,
            updated_at=now,
            **values,
        )
        return get_milestone(member, milestone_id)


def update_milestone(member: Member, milestone_id: UUID, **changes: Any) -> Row:
    """Change the fields given.

    Raises:
        NotFound: there is no such milestone of the member's.
    """
    with writing(member.id) as now:
        if changes:
            mine = Milestone.objects.filter(member_id=member.id, id=milestone_id)
            mine.update(**changes, updated_at=now)
        return get_milestone(member, milestone_id)


def delete_milestone(member: Member, milestone_id: UUID) -> Row:
    """Remove the milestone; the others keep their positions.

    Raises:
        NotFound: there is no such milestone of the member's.
    """
    with writing(member.id):
        deleted, _ = Milestone.objects.filter(member_id=member.id, id=milestone_id).delete()
        if not deleted:
            raise NoSuchMilestone
    return deletion(milestone_id)
