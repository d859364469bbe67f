"""The weights of the grade categories in a syllabus."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

from courses.syllabi.columns import columns_of
from courses.syllabi.rows import MOST_LINES
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
_TOTAL_LINE: Final = re.compile(r"\W*(?:total|summe)?\W*(?:100|\d{2,3}0)\W*(?:points|pts|punkte)?\W*", re.IGNORECASE)
_PERCENT: Final = re.compile(r"\d\s?(?:%|percent\b|per cent\b)", re.IGNORECASE)
_BELOW: Final = 25
"""Maximum number of lines below a header in which a bare number can be a share."""


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

    A run of adjacent entries counts if it adds up to 100 or to the written total, in the text, or in a column of it.
    Otherwise, the percentages in a list below a header count.
    """
    entries = _entries(lines)
    run = _best_run(entries, lines)
    if not run:
        run = max(
            (_best_run(_entries(column), column) for column in [*columns, *columns_of(lines)]), key=len, default=[]
        )
    if not run:
        run = _whole_run(_entries(lines, paragraphs=True), lines)
    if run:
        total = sum(entry.value for entry in run)
        return [Weight(entry.name, round(entry.value * 100 / total, 2), entry.line) for entry in run]
    run = _headed_run([one for one in entries if one.unit == "%"], lines)
    return [Weight(entry.name, round(entry.value, 2), entry.line) for entry in run]


def _best_run(entries: Sequence[Entry], lines: Sequence[str]) -> Sequence[Entry]:
    """The run that adds up to the whole: of percentages, else of points."""
    for candidates in ([one for one in entries if one.unit == "%"], [one for one in entries if one.unit != "%"]):
        if run := max(_whole_run(_without_wholes(candidates), lines), _whole_run(candidates, lines), key=len):
            return run
    return []


def _entries(lines: Sequence[str], *, paragraphs: bool = False) -> list[Entry]:
    """The shares in a text, with bare numbers below a header or above a total, or in paragraphs with a percentage."""
    if paragraphs:
        near = _paragraphs_with_percents(lines)
        return [
            replace(one, unit="%")
            for one in islice(entries_in(lines, near.__contains__), MOST_ENTRIES)
            if one.line in near
        ]
    heads = [
        number
        for number, line in enumerate(lines[:MOST_LINES])
        if len(line) < 120 and _HEAD.search(line.split(":", 1)[0])
    ]
    totals = [
        number for number, line in enumerate(lines[:MOST_LINES]) if len(line) < 60 and _TOTAL_LINE.fullmatch(line)
    ]
    near = {line + away for line in heads for away in range(_BELOW)} | {
        line - away for line in totals for away in range(12)
    }
    return list(islice(entries_in(lines, near.__contains__), MOST_ENTRIES))


def _paragraphs_with_percents(lines: Sequence[str]) -> set[int]:
    """The lines of the paragraphs that name a percentage."""
    near: set[int] = set()
    first = 0
    for number, line in enumerate([*lines[:MOST_LINES], ""]):
        if line.strip():
            continue
        if any(_PERCENT.search(one) for one in lines[first:number]):
            near |= {*range(first, number)}
        first = number + 1
    return near


def _without_wholes(entries: Sequence[Entry]) -> list[Entry]:
    """The entries without totals of the entries below: "Exams 60%" before "Midterm 25%" and "Final 35%"."""
    return [entry for at, entry in enumerate(entries) if not _is_made_up(entry, entries[at + 1 : at + 6])]


def _is_made_up(entry: Entry, following: Sequence[Entry]) -> bool:
    total, line = 0.0, entry.line
    for count, part in enumerate(following, 1):
        if part.line - line > 2 or entry.unit != "%":
            return False
        total, line = total + part.value, part.line
        if count > 1 and abs(total - entry.value) < 0.05:
            return True
    return False


def _whole_run(entries: Sequence[Entry], lines: Sequence[str]) -> Sequence[Entry]:
    """The run of adjacent entries that adds up to the whole, preferably close together and with many parts."""
    runs = [
        run
        for first in range(len(entries))
        for last in range(first + 2, min(first + MOST_PARTS, len(entries)) + 1)
        if _is_whole(run := entries[first:last], lines)
    ]
    return max(runs, key=lambda run: min(len(run), 4) * 0.5 - (run[-1].line - run[0].line) / len(run), default=[])


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


def _headed_run(entries: Sequence[Entry], lines: Sequence[str]) -> list[Entry]:
    """Percentages close together below a header that do not add up: better shown with a warning than not at all."""
    runs: list[list[Entry]] = []
    for entry in entries:
        if runs and entry.line - runs[-1][-1].line <= 2:
            runs[-1].append(entry)
        else:
            runs.append([entry])
    fitting = [
        run
        for run in runs
        if 3 <= len(run) <= MOST_PARTS
        and 60 <= sum(entry.value for entry in run) <= 150
        and _below_head(run[0].line, lines)
    ]
    return max(fitting, key=len, default=[])


def _below_head(line: int, lines: Sequence[str]) -> bool:
    return any(_HEAD.search(one) for one in lines[max(0, line - 6) : line + 1] if len(one) < 120)
