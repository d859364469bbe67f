"""What a syllabus says the parts of the grade weigh."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from courses.syllabi.rows import MOST_CHARACTERS, MOST_LINES, Row, rows_of
from courses.syllabi.weight_entries import COUNTS, MOST_PARTS, Entry, entries_of

MOST_ENTRIES: Final = 600
"""Shares that are looked at; a syllabus has a few dozen."""

_HEAD: Final = re.compile(
    r"\b(?:grad(?:e|es|ing)|evaluation|assessments?|weight\w*|percent(?:age)?s?|points?|bewertung|note|notation"
    r"|évaluations?|calificación|evaluación|ponderación|requirements|breakdown|marks|distribution|leistungsnachweis\w*"
    r"|composition|course ?work|avaliação|valutazione)\b",
    re.IGNORECASE,
)
_TOTAL: Final = re.compile(
    r"\b(?:total|out of|summe?|in all|altogether|insgesamt|en tout|max(?:imum|imal)?\b\.?|possible)\b", re.IGNORECASE
)
_TOTAL_LINE: Final = re.compile(r"\W*(?:total|summe)\W*100\W*", re.IGNORECASE)
_BELOW: Final = 25
"""Lines below a head in which a bare number can be a share."""


@dataclass(frozen=True, slots=True)
class Weight:
    """A part of the grade.

    Attributes:
        name: as it is written.
        weight: in percent of the grade, two decimals at most.
        line: where, from 0.
    """

    name: str
    weight: float
    line: int


def weights_in(lines: Sequence[str]) -> list[Weight]:
    """The parts of the grade, or none where the text does not say them.

    Of all shares in percent, in points, and of bare numbers below a head as "Percentage", that run of neighbours
    counts which adds up to 100 % or to the total of points; if none does, what sentences state, or a list below a head.
    """
    entries: list[Entry] = []
    headed = -_BELOW
    totals = [number for number, line in enumerate(lines[:MOST_LINES]) if _TOTAL_LINE.fullmatch(line)]
    counted = _counted(lines)
    block: list[Row] = []
    for row in rows_of(lines):
        if block and not lines[row.line - 1].strip():
            block = []
        if _HEAD.search(row.text.split(":", 1)[0]) and len(row.text) < 120:
            headed = row.line
        plain = row.line - headed < _BELOW or any(0 < total - row.line < 12 for total in totals)
        entries += entries_of(row, block, counted, plain=plain)
        block.append(row)
        if len(entries) > MOST_ENTRIES:
            break
    percents = [one for one in entries if one.unit == "%"]
    for candidates in (percents, *([one for one in entries if one.unit == unit] for unit in ("points", "plain"))):
        if run := _whole_run(candidates, lines):
            total = sum(entry.value for entry in run)
            return [Weight(entry.name, round(entry.value * 100 / total, 2), entry.line) for entry in run]
    run = _headed_run(percents, lines)
    return [Weight(entry.name, round(entry.value, 2), entry.line) for entry in run]


def _counted(lines: Sequence[str]) -> dict[str, tuple[str, int]]:
    """How many there are of what the text counts: "two in-class midterms"."""
    counted: dict[str, tuple[str, int]] = {}
    pattern = re.compile(
        rf"\b(?P<count>{'|'.join(COUNTS)}|[2-9])\s(?P<words>(?:[\w-]+\s){{0,2}}?(?P<noun>[^\W\d_]{{3,}})s)\b",
        re.IGNORECASE,
    )
    for line in lines[:MOST_LINES]:
        for found in pattern.finditer(line[:MOST_CHARACTERS]):
            noun = re.sub("ie$", "y", found["noun"].lower())
            counted.setdefault(noun, (found["words"], COUNTS.get(found["count"].lower()) or int(found["count"])))
    return counted


def _whole_run(entries: Sequence[Entry], lines: Sequence[str]) -> list[Entry]:
    """The run of neighbours that adds up to the whole: 100, or for points the total that is written."""
    best: tuple[float, list[Entry]] | None = None
    for first in range(len(entries)):
        total = 0.0
        for last in range(first, min(first + MOST_PARTS, len(entries))):
            total += entries[last].value
            run = list(entries[first : last + 1])
            if len(run) < 2 or not _is_whole(total, run, lines):
                continue
            span = (run[-1].line - run[0].line) / len(run)
            score = -span + min(len(run), 4) * 0.5
            if best is None or score > best[0]:
                best = score, run
    return best[1] if best else []


def _is_whole(total: float, run: Sequence[Entry], lines: Sequence[str]) -> bool:
    if run[0].unit != "points":
        return abs(total - 100) < 0.05
    around = lines[max(0, run[0].line - 3) : run[-1].line + 4]
    written = f"{total:g}"
    return any(
        _TOTAL.search(line) and re.search(rf"(?<![\d.–-]){re.escape(written)}(?![\d%–-])", line.replace(",", ""))
        for line in around
    )


def _headed_run(entries: Sequence[Entry], lines: Sequence[str]) -> list[Entry]:
    """Percentages close together below a head, where none add up: better shown with a warning than not at all."""
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
