"""Shorthands of these tests: a text read on a given day."""

from datetime import date

from courses.syllabi.proposal import Proposal, propose
from courses.syllabi.reader import Syllabus

TODAY = date(2026, 8, 20)


def read(*lines: str, today: date = TODAY, term: str | None = None) -> Syllabus:
    return Syllabus.of("\n".join(lines), today=today, term=term)


def dates(*lines: str, today: date = TODAY, term: str | None = None) -> list[str]:
    """The dates of the last line, with a slash in ranges as in ISO 8601."""
    mentions = read(*lines, today=today, term=term).mentions(len(lines) - 1)
    return [str(one.first) if one.first == one.last else f"{one.first}/{one.last}" for one in mentions]


def proposed(*lines: str, today: date = TODAY) -> Proposal:
    return propose(read(*lines, today=today))


def items(*lines: str, today: date = TODAY) -> list[tuple[str, str, str | None]]:
    """Title, kind and date of each proposed item."""
    found = proposed(*lines, today=today).items
    return [(item.title, item.kind, item.due_on.isoformat() if item.due_on else None) for item in found]


def weights(*lines: str) -> list[tuple[str, float]]:
    return [(category.name, category.weight) for category in proposed(*lines).grade_categories]
