"""The pages of list_items, and the walk over them for polling.

A walk with `created_after` covers the items visible when it began, in sections. At each moment an item is in exactly
one section, and it only ever moves to a later one:

1. items unchanged since the walk began, soonest due first;
2. items changed since then, in order of their last change;
3. items changed again after the second section began, by age.

The sort keys of the first and third sections do not change while an item is in them. The end of the second section is
fixed when it begins. So every item is returned at least once, whatever changes between pages, and a walk ends.

A walk with `updated_after` has the same sections for items created or changed since that time, and one more:

4. items created or changed again since the walk began, up to the newest change that the walk has returned.

The next poll asks for anything newer, so it misses nothing. No items are added to the fourth section while it is
returned, and it is empty if nothing changed meanwhile.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import IntEnum
from functools import cache
from typing import Annotated, Any, TypedDict, Unpack

from django.db.models import Q, QuerySet

from courses.cursors import Pins, Position, decode_cursor, encode_cursor
from courses.item_rows import ITEMS, LISTED, OF_STATUS, SOONEST_FIRST, ReadItem, as_answered
from courses.item_rows import found as with_text
from courses.models import Item
from courses.parameters import ItemFilters
from courses.serializers import ItemRow
from studyservice.database.expressions import After, SelectBoth, fold
from studyservice.database.rows import At
from studyservice.database.statements import Param
from studyservice.database.times import END_OF_DAY
from studyservice.operations.serializers import Page, page
from studyservice.rows.access import Access, MemberSelect


class Section(IntEnum):
    """A part of a walk. A list without pins has only the first section, with every item."""

    DUE = 0
    CHANGED = 1
    CHANGED_AGAIN = 2
    MEANWHILE = 3


_LOOKUPS = {
    "course_id": "course_id",
    "kind": "kind",
    "due_from": "due_on__gte",
    "due_to": "due_on__lte",
    "created_after": "created_at__gt",
    "updated_after": "updated_at__gt",
    "newest": "created_at__lte",
    "changed_after": "updated_at__gt",
    "changed_until": "updated_at__lte",
}
"""Filters of list_items and bounds of a section, with their lookups."""

_FILTERS: dict[str, Q] = {name: Q(**{lookup: Param(name)}) for name, lookup in _LOOKUPS.items()} | {
    f"status={status}": which for status, which in OF_STATUS.items()
}
"""The filters with their conditions; each status has its own."""

_INSTANTS = {
    Section.DUE: "created_at",
    Section.CHANGED: "updated_at",
    Section.CHANGED_AGAIN: "created_at",
    Section.MEANWHILE: "updated_at",
}
"""The sort column in a section; in the first, among items due on one day. Ties are broken by id."""


_SOONEST_FIRST_SQL = "due_on ASC NULLS LAST, due_time ASC NULLS LAST, created_at, id"
"""`SOONEST_FIRST` for the combined results of two statements."""


class _Now(TypedDict):
    newest: Annotated[datetime, At("created_at")]
    clock: Annotated[datetime, At("member__write_clock")]


_NOW = MemberSelect(ITEMS.order_by("-created_at")[:1], _Now)


def list_items(
    access: Access, *, limit: int, cursor: str | None = None, **filters: Unpack[ItemFilters]
) -> Page[ItemRow]:
    """One page of items, soonest due first, undated last (`SOONEST_FIRST`).

    With `created_after`, the whole walk covers only items visible when its first page was read. Items added meanwhile
    are left to the next poll. Items changed meanwhile are returned at the end, possibly a second time. With
    `updated_after`, so are items added before the newest of these changes.

    Args:
        filters: any of `course_id`, `kind`, `status`, `q`, `due_from`, `due_to` (inclusive dates), and `created_after`
            or `updated_after`.

    Raises:
        InvalidRequest: `cursor` belongs to another member or other filters, or is not a cursor.
    """
    binding = f"{access.member.id} {sorted((name, str(value)) for name, value in filters.items())}"
    followed = "updated_after" in filters
    after = None if cursor is None else decode_cursor(cursor, binding, followed=followed)
    pins = after.pins if after else None
    if after is None and (followed or "created_after" in filters):
        pins = _pins(access)
        if pins is None:
            return page([])
    today = access.today()
    names, values = _conditions(filters)
    found: list[ReadItem] = []
    told: list[Section] = []

    def read(section: Section, bounds: Mapping[str, datetime], most: int) -> list[ReadItem]:
        here = after if after and after.section == section else None
        statement = _page(frozenset((*names, *bounds)), section, _place(here))
        return statement.all(access, today=today, limit=most, **values, **bounds, **_named(here))

    for section, bounds in _sections(after, pins).items():
        rows = read(section, bounds, limit + 1 - len(found))
        found += rows
        told += [section] * len(rows)
        if len(found) > limit:
            break
    if pins and followed:
        pins = pins._replace(told=_newest_told(pins, found[:limit]))
        if pins.told and len(found) <= limit:
            known = {row["id"]: row["updated_at"] for row in found if row["updated_at"] > pins.began}
            rows = read(Section.MEANWHILE, _meanwhile(pins, pins.told), limit + 1 - len(found) + len(known))
            new = [row for row in rows if known.get(row["id"]) != row["updated_at"]]
            found += new
            told += [Section.MEANWHILE] * len(new)
    items = as_answered(found[:limit], today)
    if len(found) <= limit:
        return page(items)
    if pins and told[limit - 1] is Section.CHANGED:
        pins = _turned(access, pins, told[limit], followed=followed)
    return page(items, encode_cursor(_position(items[-1], told[limit - 1], pins), binding, followed=followed))


def _newest_told(pins: Pins, rows: Sequence[ReadItem]) -> datetime | None:
    """The newest change returned by the walk, among those since it began."""
    changes = [row["updated_at"] for row in rows if row["updated_at"] > pins.began]
    return max([*changes, *([pins.told] if pins.told else [])], default=None)


def _meanwhile(pins: Pins, newest_told: datetime) -> dict[str, datetime]:
    """The bounds of the fourth section, without unchanged rows of the second."""
    return {
        "changed_after": pins.began,
        "changed_until": newest_told,
        "made_after": pins.newest,
        "again_after": pins.again or pins.turned or newest_told,
    }


def _conditions(filters: ItemFilters) -> tuple[set[str], dict[str, Any]]:
    """The names of the conditions for `filters`, and their values."""
    values: dict[str, Any] = dict(filters)
    names = {f"status={value}" if name == "status" else name for name, value in values.items()}
    values.pop("status", None)
    if "q" in values:
        values["q"] = fold(values["q"])
    return names, values


def _pins(access: Access) -> Pins | None:
    """The pins of a walk that begins now; None without any items."""
    row = _NOW.first(access)
    return None if row is None else Pins(row["newest"], row["clock"])


def _turned(access: Access, pins: Pins, following: Section, *, followed: bool) -> Pins:
    """The pins with the end of the second section, which begins now. Without remaining items it is empty.

    Args:
        following: the section of the row after the page.
        followed: whether the walk has the fourth section, which needs the newest write before the third.
    """
    if following is Section.MEANWHILE:
        return pins._replace(turned=pins.turned or pins.told)
    if pins.turned and not followed:
        return pins
    now = _pins(access)
    clock = now.began if now else pins.began
    return pins._replace(turned=pins.turned or clock, again=clock)


def _sections(after: Position | None, pins: Pins | None) -> dict[Section, dict[str, datetime]]:
    """The sections that the page may contain, each with its bounds.

    One statement reads the first page and sees all items, so changes matter only if it is not the last page. The second
    section has no end until it is read for the first time.
    """
    if pins is None:
        return {Section.DUE: {}}
    walk = {"newest": pins.newest}
    if after is None:
        return {Section.DUE: walk}
    changed = walk | {"changed_after": pins.began}
    sections = {Section.DUE: walk | {"changed_until": pins.began}, Section.CHANGED: changed}
    if pins.turned:
        sections[Section.CHANGED] = changed | {"changed_until": pins.turned}
        sections[Section.CHANGED_AGAIN] = walk | {"changed_after": pins.turned}
    return {section: bounds for section, bounds in sections.items() if section >= after.section}


def _place(after: Position | None) -> str:
    if after is None:
        return "start"
    if after.section != Section.DUE:
        return "later"
    return "dated" if after.due_on else "undated"


def _named(after: Position | None) -> dict[str, Any]:
    """The parameters of a statement for a page that starts after this position."""
    if after is None:
        return {}
    named = {"last_due": after.due_on, "last_time": after.due_time}
    return named | {"last_instant": after.instant, "last_id": after.id}


def _position(last: ItemRow, section: Section, pins: Pins | None) -> Position:
    due_on = last["due_on"] if section is Section.DUE else None
    instant = last["updated_at"] if _INSTANTS[section] == "updated_at" else last["created_at"]
    return Position(section, due_on, last["due_time"] or END_OF_DAY, instant, last["id"], pins)


class _MemberSelectBoth(MemberSelect[ReadItem], SelectBoth[ReadItem]):
    """Both for a member."""


@cache
def _page(filters: frozenset[str], section: Section, place: str) -> MemberSelect[ReadItem]:
    """The statement for one set of filters and one starting position. There are at most a few hundred of them."""
    items: QuerySet[Item] = ITEMS.filter(*(_FILTERS[name] for name in sorted(filters & _FILTERS.keys())))
    if "q" in filters:
        items = items.filter(with_text())
    if section is Section.MEANWHILE:
        items = items.filter(Q(created_at__gt=Param("made_after")) | Q(updated_at__gt=Param("again_after")))
    instant = _INSTANTS[section]
    items = items.order_by(*(SOONEST_FIRST if section is Section.DUE else (instant, "id")))
    place_in_day = {instant: Param("last_instant"), "id": Param("last_id")}
    at_time = {"time_in_order": Param("last_time"), **place_in_day}
    match place:
        case "dated":
            due_later = After({"due_on": Param("last_due"), **at_time})
            undated = items.filter(due_on=None)
            return _MemberSelectBoth(items.filter(due_later), LISTED, second=undated, order=_SOONEST_FIRST_SQL)
        case "undated":
            items = items.filter(After(at_time), due_on=None)
        case "later":
            items = items.filter(After(place_in_day))
    return MemberSelect[ReadItem](items, LISTED, limited=True)
