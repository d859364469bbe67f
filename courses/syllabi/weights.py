"""The weights of the grade categories in a syllabus."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, islice
from typing import Final

from courses.syllabi.columns import columns_of
from courses.syllabi.kinds import NOUN
from courses.syllabi.phrases import TAKING_PART
from courses.syllabi.weight_entries import MOST_PARTS, Entry, entries_in

MOST_ENTRIES: Final = 600
"""Maximum number of percentages read. A syllabus has a few dozen."""

_HEAD: Final = re.compile(
    r"\b(?:grad(?:e|es|ing)|evaluation|assessments?|weight\w*|percent(?:age)?s?|points?|bewertung|note|notation"
    r"|évaluations?|calificación|evaluación|ponderación|requirements|breakdown|marks|distribution|leistungsnachweis\w*"
    r"|composition|course ?work|avaliação|valutazione)\b",
    re.IGNORECASE,
)
_TOTAL: Final = re.compile(
    r"\b(?:total|out of|summe?|in all|altogether|insgesamt|en tout|max(?:imum|imal)?\b\.?|possible)\b", re.IGNORECASE
)


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
    or points, then also of bare numbers. Otherwise, percentages that are close together count.
    """
    texts = [lines, *(column for column in columns if column is not lines), *columns_of(lines)]
    for bare in (False, True):
        run = max((_run_in(text, bare=bare) for text in texts), key=_worth)
        if run and (not bare or _known(run) * 2 >= len(run) or _below_head(run[0].line, lines)):
            total = sum(entry.value for entry in run)
            return [Weight(entry.name, round(entry.value * 100 / total, 2), entry.line) for entry in run]
    run = _close_run([one for one in islice(entries_in(lines, bare=False), MOST_ENTRIES) if one.unit == "%"])
    return [Weight(entry.name, round(entry.value, 2), entry.line) for entry in run]


def _known(run: Sequence[Entry]) -> int:
    """The number of entries whose name has a known word for work or for taking part."""
    return sum(bool(NOUN.search(one.name) or TAKING_PART.search(one.name)) for one in run)


def _worth(run: Sequence[Entry]) -> float:
    """How likely a run that adds up is the grade: by its names, its number of parts and their distance."""
    if not run:
        return -1000
    return 2 * _known(run) / len(run) + min(len(run), 4) * 0.5 - (run[-1].line - run[0].line) / len(run)


def _run_in(lines: Sequence[str], *, bare: bool) -> Sequence[Entry]:
    """The run in a text that adds up to the whole: of percentages, else of points."""
    entries = list(islice(entries_in(lines, bare=bare), MOST_ENTRIES))
    for alike in ([one for one in entries if one.unit == "%"], [one for one in entries if bare or one.unit != "%"]):
        apart = _without_sums(alike, wholes=False)
        if run := max(_whole_run(_without_sums(apart, wholes=True), lines), _whole_run(apart, lines), key=_worth):
            return run
    return []


def _without_sums(entries: Sequence[Entry], *, wholes: bool) -> list[Entry]:
    """The entries without the parts of a whole that share a line, or without each whole before its parts."""
    kept: list[Entry] = []
    at = 0
    while at < len(entries):
        entry, at = entries[at], at + 1
        totals = accumulate(part.value for part in entries[at : at + 6])
        parts = next((count for count, total in enumerate(totals, 1) if abs(total - entry.value) < 0.05), 0)
        if parts < 2 or not wholes:
            kept.append(entry)
        if parts > 1 and not wholes and entry.line != entries[at].line == entries[at + parts - 1].line:
            at += parts
    return kept


def _whole_run(entries: Sequence[Entry], lines: Sequence[str]) -> Sequence[Entry]:
    """The run of adjacent entries that adds up to the whole, preferably close together and with many parts."""
    runs = [
        run
        for first in range(len(entries))
        for last in range(first + 2, min(first + MOST_PARTS, len(entries)) + 1)
        if _is_whole(run := entries[first:last], lines)
    ]
    return max(runs, key=_worth, default=[])


def _is_whole(run: Sequence[Entry], lines: Sequence[str]) -> bool:
    """Return whether it adds up to 100, or for points to the total written nearby."""
    total = sum(entry.value for entry in run)
    if abs(total - 100) < 0.05 and (run[0].unit == "%" or len(run) > 2):
        return True
    around = lines[max(0, run[0].line - 3) : run[-1].line + 5] if run[0].unit != "%" else []
    written = rf"(?<![\d.–-]){re.escape(f'{total:g}')}(?![\d%–-])"
    return any(
        (_TOTAL.search(line) or _HEAD.search(line) or not any(map(str.isalpha, line)))
        and re.search(written, line.replace(",", ""))
        for line in around
    )


def _close_run(entries: Sequence[Entry]) -> list[Entry]:
    """Percentages close together that do not add up: better shown with a warning than not at all."""
    runs: list[list[Entry]] = []
    for entry in entries:
        if runs and entry.line - runs[-1][-1].line <= 2:
            runs[-1].append(entry)
        else:
            runs.append([entry])
    fitting = [run for run in runs if len(run) >= 3 and 60 <= sum(entry.value for entry in run) <= 150]
    return max(fitting, key=len, default=[])


def _below_head(line: int, lines: Sequence[str]) -> bool:
    return any(_HEAD.search(one) for one in lines[max(0, line - 6) : line + 1] if len(one) < 120)
