"""Rows of a proposal, and the member's approval of them.

A syllabus or a calendar file proposes rows. The pages show them and return the selected ones (`courses.pages.review`).
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
        """The state in words; empty for new rows, which are the most common."""
        return {State.NEW: "", State.KEPT: "differs from yours"}.get(self, self.value)


@dataclass(frozen=True, slots=True)
class ReviewRow:
    """A proposed row.

    Attributes:
        key: identifies the row in the form; the same for the same proposal.
        state: the effect on its item; a gone item would be deleted.
        item: the proposed item.
        ticked: whether it is selected at first.
        source: the line it was read from.
        place: the position of that line.
        notes: further information.
        word: how the model's row was found in the text, if it is selected.
        category: the proposed one of `choices`; empty for none.
        choices: keys and names of the categories that a new item can have.
        item_id: the existing item; None for a new one.
    """

    key: str
    state: State
    item: NewItem
    ticked: bool
    source: str = ""
    place: str = ""
    notes: tuple[str, ...] = ()
    item_id: UUID | None = None
    word: str = ""
    category: str = ""
    choices: tuple[tuple[str, str], ...] = ()

    @property
    def mark(self) -> str:
        """A fingerprint of the row. A form with another fingerprint was rendered from another row."""
        item = sorted(self.item.items())
        shown = (self.state, item, self.source, self.place, self.notes, self.item_id)
        return f"{self.key}:{hashlib.blake2s(repr(shown).encode(), digest_size=8).hexdigest()}"


@dataclass(frozen=True, slots=True)
class Approved:
    """A selected row with the member's input.

    Attributes:
        item: the new item, or the change of an existing one.
        category: a key of the row's choices, or empty.
    """

    row: ReviewRow
    item: NewItem
    category: str = ""


Approve = Callable[[Sequence[ReviewRow]], Sequence[Approved]]
"""Return the approval of the current rows, inside the write that applies it. Raises if they differ from the rows that
the member saw, which rolls the write back.
"""


@dataclass(frozen=True, slots=True)
class Applied:
    """The numbers of items that were created, changed and deleted."""

    made: int
    changed: int
    deleted: int

    def in_words(self) -> str:
        """`3 items added and 1 deleted`, or empty if nothing changed."""
        counted = ((self.made, "added"), (self.changed, "changed"), (self.deleted, "deleted"))
        told = [f"{number} {'item' if number == 1 else 'items'} {done}" for number, done in counted if number]
        return f"{', '.join(told[:-1])}{' and ' if len(told) > 1 else ''}{told[-1]}" if told else ""


def due_in_words(day: date | None, time: str | None) -> str:
    """`Thu, 3 December 2026, 17:00`."""
    if day is None:
        return "no date"
    return f"{day:%a}, {day.day} {day:%B %Y}{f', {time}' if time else ''}"
