"""The categories named in a syllabus: a name and a number, in a line, in cells or in a clause."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from courses.syllabi.rows import Row, rows_of, sentences_of
from courses.syllabi.titles import cleaned
from courses.syllabi.weight_names import DATED, SCALE, VERB, name_after, name_before, name_of, says
from courses.syllabi.weight_numbers import Share, counted_pieces, shares_in, whole_of

MOST_PARTS: Final = 12
"""Maximum number of categories in a grade."""

MOST_READ: Final = 400
"""Maximum characters before a percentage that are searched for its name."""

_DETAILS: Final = re.compile(
    r"\([^()]{0,80}\d[^()]{0,80}\)(?=[^\w(]{0,60}\d+(?:[.,]\d+)?\s?(?:%|points?\b|pts\b))"
    r"|(?:(?<=%)|(?<=pts)|(?<=points))\s?\([^()]{0,80}\d[^()]{0,80}\)"
)
"""Brackets that list the parts of an adjacent share: "Analyses (3 x 10%) ... 30%"."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A name with a share, or one of the two.

    Attributes:
        name: empty without one, or if the words do not name a category.
        line: line number, from 0.
        said: the words around, which may have the number of pieces; empty if the share has none.
        value: the number; 0 without one.
        unit: `%` or `points`; a bare number is in points.
        each: whether the number is per piece.
    """

    name: str
    line: int
    said: str
    value: float = 0
    unit: str = ""
    each: bool = False

    def with_share_of(self, other: "Entry") -> "Entry":
        """This name with the number of another entry."""
        return replace(self, value=other.value, unit=other.unit, each=other.each)


def entries_in(lines: Sequence[str], *, bare: bool) -> Iterator[Entry]:
    """The entries of a text in order, each with a name and a share of all its pieces.

    Args:
        lines: as returned by `readable`.
        bare: whether a number without a unit can be a share.
    """
    counted = counted_pieces(lines)
    for entry in _named_entries(lines, bare=bare):
        name, count = whole_of(entry.name, entry.said, counted) if entry.each else (entry.name, 1)
        if name and 0 < entry.value * count <= (5000 if entry.unit == "points" else 100):
            yield replace(entry, name=name, value=entry.value * count)


def _named_entries(lines: Sequence[str], *, bare: bool) -> Iterator[Entry]:
    """The entries of the rows. Lines with only numbers belong to as many names above them."""
    names: list[Entry] = []
    numbers: list[Entry] = []
    for row in rows_of(lines):
        entries = list(_entries_of(row, bare=bare))
        shared = any(entry.value for entry in entries)
        if shared and not any(entry.said for entry in entries):
            numbers += entries
            continue
        if numbers:
            yield from _matched(names, numbers)
            names, numbers = [], []
        if shared:
            yield from _joined(entries)
        else:
            names = [*names, *(entry for entry in entries if entry.name)][-MOST_PARTS:]
    yield from _matched(names, numbers)


def _matched(names: Sequence[Entry], numbers: Sequence[Entry]) -> Iterator[Entry]:
    """The last names above some numbers, each with its own number. A name apart from the others heads the numbers."""
    if 1 < len(numbers) < len(names) and names[-1].line - names[-2].line > 1:
        names = names[:-1]
    if 0 < len(numbers) <= len(names):
        for name, number in zip(names[-len(numbers) :], numbers, strict=True):
            yield name.with_share_of(number)


def _joined(entries: Sequence[Entry]) -> list[Entry]:
    """The entries of a row. A share without words belongs to the name before it; one that begins, to the next."""
    joined: list[Entry] = []
    for at, entry in enumerate(entries):
        if at == 1 and joined[0].value and not joined[0].said and entry.name and not entry.value:
            joined[0] = entry.with_share_of(joined[0])
        elif joined and not entry.said:
            joined[-1] = joined[-1].with_share_of(entry)
        elif entry.value or not joined or joined[-1].value:
            joined.append(entry)
    return joined


def _entries_of(row: Row, *, bare: bool) -> Iterator[Entry]:
    """The names and shares of a row, of each cell, sentence and clause, before they are joined.

    In a table with a column of weights, only that column has shares, and the column of names is first.
    """
    cells = list(zip(row.cells, row.roles or [None] * len(row.cells), strict=True))
    weighed = "weight" in row.roles
    if weighed:
        cells.sort(key=lambda cell: cell[1] != "what")
    for cell, role in cells:
        in_cell = role == "weight" or (bare and not (row.is_table and any(map(str.isalpha, cell))))
        for start, sentence in sentences_of(cell):
            text = SCALE.split(sentence[: MOST_READ * 4], maxsplit=1)[0]
            text = _blanked(_DETAILS, text)
            shares = shares_in(_blanked(DATED, text), bare=in_cell) if role == "weight" or not weighed else []
            line = row.line_at(start + shares[0].start) if shares else row.line
            if 0 < len(shares) <= MOST_PARTS:
                yield from _clauses(text, shares, line)
            elif any(map(str.isalpha, text)):
                yield Entry(name_of(cleaned(text, [])), line, text)


def _blanked(pattern: re.Pattern[str], text: str) -> str:
    """The text of the same length without the matches of a pattern."""
    return pattern.sub(lambda found: " " * len(found[0]), text)


def _clauses(text: str, shares: Sequence[Share], line: int) -> Iterator[Entry]:
    """The shares of a sentence, each with the words before it, or after it if the sentence begins with a share."""
    starts, ends = [one.start for one in shares], [one.end for one in shares]
    words = [text[start:end] for start, end in zip([0, *ends], [*starts, len(text)], strict=True)]
    after = not says(words[0]) or (len(shares) > 1 and words[0].rstrip().endswith((":", "=")) and says(words[-1]))
    for share, head, tail in zip(shares, words[:-1], words[1:], strict=True):
        if (after and says(tail) and not VERB.search(head[-MOST_READ:])) or not says(head):
            yield Entry(name_after(tail), line, tail if says(tail) else "", share.value, share.unit, share.each)
        else:
            name, each = name_before(head[-MOST_READ:])
            said = "" if name is None else f"{head} {tail}"
            yield Entry(name or "", line, said, share.value, share.unit, each or share.each)
