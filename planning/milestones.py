"""The study plan of an item."""

from collections.abc import Sequence
from datetime import date
from typing import Annotated, TypedDict, Unpack, cast
from uuid import UUID

from django.db.models import Count, OuterRef

from courses.errors import NoSuchItem
from courses.items import get_item
from courses.models import Item
from planning.doubts import doubt_milestones
from planning.models import Milestone
from planning.serializers import (
    MAX_MILESTONES,
    CreatedMilestoneRow,
    MilestoneEntryFields,
    MilestoneFields,
    MilestoneRow,
)
from studyservice.database.rows import At, columns_of_row
from studyservice.database.statements import Param, aggregated
from studyservice.operations.errors import NotFound, ValidationFailed
from studyservice.operations.serializers import DeletedRow, deletion
from studyservice.registry.data import Maximum
from studyservice.rows.access import Access, MemberSelect, change
from studyservice.rows.rows import Row


class NoSuchMilestone(NotFound):
    """The member has no such milestone."""

    default_message = "There is no such milestone. list_milestones gives the ids."


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


MILESTONES_OF_ITEM = Maximum(
    most=MAX_MILESTONES,
    what="milestones of an item",
    full="You have reached the limit of {most} milestones on this item. Delete one first.",
    per="item",
)

MILESTONES_OF_MEMBER = Maximum(
    most=5000,
    what="milestones",
    full="You have reached the limit of {most} milestones on all items together. Delete one first.",
)
"""Limits the size of get_agenda's answer."""

MILESTONES = Milestone.rows.declared.filter(
    item__member_id=Param("member_id"), item__course__member_id=Param("member_id")
)
"""The member's milestones with their items and courses."""

MILESTONES_OF_OPEN_COURSES = MILESTONES.filter(item__course__archived=False)
"""The milestones for what looks ahead: those of courses that have not ended."""


class _ItemOfNewMilestone(TypedDict):
    course_id: UUID
    course_name: Annotated[str, At("course__name")]
    title: str
    due_on: date | None
    here: int
    last_position: int | None
    in_all: int


class _Changing(MilestoneRow):
    item_due_on: Annotated[date | None, At("item__due_on")]
    course_id: Annotated[UUID, At("item__course_id")]


_COLUMNS = columns_of_row(MilestoneRow)
_ONE = MemberSelect(MILESTONES.filter(id=Param("milestone_id")), MilestoneRow)
_TO_CHANGE = MemberSelect(MILESTONES.filter(id=Param("milestone_id")), _Changing)
_OF_ITEM = MemberSelect(MILESTONES.filter(item_id=Param("item_id")).order_by(*ORDER), MilestoneRow)
_AFTER = MemberSelect[Row](
    Milestone.rows.declared.filter(item_id=Param("item_id"), done=False, due_on__gt=Param("day"))
    .order_by()
    .values("item_id")
    .annotate(number=Count("pk")),
    {"number": "number"},
)
_HERE = Milestone.rows.whole.filter(item_id=OuterRef("id"))
_ITEM = MemberSelect(
    Item.rows.declared.filter(id=Param("item_id"), course__member_id=Param("member_id")).annotate(
        here=aggregated(_HERE, "COUNT", "position"),
        last_position=aggregated(_HERE, "MAX", "position"),
        in_all=aggregated(Milestone.rows.whole, "COUNT", "position"),
    ),
    _ItemOfNewMilestone,
)


def steps_after(access: Access, item_id: UUID, day: date) -> int:
    """The number of open milestones of the item that are due after this day. One query."""
    found = _AFTER.first(access, item_id=item_id, day=day)
    return 0 if found is None else found["number"]


def with_overdue(milestones: list[MilestoneRow], today: date) -> list[MilestoneRow]:
    """`milestones` themselves, each with `overdue`."""
    for row in milestones:
        due_on = row["due_on"]
        row["overdue"] = not row["done"] and due_on is not None and due_on < today
    return milestones


def get_milestone(access: Access, milestone_id: UUID) -> MilestoneRow:
    """The milestone.

    Raises:
        NotFound: the member has no such milestone.
    """
    milestone = _ONE.get(NoSuchMilestone, access, milestone_id=milestone_id)
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
    return with_overdue(_OF_ITEM.all(access, item_id=item_id), access.today())


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
    with change(access, "create_milestone"):
        item = _ITEM.get(NoSuchItem, access, item_id=item_id)
        if place is not None:
            require_place(place, item["here"] + 1)
        entries = [entry, *(more or ())]
        MILESTONES_OF_ITEM.require(item["here"], len(entries))
        MILESTONES_OF_MEMBER.require(item["in_all"], len(entries))
        first = place or (item["last_position"] or 0) + 1
        positions = {} if place is None else positions_of(access, item_id)
        made = Milestone.rows.of(access).insert(
            *(
                {"item_id": item_id, "position": position, **fields}
                for position, fields in enumerate(entries, start=first)
            ),
            course_id=item["course_id"],
        )
        if place is not None:
            order, new = [*positions], [one["id"] for one in made]
            renumber(access, item_id, positions, [*order[: place - 1], *new, *order[place - 1 :]], logged=True)
        doubt_milestones([(one["title"], one["due_on"]) for one in made], item["title"], item["due_on"])
    of_item = {"item_title": item["title"], "course_name": item["course_name"]}
    columns = [cast("MilestoneRow", {name: (row | of_item)[name] for name in _COLUMNS}) for row in made]
    rows = with_overdue(columns, access.today())
    created = cast("CreatedMilestoneRow", rows[0])
    return {**created, "milestones": rows} if more else created


def update_milestone(
    access: Access, milestone_id: UUID, *, place: int | None = None, **changes: Unpack[MilestoneFields]
) -> MilestoneRow:
    """Change the given fields, and move the milestone to `place`. Equal values leave it unchanged.

    A move numbers all milestones of the item from 1.

    Raises:
        NotFound: the member has no such milestone.
        ValidationFailed: the item has no such place.
    """
    with change(access, "update_milestone") as log:
        stored = _TO_CHANGE.get(NoSuchMilestone, access, milestone_id=milestone_id)
        item_id, course_id = stored["item_id"], stored["course_id"]
        positions = {} if place is None else positions_of(access, item_id)
        if place is not None:
            require_place(place, len(positions))
            log.about(Milestone, milestone_id, stored["title"], course_id)
        different = Milestone.rows.of(access).update(stored, changes, course_id=course_id)
        milestone = cast("_Changing", stored | different)
        if different.get("due_on") and not milestone["done"]:
            doubt_milestones([(milestone["title"], milestone["due_on"])], stored["item_title"], stored["item_due_on"])
        if place is not None:
            order = [*positions]
            is_moved = order[place - 1] != milestone_id
            if is_moved:
                log.tell({"place": order.index(milestone_id) + 1}, {"place": place})
                order.remove(milestone_id)
                order.insert(place - 1, milestone_id)
            renumber(access, item_id, positions, order, logged=is_moved or bool(different))
            milestone["position"] = place
    columns = {name: value for name, value in milestone.items() if name not in {"item_due_on", "course_id"}}
    return with_overdue([cast("MilestoneRow", columns)], access.today())[0]


def delete_milestone(access: Access, milestone_id: UUID) -> DeletedRow:
    """Delete the milestone. Others keep their positions.

    Raises:
        NotFound: the member has no such milestone.
    """
    with change(access, "delete_milestone"):
        if not Milestone.rows.of(access).delete(milestone_id):
            raise NoSuchMilestone
    return deletion(milestone_id)
