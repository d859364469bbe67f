"""Detect how a table of terms and definitions is written."""

import re
from collections.abc import Sequence
from contextlib import suppress
from itertools import islice

from vocab.reading.rows import BY_BLANK_LINE, BY_LINE, BY_SEMICOLON, TAB, BrokenRowError, Layout, Row, rows_of

TERMS = frozenset({"term", "front", "question", "word", "prompt", "expression"})
"""Headers of the column of terms, in lower case."""

DEFINITIONS = frozenset({"definition", "back", "answer", "meaning", "translation", "explanation"})
"""Headers of the column of definitions, in lower case."""

_LOOKED_AT = 50
"""Number of rows for detecting the layout."""

_TABLES = (TAB, ",", ";")
_DASHES = (" - ", " \u2013 ", " \u2014 ")
_RARE = ("|", " = ", "=", ": ", ":", "-")
"""Separators that count only if no other one is in each row."""

_CHOSEN = re.compile(r"[-=:;|/~#*+<>]{2,}")
"""A separator that somebody chose for their export, like `---` or `=>`."""

_MOST_COLUMNS = 100
"""Number of columns that may be named in a header."""


def likely_layout(content: str) -> Layout:
    """The layout with a known header, else one that divides each row, else that of the most divided rows.

    Of several, a tab counts, else a separator without a space after it, else the one that comes first. Rows end with
    their line, unless other ends divide the file and lines do not, or it ends with a semicolon, or is one line.
    """
    by_line = _best(content, [Layout(separator) for separator in (*_TABLES, *_DASHES)])
    if by_line.has_header or by_line.is_broken:
        return by_line.layout
    if not by_line.is_divided or _may_end_with_semicolons(content):
        by_semicolon = _best(content, [Layout(separator, BY_SEMICOLON) for separator in (TAB, ",", *_DASHES)])
        if by_semicolon.is_divided:
            return by_semicolon.layout
    if by_line.is_divided:
        return by_line.layout
    others = [Layout(separator, BY_BLANK_LINE) for separator in (TAB, ",", *_DASHES)]
    others += [Layout(separator) for separator in (*by_line.chosen_separators(), *_RARE)]
    return next((layout for layout in others if _Sample(content, layout).is_divided), by_line.layout)


def likely_separator(content: str, *, comment: str) -> str:
    """The likely one of tab, comma and semicolon, if rows are lines.

    Args:
        comment: the beginning of comment lines.
    """
    return _best(content, [Layout(separator) for separator in _TABLES], comment).layout.separator


def columns_of(row: list[str]) -> tuple[int, int] | None:
    """The columns of terms and definitions in a header. None if the row is not a header."""
    words = [cell.strip().casefold() for cell in row[:_MOST_COLUMNS]]
    term_at = next((place for place, word in enumerate(words) if word in TERMS), None)
    definition_at = next((place for place, word in enumerate(words) if word in DEFINITIONS), None)
    return None if term_at is None or definition_at is None else (term_at, definition_at)


class _Sample:
    """The first rows of a file read in a layout.

    Attributes:
        layout: the layout.
        is_broken: whether the quotation marks of a row are wrong; it and later rows are left out.
        is_divided: whether each row has a term and a definition.
        has_header: whether the first row is a known header.
    """

    def __init__(self, content: str, layout: Layout, comment: str = "") -> None:
        self._rows: list[Row] = []
        self.layout = layout
        self.is_broken = True
        with suppress(BrokenRowError):
            self._rows.extend(islice(rows_of(content, layout, comment=comment), _LOOKED_AT))
            self.is_broken = False
        self.is_divided = not self.is_broken and self._all_divided()
        self.has_header = bool(self._rows) and columns_of(self._rows[0].cells) is not None

    def likelihood(self) -> tuple[bool, bool, bool, bool, bool, int, int]:
        """The sort key for `max`, which takes the first of equal ones."""
        separator, rows = self.layout.separator, self._rows
        is_tab = is_tight = False
        first_at = 0
        if self.is_divided:
            is_tab = separator == TAB
            is_tight = not all(row.cells[1].startswith(" ") for row in rows)
            first_at = sum(len(row.cells[0]) for row in rows)
        is_odd = any(row.cells[0].startswith('"') and 0 not in row.quoted for row in rows)
        divided = 0 if separator in _DASHES else sum(len(row.cells) > 1 for row in rows)
        return self.has_header, self.is_divided, not is_odd, is_tab, is_tight, -first_at, divided

    def chosen_separators(self) -> list[str]:
        """The sequences of signs in the first row."""
        return _CHOSEN.findall(self.layout.separator.join(self._rows[0].cells)) if self._rows else []

    def _all_divided(self) -> bool:
        """Rows that do not end with their line are at least two, without the space of a sentence after a semicolon."""
        rows = self._rows
        if self.layout.rows != BY_LINE and len(rows) < 2:
            return False
        if self.layout.rows == BY_SEMICOLON and any(row.cells[0].startswith(" ") for row in rows[1:]):
            return False
        return bool(rows) and all(len(row.cells) > 1 and row.cells[0].strip() for row in rows)


def _best(content: str, layouts: Sequence[Layout], comment: str = "") -> _Sample:
    return max((_Sample(content, layout, comment) for layout in layouts), key=_Sample.likelihood)


def _may_end_with_semicolons(content: str) -> bool:
    text = content.strip()
    return text.endswith(";") or len(text.splitlines()) == 1
