"""The rows of a model's answer, checked against the text: items by their quotes, weights by their lines."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from typing import Final

from courses.model_reading.answers import ModelAnswer, ReadCategory, ReadItem
from courses.syllabi.comparison import Stored
from courses.syllabi.drops import MOST_DROPPED
from courses.syllabi.evidence import FURTHEST, Evidence, evidence_for
from courses.syllabi.proposal import MOST_ITEMS, MOST_QUOTED, Proposal, ProposedCategory, ProposedItem, compared
from courses.syllabi.reader import Syllabus
from courses.syllabi.reasons import TICKED
from courses.syllabi.text import words_of
from courses.syllabi.warnings import Caution, misplaced_weekday
from courses.syllabi.words import RECURRING, RELATIVE, weekdays_in

_CONFIRMED: Final = 0.95
_WORKED_OUT: Final = 0.85
_DOUBTED: Final = 0.5
_CONTRADICTED: Final = 0.3

MOST_PLACES: Final = 200
"""Maximum number of places at which a quote is checked. A word or a letter that is everywhere proves nothing, and 300
such rows would take seconds.
"""

_CELLS: Final = re.compile(r"\s*[|\t]\s*")


def checked(
    rules: Proposal,
    syllabus: Syllabus,
    answer: ModelAnswer,
    stored: Sequence[Stored] = (),
    before: Syllabus | None = None,
) -> Proposal:
    """The proposal by a model, with `evidence` in each of its items and categories.

    Args:
        rules: the proposal by rules of the same text. Its course is kept, and the items that it would select on days
            for which the answer has no row.
        syllabus: the text.
        answer: the model's.
        stored: the items of the course to compare with.
        before: the stored text of the course, whose unchanged lines are not proposed back.
    """
    items = [item for one in answer.items if (item := _item(syllabus, one)) is not None]
    missing = len(answer.items) - len(items)
    days = {one.due_on for one in items}
    items += [
        replace(one, confidence=_DOUBTED, doubt="the model did not find it")
        for one in rules.items
        if (one.confidence or 0) >= TICKED and one.due_on not in days
    ]
    categories = [_category(syllabus, one) for one in answer.categories]
    read = Proposal(rules.course, items[:MOST_ITEMS], categories, ())
    proposal = compared(
        syllabus, read, answer.found, stored, lambda item: before is not None and _is_confirmed(before, item)
    )
    return replace(proposal, warnings=[*proposal.warnings, *_left_out(missing, answer.malformed)])


def _is_confirmed(syllabus: Syllabus, item: ProposedItem) -> bool:
    """Return whether a text has the quote of an item, with its date."""
    quote = item.quote or ""
    if not 0 < len(syllabus.places(quote)) <= MOST_PLACES:
        return False
    return evidence_for(syllabus, quote, item.due_on) is Evidence.CONFIRMED


def _left_out(missing: int, malformed: int) -> list[Caution]:
    """The warning about rows of the answer that are not proposed."""
    if not missing + malformed:
        return []
    reasons = [f"the text does not have the line of {missing}"] if missing else []
    reasons += [f"{malformed} cannot be read"] if malformed else []
    rows = "1 row of the model was" if missing + malformed == 1 else f"{missing + malformed} rows of the model were"
    return [Caution("model", f"{rows} left out: {' and '.join(reasons)}.", None)]


def _item(syllabus: Syllabus, read: ReadItem) -> ProposedItem | None:
    """The row of an item; None if its quote is not in the text."""
    places = syllabus.places(read.quote)
    if not places:
        return None
    evidence = _evidence(syllabus, places, read)
    place = _best(syllabus, places, read)
    confidence, doubt = _judged(syllabus, read, evidence, place)
    if len(places) > MOST_PLACES:
        confidence, doubt = _DOUBTED, "its words are in too many places"
    found = ProposedItem(
        read.title, read.kind, read.due_on, place.start + 1, read.quote[:MOST_QUOTED], confidence, doubt
    )
    return replace(found, evidence=evidence.value, due_time=read.due_time, category=read.category)


def _evidence(syllabus: Syllabus, places: Sequence[range], read: ReadItem) -> Evidence:
    """The evidence of the quote. A weekday that does not fit contradicts."""
    due_on = read.due_on
    if len(places) > MOST_PLACES:
        return Evidence.INFERRED
    found = evidence_for(syllabus, read.quote, due_on)
    if due_on is None:
        return found
    return Evidence.CONTRADICTED if _is_other_weekday(syllabus, read, due_on, found) else found


def _judged(syllabus: Syllabus, read: ReadItem, evidence: Evidence, place: range) -> tuple[float, str | None]:
    """The confidence, and why the item is not selected."""
    if evidence is Evidence.CONTRADICTED:
        return _CONTRADICTED, "no date" if read.due_on is None else "another day is written there"
    if read.due_on is None:
        return _DOUBTED, "no date"
    if evidence is Evidence.CONFIRMED:
        return _CONFIRMED, None
    if RECURRING.search(read.quote):
        return _DOUBTED, "it recurs"
    if not _is_dated(syllabus, place):
        return _DOUBTED, "no date beside it"
    return _WORKED_OUT, None


def _is_other_weekday(syllabus: Syllabus, read: ReadItem, due_on: date, evidence: Evidence) -> bool:
    """Return whether the quote names a weekday that does not fit: beside its date, or without one.

    In a row of a table, words in a cell without a word of the title are about something else: "Lecture on Thursday".
    """
    if misplaced_weekday(syllabus, read.quote) is not None:
        return True
    title, cells = set(words_of(read.title)), _CELLS.split(read.quote)
    if any(title & set(words_of(cell)) for cell in cells):
        cells = [cell for cell in cells if len(words_of(cell)) < 2 or title & set(words_of(cell))]
    weekdays = {day for cell in cells for day in weekdays_in(cell)}
    return evidence is Evidence.INFERRED and bool(weekdays) and due_on.weekday() not in weekdays


def _best(syllabus: Syllabus, places: Sequence[range], read: ReadItem) -> range:
    """The first occurrence of the quote whose lines have the date, else the first."""
    due_on = read.due_on
    if due_on is None:
        return places[0]
    dated = (
        place
        for place in places[:MOST_PLACES]
        if any(one.holds(due_on) for line in place for one in syllabus.mentions(line))
    )
    return next(dated, places[0])


def _is_dated(syllabus: Syllabus, place: range) -> bool:
    """Return whether a date, a week or a weekday is in the lines of a quote or near them."""
    near = range(max(0, place.start - FURTHEST), min(len(syllabus.lines), place.stop + FURTHEST))
    text = "\n".join(syllabus.lines[near.start : near.stop])
    return any(map(syllabus.mentions, near)) or bool(weekdays_in(text) or RELATIVE.search(text))


_NUMBER: Final = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d.,])|\d+(?:[.,]\d+)?")
_EACH: Final = re.compile(r"\b(?:each|apiece|jeweils|chacune?|cada un[oa]?)\b", re.IGNORECASE)
_TOTAL: Final = re.compile(
    r"total|points?\b|pts\b|possible|out of|\bsum\b|gesamt|summe|punkten?\b|\bsomme|\bsuma\b|puntos?\b", re.IGNORECASE
)


def _category(syllabus: Syllabus, read: ReadCategory) -> ProposedCategory:
    """The row of a category. It is never left out: the grade needs all of them.

    `confirmed` means that the lines of its quote, or else of its name, or the line below them, have its weight, a part
    of a total, or "each".
    """
    places = syllabus.places(read.quote) or syllabus.places(read.name)
    confirmed = next((place for place in places if _has_weight(syllabus, place, read.weight)), None)
    place = confirmed or (places[0] if places else None)
    doubt = None if confirmed else "the text has no line for it" if place is None else "its weight is not there"
    evidence = Evidence.NOT_FOUND if confirmed is None else Evidence.CONFIRMED
    line = 0 if place is None else place.start + 1
    dropped = min(read.drop_lowest, MOST_DROPPED)
    return ProposedCategory(read.name, read.weight, line, evidence.value, doubt, dropped)


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
