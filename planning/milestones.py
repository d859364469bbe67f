"""The study plan of an item."""

from datetime import date
from typing import NotRequired, TypedDict, Unpack, cast
from uuid import UUID

from django.db.models import OuterRef

from accounts.changes.contents import Fields, fields_of
from accounts.changes.deleting import delete_object
from accounts.changes.writing import writing
from accounts.members.limits import Limit
from accounts.rows.access import Access
from courses.errors import NoSuchItem
from courses.items import get_item
from courses.models import Item
from courses.revisions import SHOWN_OF_MILESTONE, revision
from planning.doubts import doubt_milestones
from planning.errors import NoSuchMilestone
from planning.milestone_order import ORDER, Positions, positions_of, renumber, require_place
from planning.models import Milestone
from planning.searching import folded_milestone
from planning.serializers import (
    MAX_MILESTONES,
    CreatedMilestoneRow,
    MilestoneColumns,
    MilestoneEntryFields,
    MilestoneFields,
    MilestoneRecord,
    MilestoneRow,
    MilestoneValues,
)
from studyservice.database.ahead import insert_later, update_later
from studyservice.database.limiting import WholeMember
from studyservice.database.statements import Param, Select, aggregated
from studyservice.database.whole import Whole
from studyservice.operations.serializers import DeletedRow, deletion

MILESTONES_OF_ITEM = Limit(
    most=MAX_MILESTONES,
    what="milestones of an item",
    full="You have reached the limit of {most} milestones on this item. Delete one first.",
    per="item",
)

MILESTONES_OF_MEMBER = Limit(
    most=5000,
    what="milestones",
    full="You have reached the limit of {most} milestones on all items together. Delete one first.",
)
"""Limits the size of get_agenda's answer."""

_LOGGED = ("item_id", *MilestoneValues.Meta.fields, "position")
"""The columns stored in the log of changes."""

_MINE = Milestone.objects.filter(member_id=Param("member_id"))
MILESTONES = _MINE.filter(item__member_id=Param("member_id"), item__course__member_id=Param("member_id"))
"""The member's milestones with their items and courses, for this module and the agenda."""


class _ItemOfNewMilestone(TypedDict):
    course_id: UUID
    title: str
    due_on: date | None
    here: int
    last_position: int | None
    in_all: int


class _Changing(MilestoneColumns):
    item_due_on: NotRequired[date | None]
    course_id: NotRequired[UUID]


_ONE = Select[MilestoneColumns](MILESTONES.filter(id=Param("milestone_id")), MilestoneRecord)
_TO_CHANGE = Select[_Changing](
    MILESTONES.filter(id=Param("milestone_id")),
    MilestoneRecord.columns() | {"item_due_on": "item__due_on", "course_id": "item__course_id"},
)
_OF_ITEM = Select[MilestoneColumns](
    MILESTONES.filter(item_id=Param("item_id")).order_by(*ORDER),
    MilestoneRecord,
)
_COUNTED = WholeMember("milestones of all courses count toward the limit")
_HERE = _MINE.filter(item_id=OuterRef("id"))
_ITEM = Select[_ItemOfNewMilestone](
    Item.objects.filter(member_id=Param("member_id"), id=Param("item_id")).annotate(
        milestones_here=aggregated(_HERE, "COUNT", "position"),
        last_position=aggregated(_HERE, "MAX", "position"),
        milestones_in_all=Whole(aggregated(_MINE, "COUNT", "position"), _COUNTED),
    ),
    {
        "course_id": "course_id",
        "title": "title",
        "due_on": "due_on",
        "here": "milestones_here",
        "last_position": "last_position",
        "in_all": "milestones_in_all",
    },
)


def steps_after(access: Access, item_id: UUID, day: date) -> int:
    """The number of open milestones of the item that are due after this day. One query."""
    return Milestone.objects.filter(member_id=access.member.id, item_id=item_id, done=False, due_on__gt=day).count()


def with_overdue(milestones: list[MilestoneColumns], today: date) -> list[MilestoneRow]:
    """`milestones` themselves, each with `overdue`."""
    rows = cast("list[MilestoneRow]", milestones)
    for row in rows:
        due_on = row["due_on"]
        row["overdue"] = not row["done"] and due_on is not None and due_on < today
    return rows


def get_milestone(access: Access, milestone_id: UUID) -> MilestoneRow:
    """The milestone.

    Raises:
        NotFound: the member has no such milestone.
    """
    milestone = _ONE.first(member_id=access.member.id, milestone_id=milestone_id)
    if milestone is None:
        raise NoSuchMilestone
    return with_overdue([milestone], access.today())[0]


def list_milestones(access: Access, item_id: UUID) -> list[MilestoneRow]:
    """The item's milestones in order.

    Raises:
        NotFound: the member has no such item.
    """
    get_item(access, item_id)
    return milestones_of(access, item_id)


def milestones_of(access: Access, item_id: UUID) -> list[MilestoneRow]:
    """The same without checking that the item exists. One query."""
    return with_overdue(_OF_ITEM.all(member_id=access.member.id, item_id=item_id), access.today())


def create_milestone(
    access: Access,
    item_id: UUID,
    *,
    place: int | None = None,
    more: list[MilestoneEntryFields] | None = None,
    **entry: Unpack[MilestoneEntryFields],
) -> CreatedMilestoneRow:
    """Create all of the milestones or none. Return the first, with all of them if `more` were sent.

    They are appended to the item's list, or inserted at `place`, which numbers all milestones of the item from 1.

    Raises:
        NotFound: the member has no such item.
        ValidationFailed: the item has no such place.
        Conflict: the item or the member would have too many milestones.
    """
    with writing(access.member.id, "create_milestone") as write:
        item = _ITEM.first(member_id=access.member.id, item_id=item_id)
        if item is None:
            raise NoSuchItem
        write.belongs(item["course_id"])
        if place is not None:
            require_place(place, item["here"] + 1)
        entries = [entry, *(more or ())]
        MILESTONES_OF_ITEM.require(item["here"], len(entries))
        MILESTONES_OF_MEMBER.require(item["in_all"], len(entries))
        first = place or (item["last_position"] or 0) + 1
        positions = {} if place is None else positions_of(access.member.id, item_id)
        made = [
            Milestone(
                member_id=access.member.id,
                item_id=item_id,
                position=position,
                created_at=write.now,
                updated_at=write.now,
                **fields,
                **folded_milestone(fields),
            )
            for position, fields in enumerate(entries, start=first)
        ]
        insert_later(made)
        for one in made:
            write.made(Milestone, one.id, one.title, fields_of(one, _LOGGED))
        new = [one.id for one in made]
        if place is not None:
            order = [*positions]
            renumber(write, item_id, item["title"], positions, [*order[: place - 1], *new, *order[place - 1 :]])
        doubt_milestones([(one.title, one.due_on) for one in made], item["title"], item["due_on"])
        return _created(access, item_id, new) if more else cast("CreatedMilestoneRow", get_milestone(access, new[0]))


def _created(access: Access, item_id: UUID, ids: list[UUID]) -> CreatedMilestoneRow:
    stored = with_overdue(_OF_ITEM.all(member_id=access.member.id, item_id=item_id), access.today())
    by_id = {row["id"]: row for row in stored}
    milestones = [by_id[id_] for id_ in ids]
    return {**milestones[0], "milestones": milestones}


def update_milestone(
    access: Access, milestone_id: UUID, *, place: int | None = None, **changes: Unpack[MilestoneFields]
) -> MilestoneRow:
    """Change the given fields, and move the milestone to `place`. Equal values leave it unchanged.

    A move numbers all milestones of the item from 1.

    Raises:
        NotFound: the member has no such milestone.
        ValidationFailed: the item has no such place.
    """
    with writing(access.member.id, "update_milestone") as write:
        changing = _TO_CHANGE.first(member_id=access.member.id, milestone_id=milestone_id)
        if changing is None:
            raise NoSuchMilestone
        write.belongs(changing.pop("course_id", None))
        item_due_on = changing.pop("item_due_on", None)
        milestone: MilestoneColumns = changing
        stored: Fields = milestone
        wanted: Fields = changes
        positions: Positions = {}
        if place is not None:
            positions = positions_of(access.member.id, milestone["item_id"])
            require_place(place, len(positions))
            stored = {**stored, "place": [*positions].index(milestone_id) + 1}
            wanted = {**wanted, "place": place}
        noted = write.differing(Milestone, milestone_id, milestone["title"], stored, wanted)
        different = {name: value for name, value in noted.items() if name != "place"}
        if different:
            mine = Milestone.objects.filter(member_id=access.member.id, id=milestone_id)
            searched = folded_milestone(different) if "title" in different else {}
            revised = revision(different, SHOWN_OF_MILESTONE)
            update_later(mine, **different, **searched, **revised, updated_at=write.now)
            milestone = cast("MilestoneColumns", milestone | different)
            if "due_on" in different and not milestone["done"]:
                doubt_milestones([(milestone["title"], milestone["due_on"])], milestone["item_title"], item_due_on)
        if place is not None:
            order = [id_ for id_ in positions if id_ != milestone_id]
            order.insert(place - 1, milestone_id)
            renumber(write, milestone["item_id"], milestone["item_title"], positions, order)
            milestone["position"] = place
    return with_overdue([milestone], access.today())[0]


def delete_milestone(access: Access, milestone_id: UUID) -> DeletedRow:
    """Delete the milestone. Others keep their positions."""
    with writing(access.member.id, "delete_milestone") as write:
        if not delete_object(write, Milestone, milestone_id):
            raise NoSuchMilestone
    return deletion(milestone_id)
