"""The items that a row of a table names: of a schedule, or of a list of deliverables."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from courses.syllabi.calendars import Mention
from courses.syllabi.clauses import Candidate, Clause, items_of
from courses.syllabi.cues import DUE, NO_ITEM, OPEN
from courses.syllabi.due_days import day_in, due_mention, week_of
from courses.syllabi.kinds import kind_of
from courses.syllabi.phrases import phrases_of
from courses.syllabi.reader import Syllabus
from courses.syllabi.rows import Row
from courses.syllabi.titles import MOST_WORDS, cleaned, is_title

_WIDE_GAP: Final = re.compile(r" {2,}")
_WORTH: Final = re.compile(r"\d+(?:\.\d+)?\s?(?:%|points?|pts\.?|punkte|puntos|marks)?", re.IGNORECASE)
"""A cell that says what something counts."""


def items_of_row(syllabus: Syllabus, row: Row, above: Mention | None) -> Iterator[Candidate]:
    """The candidates of a row.

    Args:
        syllabus: for its calendar.
        row: one with several cells.
        above: the date of the rows above, for a row without one.
    """
    roles = row.roles or (None,) * len(row.cells)
    dates = [syllabus.dates_in_row(cell) for cell in row.cells]
    if _is_head(row):
        return
    when = date_of_row(syllabus, row)
    worth = any(_WORTH.fullmatch(cell) for cell in row.cells)
    whole = _whole_title(row, roles, dates)
    if whole is not None and when is not None and when.first == when.last:
        if not NO_ITEM.search(whole):
            phrases = phrases_of(whole)
            yield Candidate(
                whole, kind_of(whole, "assignment"), when.last, row.line, 0.9, any(one.numbered for one in phrases)
            )
        return
    for cell, role, mentions in zip(row.cells, roles, dates, strict=True):
        if role in {"released", "weight", "date"} and not phrases_of(cell):
            continue
        context = when or above
        sure = 0.7 if when is None or _many(roles, dates) else 0.9
        candidates = [
            candidate
            for part in _WIDE_GAP.split(cell)
            for candidate in items_of(syllabus, _cell(syllabus, row, part, context, sure))
            if role not in {"topic", "reading"} or _stands_out(candidate, part, role)
        ]
        if role in {"due", "what"} and when is not None:
            dated = when.first == when.last
            candidates = [
                replace(one, confidence=max(one.confidence, sure - 0.05 if dated else 0)) for one in candidates
            ]
            if not candidates and not mentions and is_title(title := cleaned(cell, [])) and not NO_ITEM.search(cell):
                day, certain = day_in(when, cell)
                least = sure - 0.15 if certain else 0.65
                candidates = [Candidate(title, kind_of(title, "assignment"), day, row.line, least)]
        yield from (one for one in candidates if one.due_on or not worth or OPEN.search(row.text))


def _stands_out(candidate: Candidate, text: str, role: str | None) -> bool:
    """Whether an item in a column of topics or readings is one: numbered, due, or all that the cell says."""
    if DUE.search(text) or (candidate.kind == "exam" and role == "topic"):
        return True
    return candidate.numbered if role == "reading" else candidate.numbered or len(text) < len(candidate.title) + 12


def _many(roles: tuple[str | None, ...], dates: list[list[Mention]]) -> bool:
    """Whether a row is about several days, and no column says on which of them something is due."""
    if any(role == "due" and mentions for role, mentions in zip(roles, dates, strict=True)):
        return False
    return (
        len({one.first for role, mentions in zip(roles, dates, strict=True) if role != "released" for one in mentions})
        > 1
    )


def _is_head(row: Row) -> bool:
    return (
        bool(row.roles)
        and sum(role is not None for role in row.roles) >= 2
        and not any(character.isdigit() for character in row.text)
    )


def _whole_title(row: Row, roles: tuple[str | None, ...], dates: list[list[Mention]]) -> str | None:
    """The title of a row of deliverables: its column says so, and another one has its date."""
    if "what" not in roles or not {"due", "date"} & set(roles):
        return None
    cell = row.cells[roles.index("what")]
    if dates[roles.index("what")] or "topic" in roles or len(cell.split()) > MOST_WORDS:
        return None
    title = cleaned(cell, [])
    return title if is_title(title) and len(phrases_of(title)) <= 1 else None


def date_of_row(syllabus: Syllabus, row: Row) -> Mention | None:
    """The date of a row: that in the column of due dates, else in another one but that of release."""
    roles = row.roles or (None,) * len(row.cells)
    ranked = sorted(
        (0 if role == "due" else 1 if role == "date" else 2, at, mentions)
        for at, (cell, role) in enumerate(zip(row.cells, roles, strict=True))
        if role != "released"
        and (mentions := syllabus.dates_in_row(cell))
        and (role or len(cleaned(cell, mentions)) < 25)
    )
    if not ranked:
        return None
    _, at, mentions = ranked[0]
    meant = mentions[-1] if roles[at] == "due" else due_mention(row.cells[at], mentions)
    return week_of(row.cells[at], meant)


def _cell(syllabus: Syllabus, row: Row, text: str, context: Mention | None, sure: float) -> Clause:
    first = text == row.cells[0]
    return Clause(text, syllabus.dates_in_row(text), row.line, context, sure, cell=True, first=first)
