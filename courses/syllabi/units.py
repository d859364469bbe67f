"""Split a syllabus into pieces with a title and its date: cells, short lines and sentences."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Final

from courses.syllabi.calendars import Mention
from courses.syllabi.cells import units_of_cells
from courses.syllabi.cues import DUE, DUE_LABEL, NO_ITEM, SAYS
from courses.syllabi.due_days import due_among
from courses.syllabi.phrases import phrases_of
from courses.syllabi.reader import Syllabus
from courses.syllabi.rows import Row, role_of, rows_of, sentences_of, titled_row
from courses.syllabi.titles import cleaned, is_title
from courses.syllabi.unit import BEGIN, WEEK_HEAD, WHEN_WORDS, Above, Unit, dates_inside

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

_DETAIL: Final = re.compile(
    r"\W*(?:start|due|deadline|date|submi\w+|not|available|until|open(?:s|ed)?|close[sd]?|released?|posted|assigned|worth"
    r"|weight(?:ing)?|value|points|abgabe|fällig|ausgabe|geöffnet|verfügbar|disponible|ouvert|abierto|fecha|datum"
    r"|entrega|remise|échéance|no due date)\b",
    re.IGNORECASE,
)
"""The start of a line that only adds details to the title above it."""

_DETAIL_WORDS: Final = re.compile(
    rf"{WHEN_WORDS.pattern}|{_DETAIL.pattern}|\b(?:and|from|to|pts|bis|am|um|le|el)\b", re.IGNORECASE
)
_DUE_DETAIL: Final = re.compile(
    rf"{DUE.pattern}|\b(?:(?:date|fecha|datum)\s*:|submission|close|available until)", re.IGNORECASE
)
_LABELLED: Final = re.compile(r"(?:title|length|format|type|mode|words?|group|team|task)\s?:\s", re.IGNORECASE)
_POINTS: Final = re.compile(r"\d (?:points?|pts)\b", re.IGNORECASE)
_SHARE: Final = re.compile(
    r"%|\d (?:percent|per cent|prozent)\b|^\W*(?:weight(?:s|ing)?|grad(?:e|es|ing)|marks)\b.*:", re.IGNORECASE
)


def units_in(syllabus: Syllabus) -> Iterator[Unit]:
    """The units of a text in order."""
    above: Above | None = None
    headed = False
    for row, mentions, titled, begins in _with_details(syllabus):
        if begins and not mentions:
            headed = not row.is_table and len(row.text) < SHORT and bool(DUE.search(row.text))
        if titled:
            yield titled
            continue
        if above and (row.line - above.line > REACH):
            above = None
        if row.is_table:
            when, units = units_of_cells(syllabus, row)
            yield from units
            above = None if when else above
            continue
        if label := _due_label(row, above):
            yield replace(label, mentions=syllabus.dates_in_text(label.text))
        elif mentions and len(row.text) < 2 * SHORT and BEGIN.fullmatch(row.text[: mentions[0].start]):
            if mentions[0].last - mentions[0].first <= LONGEST and not mentions[0].counted:
                rest = cleaned(row.text, mentions)
                above = Above(mentions[0], row.line, alone=len(rest) < 16 and not phrases_of(rest))
            yield from (replace(unit, reason=headed) for unit in _of_schedule(row, mentions))
        else:
            before = syllabus.lines[row.line - 1] if row.line and not begins else ""
            for unit in _of_prose(row, mentions, above, before):
                yield replace(unit, reason=unit.reason or (headed and bool(mentions)))


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


def _with_details(syllabus: Syllabus) -> Iterator[tuple[Row, Sequence[Mention], Unit | None, bool]]:
    """The rows with their dates, and whether they begin a block. A row of details has the title it belongs to.

    A line with only a date is a detail of the title above it if it has a label ("Due: October 8"), or if titles come
    before dates in its block.
    """
    earlier: list[list[Row]] = []
    for block in _blocks_in(syllabus):
        if paired := list(_of_lists(block, earlier)):
            yield from paired
            continue
        earlier = [*earlier[1 - LISTS :], [row for row, mentions in block if not mentions]]
        titles: list[Row] = []
        below = _titles_come_first(block)
        for at, (row, mentions) in enumerate(block):
            dated = bool(mentions and titles)
            labelled = dated and len(row.text) < SHORT and DUE_LABEL.match(row.text)
            placed = dated and ((below and not row.roles) or _POINTS.search(row.text))
            if labelled or (_only_when(row.text, mentions) and (placed or _DETAIL.match(row.text))):
                yield from ((row, mentions, titled, False) for titled in _titled_above(row, mentions, titles))
                continue
            if not due_among(row.text, mentions):
                titles.append(row)
            yield row, mentions, None, at == 0


def _of_lists(
    block: Sequence[tuple[Row, Sequence[Mention]]], earlier: Sequence[Sequence[Row]]
) -> Iterator[tuple[Row, Sequence[Mention], Unit | None, bool]]:
    """The titles of an earlier list with the dates of this one: columns stored one after the other."""
    head = block[0][0] if not block[0][1] else None
    dates = block[1:] if head else block
    if len(dates) < LEAST_PAIRED or not all(
        len(mentions) == 1 and _only_when(row.text, mentions) for row, mentions in dates
    ):
        return
    due = bool(head and role_of(head.text) == "due")
    for titles in reversed(earlier):
        named = titles[len(titles) - len(dates) :] if 0 <= len(titles) - len(dates) <= 1 else []
        if named and all(is_title(cleaned(row.text, [])) for row in named):
            for title, (row, mentions) in zip(named, dates, strict=True):
                yield (
                    row,
                    mentions,
                    Unit(title.text, title.line, (), mentions[0], reason=due, entry=True, whole=True),
                    False,
                )
            return


def _titles_come_first(block: Sequence[tuple[Row, Sequence[Mention]]]) -> bool:
    """Return whether the title is above the first date-only line of a block."""
    dates = [at for at, (row, mentions) in enumerate(block) if mentions and _only_when(row.text, mentions)]
    if not dates or dates[0] == 0:
        return False
    title = block[dates[0] - 1][0].text
    return dates[-1] == len(block) - 1 or title.endswith(":") or any(not one.against for one in phrases_of(title))


def _due_label(row: Row, above: Above | None) -> Unit | None:
    """The text after a label like "Deliverable:", due on the date above."""
    label, colon, title = row.text.partition(": ")
    if above is None or not colon or role_of(label) != "due":
        return None
    return Unit(title, row.line, (), above.mention, reason=True, whole=is_title(title))


def _of_schedule(row: Row, mentions: Sequence[Mention]) -> Iterator[Unit]:
    """The sentences of a line that begins with a date."""
    head, end = mentions[0], mentions[0].end
    for start, sentence in sentences_of(row.text[end:]):
        inside = dates_inside(mentions[1:], end + start, sentence)
        yield Unit(sentence, row.line_at(end + start), inside, head)


def _of_prose(row: Row, mentions: Sequence[Mention], above: Above | None, before: str) -> Iterator[Unit]:
    """The sentences of a line.

    Args:
        row: the line.
        mentions: its dates.
        above: the date above it, if it can refer to one.
        before: the line above.
    """
    short = len(row.text) < SHORT
    if not mentions and _SHARE.search(row.text):
        return  # a weight
    sentences = list(sentences_of(row.text))
    for titled, at in _titled_ahead(row, mentions, sentences):
        yield titled
        sentences = [*sentences[1:at], *sentences[at + 1 :]]
    for start, sentence in sentences:
        inside = dates_inside(mentions, start, sentence)
        given = above if short and not mentions and not SAYS.search(sentence) else None
        yield Unit(
            sentence,
            row.line_at(start),
            inside,
            given.mention if given else None,
            prose=not short,
            before=before,
            in_week=not mentions and bool(WEEK_HEAD.match(row.text)),
            shape=_shape(sentence, inside, given) if short and not start else "",
        )
        before = sentence


def _shape(text: str, mentions: Sequence[Mention], given: Above | None) -> str:
    """Return the position of an entry's date: in its line, followed at most by a time, or in the line above."""
    if len(mentions) == 1 and mentions[0].start > 0 and _only_when(text[mentions[0].end :], ()):
        return "in"
    return "above" if given and given.alone else ""


def _titled_ahead(
    row: Row, mentions: Sequence[Mention], sentences: Sequence[tuple[int, str]]
) -> Iterator[tuple[Unit, int]]:
    """The title at the start of a line whose later sentence has only the time, and the position of that sentence."""
    title = sentences[0][1]
    if not is_title(cleaned(title, [])) or NO_ITEM.search(title):
        return
    for at, (start, sentence) in enumerate(sentences[1:], 1):
        inside = dates_inside(mentions, start, sentence)
        if _only_when(sentence, inside) and _DUE_DETAIL.search(sentence) and (due := due_among(sentence, inside)):
            yield Unit(title, row.line, (), due[0], reason=True, whole=True), at
            return


def _only_when(text: str, mentions: Sequence[Mention]) -> bool:
    """Return whether a short text contains only words about time."""
    return len(text) < SHORT and not any(map(str.isalpha, _DETAIL_WORDS.sub("", cleaned(text, mentions))))


def _titled_above(row: Row, mentions: Sequence[Mention], block: Sequence[Row]) -> Iterator[Unit]:
    """The title at the start of the block for a line like "Due: October 8". An opening day does not count."""
    says_due = bool(_DUE_DETAIL.search(row.text) or _POINTS.search(row.text))
    due = due_among(row.text, mentions) if says_due or not _DETAIL.match(row.text) else []
    named = titled_row(block)
    above = [named] if named else [one for one in block if not _LABELLED.match(one.text)] or block
    title = next((one for one in reversed(above) if _is_titled(one)), None) if due else None
    if title is None or NO_ITEM.search(title.text):
        return
    surely = bool(DUE.search(row.text) or _POINTS.search(row.text))  # a "Date:" may be that of a letter
    surely = surely or (says_due and bool(phrases_of(title.text)))
    yield Unit(
        title.text.split(": ", 1)[-1] if named else title.cells[0],
        title.line,
        (),
        due[0],
        reason=surely,
        whole=surely,
        entry=True,
        shape="below",
    )


def _is_titled(row: Row) -> bool:
    """Return whether a line is a title, alone or in its first cell."""
    return (
        len(row.cells) < 3
        and len(row.cells[0]) < SHORT
        and "|" not in row.text
        and row.text[-1] not in ".,;"
        and is_title(cleaned(row.cells[0], []))
    )
