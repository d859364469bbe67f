"""Items as the rows and sentences of a syllabus name them, each with a date and how sure it is."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final

from courses.syllabi.calendars import Mention
from courses.syllabi.clauses import Candidate, Clause, items_of
from courses.syllabi.cues import NO_ITEM, OPEN
from courses.syllabi.due_days import blanked, day_in, week_of
from courses.syllabi.phrases import phrases_of
from courses.syllabi.reader import Syllabus
from courses.syllabi.rows import Row, rows_of, sentences_of
from courses.syllabi.tables import date_of_row, items_of_row
from courses.syllabi.titles import cleaned
from courses.syllabi.words import RECURRING, RELATIVE

REACH: Final = 10
"""Lines below a date that stands alone, or begins a row, which it can be the date of."""

NEAR: Final = 3
"""The same for rows of a table that have an empty cell for it."""

LONGEST: Final = timedelta(days=14)
"""Between the first and the last day of what can be the date of lines below; the days of a term are not."""

_SHARE: Final = re.compile(r"%|\d (?:percent|per cent|prozent)\b", re.IGNORECASE)
_ONLY_WHEN: Final = re.compile(
    r"\W*(?:(?:it|they|this|these) )?(?:(?:is|are|will be) )?(?:due|deadline|submit|abgabe)\b", re.IGNORECASE
)
"""The begin of a sentence about when."""


@dataclass(frozen=True, slots=True)
class _Above:
    """A date that lines below can refer to."""

    mention: Mention
    line: int
    alone: bool
    bars: bool = False


def candidates_in(syllabus: Syllabus) -> Iterator[Candidate]:
    """The candidates of a text in their order, doubles included."""
    above: _Above | None = None
    taken = -1
    for row in rows_of(syllabus.lines):
        if above and row.line - above.line > REACH:
            above = None
        if row.is_table:
            yield from items_of_row(syllabus, row, _near(above, row))
            if own := date_of_row(syllabus, row):
                above = _Above(own, row.line, alone=False, bars="|" in row.text)
            continue
        mentions = syllabus.dates_in_row(row.text)
        if row.line != taken:
            above = _above_from(row, mentions, above)
        found = list(_in_prose(syllabus, row, mentions, None if above and above.bars else above))
        heading = row.text.rstrip(" *").endswith(":") or not (above and above.alone)
        if not mentions and heading and (below := _with_date_below(syllabus, row)):
            found, taken = [below[0]], below[1]
        yield from found
        if found and mentions and mentions[0].start < 6 and len(row.text) < 120:
            above = _Above(week_of(row.text, mentions[0]), row.line, alone=False)


def _above_from(row: Row, mentions: list[Mention], above: _Above | None) -> _Above | None:
    """The date that a line of no table gives to the lines below it, or that which they had."""
    rest = cleaned(row.text, mentions)
    if mentions and NO_ITEM.search(rest) and len(row.text) < 120:
        return None
    if mentions and mentions[0].last - mentions[0].first > LONGEST:
        return above
    if mentions and (len(rest) < 16 or mentions[0].start < 6) and not phrases_of(rest):
        return _Above(week_of(row.text, mentions[0]), row.line, alone=len(rest) < 16)
    return above


def _with_date_below(syllabus: Syllabus, row: Row) -> tuple[Candidate, int] | None:
    """An item alone in its line, with its date alone in the next line or the one after; and which line that is."""
    phrases = phrases_of(row.text)
    rest = row.text.rstrip(" :*")
    if len(phrases) != 1 or phrases[0].against or phrases[0].start > 0 or phrases[0].end < len(rest):
        return None
    line = next((line for line in range(row.line + 1, row.line + 3) if syllabus.mentions(line)), None)
    if line is None or not phrases[0].strong:
        return None
    text, mentions = syllabus.lines[line], syllabus.mentions(line)
    if len(cleaned(text, mentions)) >= 16 or phrases_of(text):
        return None
    day, certain = day_in(mentions[0], blanked(text, mentions))
    confidence = 0.8 if certain else 0.6
    return Candidate(phrases[0].title, phrases[0].kind, day, row.line, confidence, phrases[0].numbered), line


def _in_prose(syllabus: Syllabus, row: Row, mentions: list[Mention], above: _Above | None) -> Iterator[Candidate]:
    short = len(row.text) < 120
    for start, sentence in _said_together(row.text, mentions):
        inside = [
            replace(one, start=one.start - start, end=one.end - start)
            for one in mentions
            if start <= one.start and one.end <= start + len(sentence)
        ]
        context = None
        if not mentions and _SHARE.search(row.text) and not OPEN.search(row.text):
            return  # a weight
        said = RECURRING.search(sentence) or RELATIVE.search(sentence)
        if said and not inside:
            context = None
        elif short and mentions and not inside and mentions[0].start < 6:
            context = mentions[0]
        elif short and above is not None and not inside:
            context = above.mention
        sure = 0.9 if short and inside else 0.85
        if context is not None:
            sure = 0.85 if mentions else 0.8 if above and above.alone else 0.7
        clause = Clause(sentence, inside, row.line, context, sure, prose=not short)
        for candidate in items_of(syllabus, clause):
            at = start + max(0, sentence.find(candidate.title[:12]))
            yield replace(candidate, line=row.line_at(at), said=None if short else sentence)


def _said_together(text: str, mentions: list[Mention]) -> Iterator[tuple[int, str]]:
    """The sentences of a text; one that says only when something is due belongs to that before it."""
    held: tuple[int, str] | None = None
    for start, sentence in sentences_of(text):
        if held and _ONLY_WHEN.match(sentence) and not phrases_of(sentence):
            dated = any(start <= one.start < start + len(sentence) for one in mentions)
            earlier = any(held[0] <= one.start < start for one in mentions)
            if dated and not earlier:
                held = held[0], text[held[0] : start + len(sentence)]
                continue
        if held:
            yield held
        held = start, sentence
    if held:
        yield held


def _near(above: _Above | None, row: Row) -> Mention | None:
    """The date above a row of a table whose own cell for it is empty."""
    return above.mention if above and row.line - above.line <= NEAR else None
