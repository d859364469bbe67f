"""Find courses and decks by name. Every choice has a unique label."""

import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count

from studyservice.database.statements import Row

MAX_NAME = 300
"""Maximum characters. No label is longer, so longer texts match none."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A course or a deck to choose.

    Attributes:
        label: its name on one line, with a distinguishing detail in parentheses if it is not unique.
        row: its record.
    """

    label: str
    row: Row


def choices(rows: Sequence[Row], details: Sequence[str]) -> list[Choice]:
    """Return `rows` with labels that are unique, ignoring case.

    A unique name is its label. Otherwise the label adds, in parentheses, the first of the fields `details` that no
    other row of that name shares, or a number.
    """
    named = Counter(_folded(_text(row, "name")) for row in rows)
    detailed = Counter(
        (_folded(_text(row, "name")), detail, _folded(_text(row, detail))) for row in rows for detail in details
    )
    taken: set[str] = set()
    found = []
    for row in rows:
        label = next(label for label in _labels(row, details, named, detailed) if _folded(label) not in taken)
        taken.add(_folded(label))
        found.append(Choice(label, row))
    return found


def _labels(
    row: Row, details: Sequence[str], named: Counter[str], detailed: Counter[tuple[str, str, str]]
) -> Iterator[str]:
    name = one_line(_text(row, "name"))
    folded = _folded(name)
    if named[folded] == 1:
        yield name
    for detail in details:
        value = one_line(_text(row, detail))
        if value and detailed[folded, detail, _folded(value)] == 1:
            yield f"{name} ({value})"
    for number in count(1):
        yield f"{name} ({number})"


def matching(offered: Sequence[Choice], value: str) -> list[Choice]:
    """Return the row with the label `value`, or else all rows of that name, ignoring case."""
    if len(value) > MAX_NAME:
        return []
    folded = _folded(value)
    labelled = [choice for choice in offered if _folded(choice.label) == folded]
    return labelled or [choice for choice in offered if _folded(_text(choice.row, "name")) == folded]


def completing(offered: Sequence[Choice], part: str) -> list[str]:
    """Return the labels that contain `part`, ignoring case. Those that begin with it come first."""
    if len(part) > MAX_NAME:
        return []
    folded = _folded(part)
    labels = [choice.label for choice in offered if folded in _folded(choice.label)]
    return sorted(labels, key=lambda label: not _folded(label).startswith(folded))


def _text(row: Row, field: str) -> str:
    """Return a text field of a record; empty if it is null."""
    return str(row[field] or "")


def one_line(text: str) -> str:
    """Return `text` with each run of white space replaced by one space."""
    return " ".join(text.split())


def _folded(text: str) -> str:
    """Normalize case, width, white space and accents, for comparison."""
    return one_line(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()))
