"""The numbers of a line that say what a part of the grade weighs, each with the words that name the part."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from courses.syllabi.phrases import phrases_of
from courses.syllabi.rows import cells_of
from courses.syllabi.words import MONTHS, one_of

MOST_PARTS: Final = 20
"""Categories in a grade, at most."""

_PERCENT: Final = re.compile(
    r"(?<![\d.,–-])(\d{1,3}(?:[.,]\d{1,2})?)\s?(?:%|percent\b|per cent\b|prozent\b|pour cent\b|por ciento\b)"
    r"(?P<each>\s?(?:each|apiece|je\b|chacun|cada un))?",
    re.IGNORECASE,
)
_POINTS: Final = re.compile(
    r"(?<![\d.,/@\u00d7x*–-])(\d{1,2},\d{3}|\d{1,4})\s?(?:points?|pts?|punkten?|puntos)\b\.?"
    r"(?P<each>\s?(?:each|apiece|cada un))?",
    re.IGNORECASE,
)
_PLAIN: Final = re.compile(r"(?<![\d.,/–-])(\d{1,3}(?:\.\d{1,2})?)\s*$")
_NUMBER_CELL: Final = re.compile(r"\s*(\d{1,4}(?:\.\d{1,2})?)\s*(%|points?|pts?\.?)?\s*", re.IGNORECASE)
_SLASHED: Final = re.compile(r"\s*[/,;|]\s*")
COUNTS: Final = {
    "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "zwei": 2,
    "drei": 3, "vier": 4, "fünf": 5, "deux": 2, "trois": 3, "quatre": 4, "dos": 2, "tres": 3, "cuatro": 4, "cinco": 5,
}  # fmt: skip
"""Words of number, for what counts so much each."""

_COUNT: Final = re.compile(
    rf"(?<![-/])\b(?:(?P<figures>[2-9]|1\d)\b(?![-/%])|(?P<word>{'|'.join(COUNTS)})\b|I and II\b)", re.IGNORECASE
)
_LIMIT: Final = re.compile(r"[\s:,–-]*\b(?:max\.?|maximum|up to|maximal|máx\.?)\s*$", re.IGNORECASE)
_PREDICATE: Final = re.compile(
    r"\b(?:is|are|will|there|consists?|comprises?|based|determined|se calcula|se compone|consta|setzt|besteht|ergibt"
    r"|se compose|comprend|mediante)\b",
    re.IGNORECASE,
)
_EACH_BEFORE: Final = re.compile(r"\b(?:each|every|cada un[oa]|jeweils|chacune?)\b[^.;,]{0,30}$", re.IGNORECASE)
_DATED: Final = re.compile(
    rf"\b(?:{one_of(MONTHS)})\b\.?\s\d{{1,2}}\b|\d{{1,2}}\.?\s(?:{one_of(MONTHS)})\b\.?", re.IGNORECASE
)
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
NO_PART: Final = re.compile(
    r"\b(?:late|penalt\w+|deduct\w*|below|above|at least|minimum|maximum|less than|more than|fewer|lower than"
    r"|higher|per day|each day|every day|a day|one day"
    r"|plagiar\w*|loses?|lost|reduc\w+|curve|up to|or better|extra credit|bonus|earned|score[ds]?|scoring"
    r"|miss(?:ed|ing)?|drop\w*|pass(?:ing)?|fail\w*"
    r"|responsible|your own|similar\w*|of students|discount|refund|tuition|accura\w+|chance|probability|attain"
    r"|achieve|obtain|within|24 hours|total|sum"
    r"|remaining|threshold|cutoff|original|interest|capped|must|pénalit\w+|retard|note de passage|au moins|au minimum"
    r"|seuil|mindestens|abzug|verspätet\w*|zugelassen|zulassung|bestanden|exig\w+|pierden?|descuent\w+|al menos"
    r"|por lo menos|mínim[oa]s?|obteng\w+|aprobar|asistencia mínima|penaliza\w*)\b",
    re.IGNORECASE,
)
_VERB: Final = re.compile(
    r"\s*\b(?:(?:will )?(?:counts?|counting|contribut\w+|accounts?) (?:for|as|toward)|(?:is|are"
    r"|will be)?\s?worth|makes? up|comprises?|(?:will )?equals?|weigh\w*"
    r"|zählt|compte pour|vale|(?:is|are|will be|for|at|of|de|von|à|max\.?|maximum|about"
    r"|approximately|around|a total of))\s*$",
    re.IGNORECASE,
)
_OPENING: Final = re.compile(
    r"^\s*(?:[•●○◦▪■□*·➢►✓o–—-]\s+|\(?(?:\d{1,2}|[a-zA-Z])[.)]\s+|and\s+|und\s+|et\s+|y\s+|the\s+|your\s+|an?\s+"
    r"|aus\s+|de[rmns]\s+|die\s+|das\s+|l[ae]\s+|les\s+|el\s+|una?\s+|eine?[mnrs]?\s+|l[oa]s\s+|l'"
    r"|&\s+|\+\s*)+",
    re.IGNORECASE,
)
_OF_GRADE: Final = re.compile(r"^\s*of (?:the |your )?(?:\w+ )?(?:grade|mark|score)s?\b", re.IGNORECASE)
_LEADERS: Final = re.compile(r"[.·_…]{3,}|(?:\. ){3,}")
_BRACKETS: Final = re.compile(r"\s*[(\[][^()\[\]]{0,120}(?:[)\]]|$)")
_TAKEN_OFF: Final = " \t,;:.–—-=|*#()[]…→~"


@dataclass(frozen=True, slots=True)
class Entry:
    """A number with the words that it belongs to.

    Attributes:
        name: the words.
        value: the number, times the count of what it is of each.
        line: where, from 0.
        unit: of what it is a number: `%`, `each` (also a percentage, of each of several), `points` or `plain`.
        stated: whether the text says outright that it is a share of the grade.
        written: the number as it is written.
    """

    name: str
    value: float
    line: int
    unit: str
    stated: bool = False
    written: float = 0


def entries_of(line: str, number: int, *, plain: bool, weights_column: bool) -> Iterator[Entry]:
    """The entries of one line; percentages twice, as `%` and as `each`.

    Args:
        line: as `readable` gives it.
        number: which it is, from 0.
        plain: whether bare numbers count, as below a head "Percentage".
        weights_column: whether they do at the end of any line.
    """
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
        percentages = _without_details(line, percentages)
        yield from _of_numbers(line, number, percentages, "each")
        outside = [one for one in percentages if not (one["each"] and line[: one.start()].endswith("("))]
        yield from _of_numbers(line, number, outside or percentages, "%")
        return
    yield from _of_numbers(line, number, _without_details(line, list(_POINTS.finditer(line))), "points")
    if plain:
        pieces = _SLASHED.split(line.split(":", 1)[-1])
        if len(pieces) >= 3 and all(_PLAIN.search(piece) for piece in pieces):
            for piece in pieces:
                yield from _of_plain(piece, number)
        elif weights_column:
            yield from _of_plain(line, number)


def _without_details(line: str, found: Sequence[re.Match[str]]) -> list[re.Match[str]]:
    """The numbers of a line without those in brackets that make up another: "Analyses (3 x 10%) ... 30%"."""
    if len(found) < 2:
        return list(found)
    inside = [line.rfind("(", 0, one.start()) > line.rfind(")", 0, one.start()) for one in found]
    if all(inside) and line.lstrip().startswith("(") and line.rstrip(" .").endswith(")"):
        return []
    outside = [one for one, bracketed in zip(found, inside, strict=True) if not bracketed]
    if len(outside) == 1:
        (whole,) = outside
        between = line[line.rfind(")", 0, whole.start()) : whole.start()]
        if whole is found[0]:
            between = line[whole.end() : line.find("(", whole.end())]
        if (whole is found[0] or whole is found[-1]) and not any(map(str.isalpha, between)):
            return outside
    return list(found)


def _of_row(cells: Sequence[str], number: int) -> Entry | None:
    """The entry of a row with a name and a cell that is a number."""
    alone = [cell for cell in cells[1:] if _PERCENT.fullmatch(cell.strip(" *"))]
    shares = [share for cell in alone or cells[1:] if (share := _share_in(cell)) is not None]
    name = next((cleaned for cell in cells if not _NUMBER_CELL.fullmatch(cell) and (cleaned := name_of(cell))), "")
    if shares and name:
        return Entry(name, shares[-1], number, "%")
    numbers = [found for cell in cells[1:] if (found := _NUMBER_CELL.fullmatch(cell))]
    if not numbers or not name:
        return None
    return Entry(name, float(numbers[-1][1]), number, "points")


def _share_in(cell: str) -> float | None:
    """The percentage in a short cell: of "5% each (20% total)" the total."""
    if len(cell) > 40:
        return None
    every = list(_PERCENT.finditer(cell))
    found = next((one for one in every if cell[one.end() :].lstrip().startswith("total")), None)
    found = found or next((one for one in every if not one["each"]), None)
    return float(found[1].replace(",", ".")) if found else None


def _of_numbers(line: str, number: int, found: Sequence[re.Match[str]], unit: str) -> Iterator[Entry]:
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
            words = _LIMIT.sub("", words.rstrip(_TAKEN_OFF)).rstrip(_TAKEN_OFF)
            words = re.split(r"[;]|:\s+(?=\S)|(?<=[a-z)])[.!?]\s+", words)[-1]
        value = written = float(one[1].replace(",", "" if unit == "points" else "."))
        words = _LIMIT.sub("", _BRACKETS.sub(" ", words).rstrip(_TAKEN_OFF) if re.search(r"\w\s*\(", words) else words)
        each = _EACH_BEFORE.search(words)
        words = words[: each.start()].rstrip(" ,") if each and words[: each.start()].strip() else words
        whole = words
        if len(words.split()) > 6 or ", " in words:
            words = words.rsplit(", ", 1)[-1]
        if one["each"] or (each and whole):
            count = count_in(words) or count_in(whole)
            if count is None:
                continue
            value *= count
        name = "" if _PREDICATE.search(words) else name_of(words)
        name = name or (_named_in(whole) if len(whole.split()) > 6 or words != whole else "") or name_of(words)
        if name and 0 < value <= (5000 if unit == "points" else 100):
            yield Entry(name, value, number, unit, written=written)


def count_in(words: str) -> int | None:
    """How many of something words name, from 2; None where they do not say."""
    found = _COUNT.search(words)
    if found is None:
        return None
    return int(found["figures"]) if found["figures"] else COUNTS[(found["word"] or "two").lower()]


def _named_in(words: str) -> str:
    """The last words of a longer text that name an item."""
    phrases = [] if NO_PART.search(words) else phrases_of(words[-200:])
    return name_of(phrases[-1].title) if phrases else ""


def _of_plain(text: str, number: int) -> Iterator[Entry]:
    found = _PLAIN.search(text)
    if found and (name := name_of(text[: found.start()])) and 0 < float(found[1]) <= 100:
        yield Entry(name, float(found[1]), number, "plain")


def name_of(text: str) -> str:
    """The name of a part out of the words beside its number; empty where they name none."""
    if NO_PART.search(text) or _SCALE.search(text):
        return ""
    text = _OF_GRADE.sub("", _LEADERS.sub(" ", _BRACKETS.sub(" ", text)))
    text = _DATED.sub(" ", text)
    text = _OPENING.sub("", _VERB.sub("", text.strip(_TAKEN_OFF)).strip(_TAKEN_OFF))
    text = " ".join(_VERB.sub("", text).split()).strip(_TAKEN_OFF)
    if len(text.split()) > 8 or len(text) > 60 or sum(map(str.isalpha, text)) < 2 or _LETTER.search(text):
        return ""
    return text
