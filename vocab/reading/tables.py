"""Read cards from CSV, TSV and exports of Quizlet: any usual separator, with or without a header.

In CSV, a text that begins like a formula has an apostrophe before it (`vocab.deck_files`), which is removed. In other
tables, texts are unchanged.
"""

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import islice

from vocab.reading.found import MAX_CARDS, MAX_TOLD, MAXIMA, FoundCard, FoundDeck, TooManyError, WrongRowsError
from vocab.reading.rows import BY_BLANK_LINE, BY_LINE, BY_SEMICOLON, TAB, BrokenRowError, Layout, Row, rows_of

_NAMES = {"\t": "tab", ",": "comma", ";": "semicolon"}
ESCAPED_FORMULA = re.compile("'+[=+@\uff1d\uff0b\uff0d\uff20-]")
"""The beginning of a text with an apostrophe that prevents spreadsheets from calculating it (OWASP, CSV injection)."""

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


def read_table(content: str, header: str = "auto") -> FoundDeck:
    """The cards of a table, in order, without empty rows.

    Args:
        content: of the file.
        header: whether the first row is a heading: `yes`, `no`, or `auto`, which decides by its words. A heading also
            determines the columns, by default the first two. Without one, or in a table of two columns, everything
            after the first separator is the definition.

    Raises:
        WrongRowsError: rows are broken, lack a column, have too many, or have a text that is too long.
        TooManyError: there are more than `MAX_CARDS`.
    """
    layout = likely_layout(content)
    columns = _Columns(layout.separator)
    cards: list[FoundCard] = []
    wrong: list[str] = []
    try:
        for place, row in enumerate(rows_of(content, layout)):
            if place == 0 and header != "no" and (header == "yes" or columns_of(row.cells) is not None):
                columns = _Columns(layout.separator, row.cells)
                continue
            found = columns.card(row)
            if isinstance(found, str):
                wrong.append(f"Row {row.number}: {found}")
                if len(wrong) > MAX_TOLD:
                    break
            elif len(cards) == MAX_CARDS:
                raise TooManyError
            else:
                cards.append(found)
    except BrokenRowError as broken:
        wrong.append(f"Row {broken.number}: {broken}")
    if wrong:
        raise WrongRowsError(wrong)
    return {"name": None, "cards": cards}


class _Columns:
    """The columns of a table.

    Args:
        header: its cells, if it has one.
    """

    def __init__(self, separator: str, header: list[str] | None = None) -> None:
        self._separator = separator
        names = _filled(header or [])
        self._width = max(2, len(names))
        self._term_at, self._definition_at = columns_of(names) or (0, 1)
        self._text_of: Callable[[str], str] = _unescaped if separator in {",", ";"} else str

    def card(self, row: Row) -> FoundCard | str:
        """The card of a row, or its error."""
        cells = _filled(row.cells, self._width)
        if len(cells) <= max(self._term_at, self._definition_at):
            return "has no second column. A row is a term and its definition."
        if (self._width, self._definition_at) == (2, 1):
            cells = [cells[0], row.rest(self._separator)]
        elif len(cells) > self._width:
            separator = _NAMES.get(self._separator, f'"{self._separator.strip()}"')
            return (
                f"has {len(cells)} columns, and the header {self._width}. "
                f"Put quotation marks around a text with a {separator} in it."
            )
        found: FoundCard = {
            "term": self._text_of(cells[self._term_at].strip()),
            "definition": self._text_of(cells[self._definition_at].strip()),
        }
        return _error(found) or found


def _filled(cells: list[str], least: int = 0) -> list[str]:
    """The cells without empty ones at the end, but at least this number."""
    end = len(cells)
    while end > least and not cells[end - 1].strip():
        end -= 1
    return cells[:end]


def _error(card: FoundCard) -> str | None:
    for side, text in (("term", card["term"]), ("definition", card["definition"])):
        if not text:
            return f"the {side} is empty."
        if len(text) > MAXIMA[side]:
            return f"the {side} has more than {MAXIMA[side]} characters."
    return None


def _unescaped(text: str) -> str:
    return text[1:] if ESCAPED_FORMULA.match(text) else text


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
