"""The lines of a syllabus as rows of cells and as sentences."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from courses.syllabi.reading.lines import BREAK
from courses.syllabi.tables import DATE_FIRST
from courses.syllabi.words import MONTHS, VOCABULARY, WEEKDAYS, one_of

MOST_CHARACTERS: Final = 20_000
"""Maximum length of a searched line. The rest of a longer one is ignored."""

MOST_LINES: Final = 10_000
"""Maximum number of lines searched for items and weights. A hundred pages have two thirds of that."""

MOST_JOINED: Final = 1_500
"""Maximum length of a sentence or a row of several lines."""

MOST_WRAPPED: Final = 12
"""Maximum number of its lines."""

_GAP: Final = re.compile(r" {2,}(?=\S)")
_AROUND: Final = f" \t{BREAK}"
_RULE: Final = re.compile(r"[\s|:=+_-]*")
_BULLET: Final = re.compile(
    rf"^\s*(?:[•●○◦▪■□*·➢►✓o+-]|#{{1,6}}|\(?(?:\d{{1,2}}(?![.)]\s+(?:{one_of(MONTHS)})\b)|[a-z])[.)](?!\d))\s+",
    re.IGNORECASE,
)
"""The bullet of a list entry. The day of "24. Juni" is not one."""

_SENTENCE_END: Final = re.compile(r"(?<=[\w)\"”'%])[.!?]\s+(?=[\"“(]?[A-ZÀ-Þ\d])| \u2022 ")
_SHORT_NAMES: Final = {name: number for name, number in (MONTHS | WEEKDAYS).items() if len(name) <= 5}
_ABBREVIATED: Final = tuple(
    (re.compile(before), re.compile(after, re.IGNORECASE))
    for before, after in (
        (rf"\b(?:(?i:{one_of(_SHORT_NAMES)})|[^\W\d_a-zà-ÿ][^\W\d_]?)$", r"\w"),
        (r"\b(?:[a-zà-ÿ]{1,3}|[Pp]roj|[Aa]ss(?:gn?|t)|[Cc]hap|[Ee]xp)$", r"\d"),
        (r"\d$", rf"(?:{one_of(MONTHS)})\b"),
    )
)
"""Pairs of texts around a period that does not end a sentence: "Oct. 5", "Dr. Who", "pp. 9", "18. Januar"."""

_NUMBER_NEXT: Final = re.compile(r"\d+, [a-zà-ÿ]")
_BRACKETS: Final = re.compile(r"\s*\([^()]*\)")

_ROLE: Final = [(one["role"], re.compile("|".join(one["heads"]), re.IGNORECASE)) for one in VOCABULARY["columns"]]


WEEKS_HEAD: Final = re.compile(
    r"(?:week )?(?:of|begin|start|commenc)|w/c|semaine du|semana del|(?:weeks?|wk|woche|semaine|semana)\W*$",
    re.IGNORECASE,
)
"""The head of a column with the first days of weeks."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line, or the lines of a wrapped sentence.

    Attributes:
        line: its first line, from 0.
        text: the complete text.
        cells: its columns; one outside of tables.
        roles: the roles of the columns according to their headers, if known.
        heads: the headers of the columns, if `roles` is not empty.
        lines: the start in `text` of each further line, as (offset, line).
    """

    line: int
    text: str
    cells: tuple[str, ...]
    roles: tuple[str | None, ...] = ()
    lines: tuple[tuple[int, int], ...] = ()
    heads: tuple[str, ...] = ()

    @property
    def is_table(self) -> bool:
        """Return whether the line has several columns."""
        return len(self.cells) > 1

    def line_at(self, offset: int) -> int:
        """The line (from 0) of a position in `text`."""
        return max((line for start, line in self.lines if start <= offset), default=self.line)


def rows_of(lines: Sequence[str]) -> Iterator[Row]:
    """The rows of a text without empty lines, each with the roles of its columns."""
    roles: tuple[str | None, ...] = ()
    heads: tuple[str, ...] = ()
    at = 0
    while at < min(len(lines), MOST_LINES):
        text = lines[at][:MOST_CHARACTERS].rstrip()
        line, at = at, at + 1
        if not text.strip() or _RULE.fullmatch(text):
            continue
        cells = cells_of(text)
        if len(cells) > 1:
            named = tuple(role_of(cell) for cell in cells)
            if _is_head(named, cells, lines[at : at + 3]):
                roles, heads = named, cells
            elif "\t" in text:
                cells += ("",) * (len(roles) - len(cells))
            yield Row(line, text, cells, *((roles, (), heads) if len(roles) == len(cells) else ()))
            continue
        if line and not lines[line - 1].strip():
            roles, heads = (), ()
        starts: list[tuple[int, int]] = []
        while at < len(lines) and at - line < MOST_WRAPPED and _goes_on(text, lines[at]):
            starts.append((len(text) + 1, at))
            text = f"{text} {lines[at].strip()}"
            at += 1
        text, cut = _without_bullet(text)
        yield Row(line, text, (text,), (), tuple((start - cut, number) for start, number in starts))


def _is_head(roles: Sequence[str | None], cells: Sequence[str], below: Sequence[str]) -> bool:
    """Return whether cells are the heads of columns: two have a role, or one whose column has numbers below it."""
    known = [at for at, role in enumerate(roles) if role is not None]
    if len(known) >= 2 or roles[0] in {"date", "due"}:
        return True
    rows = [row for line in below if not _RULE.fullmatch(line) and len(row := cells_of(line)) == len(cells)]
    dated = any(any(map(str.isdigit, row[at])) for row in rows for at in known if roles[at] in {"date", "due"})
    return dated and not any(map(str.isdigit, "".join(cells)))


def cells_of(text: str) -> tuple[str, ...]:
    """The columns of a line, separated by bars, tabs or wide gaps. Bars at its ends are borders."""
    text = text.strip()
    if text.startswith("|"):
        text = text[1:].removesuffix("|")
    separated = text.split("|") if "|" in text else text.split("\t") if "\t" in text else _GAP.split(text)
    return tuple(cell.strip(_AROUND) for cell in separated)


def role_of(cell: str) -> str | None:
    """The role of a column, by its header."""
    cell = _BRACKETS.sub("", cell).strip(" :*#")
    return next((role for role, words in _ROLE if words.fullmatch(cell)), None) if 0 < len(cell) < 40 else None


def sentences_of(text: str) -> Iterator[tuple[int, str]]:
    """The sentences of a text, and the lines of a cell, with their positions."""
    start = 0
    for end in _SENTENCE_END.finditer(text):
        if end[0] == BREAK or not any(
            before.search(text, max(start, end.start() - 20), end.start()) and after.match(text, end.end())
            for before, after in _ABBREVIATED
        ):
            yield start, text[start : end.start() + (end[0] != BREAK)]
            start = end.end()
    yield start, text[start:]


def _without_bullet(text: str) -> tuple[str, int]:
    bullet = _BULLET.match(text)
    if bullet is None:
        return text, 0
    return text[bullet.end() :], bullet.end()


def _goes_on(text: str, following: str) -> bool:
    """Return whether a line of prose continues in the next one, as in PDFs."""
    following = following.strip()
    last = text.rsplit(None, 1)[-1].lower()
    if len(text) < 55 or not following or "|" in following or text[-1] in ".:!?;":
        return False
    if len(text) + len(following) > MOST_JOINED:
        return False
    if _BULLET.match(following) or (last == "due" and DATE_FIRST.match(following)) or len(cells_of(following)) > 1:
        return False
    return following[0].islower() or bool(_NUMBER_NEXT.match(following)) or last in _OPEN_ENDS or text[-1] == ","


_OPEN_ENDS: Final = frozenset(VOCABULARY["open_ends"]) | MONTHS.keys()
