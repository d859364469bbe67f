"""The numbers of grade categories: percentages, points, fractions, words, and counts of equal pieces."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from courses.syllabi.rows import MOST_CHARACTERS, MOST_LINES
from courses.syllabi.vocabulary import VOCABULARY

_FRACTIONS: Final = {word: one["percent"] for one in VOCABULARY["fractions"] for word in one["words"]}
COUNTS: Final = {word: number for number, words in enumerate(VOCABULARY["counts"]) for word in words}
"""Number words for a weight per piece."""

_SPELLED: Final = dict(zip(VOCABULARY["numbers"], (*range(1, 20), *range(20, 100, 5)), strict=True))
"""Numbers below twenty, and multiples of five, in English words."""

GRADE: Final = (
    r"(?:of|toward|towards|in|into|der|des|de|del|in die)\s(?:(?:the|your|their|a|each|student'?s?|la|el|l'|tu|su"
    r"|final|overall|total|course|class|semester|whole)\s?){0,4}\s?"
    r"(?:grade|mark|score|total|\w*note|nota|calificación|évaluation|it)\b"
)
_SHARE: Final = re.compile(
    r"(?:(?<![\d.,/@\u00d7x*–-])(?:(?P<times>\d{1,2}) ?[@x\u00d7] ?)?(?:"
    r"(?P<number>\d{1,2},\d{3}|\d{1,4}(?:[.,]\d{1,2})?)\s?(?:(?P<points>(?:points?|pts?|punkten?|puntos)\b\.?)"
    r"|%(?! off| per )|(?:percent|per cent|prozent|pour cent|por ciento)\b(?! off| per ))"
    r"|(?<![^\s:.(=])(?:(?<=\(\d [x\u00d7] )|(?<![\dx\u00d7] ))(?!\d\))(?P<bare>\d{1,4}(?:\.\d{1,2})?))"
    rf"|\b(?:(?P<parts>{'|'.join(COUNTS)})[ -])?(?P<fraction>{'|'.join(_FRACTIONS)})(?=\s+{GRADE})"
    rf"|\b(?P<spelled>{'|'.join(sorted(_SPELLED, key=len, reverse=True))}) (?:percent|per cent)\b)"
    r"(?P<each>\s?(?:each|apiece|je\b|chacune?|cada un[oa]?)\b)?"
    r"(?(bare)(?=\W*$|,(?!\d)|[;)]| [/|(]| (?:(?:is|are|comes?) for|and|und|et|y)\b))",
    re.IGNORECASE,
)
"""A percentage, points, a fraction of the grade, or a bare number at the end of a line, a clause or a cell."""

_COUNT: Final = re.compile(
    rf"(?<![-/])\b(?:(?P<figures>[2-9]|1\d)\b(?![-/%])|(?P<word>{'|'.join(COUNTS)})\b"
    r"|I(?:, II)?,?(?: and| &)? (?P<roman>III?)\b)",
    re.IGNORECASE,
)
_COUNTED: Final = re.compile(
    rf"\b(?P<count>{'|'.join(COUNTS)}|[2-9])\s(?P<words>(?:[\w-]+\s){{0,2}}?(?P<noun>[^\W\d_]{{3,}}(?:s|en|er)))\b",
    re.IGNORECASE,
)
_LISTED: Final = re.compile(r"\b\d{1,2}(?:, \d{1,2})*(?:\s?[-–]\s?|,? (?:and|&|to) )\d{1,2}\b")
"""The numbers of several pieces: "Projects 1-4", "Projects 1, 2 and 3"."""

Counted = dict[str, tuple[str, int]]
"""The words and the number of counted pieces, by plural noun."""


@dataclass(frozen=True, slots=True)
class Share:
    """A number with its unit (`%`, `points`, or empty) and its position in a text. `each` means per piece."""

    value: float
    unit: str
    each: bool
    start: int
    end: int


def shares_in(text: str, *, bare: bool) -> list[Share]:
    """The shares in a text: percentages, else points, else bare numbers.

    Bare numbers also continue percentages or points if they outnumber them: "etudes 50 %, songs 20, jury 30".

    Args:
        text: a sentence.
        bare: whether a number without a unit can be a share.
    """
    shares = [_share(found) for found in _SHARE.finditer(text)]
    units = {one.unit for one in shares}
    unit = "%" if "%" in units else "points"
    numbers = sum(not one.unit for one in shares)
    if not bare and (unit not in units or numbers * 2 <= len(shares)):
        shares = [one for one in shares if one.unit]
    return [replace(one, unit=unit) for one in shares if one.unit in {unit, ""}]


def _share(found: re.Match[str]) -> Share:
    if found["spelled"]:
        value: float = _SPELLED[found["spelled"].lower()]
    elif found["fraction"]:
        value = _FRACTIONS[found["fraction"].lower()] * COUNTS.get((found["parts"] or "").lower(), 1)
    else:
        value = float(re.sub(r",(?=\d{3})", "", found["number"] or found["bare"]).replace(",", "."))
    unit = "" if found["bare"] else "points" if found["points"] else "%"
    return Share(value * int(found["times"] or 1), unit, bool(found["each"]), *found.span())


def counted_pieces(lines: Sequence[str]) -> Counted:
    """A number of equal items: "two in-class midterms"."""
    counted: Counted = {}
    for line in lines[:MOST_LINES]:
        for found in _COUNTED.finditer(line[:MOST_CHARACTERS]):
            count = COUNTS.get(found["count"].lower()) or int(found["count"])
            counted.setdefault(found["noun"].lower(), (found["words"], count))
    return counted


def whole_of(name: str, said: str, counted: Counted) -> tuple[str, int]:
    """The name and number of equal items, by the name, else by the text, else by the words around; empty if unknown."""
    if listed := _LISTED.search(name):
        numbers = [int(number) for number in re.findall(r"\d+", listed[0])]
        return name, numbers[-1] - numbers[0] + 1
    found = _COUNT.search(name)
    for word in reversed(re.findall(r"[^\W\d_]+", "" if found else name.lower())):
        for noun, known in counted.items():
            if noun.startswith(re.sub("y$", "", word)) and len(noun) - len(word) < 4:
                return known
    if found := found or _COUNT.search(said):
        if found["word"]:
            return name, COUNTS[found["word"].lower()]
        return name, len(found["roman"]) if found["roman"] else int(found["figures"])
    return "", 1
