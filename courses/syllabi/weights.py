"""What a syllabus says the parts of the grade weigh."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from courses.syllabi.rows import MOST_CHARACTERS, MOST_LINES, cells_of, role_of
from courses.syllabi.weight_entries import MOST_PARTS, Entry, entries_of
from courses.syllabi.weight_statements import statements_in

MOST_ENTRIES: Final = 600
"""Numbers with a percent sign or points that are looked at; a syllabus has a few dozen."""

_HEAD: Final = re.compile(
    r"\b(?:grad(?:e|es|ing)|evaluation|assessments?|weight\w*|percent(?:age)?s?|points?|bewertung|note|notation"
    r"|évaluation|évaluations|calificación"
    r"|evaluación|ponderación|requirements|breakdown|marks|distribution|leistungsnachweis\w*|composition"
    r"|course work|coursework)\b",
    re.IGNORECASE,
)

_TOTAL: Final = re.compile(
    r"\b(?:total|out of|summe?|in all|altogether|insgesamt|en tout|en total|max(?:imum|imal)?\b\.?|possible)\b",
    re.IGNORECASE,
)


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

    Of all numbers with a percent sign, of points, and of bare numbers below a head as "Percentage", that run of
    neighbours counts which adds up to 100 % or to the total of points; if none does, percentages below such a head.
    """
    entries: dict[str, list[Entry]] = {"%": [], "each": [], "points": [], "plain": []}
    headed, role = -100, False
    for number, line in enumerate(lines[:MOST_LINES]):
        if _HEAD.search(line.split(":", 1)[0]) and ":" in line:
            headed = number
        if not any(character.isdigit() for character in line):
            if _HEAD.search(line) and len(line) < 90:
                headed = number
                role = any(role_of(cell) == "weight" for cell in (*cells_of(line), line.split()[-1]))
            continue
        for entry in entries_of(line[:MOST_CHARACTERS], number, plain=number - headed <= 25, weights_column=role):
            if len(entries[entry.unit]) < MOST_ENTRIES:
                entries[entry.unit].append(entry)
    statements = statements_in(lines)
    stated = [one for one in statements if one.name]
    said = {(one.line, one.written) for one in statements}
    refused = said - {(one.line, one.written) for one in stated}
    both = [*stated, *(one for one in entries["each"] if (one.line, one.written) not in said)]
    both.sort(key=lambda one: one.line)
    for candidates in (both if stated else [], *(entries[unit] for unit in ("%", "each", "points", "plain"))):
        if run := _whole_run([one for one in candidates if (one.line, one.written) not in refused], lines):
            total = sum(entry.value for entry in run)
            return [Weight(entry.name, round(entry.value * 100 / total, 2), entry.line) for entry in run]
    run = _stated_run(stated) or _headed_run(entries["%"], lines)
    return [Weight(entry.name, round(entry.value, 2), entry.line) for entry in run]


def _whole_run(entries: Sequence[Entry], lines: Sequence[str]) -> list[Entry]:
    """The run of neighbours that adds up to the whole: 100, or for points the total that is written."""
    best: tuple[float, list[Entry]] | None = None
    for first in range(len(entries)):
        total = 0.0
        for last in range(first, min(first + MOST_PARTS, len(entries))):
            if last > first and entries[last].line - entries[last - 1].line > 40:
                break
            total += entries[last].value
            run = list(entries[first : last + 1])
            if len(run) < 2 or not _is_whole(total, run, lines):
                continue
            span = (run[-1].line - run[0].line) / len(run)
            names = len({entry.name.casefold() for entry in run}) / len(run)
            score = names * 10 - span - (0 if _below_head(run[0].line, lines) else 3) + min(len(run), 4) * 0.5
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


def _stated_run(stated: Sequence[Entry]) -> list[Entry]:
    """What is said outright to be shares of the grade, each once, though they do not add up."""
    run = list({entry.name.casefold(): entry for entry in stated}.values())
    if not 2 <= len(run) <= MOST_PARTS or not any(entry.stated for entry in run):
        return []
    return run if 40 <= sum(entry.value for entry in run) <= 150 else []


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
