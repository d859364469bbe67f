"""Values that many tests send: texts at a limit, invalid dates, and an unknown id."""

from datetime import date, timedelta
from typing import Any

from tests.support.entry_points import RestEntryPoint

UNKNOWN_ID = "00000000-0000-4000-8000-000000000000"
"""A valid id without an object."""

UNITS = ["x", "🎓", "e\u0301", "👩\u200d🎓"]
"""One code point; one outside the BMP; a letter with a combining mark; a joined sequence of three."""

NOT_DATES = [
    "",
    "tomorrow",
    "2026-1-1",
    "20261121",
    "2026-02-30",
    "2026-11-21T00:00:00Z",
    " 2026-11-21",
    "2026-11-21\n",
    "0000-01-01",
    "10000-01-01",
    "-001-01-01",
    "\uff12\uff10\uff12\uff16-11-21",
]

NOT_TIMES = [
    "",
    " ",
    "24:00",
    "9:00",
    "5 pm",
    "17:00:00",
    "17:60",
    "17.00",
    "1700",
    " 17:00",
    "17:00\n",
    "-1:00",
    "\uff11\uff17:00",
    17,
    True,
]

COURSE_LIMITS = {"name": 120, "code": 20, "term": 60, "meets": 120, "institution": 120, "subject": 80}
"""Longest text of each writable field of a course (spec, Limits)."""

NOT_ENDED = {
    "due_time": None,
    "done": False,
    "done_at": None,
    "status": "open",
    "category_id": None,
    "worth": None,
    "note": None,
}
"""The fields of a new item that is undated or in the future, without a time, a category and a note."""


def fetched_item(entry_point: RestEntryPoint, item_id: str) -> Any:
    """Return the answer of get_item without `readiness`, to compare it with other operations."""
    item = entry_point.made("get_item", item_id=item_id)
    del item["readiness"]
    return item


def text(unit: str, length: int) -> str:
    """Repeat `unit` up to `length` code points."""
    return (unit * length)[:length]


def later(day: str, days: int) -> str:
    """The date `days` after `day`."""
    return (date.fromisoformat(day) + timedelta(days=days)).isoformat()
