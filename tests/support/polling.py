"""Walks over the pages of list_items, while items change between them."""

from collections.abc import Callable
from typing import Any

from studyservice.rates import limiter as rates
from tests.support.entry_points import RestEntryPoint

LONG_AGO = "2000-01-01T00:00:00Z"

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


def titles(items: list[Any]) -> list[str]:
    """Their titles, in order."""
    return [item["title"] for item in items]
