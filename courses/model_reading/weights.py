"""The weight of a category, checked against the lines that name it."""

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from courses.model_reading.answers import ReadCategory
from courses.syllabi.evidence import Evidence
from courses.syllabi.reader import Syllabus

NOWHERE: Final = 0
"""The line of a category that the text does not name."""

_NUMBER: Final = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d.,])|\d+(?:[.,]\d+)?")
_EACH: Final = re.compile(r"\b(?:each|apiece|jeweils|chacune?|cada un[oa]?)\b", re.IGNORECASE)
_TOTAL: Final = re.compile(
    r"total|points?\b|pts\b|possible|out of|\bsum\b|gesamt|summe|punkten?\b|\bsomme|\bsuma\b|puntos?\b", re.IGNORECASE
)


def checked_category(syllabus: Syllabus, read: ReadCategory) -> dict[str, Any]:
    """The row of a category. It is never left out: the grade needs all of them.

    `confirmed` means that the lines of its quote, or else of its name, or the line below them, have its weight, a part
    of a total, or "each".
    """
    places = syllabus.places(read.quote) or syllabus.places(read.name)
    confirmed = next((place for place in places if _has_weight(syllabus, place, read.weight)), None)
    place = confirmed or (places[0] if places else None)
    return {
        "name": read.name,
        "weight": read.weight,
        "line": NOWHERE if place is None else place.start + 1,
        "evidence": (Evidence.NOT_FOUND if confirmed is None else Evidence.CONFIRMED).value,
        "doubt": None if confirmed else "the text has no line for it" if place is None else "its weight is not there",
    }


def _has_weight(syllabus: Syllabus, place: range, weight: float) -> bool:
    lines = list(syllabus.lines[place.start : place.stop + 1])
    if any(_EACH.search(line) and _NUMBER.search(line) for line in lines):
        return True
    numbers = set(_numbers(lines))
    return any(abs(number - weight) < 0.01 for number in numbers) or any(
        number < total and abs(number * 100 / total - weight) < 0.06
        for total in _totals(syllabus)
        for number in numbers
    )


def _totals(syllabus: Syllabus) -> set[float]:
    """The numbers of lines about points or a total."""
    return {number for number in _numbers([line for line in syllabus.lines if _TOTAL.search(line)]) if number > 1}


def _numbers(lines: Sequence[str]) -> Iterator[float]:
    for line in lines:
        for found in _NUMBER.findall(line):
            thousands = re.fullmatch(r"\d{1,3}(?:,\d{3})+", found)
            yield float(found.replace(",", "") if thousands else found.replace(",", "."))
