"""Read cards from CSV, TSV and exports of Quizlet: any usual separator, with or without a header.

In CSV, a text that begins like a formula has an apostrophe before it (`vocab.exporting`), which is removed. In other
tables, texts are unchanged.
"""

import re
from collections.abc import Callable

from vocab.reading.found import MAX_CARDS, MAX_TOLD, MAXIMA, FoundCard, FoundDeck, TooManyError, WrongRowsError
from vocab.reading.layouts import columns_of, likely_layout
from vocab.reading.rows import BrokenRowError, Row, rows_of

_NAMES = {"\t": "tab", ",": "comma", ";": "semicolon"}
ESCAPED_FORMULA = re.compile("'+[=+@\uff1d\uff0b\uff0d\uff20-]")
"""The beginning of a text with an apostrophe that prevents spreadsheets from calculating it (OWASP, CSV injection)."""


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
