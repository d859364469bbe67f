"""Split a syllabus into pieces with a title and its date: cells, short lines and sentences."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Final

from courses.syllabi.cells import units_of_cells
from courses.syllabi.dates import Mention
from courses.syllabi.phrases import due_among
from courses.syllabi.reader import Syllabus
from courses.syllabi.rows import Row, sentences_of
from courses.syllabi.titles import BEGIN, WEEK_HEAD, WHEN_WORDS, Unit, cleaned, dates_inside, is_title
from courses.syllabi.words import BY, DUE, DUE_LABEL, SAYS, any_word

Above = tuple[Mention, int]
"""A date that lines below can refer to, and its line."""

REACH: Final = 10
"""Maximum number of lines below a date that it can apply to."""

SHORT: Final = 120
"""Shorter lines are entries of a list rather than prose, in characters."""

LONGEST: Final = timedelta(days=9)
"""Maximum days of a range that can apply to other lines; a whole term cannot."""

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
_DUE_LAST: Final = re.compile(rf"{DUE.pattern}\W*$", re.IGNORECASE)
_WORTH: Final = re.compile(r"\b\d{1,4}\s?(?:points?|pts)\b", re.IGNORECASE)
_TYPE: Final = re.compile(r"(?:quiz|assignment|discussion(?: topic)?|page|external tool|forum|test)", re.IGNORECASE)
"""The kind of an entry of a learning platform, on a line below its title."""

_LABELLED: Final = re.compile(r"(?:title|length|format|type|mode|words?|group|team|task)\s?:\s", re.IGNORECASE)
_SHARE: Final = re.compile(
    r"%|\d (?:percent|per cent|prozent)\b|^\W*(?:weight(?:s|ing)?|grad(?:e|es|ing)|marks)\b.*:", re.IGNORECASE
)


def units_in(syllabus: Syllabus) -> Iterator[Unit]:
    """The units of a text in order."""
    above: Above | None = None
    merged: Row | None = None
    titles: list[Row] = []
    for row in syllabus.rows:
        if not syllabus.lines[row.line - 1].strip():
            titles = []
        mentions = syllabus.dates_in_text(row.text)
        if row.is_table:
            row = merged = _with_merged_date(syllabus, row, merged)  # noqa: PLW2901
        if titles and mentions and _is_detail(row, mentions):
            yield from _titled_above(row, mentions, titles)
            continue
        if not due_among(row.text, mentions):
            titles.append(row)
        above = _above(row, mentions, above)
        yield from units_of_cells(syllabus, row) if row.is_table else _of_line(row, mentions, above)


def _with_merged_date(syllabus: Syllabus, row: Row, before: Row | None) -> Row:
    """The row with the date of the row before it, if its own cell of dates is empty and goes on."""
    if before is None or len(row.cells) != len(before.cells) or any(map(syllabus.dates_in_text, row.cells[:2])):
        return row
    first = next((at for at, cell in enumerate(row.cells) if cell and not cell.isdigit()), 0)
    at = next((at for at in range(first) if not row.cells[at] and syllabus.dates_in_text(before.cells[at])), None)
    if at is None or (row.roles and row.roles[at] == "due"):
        return row
    return replace(row, cells=(*row.cells[:at], before.cells[at], *row.cells[at + 1 :]))


def _above(row: Row, mentions: Sequence[Mention], above: Above | None) -> Above | None:
    """The date that a row and those below it can refer to: that of the last line that began with one."""
    if row.is_table:
        return None if mentions else above
    if _begins_with_date(row, mentions) and mentions[0].last - mentions[0].first <= LONGEST:
        return (mentions[0], row.line)
    return above if above and row.line - above[1] <= REACH else None


def _begins_with_date(row: Row, mentions: Sequence[Mention]) -> bool:
    return bool(mentions) and len(row.text) < 2 * SHORT and bool(BEGIN.fullmatch(row.text[: mentions[0].start]))


def _is_detail(row: Row, mentions: Sequence[Mention]) -> bool:
    """Return whether a row is a detail of the title above it: a short line with a label, like "Due: October 8"."""
    if len(row.text) < SHORT and DUE_LABEL.match(row.text):
        return True
    return bool(_DETAIL.match(row.text)) and _only_when(row.text, mentions)


def _of_line(row: Row, mentions: Sequence[Mention], above: Above | None) -> Iterator[Unit]:
    """The sentences of a line, without the date that begins it.

    The title at the start of a line has the due date of a later sentence that says only when.
    """
    short = len(row.text) < SHORT
    if not mentions and _SHARE.search(row.text):
        return  # a weight
    head = mentions[0] if _begins_with_date(row, mentions) else None
    if head and (entries := _entries(row, mentions)):
        for start, end, mention in entries:
            yield Unit(row.text[start:end], row.line_at(start), (), mention)
        return
    begin = head.end if head else 0
    sentences = [(begin + start, sentence) for start, sentence in sentences_of(row.text[begin:])]
    due = None if head else _due_after(sentences[1:], mentions, said_due=bool(_DUE_LAST.search(sentences[0][1])))
    for start, sentence in sentences:
        due_first = bool(DUE.match(sentence.lstrip(" *-•")))
        below = above and (short or due_first) and not mentions and not SAYS.search(sentence[:SHORT])
        given = head or (above[0] if above and below else None)
        if due and not start and is_title(cleaned(sentence, [])):
            yield Unit(sentence, row.line, (), due, reason=True, titled=True)
            continue
        yield Unit(
            sentence,
            row.line_at(start),
            dates_inside(mentions, start, sentence),
            given,
            titled=short and bool(mentions) and bool(_WORTH.search(sentence)),
            prose=not short and not head,
            in_week=not mentions and bool(WEEK_HEAD.match(row.text)),
        )


def _entries(row: Row, mentions: Sequence[Mention]) -> list[tuple[int, int, Mention]]:
    """The entries of a line with several, each behind its date: "9/19 Exam 1 (19 %) 9/24 Motets"."""
    ends = [*(one.start for one in mentions[1:]), len(row.text)]
    words = [row.text[one.end : end] for one, end in zip(mentions, ends, strict=True)]
    apart = all(is_title(cleaned(text, [])) and not _DUE_LAST.search(text) for text in words[:-1])
    before = [text.rstrip()[-1:] for text in words[:-1]]
    if len(mentions) < 2 or not apart or not words[-1].strip(" .,;:)") or any(one in "(,;–-" for one in before):
        return []
    if any(BY.search(text) or DUE.search(text) for text in words):
        return []
    return [(one.end, end, one) for one, end in zip(mentions, ends, strict=True)]


def _due_after(sentences: Sequence[tuple[int, str]], mentions: Sequence[Mention], *, said_due: bool) -> Mention | None:
    """The due date of the first sentence that says only when something is due: "First report due. February 19"."""
    for start, sentence in sentences:
        inside = dates_inside(mentions, start, sentence)
        says_due = said_due or _DUE_DETAIL.search(sentence)
        if _only_when(sentence, inside) and says_due and (due := due_among(sentence, inside)):
            return due[0]
    return None


def _only_when(text: str, mentions: Sequence[Mention]) -> bool:
    """Return whether a short text contains only words about time."""
    return len(text) < SHORT and not any(map(str.isalpha, _DETAIL_WORDS.sub("", cleaned(text, mentions))))


def _titled_above(row: Row, mentions: Sequence[Mention], titles: Sequence[Row]) -> Iterator[Unit]:
    """The last title above a line like "Due: October 8". An opening day does not count."""
    due = due_among(row.text, mentions)
    named = [one for one in titles[-REACH:] if _is_titled(one)]
    title = next((one for one in reversed(named) if not _TYPE.fullmatch(one.text)), named[-1] if named else None)
    if due and title:
        says_due = bool(_DUE_DETAIL.search(row.text))
        yield Unit(
            title.cells[0], title.line, (), due[0], says_due, titled=says_due, entry=True, detail=True, due=row.text
        )


def _is_titled(row: Row) -> bool:
    """Return whether a line is a title, alone or in its first cell."""
    if len(row.text) > 2 * SHORT or "|" in row.text or row.text[-1] in ".,;" or _LABELLED.match(row.text):
        return False
    return is_title(cleaned(row.cells[0], []))
