"""The cells of a table row, each with the date of its row or column."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final

from courses.syllabi.calendars import WORKING_WEEK
from courses.syllabi.dates import Mention
from courses.syllabi.phrases import LETTERS, due_among, phrases_of
from courses.syllabi.reader import Syllabus
from courses.syllabi.reading.lines import BREAK
from courses.syllabi.rows import WEEKS_HEAD, Row, sentences_of
from courses.syllabi.titles import BEGIN, WEEK_HEAD, WHEN_WORDS, Unit, cleaned, dates_inside, is_title
from courses.syllabi.words import DUE, NOUN, WEEKDAYS

_NUMBERS: Final = re.compile(r"\d{1,2}(?:(?:, ?| & | and )\d{1,2})*")
"""The cells of a column like "Homework due"."""

_JOINS: Final = re.compile(rf"\b(?:and|und|et|y|{'|'.join(LETTERS)})\b", re.IGNORECASE)
"""Words between the days of a cell: "Sep 22 and 24", "T 9/22; R 9/24"."""

_LIST: Final = re.compile(r"\s*(?:[,;]|\s[+&])\s+(?!\d)")
MOST_LISTED: Final = 4
"""Words of each name in a list."""

_UNTITLED: Final = frozenset({"released", "weight", "date", "type"})
"""The roles of columns without titles."""

_WORK: Final = frozenset({"due", "what"})
"""The roles of columns with the titles of work."""


@dataclass(frozen=True, slots=True)
class _Cell:
    """A cell with its dates, the role of its column and the head of it.

    Attributes:
        only_when: whether it has only words about time.
        days: the dates of its lines, if each has one.
    """

    at: int
    text: str
    dates: Sequence[Mention]
    role: str | None
    head: str
    only_when: bool
    days: Sequence[Mention] = ()

    @property
    def day(self) -> Mention:
        """Its due date."""
        bracket = self.text.find("(")
        outside = [one for one in self.dates if bracket < 0 or one.start < bracket or one.start > self.text.rfind(")")]
        return (due_among(self.text, outside) or self.dates)[0]

    @property
    def known(self) -> bool:
        """Whether it names work, or says that something is due: "Policy analysis due Mon, Dec 14"."""
        cue = DUE.search(self.text)
        due = cue and is_title(self.text[: cue.start()]) and all(one.start > cue.start() for one in self.dates)
        return bool(due or phrases_of(self.text))


def units_of_cells(syllabus: Syllabus, row: Row) -> Iterator[Unit]:
    """The cells of a table row as units: each title has the date of its row, and each line of a cell is a unit."""
    cells = [_cell(syllabus, row, at) for at in range(len(row.cells))]
    givers = _givers(cells)
    giver = givers[0] if givers else None
    titles = _titles(cells, giver)
    says_due = any(cell.only_when and DUE.search(cell.text) for cell in cells)
    in_week = giver is None and bool(
        WEEK_HEAD.match(row.cells[0]) or any(cell.role == "date" and cell.text[-1:].isdigit() for cell in cells)
    )
    for place, cell in enumerate(titles):
        days = _days(cells, titles, givers, place) if givers else []
        lines = [text for _, text in sentences_of(cell.text)]
        if cell.role in _WORK and ":" not in cell.text and "(" not in cell.text:
            lines = [part for line in lines for part in ([line] if syllabus.dates_in_text(line) else _listed(line))]
        for at, text in enumerate(lines):
            inside = syllabus.dates_in_text(text)
            given: Sequence[Mention | None] = days[:1] if inside else days
            if giver and len(giver.days) > 1 and len(giver.days) == len(lines):
                given = giver.days[at : at + 1]
            due = _due_text(cells, giver, at, len(lines))
            for day in given or [None]:
                unit = Unit(
                    text,
                    row.line,
                    inside,
                    day,
                    several=len(days) > 1 and not inside,
                    reason=says_due
                    or cell.role == "due"
                    or (cell.role == "what" and giver is not None and giver.role == "due"),
                    titled=giver is not None and cell.role in _WORK,
                    entry=giver is not None and cell.at < giver.at,
                    in_week=in_week and cell.role not in {"topic", "reading"},
                    role=cell.role or "",
                    due=due,
                )
                yield _on_its_day(unit, cell.head)


def _due_text(cells: Sequence[_Cell], giver: _Cell | None, at: int, lines: int) -> str:
    """The cell that says when something is due, or its line for one of as many titles; empty without one."""
    says_due = [cell for cell in cells if cell.only_when and DUE.search(cell.text)]
    found = giver if giver is not None and giver.role == "due" else next(iter(says_due), None)
    due = [] if found is None else [text for _, text in sentences_of(found.text)]
    return due[at] if len(due) == lines else " ".join(due)


def _listed(text: str) -> list[str]:
    """The names in a list of work: "Norms quiz, Film response"."""
    parts = _LIST.split(text)
    listed = len(parts) > 1 and all(part[:1].isupper() and len(part.split()) <= MOST_LISTED for part in parts)
    return parts if listed else [text]


def _titles(cells: Sequence[_Cell], giver: _Cell | None) -> list[_Cell]:
    """The titles of a row. "2, 3" below "Homework due" are two; below "Report due" it is that of the last title."""
    due_column = giver is not None and giver.role == "due"
    titles = []
    for cell in cells:
        counted = cell.role == "due" or (due_column and NOUN.search(cell.head))
        name = cleaned(cell.head, [])
        if counted and _NUMBERS.fullmatch(cell.text) and is_title(name):
            titles += [replace(cell, text=f"{name} {number}", role="due") for number in re.findall(r"\d+", cell.text)]
        elif cell.role not in _UNTITLED and not cell.only_when:
            titles.append(cell)
    titles = [cell for cell in titles if cell is not giver or cell.known]
    if not any(cell.head for cell in cells):
        titles = [cell for cell in titles if cell.known] or titles
    others = [cell for cell in titles if cell is not giver]
    if others and giver and due_column and NOUN.search(giver.head):
        titles = others
        return [replace(titles[-1], text=f"{cleaned(giver.head, [])}: {titles[-1].text}", role="due")]
    return titles


def _cell(syllabus: Syllabus, row: Row, at: int) -> _Cell:
    """A cell; several dates alone, or the first day of a week, are a range."""
    text, role, head = row.cells[at], row.roles[at] if row.roles else None, row.heads[at] if row.heads else ""
    dates = syllabus.dates_in_text(f"week {text}" if role == "date" and text.isdigit() else text)
    words = cleaned(text, dates)
    days = dates
    if dates and WEEKS_HEAD.match(head):
        dates = [replace(dates[0], last=max(dates[0].last, dates[0].first + WORKING_WEEK)), *dates[1:]]
    if dates and role != "due" and not any(map(str.isalnum, _JOINS.sub("", words))):
        dates = [replace(dates[0], last=max(dates[0].last, dates[-1].last))]
    days = days if text.count(BREAK) == len(days) - 1 else []
    return _Cell(at, text, dates, role, head, not any(map(str.isalpha, WHEN_WORDS.sub("", words))), days)


def _givers(cells: Sequence[_Cell]) -> list[_Cell]:
    """The cells with the dates of a row, first those without work: below heads one, that of the column of due dates."""
    ranks = {"due": 0, "date": 1}
    dated = [cell for cell in cells if cell.dates and cell.role != "released"]
    plain = [cell for cell in dated if cell.only_when or not cell.known]
    if not any(cell.head for cell in cells):
        return plain
    return sorted(plain or dated, key=lambda cell: ranks.get(cell.role or "", 2))[:1]


def _days(cells: Sequence[_Cell], titles: Sequence[_Cell], givers: Sequence[_Cell], at: int) -> list[Mention]:
    """The days of a title: each due date, the days of a week as a range, else the day before or after it in its row."""
    giver = givers[0]
    if giver.role == "due":
        due = due_among(giver.text, giver.dates)
        return [one for one in due if one.start <= giver.day.start or "(" not in giver.text] or [giver.day]
    if giver.head:
        others = [cell.dates[0].last for cell in cells if cell.dates and cell.only_when]
        last = max((one for one in others if one - giver.day.first <= WORKING_WEEK), default=giver.day.last)
        return [replace(giver.day, last=max(last, giver.day.last))]
    if giver.at < titles[0].at:
        return [one.day for one in givers if one.at <= titles[at].at][-1:]
    following = titles[at + 1].at if titles[at + 1 :] else len(cells)
    return [one.day for one in givers if titles[at].at < one.at < following] or [givers[-1].day]


def _on_its_day(unit: Unit, head: str) -> Unit:
    """A cell on the day that begins it, or on the weekday that heads its column."""
    cell, inside = unit.text, unit.mentions
    if inside and BEGIN.fullmatch(cell[: inside[0].start]):
        text = cell[inside[0].end :]
        own = dates_inside(inside[1:], inside[0].end, text)
        return replace(unit, text=text, mentions=own, given=inside[0])
    weekday = (WEEKDAYS | LETTERS).get(head.lower().partition(" ")[0])
    if unit.given is None or weekday is None:
        return unit
    day = unit.given.first + timedelta(days=(weekday - unit.given.first.weekday()) % 7)
    return replace(unit, given=replace(unit.given, first=day, last=day, weekday=None))
