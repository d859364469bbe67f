"""A member's dated items: reading, writing, and the page that pollers walk."""

from datetime import date, datetime
from functools import cache
from typing import Any
from uuid import UUID, uuid4

from django.db.models import Count, F, Q, QuerySet

from accounts.models import Member
from accounts.writing import writing
from courses.errors import NoSuchCourse, NoSuchItem
from courses.models import Course, Item
from courses.serializers import ItemRecord
from studyservice.cursors import Position, decode_cursor, encode_cursor
from studyservice.errors import Conflict
from studyservice.serializers import page
from studyservice.statements import Insert, Param, Row, Select

MAX_ITEMS = 1000
"""Items per course."""

NEXT_ITEMS = 5
"""Dated items in a course's detail (spec, Course)."""

SOONEST_FIRST = (F("due_on").asc(nulls_last=True), "created_at", "id")

_ITEMS = Item.objects.filter(member_id=Param("member_id"))
_ONE = Select(_ITEMS.filter(id=Param("item_id")), ItemRecord)
_NEXT = Select(
    _ITEMS.filter(course_id=Param("course_id"), due_on__gte=Param("today")).order_by(*SOONEST_FIRST)[:NEXT_ITEMS],
    ItemRecord,
)
_DUE = Select(
    _ITEMS.filter(due_on__gte=Param("today"), due_on__lte=Param("until")).order_by(*SOONEST_FIRST),
    ItemRecord,
)
_NEWEST = Select(_ITEMS.order_by("-created_at")[:1], {"created_at": "created_at"})
_COURSE = Select(
    Course.objects.filter(member_id=Param("member_id"), id=Param("course_id")).annotate(item_count=Count("items")),
    {"name": "name", "item_count": "item_count"},
)
_INSERT = Insert(Item)

_FILTERS = {
    "course_id": "course_id",
    "kind": "kind",
    "from": "due_on__gte",
    "to": "due_on__lte",
    "created_after": "created_at__gt",
    "newest": "created_at__lte",
}
"""Filter of list_items, or the bound a walk is pinned to, to its lookup."""


def _dated(item: Row, today: date) -> Row:
    """`item` with `days_until`."""
    due_on = item["due_on"]
    item["days_until"] = None if due_on is None else (due_on - today).days
    return item


def _all_dated(items: list[Row], member: Member) -> list[Row]:
    today = member.today()
    return [_dated(item, today) for item in items]


def get_item(member: Member, item_id: UUID) -> Row:
    """The item.

    Raises:
        NotFound: there is no such item of the member's.
    """
    item = _ONE.first(member_id=member.id, item_id=item_id)
    if item is None:
        raise NoSuchItem
    return _dated(item, member.today())


def next_items(member: Member, course_id: UUID) -> list[Row]:
    """The course's next dated items from today on, soonest first, at most `NEXT_ITEMS`."""
    today = member.today()
    items = _NEXT.all(member_id=member.id, course_id=course_id, today=today)
    return [_dated(item, today) for item in items]


def items_due(member: Member, today: date, until: date) -> list[Row]:
    """The items due from `today` to `until`, both included, soonest first."""
    items = _DUE.all(member_id=member.id, today=today, until=until)
    return [_dated(item, today) for item in items]


def list_items(member: Member, *, limit: int, cursor: str | None = None, **filters: Any) -> dict[str, Any]:
    """One page of items, soonest due first, undated last; then older first, then by id.

    With `created_after`, the whole walk sees only what was visible when its first page was read; what is added
    meanwhile is left to the next poll, so that a poller sees each item exactly once.

    Args:
        filters: any of `course_id`, `kind`, `from`, `to` (dates, included) and `created_after`.

    Raises:
        InvalidRequest: `cursor` is none of this member's with these filters.
    """
    binding = f"{member.id} {sorted((name, str(value)) for name, value in filters.items())}"
    after = None if cursor is None else decode_cursor(cursor, binding)
    newest = after.newest if after else None
    if "created_after" in filters and after is None:
        newest = _newest(member)
        if newest is None:
            return page([])
    if newest is not None:
        filters["newest"] = newest
    found = _page(frozenset(filters), _place(after)).all(
        member_id=member.id, limit=limit + 1, **filters, **_named(after)
    )
    items = _all_dated(found[:limit], member)
    if len(found) <= limit:
        return page(items)
    last = items[-1]
    position = Position(last["due_on"], last["created_at"], last["id"], newest)
    return page(items, encode_cursor(position, binding))


def _newest(member: Member) -> datetime | None:
    row = _NEWEST.first(member_id=member.id)
    return None if row is None else row["created_at"]


def _place(after: Position | None) -> str:
    if after is None:
        return "start"
    return "dated" if after.due_on else "undated"


def _named(after: Position | None) -> dict[str, Any]:
    if after is None:
        return {}
    return {"last_due": after.due_on, "last_created": after.created_at, "last_id": after.id}


@cache
def _page(filters: frozenset[str], place: str) -> Select:
    """The statement for one set of filters and one place to go on from; there are at most a few dozen."""
    items: QuerySet[Item] = _ITEMS.filter(**{_FILTERS[name]: Param(name) for name in sorted(filters)})
    older = Q(created_at__gt=Param("last_created"))
    older |= Q(created_at=Param("last_created"), id__gt=Param("last_id"))
    match place:
        case "dated":
            later = Q(due_on__gt=Param("last_due")) | Q(due_on=None)
            items = items.filter(later | Q(older, due_on=Param("last_due")))
        case "undated":
            items = items.filter(older, due_on=None)
    return Select(items.order_by(*SOONEST_FIRST), ItemRecord, limited=True)


def create_item(member: Member, course_id: UUID, **fields: Any) -> Row:
    """A new item of the course.

    Raises:
        NotFound: there is no such course of the member's.
        Conflict: the course has `MAX_ITEMS` items.
    """
    with writing(member.id) as now:
        course = _COURSE.first(member_id=member.id, course_id=course_id)
        if course is None:
            raise NoSuchCourse
        if course["item_count"] >= MAX_ITEMS:
            raise Conflict(f"There are {MAX_ITEMS} items in this course, the most there can be. Delete one first.")
        item = {
            "id": uuid4(),
            "course_id": course_id,
            "title": fields["title"],
            "kind": fields["kind"],
            "due_on": fields.get("due_on"),
            "created_at": now,
            "updated_at": now,
        }
        _INSERT.run(member_id=member.id, **item)
    return _dated(item | {"course_name": course["name"]}, member.today())


def update_item(member: Member, item_id: UUID, **changes: Any) -> Row:
    """Change the fields given.

    Raises:
        NotFound: there is no such item of the member's.
    """
    with writing(member.id) as now:
        if changes:
            Item.objects.filter(member_id=member.id, id=item_id).update(**changes, updated_at=now)
        return get_item(member, item_id)


def delete_item(member: Member, item_id: UUID) -> Row:
    """Remove the item with its milestones.

    Raises:
        NotFound: there is no such item of the member's.
    """
    with writing(member.id):
        item = Item.objects.only("id").filter(member_id=member.id, id=item_id).first()
        if item is None:
            raise NoSuchItem
        item.delete()
    return {"id": item_id, "deleted": True}
