"""Walks over the pages of list_items, while items change between them."""

from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from studyservice.rates import limiter as rates
from tests.support.entry_points import RestEntryPoint
from tests.support.factories import ItemFactory

if TYPE_CHECKING:
    from accounts.models import Member
    from courses.models import Item

LONG_AGO = "2000-01-01T00:00:00Z"
BORN = datetime(2026, 1, 1, tzinfo=UTC)

Between = Callable[[int], object]


def walk(
    entry_point: RestEntryPoint,
    between: Between = lambda page: None,
    *,
    limit: int = 2,
    most: int = 200,
    **filters: Any,
) -> list[Any]:
    """All items of one walk, in order. `between` is called with each page number."""
    page = entry_point.made("list_items", limit=limit, **filters)
    told: list[Any] = list(page["data"])
    for number in range(1, most):
        if not page["has_more"]:
            assert page["next_cursor"] is None
            return told
        assert len(page["data"]) == limit
        assert len(page["next_cursor"]) < 200
        between(number)
        rates.clear()
        page = entry_point.made("list_items", limit=limit, cursor=page["next_cursor"], **filters)
        told += page["data"]
    raise AssertionError(f"no end after {most} pages")


def items_due(member: "Member", course: Any, due: Sequence[date | None]) -> "list[Item]":
    """The only items, due on these days; up to three have the same stamps."""
    from accounts.models import Member
    from courses.models import Course, Item

    rates.clear()
    Item.objects.all().delete()
    Member.objects.filter(id=member.id).update(write_clock=BORN + timedelta(seconds=1))
    return Item.objects.bulk_create(
        ItemFactory.build(
            member=member,
            course=Course(id=course["id"]),
            due_on=due_on,
            created_at=BORN + timedelta(microseconds=number // 2),
            updated_at=BORN + timedelta(microseconds=number // 3),
        )
        for number, due_on in enumerate(due)
    )


def titles(items: list[Any]) -> list[str]:
    """Their titles, in order."""
    return [item["title"] for item in items]
