"""Shared fixtures for school calendars: a clock, a school, and calls."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
import time_machine

from tests.support.entry_points import RestEntryPoint
from tests.support.internet import Internet
from tests.support.schools import URL, School

NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)


@pytest.fixture
def clock() -> Iterator[Any]:
    """A clock that a test can shift. The monotonic clock continues."""
    with time_machine.travel(NOW, tick=True) as traveller:
        yield traveller


@pytest.fixture
def school(internet: Internet) -> School:
    return School(internet)


class Calls:
    """The owner's calls in tests of calendars."""

    def __init__(self, owner: RestEntryPoint) -> None:
        self.owner = owner

    def add(self, **fields: Any) -> Any:
        return self.owner.made("add_school_calendar", **{"url": URL, **fields})

    def get(self, calendar: Any) -> Any:
        return self.owner.made("get_school_calendar", calendar_id=calendar["id"])

    def update(self, calendar: Any, **fields: Any) -> Any:
        return self.owner.made("update_school_calendar", calendar_id=calendar["id"], **fields)

    def refresh(self, calendar: Any) -> Any:
        """Skips the wait of five minutes."""
        from studyservice.rates import limiter

        limiter.clear()
        return self.owner.made("refresh_school_calendar", calendar_id=calendar["id"])

    def answer(self, calendar: Any, *, accept: bool) -> Any:
        return self.owner.made("answer_school_calendar", calendar_id=calendar["id"], accept=accept)

    def course(self, name: str, code: str | None = None) -> Any:
        return self.owner.made("create_course", name=name, code=code)

    def dates(self, course: Any = None) -> list[tuple[str, str]]:
        """Titles and dates of the items, soonest first."""
        only = {} if course is None else {"course_id": course["id"]}
        return [(one["title"], one["due_on"]) for one in self.owner.made("list_items", limit=100, **only)["data"]]

    def readings(self) -> list[Any]:
        """The changes made by readings, newest first."""
        rows = self.owner.made("list_changes", limit=100)["data"]
        return [row for row in rows if row["operation"] == "read_school_calendar"]


@pytest.fixture
def calls(owner: RestEntryPoint, clock: Any) -> Calls:
    return Calls(owner)


@pytest.fixture
def biology(calls: Calls) -> Any:
    return calls.course("Biology", "BIO210")
