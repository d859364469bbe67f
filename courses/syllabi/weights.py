"""What a syllabus says the parts of the grade weigh."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from courses.syllabi.rows import MOST_CHARACTERS, MOST_LINES, cells_of, role_of

MOST_ENTRIES: Final = 600
"""Numbers with a percent sign or points that are looked at; a syllabus has a few dozen."""

MOST_PARTS: Final = 20
"""Categories in a grade, at most."""

_PERCENT: Final = re.compile(
    r"(?<![\d.,–-])(\d{1,3}(?:[.,]\d{1,2})?)\s?(?:%|percent\b|per cent\b|prozent\b)(?P<each>\s?(?:each|apiece"
    r"|je\b|chacun))?",
    re.IGNORECASE,
)
_POINTS: Final = re.compile(
    r"(?<![\d.,/@\u00d7x*–-])(\d{1,2},\d{3}|\d{1,4})\s?(?:points?|pts?|punkte)\b\.?(?P<each>\s?(?:each|apiece))?",
    re.IGNORECASE,
)
_PLAIN: Final = re.compile(r"(?<![\d.,/–-])(\d{1,3}(?:\.\d{1,2})?)\s*$")
_NUMBER_CELL: Final = re.compile(r"\s*(\d{1,4}(?:\.\d{1,2})?)\s*(%|points?|pts?\.?)?\s*", re.IGNORECASE)
_SLASHED: Final = re.compile(r"\s*[/,;|]\s*")
_COUNT: Final = re.compile(
    r"\b(?:(?P<figures>[2-9]|1\d)\b|(?P<word>two|three|four|five|six)\b|I and II\b)", re.IGNORECASE
)
_COUNTS: Final = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
_LETTER: Final = re.compile(
    r"^(?:grade\s)?[A-F][+\u2212–-]?(?:\s?[/=:]|$)|^(?:HD|DN?|CR|PP?|NN?|pass|fail|excellent|good|very good"
    r"|satisfactory|poor)$",
    re.IGNORECASE,
)
_SCALE: Final = re.compile(
    r"(?<![\d.,/-])\d{2,3}(?:\.\d+)?\s?%?\s?(?:[-–—]|to|and)\s?(?:\d{2,3}(?![\d/-])|above|below|up)|[<>≥≤]"
    r"|\b[A-F][+-]?\s?[=:]\s?\d|\d\s?%?\s?=\s?[A-F]\b",
    re.IGNORECASE,
)
_NO_PART: Final = re.compile(
    r"\b(?:late|penalt\w+|deduct\w*|below|above|at least|minimum|maximum|less than|more than|fewer|lower than"
    r"|higher|per day|each day|every day|a day|one day"
    r"|plagiar\w*|loses?|lost|reduc\w+|curve|up to|or better|extra credit|bonus|earned|score[ds]?|scoring"
    r"|miss(?:ed|ing)?|drop\w*|pass(?:ing)?|fail\w*"
    r"|responsible|your own|similar\w*|of students|discount|refund|tuition|accura\w+|chance|probability|attain"
    r"|achieve|obtain|within|24 hours|total|sum"
    r"|remaining|threshold|cutoff|original|interest|capped|must)\b",
    re.IGNORECASE,
)
_HEAD: Final = re.compile(
    r"\b(?:grad(?:e|es|ing)|evaluation|assessments?|weight\w*|percent(?:age)?s?|points?|bewertung|note|notation"
    r"|évaluation|évaluations|calificación"
    r"|evaluación|ponderación|requirements|breakdown|marks|distribution|leistungsnachweis\w*|composition"
    r"|course work|coursework)\b",
    re.IGNORECASE,
)
_VERB: Final = re.compile(
    r"\s*\b(?:(?:will )?(?:counts?|counting|contribut\w+|accounts?) (?:for|as|toward)|(?:is|are"
    r"|will be)?\s?worth|makes? up|comprises?|(?:will )?equals?|weigh\w*"
    r"|zählt|compte pour|vale|(?:is|are|will be|for|at|of|about|approximately|around|a total of))\s*$",
    re.IGNORECASE,
)
_OPENING: Final = re.compile(
    r"^\s*(?:[•●○◦▪■□*·➢►✓o–—-]\s+|\(?(?:\d{1,2}|[a-zA-Z])[.)]\s+|and\s+|und\s+|et\s+|y\s+|the\s+|your\s+|an?\s+"
    r"|&\s+|\+\s*)+",
    re.IGNORECASE,
)
_OF_GRADE: Final = re.compile(r"^\s*of (?:the |your )?(?:\w+ )?(?:grade|mark|score)s?\b", re.IGNORECASE)
_LEADERS: Final = re.compile(r"[.·_…]{3,}|(?:\. ){3,}")
_BRACKETS: Final = re.compile(r"\s*[(\[][^()\[\]]{0,120}(?:[)\]]|$)")
_TAKEN_OFF: Final = " \t,;:.–—-=|*#()[]…→~"


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


@dataclass(frozen=True, slots=True)
class _Entry:
    name: str
    value: float
    line: int
    unit: str


def weights_in(lines: Sequence[str]) -> list[Weight]:
    """The parts of the grade, or none where the text does not say them.

    Of all numbers with a percent sign, of points, and of bare numbers below a head as "Percentage", that run of
    neighbours counts which adds up to 100 % or to the total of points; if none does, percentages below such a head.
    """
    entries: dict[str, list[_Entry]] = {"%": [], "each": [], "points": [], "plain": []}
    headed, role = -100, False
    for number, line in enumerate(lines[:MOST_LINES]):
        if _HEAD.search(line.split(":", 1)[0]) and ":" in line:
            headed = number
        if not any(character.isdigit() for character in line):
            if _HEAD.search(line) and len(line) < 90:
                headed = number
                role = any(role_of(cell) == "weight" for cell in (*cells_of(line), line.split()[-1]))
            continue
        for entry in _entries(line[:MOST_CHARACTERS], number, plain=number - headed <= 25, weights_column=role):
            if len(entries[entry.unit]) < MOST_ENTRIES:
                entries[entry.unit].append(entry)
    for unit in ("%", "each", "points", "plain"):
        if run := _whole_run(entries[unit], lines):
            total = sum(entry.value for entry in run)
            return [Weight(entry.name, round(entry.value * 100 / total, 2), entry.line) for entry in run]
    return [Weight(entry.name, entry.value, entry.line) for entry in _headed_run(entries["%"], lines)]


def _entries(line: str, number: int, *, plain: bool, weights_column: bool) -> Iterator[_Entry]:
    if _SCALE.search(line) and not _PERCENT.search(re.split(r"[–-]", line[:40])[0]):
        return
    cells = cells_of(line)
    if len(cells) > 1 and (row := _of_row(cells, number)):
        yield row
        if row.unit == "%":
            yield replace(row, unit="each")
        return
    percentages = list(_PERCENT.finditer(line))
    if percentages:
        yield from _of_numbers(line, number, percentages, "each")
        outside = [one for one in percentages if not (one["each"] and line[: one.start()].endswith("("))]
        yield from _of_numbers(line, number, outside or percentages, "%")
        return
    yield from _of_numbers(line, number, list(_POINTS.finditer(line)), "points")
    if plain:
        pieces = _SLASHED.split(line.split(":", 1)[-1])
        if len(pieces) >= 3 and all(_PLAIN.search(piece) for piece in pieces):
            for piece in pieces:
                yield from _of_plain(piece, number)
        elif weights_column:
            yield from _of_plain(line, number)


def _of_row(cells: Sequence[str], number: int) -> _Entry | None:
    """The entry of a row with a name and a cell that is a number."""
    shares = [share for cell in cells[1:] if (share := _share_in(cell)) is not None]
    name = next((cleaned for cell in cells if not _NUMBER_CELL.fullmatch(cell) and (cleaned := _name(cell))), "")
    if shares and name:
        return _Entry(name, shares[-1], number, "%")
    numbers = [found for cell in cells[1:] if (found := _NUMBER_CELL.fullmatch(cell))]
    if not numbers or not name:
        return None
    return _Entry(name, float(numbers[-1][1]), number, "points")


def _share_in(cell: str) -> float | None:
    """The percentage in a short cell: of "5% each (20% total)" the total."""
    if len(cell) > 40:
        return None
    every = list(_PERCENT.finditer(cell))
    found = next((one for one in every if cell[one.end() :].lstrip().startswith("total")), None)
    found = found or next((one for one in every if not one["each"]), None)
    return float(found[1].replace(",", ".")) if found else None


def _of_numbers(line: str, number: int, found: Sequence[re.Match[str]], unit: str) -> Iterator[_Entry]:
    """The entries of a line with one or more numbers, each with the words before it, or else after it."""
    if not 0 < len(found) <= MOST_PARTS:
        return
    before = line[: found[0].start()].rstrip()
    after = (len(found) > 1 and before.endswith((":", "=")) and found[-1].end() < len(line.rstrip(" ."))) or not any(
        map(str.isalpha, before)
    )
    for at, one in enumerate(found):
        if after:
            words = line[one.end() : found[at + 1].start() if at + 1 < len(found) else len(line)]
            words = re.split(r"[.;:(–—]|\s-\s|, and ", re.sub(r"^[\s:–—=-]*(?:of |for )?", "", words), maxsplit=1)[0]
        else:
            words = line[found[at - 1].end() if at else 0 : one.start()]
            words = re.split(r"[;]|:\s+(?=\S)|(?<=[a-z)])[.!?]\s+", words.rstrip(_TAKEN_OFF))[-1]
            if len(words.split()) > 6 or ", " in words:
                words = words.rsplit(", ", 1)[-1]
        value = float(one[1].replace(",", "" if unit == "points" else "."))
        if one["each"]:
            count = _COUNT.search(words)
            if count is None:
                continue
            value *= int(count["figures"]) if count["figures"] else _COUNTS.get((count["word"] or "two").lower(), 2)
        if (name := _name(words)) and 0 < value <= (5000 if unit == "points" else 100):
            yield _Entry(name, value, number, unit)


def _of_plain(text: str, number: int) -> Iterator[_Entry]:
    found = _PLAIN.search(text)
    if found and (name := _name(text[: found.start()])) and 0 < float(found[1]) <= 100:
        yield _Entry(name, float(found[1]), number, "plain")


def _name(text: str) -> str:
    """The name of a part out of the words beside its number; empty where they name none."""
    if _NO_PART.search(text) or _SCALE.search(text):
        return ""
    text = _OF_GRADE.sub("", _LEADERS.sub(" ", _BRACKETS.sub(" ", text)))
    text = _OPENING.sub("", _VERB.sub("", text.strip(_TAKEN_OFF)).strip(_TAKEN_OFF))
    text = " ".join(_VERB.sub("", text).split()).strip(_TAKEN_OFF)
    if len(text.split()) > 8 or len(text) > 60 or sum(map(str.isalpha, text)) < 2 or _LETTER.search(text):
        return ""
    return text


def _whole_run(entries: Sequence[_Entry], lines: Sequence[str]) -> list[_Entry]:
    """The run of neighbours that adds up to the whole: 100, or for points the total that is written."""
    best: tuple[float, list[_Entry]] | None = None
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


def _is_whole(total: float, run: Sequence[_Entry], lines: Sequence[str]) -> bool:
    if run[0].unit != "points":
        return abs(total - 100) < 0.05
    around = lines[max(0, run[0].line - 3) : run[-1].line + 4]
    written = f"{total:g}"
    return any(
        re.search(r"\btotal\b|\bout of\b|\bsumme?\b", line, re.IGNORECASE) and written in line.replace(",", "")
        for line in around
    )


def _headed_run(entries: Sequence[_Entry], lines: Sequence[str]) -> list[_Entry]:
    """Percentages close together below a head, where none add up: better shown with a warning than not at all."""
    runs: list[list[_Entry]] = []
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
