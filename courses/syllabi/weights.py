"""The weights of the grade categories in a syllabus."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from typing import Final

from courses.syllabi.columns import columns_of
from courses.syllabi.kinds import NOUN
from courses.syllabi.phrases import TAKING_PART
from courses.syllabi.vocabulary import whole_word
from courses.syllabi.weight_entries import MOST_PARTS, Entry, entries_in

MOST_ENTRIES: Final = 600
"""Maximum number of percentages read. A syllabus has a few dozen."""

_NUMBER: Final = re.compile(
    r"\s*#?\b(?:\d{1,2}|I{1,3}|IV)$|^(?:1st|2nd|3rd|\dth|first|second|third|fourth)\s", re.IGNORECASE
)
"""The number that tells equal parts apart."""

_TOTAL: Final = whole_word("total")
"""Words beside a written total."""


@dataclass(frozen=True, slots=True)
class Weight:
    """A part of the grade.

    Attributes:
        name: as written.
        weight: in percent of the grade, with at most two decimals.
        line: line number, from 0.
    """

    name: str
    weight: float
    line: int


def weights_in(lines: Sequence[str], columns: Sequence[Sequence[str]] = ()) -> list[Weight]:
    """The grade categories. Empty if the text has none.

    A run of adjacent entries counts if it adds up to the whole, in the text or in a column of it: first of percentages
    or points, then also of bare numbers with a known name or a head. Otherwise, percentages close together count.
    """
    texts = [lines, *(column for column in columns if column is not lines), *columns_of(lines)]
    for bare in (False, True):
        run = max((_whole_run(text, bare=bare) for text in texts), key=_worth)
        if run and (_known(run) or not bare or _TOTAL.search("\n".join(lines[max(0, run[0].line - 3) : run[0].line]))):
            total = sum(entry.value for entry in run)
            run = _merged(run)
            return [Weight(entry.name, round(entry.value * 100 / total, 2), entry.line) for entry in run]
    percentages = [entry for entry in _entries(lines, bare=False) if entry.unit == "%"]
    run = max(filter(_is_close, _runs(percentages)), key=len, default=[])
    return [Weight(entry.name, round(entry.value, 2), entry.line) for entry in run]


def _merged(run: Sequence[Entry]) -> list[Entry]:
    """The entries with those that differ only by a number as one, like "Exam 1" and "Exam 2" of equal weight."""
    merged: dict[tuple[str, float], Entry] = {}
    for at, entry in enumerate(run):
        plain = _NUMBER.sub("", entry.name).strip()
        key = (plain.lower(), entry.value) if plain and plain != entry.name else (str(at), 0.0)
        same = merged.get(key)
        merged[key] = replace(same, name=f"{plain}s", value=same.value + entry.value) if same else entry
    return list(merged.values())


def _entries(lines: Sequence[str], *, bare: bool) -> list[Entry]:
    return list(islice(entries_in(lines, bare=bare), MOST_ENTRIES))


def _runs(entries: Sequence[Entry]) -> Iterator[Sequence[Entry]]:
    """The runs of at least two adjacent entries."""
    for first in range(len(entries)):
        for last in range(first + 2, min(first + MOST_PARTS, len(entries)) + 1):
            yield entries[first:last]


def _known(run: Sequence[Entry]) -> int:
    """The number of entries whose name has a known word for work or for taking part."""
    return sum(bool(NOUN.search(one.name) or TAKING_PART.search(one.name)) for one in run)


def _worth(run: Sequence[Entry]) -> float:
    """How likely a run that adds up is the grade: by its names, its number of parts and their distance."""
    if not run:
        return -1000
    return 2 * _known(run) / len(run) + min(len(run), 4) * 0.5 - (run[-1].line - run[0].line) / max(1, len(run) - 1)


def _whole_run(lines: Sequence[str], *, bare: bool) -> Sequence[Entry]:
    """The run in a text that adds up to the whole: of percentages, else of points, or of bare numbers with both."""
    entries = _entries(lines, bare=bare)
    for alike in ([one for one in entries if one.unit == "%"], [one for one in entries if bare or one.unit != "%"]):
        if runs := [run for run in _runs(_without_parts(alike)) if _is_whole(run, lines)]:
            return max(runs, key=lambda run: _worth(run) + len(run) / 2)  # a part of it may add up, too
    return []


def _without_parts(entries: Sequence[Entry]) -> list[Entry]:
    """The entries without those that are part of the entry before them."""
    kept: list[Entry] = []
    at = 0
    while at < len(entries):
        kept.append(entries[at])
        at += 1 + _parts_after(entries, at)
    return kept


def _parts_after(entries: Sequence[Entry], at: int) -> int:
    """The number of entries on one line that add up to the entry before them; on its own line at least four."""
    whole, total = entries[at], 0.0
    for count, part in enumerate(entries[at + 1 : at + 7], 1):
        if part.line != entries[at + 1].line:
            return 0
        total += part.value
        if count > (3 if part.line == whole.line else 1) and abs(total - whole.value) < 0.05:
            return count
    return 0


def _is_whole(run: Sequence[Entry], lines: Sequence[str]) -> bool:
    """Return whether it adds up to 100, or for points to the total written nearby."""
    total = sum(entry.value for entry in run)
    if abs(total - 100) < 0.05:
        return True
    around = lines[max(0, run[0].line - 3) : run[-1].line + 5] if run[0].unit != "%" else []
    written = rf"(?<![\d.–-]){re.escape(f'{total:g}')}(?![\d%–-])"
    return any(
        (_TOTAL.search(line) or not any(map(str.isalpha, line))) and re.search(written, line.replace(",", ""))
        for line in around
    )


def _is_close(run: Sequence[Entry]) -> bool:
    """Return whether percentages belong together though they do not add up. They are proposed with a warning."""
    gaps = (two.line - one.line for one, two in pairwise(run))
    return len(run) > 2 and max(gaps) <= 2 and 60 <= sum(entry.value for entry in run) <= 150
