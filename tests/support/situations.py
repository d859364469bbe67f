"""Situations for the rules of "what now": items, milestones and decks in short calls."""

from collections import defaultdict
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from itertools import count
from typing import Any
from uuid import UUID

from planning.agenda_serializers import NowRow
from planning.now.ranks import what_now
from planning.now.situation import Item, Milestone, Situation
from vocab.studied import StudiedDeck

TODAY = date(2026, 11, 21)
EARLY = datetime(2026, 9, 1, tzinfo=UTC)
BIOLOGY, ALGEBRA = UUID(int=1), UUID(int=2)
NAMES = {BIOLOGY: "Biology", ALGEBRA: "Algebra", UUID(int=3): "History"}

_numbers = count(100)


def day(days: int | None) -> date | None:
    """Return the date `days` days from today."""
    return None if days is None else TODAY + timedelta(days=days)


def item(title: str, due: int | None = None, worth: Fraction | int | None = None, **given: Any) -> Item:
    """A paper for Biology, due in some days. Items are created in order of age."""
    number = next(_numbers)
    fields: dict[str, Any] = {
        "id": UUID(int=number),
        "course_id": BIOLOGY,
        "kind": "paper",
        "status": "missed" if due is not None and due < 0 else "open",
        "created_at": EARLY + timedelta(minutes=number),
    } | given
    percent = None if worth is None else Fraction(worth)
    return Item(**fields, course_name=NAMES[fields["course_id"]], title=title, due_on=day(due), worth=percent)


def exam(due: int, course_id: UUID = BIOLOGY, **given: Any) -> Item:
    """An exam, due in some days."""
    return item("Exam", due, kind="exam", course_id=course_id, **given)


def milestone(of: Item, title: str, due: int | None = None, position: int = 1, **given: Any) -> Milestone:
    """An open milestone, due in some days."""
    number = next(_numbers)
    fields: dict[str, Any] = {"id": UUID(int=number), "created_at": EARLY + timedelta(minutes=number)} | given
    return Milestone(**fields, item_id=of.id, title=title, due_on=day(due), position=position)


def deck(name: str, course_id: UUID | None = None, recall: Fraction | int = 50, **given: Any) -> StudiedDeck:
    """A deck without cards. Decks are created in order of age."""
    number = next(_numbers)
    fields: dict[str, Any] = {
        "id": UUID(int=number),
        "repeat": 0,
        "due": 0,
        "new": 0,
        "recall": defaultdict(lambda: Fraction(recall)),
        "created_at": EARLY + timedelta(minutes=number),
    } | given
    return StudiedDeck(**fields, name=name, course_id=course_id, course_name=NAMES[course_id] if course_id else None)


def now(minutes: int = 480, *, seconds: Fraction | int = 12, new_cards: int = 1_000_000, **lists: Any) -> NowRow:
    """Return the steps for this many minutes, eight hours by default."""
    return what_now(Situation(TODAY, Fraction(seconds), new_cards, **lists), minutes)


def titles(row: NowRow) -> list[str]:
    """The titles of the steps."""
    return [step["title"] for step in row["steps"]]


def lengths(row: NowRow) -> list[int]:
    """The minutes of the steps."""
    return [step["minutes"] for step in row["steps"]]


def codes(row: NowRow) -> list[list[str]]:
    """The reason codes of each step."""
    return [[reason["code"] for reason in step["because"]] for step in row["steps"]]
