"""The shares of a grade that the rows of a syllabus name: in lists, in tables and in sentences."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from courses.syllabi.phrases import phrases_of
from courses.syllabi.rows import Row, sentences_of
from courses.syllabi.titles import cleaned
from courses.syllabi.weight_names import BRACKETS, DATED, SCALE, name_of

MOST_PARTS: Final = 20
"""Categories in a grade, at most."""

MOST_READ: Final = 400
"""Characters of a sentence before a share in which its name is looked for."""

_FRACTIONS: Final = {
    "half": 50, "third": 100 / 3, "thirds": 100 / 3, "quarter": 25, "quarters": 25, "fourth": 25, "fifth": 20,
    "fifths": 20, "sixth": 100 / 6, "eighth": 12.5, "tenth": 10, "hälfte": 50, "drittel": 100 / 3, "viertel": 25,
    "fünftel": 20, "zehntel": 10, "moitié": 50, "tiers": 100 / 3, "quart": 25, "mitad": 50, "tercio": 100 / 3,
    "cuarto": 25, "quinto": 20,
}  # fmt: skip
COUNTS: Final = {
    "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "zwei": 2,
    "drei": 3, "vier": 4, "fünf": 5, "deux": 2, "trois": 3, "quatre": 4, "dos": 2, "tres": 3, "cuatro": 4, "cinco": 5,
}  # fmt: skip
"""Words of number, for what counts so much each."""

_GRADE: Final = (
    r"(?:of|toward|towards|in|into|der|des|de|del|in die)\s(?:(?:the|your|their|a|each|student'?s?|la|el|l'|tu|su"
    r"|final|overall|total|course|class|semester|whole)\s?){0,4}\s?"
    r"(?:grade|mark|score|total|\w*note|nota|calificación|évaluation|it)\b"
)
_OF_GRADE: Final = re.compile(rf"\s*(?:\)\s*)?(?:each\s)?{_GRADE}", re.IGNORECASE)
_NUMBER: Final = r"(?<![\d.,/@\u00d7x*–-])(?P<number>\d{1,2},\d{3}|\d{1,4}(?:[.,]\d{1,2})?)\s?"
_EACH_AFTER: Final = r"(?P<each>\s?(?:each|apiece|je\b|chacune?|cada un[oa]?)\b)?"
_PERCENT: Final = re.compile(
    rf"{_NUMBER}(?:%|percent\b|per cent\b|prozent\b|pour cent\b|por ciento\b){_EACH_AFTER}"
    rf"|\b(?:(?P<times>{'|'.join(COUNTS)})[ -])?(?P<fraction>{'|'.join(_FRACTIONS)})(?=\s+{_GRADE})",
    re.IGNORECASE,
)
_POINTS: Final = re.compile(rf"{_NUMBER}(?:points?|pts?|punkten?|puntos)\b\.?{_EACH_AFTER}", re.IGNORECASE)
_PLAIN: Final = re.compile(r"[^\d%]*?[^\W\d]{2}.*?[\s:.](?P<number>\d{1,3}(?:\.\d{1,2})?)\W*")
_NUMBER_CELL: Final = re.compile(r"\s*(\d{1,4}(?:\.\d{1,2})?)\s*")
_VERB: Final = re.compile(
    r"\b(?:counts?|counted|counting|worth|mak(?:es?|ing) up|accounts?|accounting|contribut(?:es?|ed|ing)"
    r"|constitut(?:es?|ing)|represents?|representing|comprises?|comprising|carr(?:y|ies)|equals?|equaling|weigh(?:s"
    r"|ted)?|weighting|determines?|forms?|zählt|zählen|macht|machen|fließt|gewichtet|compte|comptent|vaut|valent"
    r"|représente|vale|valen|cuenta|representa|equivale)\b(?:\s(?:for|as|at|to|up|by|mit|zu|pour|un|une|el|la|a|an"
    r"|one|the|about|approximately|another|remaining|last|other|final|total of|only)){0,4}\s*$|(?<=[\w)])\s*=\s*$",
    re.IGNORECASE,
)
_FROM: Final = re.compile(
    rf"\)?\s*(?:{_GRADE})?\s*(?:will\s)?(?P<verb>comes?|is|are|be|depends?|reserved|goes?)?\s?(?:(?:based|determined|given"
    r"|reserved|awarded)\s)?(?:from|on|by|for|to)\s(?P<subject>[^.;,()%]{3,70})",
    re.IGNORECASE,
)
_PRONOUN: Final = re.compile(
    r"^\W*(?:it|this|they|these|which|that|each)\b\W*(?:exam|one|will|of \w+)?\W*$", re.IGNORECASE
)
_DETAIL_BEFORE: Final = re.compile(
    r"\([^()]{0,80}\d[^()]{0,80}\)(?=[^\w(]{0,60}\d+(?:[.,]\d+)?\s?(?:%|points?\b|pts\b))"
)
_DETAIL_AFTER: Final = re.compile(rf"(\d\s?%(?:\s{_GRADE})?)\s?\([^()]{{0,80}}%[^()]{{0,80}}\)", re.IGNORECASE)
"""Brackets that say what makes up the share before or after them: "Analyses (3 x 10%) ... 30%"."""

_EACH: Final = re.compile(r"\b(?:each|every|apiece|jede[rs]?|jeweils|chacune?|chaque|cada)\b", re.IGNORECASE)
_COUNT: Final = re.compile(
    rf"(?<![-/])\b(?:(?P<figures>[2-9]|1\d)\b(?![-/%])|(?P<word>{'|'.join(COUNTS)})\b|I and II\b)", re.IGNORECASE
)
_SPLIT: Final = re.compile(
    r"[;:]\s|,\s(?:and\s|und\s|et\s|y\s)?|\s[–—-]\s|\s(?:and|but|while)\s(?=(?:each|the|your|an?)\s)"
)
_LENGTH: Final = re.compile(
    rf"\W*(?:[\d.,]+|an?|{'|'.join(COUNTS)})[\s-](?:words?|pages?|hours?|minutes?|min|wörter|seiten|mots|palabras)\b",
    re.IGNORECASE,
)
_LABEL: Final = re.compile(
    r"\W*(?:weight(?:ing)?|worth|value|percentage|share|points|gewicht(?:ung)?|pondération|ponderación|peso)\W*",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Entry:
    """A share with the words that it belongs to.

    Attributes:
        name: the words.
        value: the number, times the count of what it is of each.
        line: where, from 0.
        unit: of what it is a number: `%`, `points` or `plain`.
    """

    name: str
    value: float
    line: int
    unit: str


def entries_of(row: Row, block: Sequence[Row], counted: dict[str, tuple[str, int]], *, plain: bool) -> list[Entry]:
    """The entries of one row.

    Args:
        row: a row of the text.
        block: the rows above it without an empty line between.
        counted: how many there are of what the text counts.
        plain: whether bare numbers count, as below a head "Percentage".
    """
    if SCALE.search(row.text) and not _PERCENT.search(re.split(r"[–-]", row.text[:40])[0]):
        return []
    if row.is_table and (found := _of_cells(row)):
        return found
    found = []
    before = ""
    for start, sentence in sentences_of(row.text):
        for at, entry in _of_sentence(sentence[: MOST_READ * 4], before, counted):
            found.append(replace(entry, line=row.line_at(start + at)))
        before = sentence
    if (
        len(found) == 1
        and (not found[0].name or _LABEL.fullmatch(found[0].name))
        and block
        and not SCALE.search(block[-1].text)
    ):
        above = block[0] if _LABEL.match(row.text) else block[-1]
        found = [replace(found[0], name=name_of(above.text.split(": ", 1)[-1]), line=above.line)]
    named = [one for one in found if one.name]
    return named or (_of_plain(row) if plain and not found else [])


def _of_cells(row: Row) -> list[Entry]:
    """The entry of a row with a name and a cell that is a number, or those of cells with both."""
    numbers = [_share_in(cell) for cell in row.cells]
    names = [
        "" if _NUMBER_CELL.fullmatch(cell) else name_of(cleaned(_OF_GRADE.sub(" ", cell), [])) for cell in row.cells
    ]
    both = [
        Entry(name, number[0], row.line, number[1])
        for name, number in zip(names, numbers, strict=True)
        if name and number and number[1] == "%"
    ]
    alone = [number for name, number in zip(names, numbers, strict=True) if number and not name]
    if len(both) > 1 or (both and not alone):
        return both
    name = next((name for name in names if name), "")
    shares = [one for one in alone if one[1] == "%"] or alone
    return [Entry(name, shares[-1][0], row.line, shares[-1][1])] if shares and name else []


def _share_in(cell: str) -> tuple[float, str] | None:
    """The number of a short cell, with its unit: of "5% each (20% total)" the total."""
    every = list(_PERCENT.finditer(cell)) if len(cell) <= 60 else []
    found = next((one for one in every if not one["each"]), None)
    if found:
        return _value(found), "%"
    bare = _POINTS.fullmatch(cell.strip()) or _NUMBER_CELL.fullmatch(cell)
    return (float(bare[1].replace(",", "")), "points") if bare else None


def _of_sentence(sentence: str, before: str, counted: dict[str, tuple[str, int]]) -> Iterator[tuple[int, Entry]]:
    """The entries of a sentence with their places; those without a name say nothing of a part of the grade."""
    sentence = _DETAIL_AFTER.sub(r"\1", _DETAIL_BEFORE.sub(lambda found: " " * len(found[0]), sentence))
    unit, shares = "%", list(_PERCENT.finditer(sentence))
    if not shares:
        unit, shares = "points", list(_POINTS.finditer(sentence))
    if not 0 < len(shares) <= MOST_PARTS:
        return
    first = sentence[: shares[0].start()].rstrip()
    after = not any(map(str.isalpha, first)) or (
        len(shares) > 1 and first.endswith((":", "=")) and any(map(str.isalpha, sentence[shares[-1].end() :]))
    )
    for at, share in enumerate(shares):
        head = sentence[max(shares[at - 1].end() if at else 0, share.start() - MOST_READ) : share.start()]
        tail = sentence[share.end() : shares[at + 1].start() if at + 1 < len(shares) else len(sentence)]
        verb, source = _VERB.search(head), _FROM.match(tail)
        said_of = _OF_GRADE.sub("", tail)
        name, each = "", bool(share["each"])
        bare = not any(map(str.isalpha, _OF_GRADE.sub("", head, count=1)))
        if (
            source
            and not verb
            and (_OF_GRADE.match(tail) or source["verb"] in {"comes", "goes"} or (source["verb"] and bare))
        ):
            name = name_of(source["subject"])
        elif after and not verb:
            name = name_of(
                re.split(r"[.,;:(–—]|\s-\s", re.sub(r"^[\s:–—=-]*(?:of |for )?", "", said_of), maxsplit=1)[0]
            )
        else:
            name, of_each = _before(head[: verb.start()] if verb else head, before)
            each = each or of_each
        value = _value(share)
        if each:
            name, count = _of_all(name, head, counted)
            value *= count
        if 0 < value <= (5000 if unit == "points" else 100):
            yield share.start(), Entry(name, value, 0, unit)


def _before(head: str, before: str) -> tuple[str, bool]:
    """The name that the words before a share give, and whether they say it is one of each of several."""
    head = _OF_GRADE.sub("", BRACKETS.sub(" ", head.rstrip(" (")), count=1)
    pieces = [piece for piece in _SPLIT.split(head.rstrip(" (=,:")) if any(map(str.isalpha, piece))]
    pieces = [piece for piece in pieces if not (DATED.search(piece) or _LENGTH.match(piece))] or pieces[-1:]
    if not pieces:
        return "", False
    each = bool(_EACH.search(pieces[-1]))
    if _PRONOUN.match(pieces[-1]):
        named = phrases_of(" ".join(pieces[:-1])) or phrases_of(before[-MOST_READ:])
        return (named[0].title if named else ""), each
    return name_of(pieces[-1]) or next((name for piece in reversed(pieces) if (name := name_of(piece))), ""), each


def _value(share: re.Match[str]) -> float:
    if share["number"]:
        return float(re.sub(r",(?=\d{3})", "", share["number"]).replace(",", "."))
    return _FRACTIONS[share["fraction"].lower()] * COUNTS.get((share["times"] or "").lower(), 1)


def _of_all(name: str, head: str, counted: dict[str, tuple[str, int]]) -> tuple[str, int]:
    """The name and number of all of them, where its words, or else the text, say how many there are."""
    found = _COUNT.search(name)
    for word in reversed(re.findall(r"[^\W\d_]+", "" if found else name.lower())):
        if known := counted.get(word.removesuffix("s")):
            return known
    if found := found or _COUNT.search(head):
        return name, int(found["figures"]) if found["figures"] else COUNTS[(found["word"] or "two").lower()]
    return "", 1


def _of_plain(row: Row) -> list[Entry]:
    """The entries of a line with a bare number at its end, or of a list with one after each of three names."""
    pieces = [piece for piece in re.split(r"\s*[/,;|]\s*", row.text.split(":", 1)[-1]) if piece]
    pieces = pieces if len(pieces) >= 3 else [row.text]
    found = [_PLAIN.fullmatch(re.sub(r"\([^()]*\)(?!\s*$)", "", piece)) for piece in pieces]
    if not all(found) or DATED.search(row.text):
        return []
    named = [(name_of(one[0][: one.start("number")]), float(one["number"])) for one in found if one]
    return [Entry(name, value, row.line, "plain") for name, value in named if name and 0 < value <= 100]
