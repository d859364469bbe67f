"""Split a syllabus into pieces with a title and its date: cells, short lines and sentences."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Final

from courses.syllabi.calendars import Mention
from courses.syllabi.cells import units_of_cells
from courses.syllabi.cues import DUE, DUE_LABEL, SAYS
from courses.syllabi.due_days import due_among
from courses.syllabi.phrases import phrases_of
from courses.syllabi.reader import Syllabus
from courses.syllabi.rows import Row, rows_of, sentences_of
from courses.syllabi.titles import cleaned, is_title
from courses.syllabi.unit import BEGIN, WEEK_HEAD, WHEN_WORDS, Above, Unit, dates_inside
from courses.syllabi.vocabulary import any_word

REACH: Final = 10
"""Maximum number of lines below a date that it can apply to."""

SHORT: Final = 120
"""Shorter lines are entries of a list rather than prose, in characters."""

LONGEST: Final = timedelta(days=9)
"""Maximum days of a range that can apply to other lines; a whole term cannot."""

LISTS: Final = 4
"""Number of earlier blocks that may have the titles of a list of dates."""

LEAST_PAIRED: Final = 3
"""Minimum number of dates in such a list."""

_DETAIL: Final = re.compile(rf"\W*(?:{any_word('detail')})\b", re.IGNORECASE)
"""The start of a line that only adds details to the title above it."""

_DETAIL_WORDS: Final = re.compile(
    rf"{WHEN_WORDS.pattern}|{_DETAIL.pattern}"
    r"|\b(?:and|from|to|pts|bis|am|um|le|el|questions?|time limit|minutes|attempts?)\b",
    re.IGNORECASE,
)
_DUE_DETAIL: Final = re.compile(
    rf"{DUE.pattern}|\b(?:(?:date|fecha|datum)\s*:|submission|close|available until)|\d (?:points?|pts)\b",
    re.IGNORECASE,
)
_TYPE: Final = re.compile(r"(?:quiz|assignment|discussion(?: topic)?|page|external tool|forum|test)", re.IGNORECASE)
"""The kind of an entry of a learning platform, on a line below its title."""

_LABELLED: Final = re.compile(r"(?:title|length|format|type|mode|words?|group|team|task)\s?:\s", re.IGNORECASE)
_SHARE: Final = re.compile(
    r"%|\d (?:percent|per cent|prozent)\b|^\W*(?:weight(?:s|ing)?|grad(?:e|es|ing)|marks)\b.*:", re.IGNORECASE
)


def units_in(syllabus: Syllabus) -> Iterator[Unit]:
    """The units of a text in order."""
    above: Above | None = None
    headed = False
    earlier: list[list[Row]] = []
    for block in _blocks_in(syllabus):
        if paired := list(_of_lists(block, earlier)):
            yield from paired
            continue
        earlier = [*earlier[1 - LISTS :], [row for row, mentions in block if not mentions]]
        first, dates = block[0]
        if not dates:
            headed = not first.is_table and len(first.text) < SHORT and bool(DUE.search(first.text))
        titles: list[Row] = []
        titles_first = _titles_come_first(block)
        for row, mentions in block:
            if titles and mentions and _is_detail(row, mentions, titles_first=titles_first):
                yield from _titled_above(row, mentions, titles)
                continue
            if not due_among(row.text, mentions):
                titles.append(row)
            above = _above(row, mentions, above)
            units = units_of_cells(syllabus, row) if row.is_table else _of_line(syllabus, row, mentions, above)
            for unit in units:
                yield replace(unit, reason=unit.reason or (headed and bool(mentions)))


def _above(row: Row, mentions: Sequence[Mention], above: Above | None) -> Above | None:
    """The date that a row and those below it can refer to: that of the last line that began with one."""
    if row.is_table:
        return None if mentions else above
    if _begins_with_date(row, mentions) and not mentions[0].counted and mentions[0].last - mentions[0].first <= LONGEST:
        return Above(mentions[0], row.line)
    return above if above and row.line - above.line <= REACH else None


def _begins_with_date(row: Row, mentions: Sequence[Mention]) -> bool:
    return bool(mentions) and len(row.text) < 2 * SHORT and bool(BEGIN.fullmatch(row.text[: mentions[0].start]))


def _blocks_in(syllabus: Syllabus) -> Iterator[list[tuple[Row, Sequence[Mention]]]]:
    """The rows between empty lines, each with its dates."""
    block: list[tuple[Row, Sequence[Mention]]] = []
    for row in rows_of(syllabus.lines):
        if block and not syllabus.lines[row.line - 1].strip():
            yield block
            block = []
        block.append((row, syllabus.dates_in_text(row.text)))
    if block:
        yield block


def _is_detail(row: Row, mentions: Sequence[Mention], *, titles_first: bool) -> bool:
    """Return whether a row is a detail of the title above it.

    A line with only a date is one if it has a label ("Due: October 8"), or if titles come before dates in its block.
    """
    if len(row.text) < SHORT and DUE_LABEL.match(row.text):
        return True
    return _only_when(row.text, mentions) and bool(_DETAIL.match(row.text) or (titles_first and not row.roles))


def _of_lists(block: Sequence[tuple[Row, Sequence[Mention]]], earlier: Sequence[Sequence[Row]]) -> Iterator[Unit]:
    """The titles of an earlier list with the dates of this one: columns stored one after the other."""
    head = block[0][0] if not block[0][1] else None
    dates = block[1:] if head else block
    if len(dates) < LEAST_PAIRED or not all(
        len(mentions) == 1 and _only_when(row.text, mentions) for row, mentions in dates
    ):
        return
    for titles in reversed(earlier):
        named = titles[len(titles) - len(dates) :] if 0 <= len(titles) - len(dates) <= 1 else []
        if named and all(is_title(cleaned(row.text, [])) for row in named):
            for title, (_, mentions) in zip(named, dates, strict=True):
                yield Unit(title.text, title.line, (), mentions[0], reason=True, titled=True, entry=True)
            return


def _titles_come_first(block: Sequence[tuple[Row, Sequence[Mention]]]) -> bool:
    """Return whether the title is above the first date-only line of a block."""
    dates = [at for at, (row, mentions) in enumerate(block) if mentions and _only_when(row.text, mentions)]
    if not dates or dates[0] == 0:
        return False
    title = block[dates[0] - 1][0].text
    return dates[-1] == len(block) - 1 or bool(phrases_of(title))


def _of_line(syllabus: Syllabus, row: Row, mentions: Sequence[Mention], above: Above | None) -> Iterator[Unit]:
    """The sentences of a line, without the date that begins it.

    The title at the start of a line has the due date of a later sentence that says only when.
    """
    short = len(row.text) < SHORT
    if not mentions and _SHARE.search(row.text):
        return  # a weight
    head = mentions[0] if _begins_with_date(row, mentions) else None
    begin = head.end if head else 0
    before = syllabus.lines[row.line - 1] if row.line else ""
    sentences = [(begin + start, sentence) for start, sentence in sentences_of(row.text[begin:])]
    due = None if head else _due_after(sentences[1:], mentions)
    for start, sentence in sentences:
        given = head or (above.mention if above and short and not mentions and not SAYS.search(sentence) else None)
        if due and not start and is_title(cleaned(sentence, [])):
            yield Unit(sentence, row.line, (), due, reason=True, titled=True)
            continue
        yield Unit(
            sentence,
            row.line_at(start),
            dates_inside(mentions, start, sentence),
            given,
            prose=not short and not head,
            before=before,
            in_week=not mentions and bool(WEEK_HEAD.match(row.text)),
        )
        before = sentence


def _due_after(sentences: Sequence[tuple[int, str]], mentions: Sequence[Mention]) -> Mention | None:
    """The due date of the first sentence that says only when something is due."""
    for start, sentence in sentences:
        inside = dates_inside(mentions, start, sentence)
        if _only_when(sentence, inside) and _DUE_DETAIL.search(sentence) and (due := due_among(sentence, inside)):
            return due[0]
    return None


def _only_when(text: str, mentions: Sequence[Mention]) -> bool:
    """Return whether a short text contains only words about time."""
    return len(text) < SHORT and not any(map(str.isalpha, _DETAIL_WORDS.sub("", cleaned(text, mentions))))


def _titled_above(row: Row, mentions: Sequence[Mention], titles: Sequence[Row]) -> Iterator[Unit]:
    """The last title above a line like "Due: October 8". An opening day does not count."""
    due = due_among(row.text, mentions)
    named = [one for one in titles if _is_titled(one)]
    title = next((one for one in reversed(named) if not _TYPE.fullmatch(one.text)), named[-1] if named else None)
    if due and title:
        says_due = bool(_DUE_DETAIL.search(row.text))
        yield Unit(title.cells[0], title.line, (), due[0], reason=says_due, titled=says_due, entry=True)


def _is_titled(row: Row) -> bool:
    """Return whether a line is a title, alone or in its first cell."""
    separated = "|" in row.text or row.text[-1] in ".,;"
    return not separated and not _LABELLED.match(row.text) and is_title(cleaned(row.cells[0], []))
