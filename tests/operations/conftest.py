"""Fixtures of several operations' tests."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.support.entry_points import RestEntryPoint


@pytest.fixture
def six(owner: RestEntryPoint, course: Any) -> list[Any]:
    """Items 0 to 5, due on the days 10 to 15."""
    return [
        owner.made("create_item", course_id=course["id"], title=f"{n}", due_on=f"2027-01-{n + 10}") for n in range(6)
    ]


@pytest.fixture
def change(owner: RestEntryPoint, six: list[Any]) -> Callable[..., Any]:
    """Changes an item, given its number."""
    return lambda number, **changes: owner.made("update_item", item_id=six[number]["id"], **changes)
