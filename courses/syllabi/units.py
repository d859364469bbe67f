"""The pieces of a syllabus in which a title and its date stand together: cells, short lines and sentences."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final

from courses.syllabi.calendars import WORKING_WEEK, Mention
from courses.syllabi.cues import DUE, NO_ITEM
from courses.syllabi.due_days import LETTERS, due_among
from courses.syllabi.kinds import NOUN
from courses.syllabi.phrases import phrases_of
from courses.syllabi.reader import Syllabus
from courses.syllabi.rows import Row, role_of, rows_of, sentences_of
from courses.syllabi.titles import cleaned, is_title
from courses.syllabi.words import RECURRING, RELATIVE

REACH: Final = 10
"""Lines below a date that it can be the date of."""

SHORT: Final = 120
"""Characters below which a line is an entry of a list, and no prose."""

LONGEST: Final = timedelta(days=9)
"""Between the first and the last day of what can be the date of other lines; the days of a term are not."""

_BEGIN: Final = re.compile(
    r"[\s*#]*(?:(?:week|wk|woche|kw|semaine|semana|class|session|lecture|day|module?|unit|unidad|modulo)\.?\s*#?\d{0,2}"
    r"|\d{1,2}|[MTWRF]|finals)?[\s:.,(*–—-]*",
    re.IGNORECASE,
)
"""What stands before the date that begins a line."""

_WORTH: Final = re.compile(r"\W*\d+(?:\.\d+)?\s?(?:%|points?|pts\.?|punkte|puntos|marks)?\W*", re.IGNORECASE)
_ONLY_DUE: Final = re.compile(
    r"\W*(?:(?:it|they|this|these) )?(?:(?:is|are|will be|to be|must be) )?(?:(?:due|deadline|submit|submitted|submission|abgabe|fällig|entrega"
    r"|remise)\b(?: (?:date|by|on|at|in|before|class))*|date:|fecha:|datum:)[^\w]*",
    re.IGNORECASE,
)
_WHEN_WORDS: Final = re.compile(
    r"\b(?:due|by|on|at|in|class|out|released?|opens?|assigned|available|deadline|submit|noon|midnight|[ap]m|uhr|h)\b",
    re.IGNORECASE,
)
_WEEK_OF: Final = re.compile(
    r"(?:week )?(?:of|beginning|starting|commencing|begins|starts)\b|w/c|semaine du|semana del", re.IGNORECASE
)
"""The head of a column with the first days of weeks."""

_NUMBERS: Final = re.compile(r"\d{1,2}(?:(?:, ?| & | and )\d{1,2})*")
"""In a column as "Homework due"."""

_DETAIL: Final = re.compile(
    r"\W*(?:due|deadline|date|submi\w+|not|available|until|opens?|closes?|released?|assigned|worth|weight(?:ing)?|value|points"
    r"|abgabe|fällig|ausgabe|fecha|datum|entrega|remise|échéance|no due date)\b",
    re.IGNORECASE,
)
"""What begins a line that only tells more of the title above it."""

_DETAIL_WORDS: Final = re.compile(
    rf"{_WHEN_WORDS.pattern}|{_DETAIL.pattern}|\b(?:and|from|to|pts|bis|am|um|le|el)\b", re.IGNORECASE
)
_DUE_DETAIL: Final = re.compile(
    rf"{DUE.pattern}|\b(?:(?:date|fecha|datum)\s*:|submission|close|available until)", re.IGNORECASE
)
_WIDE_GAP: Final = re.compile(r" {2,}")
_LETTER: Final = re.compile(rf"\s*({'|'.join(LETTERS)}):\s*", re.IGNORECASE)
"""A weekday as a label in a week: "W: Quiz 1"."""

_WEEK_HEAD: Final = re.compile(r"[\s*#]*(?:week|wk|woche|semaine|semana)\s*#?\d", re.IGNORECASE)
_SHARE: Final = re.compile(
    r"%|\d (?:percent|per cent|prozent)\b|^\W*(?:weight(?:s|ing)?|grad(?:e|es|ing)|marks)\b.*:", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Unit:
    """A cell, a short line, or a sentence.

    Attributes:
        text: its words.
        line: where it begins, from 0.
        mentions: the dates in it.
        given: the date that its row, its block or a line above gives it; None where they give none.
        reason: whether its row, its column or its block says that something is due.
        far: whether `given` stands some lines above.
        entry: whether its date follows it in its row, as in a list of deadlines.
        several: whether its row has several dates, and no column says which one counts.
        prose: whether it is a sentence of a long line.
        topic: whether its column has topics or readings.
        whole: whether all of it is a title, as of a row that is about one thing.
        first: whether it begins its line.
        in_week: whether its line begins with the number of a week, and has no date.
    """

    text: str
    line: int
    mentions: Sequence[Mention] = ()
    given: Mention | None = None
    reason: bool = False
    far: bool = False
    entry: bool = False
    several: bool = False
    prose: bool = False
    topic: bool = False
    whole: bool = False
    first: bool = True
    in_week: bool = False


@dataclass(frozen=True, slots=True)
class _Above:
    """A date that lines below can refer to."""

    mention: Mention
    line: int
    alone: bool
    table: bool = False


def units_in(syllabus: Syllabus) -> Iterator[Unit]:
    """The units of a text in their order."""
    above: _Above | None = None
    block: list[Row] = []
    detailed = False
    for row in rows_of(syllabus.lines):
        if above and row.line - above.line > REACH:
            above = None
        if block and not syllabus.lines[row.line - 1].strip():
            block = []
        mentions = syllabus.dates_in_text(row.text)
        if _is_detail(row, mentions, block):
            detailed = True
            yield from _titled_above(row, mentions, block)
            continue
        if detailed and not mentions:
            block, detailed = [], False
        if not mentions:
            block.append(row)
        if row.is_table:
            when, units = _of_cells(syllabus, row, above)
            yield from units
            above = _Above(when, row.line, alone=False, table=True) if when else above
            continue
        if above and above.table:
            above = None
        rest = cleaned(row.text, mentions)
        starts = bool(mentions) and len(row.text) < 2 * SHORT and bool(_BEGIN.fullmatch(row.text[: mentions[0].start]))
        if (mentions and NO_ITEM.search(rest) and len(row.text) < SHORT) or (
            not mentions and _WEEK_HEAD.match(row.text)
        ):
            above = None
        if label := _due_label(row, above):
            yield replace(label, mentions=syllabus.dates_in_text(label.text))
            continue
        if not starts:
            yield from _of_prose(row, mentions, above)
            continue
        if mentions[0].last - mentions[0].first <= LONGEST:
            mention = mentions[0]
            above = _Above(mention, row.line, alone=len(rest) < 16 and not phrases_of(rest))
        yield from _of_schedule(row, mentions)


def _due_label(row: Row, above: _Above | None) -> Unit | None:
    """What a label as "Deliverable:" says is due, on the date above it."""
    label, colon, title = row.text.partition(": ")
    if above is None or not colon or role_of(label) != "due" or any(map(str.isdigit, label)):
        return None
    return Unit(title, row.line, (), above.mention, reason=True, far=not above.alone, whole=is_title(title))


def _of_schedule(row: Row, mentions: Sequence[Mention]) -> Iterator[Unit]:
    """The sentences of a line that begins with a date."""
    head, end = mentions[0], mentions[0].end
    for start, sentence in sentences_of(row.text[end:]):
        yield Unit(sentence, row.line_at(end + start), _inside(mentions[1:], end + start, sentence), head)


def _of_prose(row: Row, mentions: Sequence[Mention], above: _Above | None) -> Iterator[Unit]:
    """The sentences of a line; one that only says when belongs to that before it."""
    short = len(row.text) < SHORT
    if not mentions and _SHARE.search(row.text):
        return  # a weight
    held = ""
    for start, sentence in sentences_of(row.text):
        begin = start - len(held)
        text, held = row.text[begin : start + len(sentence)], ""
        following = row.text[start + len(sentence) :].lstrip()
        inside = _inside(mentions, begin, text)
        if not inside and _ONLY_DUE.match(following) and phrases_of(text):
            held = row.text[begin : len(row.text) - len(following)]
            continue
        floating = RECURRING.search(text) or RELATIVE.search(text)
        given = above if short and not mentions and not floating else None
        yield Unit(
            text,
            row.line_at(begin),
            inside,
            given.mention if given else None,
            far=given is not None and not given.alone,
            prose=not short,
            first=begin == 0,
            in_week=not mentions and bool(_WEEK_HEAD.match(row.text)),
        )


def _is_detail(row: Row, mentions: Sequence[Mention], block: Sequence[Row]) -> bool:
    """Whether a line only says when the title above it opens, is due, or what it is worth."""
    if len(row.text) >= SHORT or any(map(str.isalpha, _DETAIL_WORDS.sub("", cleaned(row.text, mentions)))):
        return False
    labelled = bool(mentions and block) and (block[-1].text.rstrip(" *").endswith(":") or len(block) == 1)
    return bool(_DETAIL.match(row.text)) or (labelled and bool(phrases_of(block[-1].text)))


def _titled_above(row: Row, mentions: Sequence[Mention], block: Sequence[Row]) -> Iterator[Unit]:
    """The title that the block of a line as "Due: October 8" begins with; one that only opens on a day is not due."""
    says_due = bool(_DUE_DETAIL.search(row.text))
    due = due_among(row.text, mentions) if says_due or not _DETAIL.match(row.text) else []
    titles = [
        one for one in block if not one.is_table and one.text[-1] not in ".,;" and is_title(cleaned(one.text, []))
    ]
    if due and titles and not NO_ITEM.search(titles[-1].text):
        yield Unit(titles[-1].text, titles[-1].line, (), due[0], reason=says_due, whole=says_due)


def _of_cells(syllabus: Syllabus, row: Row, above: _Above | None) -> tuple[Mention | None, list[Unit]]:
    """The date of a row of a table, and its cells as units."""
    roles = row.roles or (None,) * len(row.cells)
    dates = [syllabus.dates_in_text(cell) for cell in row.cells]
    at = _date_cell(row, roles, dates)
    when = _date_of(row.cells[at], dates[at]) if at is not None else None
    if when and at is not None and row.heads and _WEEK_OF.match(row.heads[at]):
        when = replace(when, last=max(when.last, when.first + WORKING_WEEK))
    goes_on = above is not None and row.line - above.line <= 3 and (not row.cells[0] or not row.roles)
    goes_on = goes_on and not any(map(_WORTH.fullmatch, row.cells))
    given = when or (above.mention if above and goes_on else None)
    due_column = at is not None and roles[at] == "due"
    counted_cells = {
        place
        for place, (head, cell) in enumerate(zip(row.heads, row.cells, strict=False))
        if _NUMBERS.fullmatch(cell)
        and is_title(cleaned(head, []))
        and (roles[place] == "due" or (due_column and NOUN.search(head)))
    }
    only_when = [
        not any(map(str.isalpha, _WHEN_WORDS.sub("", cleaned(cell, found))))
        for cell, found in zip(row.cells, dates, strict=True)
    ]
    named = [
        place
        for place, cell in enumerate(row.cells)
        if (roles[place] not in {"released", "weight", "date"} or phrases_of(cell))
        and (not (only_when[place] or _WORTH.fullmatch(cell)) or place in counted_cells)
    ]
    says_due = any(only and DUE.search(cell) for only, cell in zip(only_when, row.cells, strict=True))
    found = [when] if when and (due_column or says_due) else [one[0] for one in dates if one]
    found += due_among(row.cells[at], dates[at]) if at is not None else []
    several = len({one.first for one in found if syllabus.in_term(one.first)}) > 1
    units = []
    for place in named:
        role, what = roles[place], roles[place] in {"due", "what"} and at is not None
        if at is not None and not row.roles and place < at < named[-1] and not is_title(row.cells[place]):
            continue  # the other column of a page
        if place in counted_cells:
            head = cleaned(row.heads[place], [])
            numbers = re.findall(r"\d+", row.cells[place])
            units += [Unit(f"{head} {number}", row.line, (), given, reason=True, whole=True) for number in numbers]
            continue
        for cell in (said for part in _WIDE_GAP.split(row.cells[place]) for _, said in sentences_of(part)):
            inside = syllabus.dates_in_text(cell)
            unit = Unit(cell, row.line, inside, given, far=when is None, first=place == 0)
            if inside and _BEGIN.fullmatch(cell[: inside[0].start]):
                text = cell[inside[0].end :]
                head = inside[0]
                unit = replace(
                    unit, text=text, mentions=_inside(inside[1:], inside[0].end, text), given=head, far=False
                )
            elif letter := _LETTER.match(cell):
                unit = replace(unit, text=cell[letter.end() :], given=_on_weekday(given, letter[1]))
            units.append(
                replace(
                    unit,
                    several=several and not inside,
                    reason=role == "due" or (what and due_column) or says_due,
                    entry=at is not None and place in {0, at - 1} and place < at,
                    topic=role in {"topic", "reading"},
                    whole=is_title(cleaned(cell, inside)) and (what or (says_due and len(named) == 1)),
                )
            )
    return when, units


def _on_weekday(given: Mention | None, letter: str) -> Mention | None:
    """The day of a week that a letter names, on or after the first one."""
    if given is None:
        return None
    day = given.first + timedelta(days=(LETTERS[letter.lower()] - given.first.weekday()) % 7)
    return replace(given, first=day, last=day, weekday=None)


def _date_cell(row: Row, roles: Sequence[str | None], dates: Sequence[Sequence[Mention]]) -> int | None:
    """The cell with the date of a row: in the column of due dates, else in another one but that of release."""
    ranked = [
        (0 if role == "due" else 1 if role == "date" else 2, at)
        for at, (cell, role) in enumerate(zip(row.cells, roles, strict=True))
        if role != "released" and dates[at] and (role or len(cleaned(cell, dates[at])) < 25)
    ]
    return min(ranked)[1] if ranked else None


def _date_of(cell: str, mentions: Sequence[Mention]) -> Mention:
    return (due_among(cell, mentions) or mentions)[0]


def _inside(mentions: Sequence[Mention], start: int, text: str) -> list[Mention]:
    return [
        replace(one, start=one.start - start, end=one.end - start)
        for one in mentions
        if start <= one.start and one.end <= start + len(text)
    ]
