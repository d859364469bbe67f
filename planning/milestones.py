"""The study plan of an item."""

from datetime import date
from typing import TypedDict, Unpack, cast
from uuid import UUID

from django.db.models import OuterRef

from accounts.changes.contents import fields_of
from accounts.changes.deleting import delete_object
from accounts.changes.writing import writing
from accounts.members.limits import Limit
from accounts.models import Member
from courses.errors import NoSuchItem
from courses.items import get_item
from courses.models import Item
from courses.revisions import SHOWN_OF_MILESTONE, revision
from planning.doubts import doubt_milestone
from planning.errors import NoSuchMilestone
from planning.models import Milestone
from planning.serializers import (
    MilestoneChanges,
    MilestoneColumns,
    MilestoneFields,
    MilestoneRecord,
    MilestoneRow,
    NewMilestone,
)
from studyservice.database.statements import Param, Select, aggregated
from studyservice.operations.serializers import DeletedRow, deletion

MILESTONES_OF_ITEM = Limit(
    most=20,
    what="milestones of an item",
    full="There are {most} milestones on this item, the most there can be. Delete one first.",
    per="item",
)

MILESTONES_OF_MEMBER = Limit(
    most=5000,
    what="milestones",
    full="There are {most} milestones on all items together, the most there can be. Delete one first.",
)
"""It bounds what get_agenda can answer."""

_LOGGED = ("item_id", *MilestoneChanges.Meta.fields, "position")
"""Columns in the log of changes."""

_MINE = Milestone.objects.filter(member_id=Param("member_id"))
MILESTONES = _MINE.filter(item__member_id=Param("member_id"), item__course__member_id=Param("member_id"))
"""The member's milestones with their items and courses, for this module and the agenda."""


class _ItemOfNewMilestone(TypedDict):
    here: int
    last_position: int | None
    in_all: int


_ONE = Select[MilestoneColumns](MILESTONES.filter(id=Param("milestone_id")), MilestoneRecord)
_OF_ITEM = Select[MilestoneColumns](
    MILESTONES.filter(item_id=Param("item_id")).order_by("position", "created_at", "id"),
    MilestoneRecord,
)
_HERE = _MINE.filter(item_id=OuterRef("id"))
_ITEM = Select[_ItemOfNewMilestone](
    Item.objects.filter(member_id=Param("member_id"), id=Param("item_id")).annotate(
        milestones_here=aggregated(_HERE, "COUNT", "position"),
        last_position=aggregated(_HERE, "MAX", "position"),
        milestones_in_all=aggregated(_MINE, "COUNT", "position"),
    ),
    {"here": "milestones_here", "last_position": "last_position", "in_all": "milestones_in_all"},
)


def with_overdue(milestones: list[MilestoneColumns], today: date) -> list[MilestoneRow]:
    """`milestones` themselves, each with `overdue`."""
    rows = cast("list[MilestoneRow]", milestones)
    for row in rows:
        due_on = row["due_on"]
        row["overdue"] = not row["done"] and due_on is not None and due_on < today
    return rows


def get_milestone(member: Member, milestone_id: UUID) -> MilestoneRow:
    """The milestone.

    Raises:
        NotFound: there is no such milestone of the member's.
    """
    milestone = _ONE.first(member_id=member.id, milestone_id=milestone_id)
    if milestone is None:
        raise NoSuchMilestone
    return with_overdue([milestone], member.today())[0]


def list_milestones(member: Member, item_id: UUID) -> list[MilestoneRow]:
    """The item's milestones in order.

    Raises:
        NotFound: there is no such item of the member's.
    """
    get_item(member, item_id)
    return with_overdue(_OF_ITEM.all(member_id=member.id, item_id=item_id), member.today())


def create_milestone(member: Member, item_id: UUID, **fields: Unpack[NewMilestone]) -> MilestoneRow:
    """Create a milestone at the end of the item's list.

    Raises:
        NotFound: there is no such item of the member's.
        Conflict: the item, or the member, has as many milestones as there can be.
    """
    with writing(member.id, "create_milestone") as write:
        item = _ITEM.first(member_id=member.id, item_id=item_id)
        if item is None:
            raise NoSuchItem
        for limit, present in ((MILESTONES_OF_ITEM, item["here"]), (MILESTONES_OF_MEMBER, item["in_all"])):
            if present >= limit.most:
                raise limit.refusal()
        position = (item["last_position"] or 0) + 1
        milestone = Milestone.objects.create(
            member_id=member.id,
            item_id=item_id,
            position=position,
            created_at=write.now,
            updated_at=write.now,
            **fields,
        )
        write.made(Milestone, milestone.id, milestone.title, fields_of(milestone, _LOGGED))
        doubt_milestone(member, item_id, milestone.id)
        return get_milestone(member, milestone.id)


def update_milestone(member: Member, milestone_id: UUID, **changes: Unpack[MilestoneFields]) -> MilestoneRow:
    """Change the fields given. Equal values leave the milestone untouched.

    Raises:
        NotFound: there is no such milestone of the member's.
    """
    with writing(member.id, "update_milestone") as write:
        milestone = _ONE.first(member_id=member.id, milestone_id=milestone_id)
        if milestone is None:
            raise NoSuchMilestone
        if different := write.differing(Milestone, milestone_id, milestone["title"], milestone, changes):
            mine = Milestone.objects.filter(member_id=member.id, id=milestone_id)
            mine.update(**different, **revision(different, SHOWN_OF_MILESTONE), updated_at=write.now)
            milestone = cast("MilestoneColumns", milestone | different)
            if "due_on" in different:
                doubt_milestone(member, milestone["item_id"], milestone_id)
    return with_overdue([milestone], member.today())[0]


def delete_milestone(member: Member, milestone_id: UUID) -> DeletedRow:
    """Remove the milestone; the others keep their positions.

    Raises:
        NotFound: there is no such milestone of the member's.
    """
    with writing(member.id, "delete_milestone") as write:
        if not delete_object(write, Milestone, milestone_id):
            raise NoSuchMilestone
    return deletion(milestone_id)
