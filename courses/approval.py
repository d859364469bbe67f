"""Rows of a proposal, and the member's approval of them.

Whoever proposes gives rows; the pages show them and give back those that were ticked (`courses.pages.review`).
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from uuid import UUID

from courses.serializers import NewItem


class State(StrEnum):
    """The effect of a row on its item."""

    NEW = "new"
    MOVED = "moved"
    CHANGED = "changed"
    KEPT = "kept"
    GONE = "gone"
    ADDED = "added"

    @property
    def words(self) -> str:
        """The state of the row. Empty on a new one, as most are."""
        return {State.NEW: "", State.KEPT: "differs from yours"}.get(self, self.value)


@dataclass(frozen=True, slots=True)
class ReviewRow:
    """A row, as it is proposed.

    Attributes:
        key: names it in the form; the same whenever the same thing is proposed.
        state: what would become of its item; one that is gone would be deleted.
        ticked: whether it is ticked at first.
        source: the line it comes from.
        place: where that line stands.
        notes: what else there is to know.
        item_id: the item that is there; None of a new one.
    """

    key: str
    state: State
    title: str
    kind: str
    due_on: date | None
    ticked: bool
    source: str = ""
    place: str = ""
    notes: tuple[str, ...] = ()
    item_id: UUID | None = None

    @property
    def mark(self) -> str:
        """A fingerprint of the row. A form with another fingerprint was rendered from another row."""
        shown = (self.state, self.title, self.kind, self.due_on, self.source, self.place, self.notes, self.item_id)
        return f"{self.key}:{hashlib.blake2s(repr(shown).encode(), digest_size=8).hexdigest()}"


@dataclass(frozen=True, slots=True)
class Approved:
    """A row that was ticked, with what was entered in it."""

    row: ReviewRow
    title: str
    kind: str
    due_on: date | None

    @property
    def item(self) -> NewItem:
        """The new item, or the change of an existing one."""
        return {"title": self.title, "kind": self.kind, "due_on": self.due_on}


Approve = Callable[[Sequence[ReviewRow]], Sequence[Approved]]
"""Gives what was approved of rows as they are by now, inside the write that takes it; raises if they are others than
those that the member saw, and so undoes the write."""


@dataclass(frozen=True, slots=True)
class Applied:
    """The numbers of items that were created, changed and deleted."""

    made: int
    changed: int
    deleted: int

    def in_words(self) -> str:
        """`3 items added and 1 deleted`, or empty if nothing was done."""
        counted = ((self.made, "added"), (self.changed, "changed"), (self.deleted, "deleted"))
        told = [f"{number} {'item' if number == 1 else 'items'} {done}" for number, done in counted if number]
        return f"{', '.join(told[:-1])}{' and ' if len(told) > 1 else ''}{told[-1]}" if told else ""


def day_in_words(day: date | None) -> str:
    """`Thu, 3 December 2026`."""
    return "no date" if day is None else f"{day:%a}, {day.day} {day:%B %Y}"
