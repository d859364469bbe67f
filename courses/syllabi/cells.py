"""The cells of a table row, each with the date of its row or column."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Final

from courses.syllabi.calendars import Mention
from courses.syllabi.cues import DUE
from courses.syllabi.due_days import LETTERS, due_among
from courses.syllabi.kinds import NOUN
from courses.syllabi.phrases import phrases_of
from courses.syllabi.reader import Syllabus
from courses.syllabi.rows import Row, sentences_of
from courses.syllabi.titles import cleaned, is_title
from courses.syllabi.unit import BEGIN, WEEK_HEAD, WHEN_WORDS, Unit, dates_inside
from courses.syllabi.weeks import WORKING_WEEK
from courses.syllabi.words import WEEKDAYS

_WORTH: Final = re.compile(r"\W*\d+(?:\.\d+)?\s?(?:%|points?|pts\.?|punkte|puntos|marks)?\W*", re.IGNORECASE)
_WEEK_OF: Final = re.compile(r"(?:week )?(?:of|begin|start|commenc)|w/c|semaine du|semana del", re.IGNORECASE)
"""The header of a column with the first days of weeks."""

_NUMBERS: Final = re.compile(r"\d{1,2}(?:(?:, ?| & | and )\d{1,2})*")
"""Headers of due dates, like "Homework due"."""


def units_of_cells(syllabus: Syllabus, row: Row) -> tuple[Mention | None, list[Unit]]:
    """The date of a table row, and its cells as units."""
    if row.cells == row.heads:
        return None, []
    roles = row.roles or (None,) * len(row.cells)
    dates = [
        syllabus.dates_in_text(f"week {cell}" if role == "date" and cell.isdigit() else cell)
        for cell, role in zip(row.cells, roles, strict=True)
    ]
    at = _date_cell(row, roles, dates)
    when = _when(row, dates, at, due=roles[at] == "due") if at is not None else None
    due_column = at is not None and roles[at] == "due"
    counted_cells = {
        place
        for place, (head, cell) in enumerate(zip(row.heads, row.cells, strict=False))
        if _NUMBERS.fullmatch(cell)
        and is_title(cleaned(head, []))
        and (roles[place] == "due" or (due_column and NOUN.search(head)))
    }
    only_when = [
        not any(map(str.isalpha, WHEN_WORDS.sub("", cleaned(cell, found))))
        for cell, found in zip(row.cells, dates, strict=True)
    ]
    named = [
        place
        for place, cell in enumerate(row.cells)
        if roles[place] not in {"released", "weight", "date", "type"}
        and not (place == at and "what" in roles and BEGIN.fullmatch(cell[: dates[at][0].start]))
        and (not (only_when[place] or _WORTH.fullmatch(cell)) or place in counted_cells)
    ]
    says_due = any(only and DUE.search(cell) for only, cell in zip(only_when, row.cells, strict=True))
    found = [when] if when and (due_column or says_due) else [one[0] for one in dates if one]
    found += due_among(row.cells[at], dates[at]) if at is not None else []
    days = [one[0] for one, only in zip(dates, only_when, strict=True) if one and only]
    if when and not due_column and days and days[-1].last - when.first <= WORKING_WEEK:
        when, found = replace(when, last=max(when.last, days[-1].last)), []  # the days of a week
    several = len({one.first for one in found if syllabus.in_term(one.first)}) > 1
    if due_column and (below := _below_head(row, dates, named, at)):
        return when, [below]
    numbered_week = when is None and bool(
        WEEK_HEAD.match(row.cells[0]) or ("date" in roles and row.cells[roles.index("date")][-1:].isdigit())
    )
    if not row.roles:
        return when, list(_of_entries(syllabus, row, dates, named, only_when, says_due=says_due, in_week=numbered_week))
    units = []
    for place in named:
        role, what = roles[place], roles[place] in {"due", "what"} and at is not None
        if place in counted_cells:
            head = cleaned(row.heads[place], [])
            numbers = re.findall(r"\d+", row.cells[place])
            units += [Unit(f"{head} {number}", row.line, (), when, reason=True, whole=True) for number in numbers]
            continue
        for _, cell in sentences_of(row.cells[place]):
            inside = syllabus.dates_in_text(cell)
            unit = Unit(cell, row.line, inside, when)
            unit = _on_its_day(unit, row.heads[place] if row.heads else "")
            units.append(
                replace(
                    unit,
                    several=several and not inside,
                    reason=role == "due" or (what and due_column) or says_due,
                    entry=at is not None and place in {0, at - 1} and place < at,
                    in_week=(numbered_week and role not in {"topic", "reading"}),
                    whole=is_title(cleaned(cell, inside)) and what,
                )
            )
    return when, units


def _on_its_day(unit: Unit, head: str) -> Unit:
    """A cell on the day that begins it, or on the weekday that heads its column."""
    cell, inside = unit.text, unit.mentions
    if inside and BEGIN.fullmatch(cell[: inside[0].start]):
        text = cell[inside[0].end :]
        own = dates_inside(inside[1:], inside[0].end, text)
        return replace(unit, text=text, mentions=own, given=inside[0])
    if (weekday := (WEEKDAYS | LETTERS).get(head.lower().partition(" ")[0])) is not None:
        return replace(unit, given=_on_weekday(unit.given, weekday))
    return unit


def _of_entries(
    syllabus: Syllabus,
    row: Row,
    dates: Sequence[Sequence[Mention]],
    named: Sequence[int],
    only_when: Sequence[bool],
    *,
    says_due: bool,
    in_week: bool,
) -> Iterator[Unit]:
    """The cells of a row without heads, each with the date after it, or before it if the row begins with a date."""
    known = [bool(phrases_of(cell)) or _says_due(cell, found) for cell, found in zip(row.cells, dates, strict=True)]
    givers = [
        at
        for at, found in enumerate(dates)
        if found
        and (only_when[at] or not known[at])
        and (
            known[at - 1]
            or sum(map(bool, dates)) == 1
            or only_when[at]
            or not BEGIN.fullmatch(row.cells[at][: found[0].start])
        )
    ]
    givers = [at for at in givers if not dates[at][0].counted] or givers
    titles = [at for at in named if at not in givers]
    titles_first = bool(titles and givers) and titles[0] < givers[0]
    for place in [at for at in titles if known[at]] or titles:
        before = [at for at in givers if at < place and not any(at < other < place for other in titles)]
        after = [at for at in givers if at > place and not any(place < other < at for other in titles)]
        near = (after or before) if titles_first else (before or after)
        near = near or givers[-1:]
        days = [found[0] for at in near for found in [due_among(row.cells[at], dates[at]) or dates[at]]]
        for _, cell in sentences_of(row.cells[place]):
            inside = syllabus.dates_in_text(cell)
            for day in [None] if inside or not days else days:
                several = len(days) > 1 and not inside
                unit = Unit(cell, row.line, inside, day, says_due, entry=titles_first, several=several, in_week=in_week)
                yield _on_its_day(unit, "")


def _says_due(cell: str, dates: Sequence[Mention]) -> bool:
    """Return whether a cell says that something is due: "Policy analysis due Mon, Dec 14"."""
    cue = DUE.search(cell)
    return cue is not None and is_title(cell[: cue.start()]) and all(one.start > cue.start() for one in dates)


def _below_head(
    row: Row, dates: Sequence[Sequence[Mention]], named: Sequence[int], due_column: int | None
) -> Unit | None:
    """The item of a row below "Report due", with the title of its row."""
    if due_column is None or not named or not NOUN.search(row.heads[due_column]):
        return None
    due = due_among(row.cells[due_column], dates[due_column])
    said = f"{cleaned(row.heads[due_column], [])}: {row.cells[named[-1]]}"
    return Unit(said, row.line, (), due[-1], reason=True, whole=True, several=len(due) > 1)


def _on_weekday(given: Mention | None, weekday: int) -> Mention | None:
    """The day in a week, on or after the first day."""
    if given is None:
        return None
    day = given.first + timedelta(days=(weekday - given.first.weekday()) % 7)
    return replace(given, first=day, last=day, weekday=None)


def _date_cell(row: Row, roles: Sequence[str | None], dates: Sequence[Sequence[Mention]]) -> int | None:
    """The cell with the date of a row: in the column of due dates, else in any except one of release dates."""
    ranked = [
        (0 if role == "due" else 1 if role == "date" else 2, at)
        for at, (cell, role) in enumerate(zip(row.cells, roles, strict=True))
        if role != "released" and dates[at]
    ]
    return min(ranked)[1] if ranked else None


def _when(row: Row, dates: list[list[Mention]], at: int, *, due: bool) -> Mention:
    """The date of a row by its cell; "Sep 9, 11" and the first day of a week are ranges."""
    when = (due_among(row.cells[at], dates[at]) or dates[at])[0]
    if row.heads and _WEEK_OF.match(row.heads[at]):
        when = replace(when, last=max(when.last, when.first + WORKING_WEEK))
    if not due and not any(map(str.isalnum, cleaned(row.cells[at], dates[at]))):
        when = replace(when, last=max(when.last, dates[at][-1].last))
        dates[at] = [when]
    return when
