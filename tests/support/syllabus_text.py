"""A syllabus of the current term with 25 dated lines, for operations that accept one."""

from datetime import date, timedelta
from typing import Any

TODAY = "2026-09-01T12:00:00Z"

_FIRST = date(2026, 9, 4)
_PARTS = [("Problem set", "assignment"), ("Lab report", "lab"), ("Quiz", "quiz"), ("Reading response", "paper")]


def _lines() -> list[tuple[str, str, date]]:
    """Title, kind and date of each line: one every third day."""
    found = []
    for number in range(24):
        name, kind = _PARTS[number % len(_PARTS)]
        found.append((f"{name} {number // len(_PARTS) + 1}", kind, _FIRST + timedelta(days=3 * number)))
    return [*found, ("Final exam", "exam", date(2026, 12, 15))]


ITEMS: list[dict[str, Any]] = [
    {"title": title, "kind": kind, "due_on": str(day), "quote": f"{title}: due {day:%A}, {day:%B} {day.day}"}
    for title, kind, day in _lines()
]
"""Entries as sent by a careful assistant."""

CATEGORIES = [{"name": "Problem sets", "weight": 40}, {"name": "Labs", "weight": 25}, {"name": "Final", "weight": 35}]

TEXT = "\n".join(
    [
        "BIO 210 Cell Biology",
        "Fall 2026",
        "",
        "Grading: problem sets 40 %, labs 25 %, final 35 %",
        "",
        *[item["quote"] + "." for item in ITEMS],
    ]
)
