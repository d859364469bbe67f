"""Rows of a table in text: RFC 4180, as well as tables whose texts begin with a quotation mark."""

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple, cast

TAB = "\t"
QUOTING = frozenset({TAB, ",", ";"})
"""Separators of tables whose cells may be quoted."""

_ROW_END = re.compile(r"\r\n|\r|\n|\Z")
_BLANK_LINES = re.compile(r"(?>\r\n|\r|\n)[ \t]*(?>\r\n|\r|\n)\s*")
_QUOTED = r'"((?:[^"]++|"")*+)"'
_CLOSED = re.compile(_QUOTED)
BY_LINE, BY_SEMICOLON, BY_BLANK_LINE = "line", "semicolon", "blank line"


class BrokenRowError(Exception):
    """The end of a row cannot be determined.

    Attributes:
        number: of the row, from 1.
    """

    def __init__(self, number: int) -> None:
        self.number = number
        super().__init__(
            "the quotation marks are wrong. A text in them must end with one, and those within it are doubled."
        )


class Layout(NamedTuple):
    """The format of a table.

    Attributes:
        separator: between cells.
        rows: whether a row ends with its line, or at a semicolon or a blank line, as in exports of Quizlet.
    """

    separator: str
    rows: str = BY_LINE


class Row(NamedTuple):
    """A row that is not empty.

    Attributes:
        number: from 1; empty rows count.
        cells: their texts.
        raw: the row as it is written after its first separator.
        quoted: the indexes of cells in quotation marks.
    """

    number: int
    cells: list[str]
    raw: str
    quoted: frozenset[int] = frozenset()

    def rest(self, separator: str) -> str:
        """Everything after the first separator as one text.

        Further cells without text, which spreadsheets add, are left out. A program quotes all cells, or those that need
        it. Other quotation marks are part of the text.
        """
        _, *cells = self.cells
        while len(cells) > 1 and not cells[-1].strip():
            cells.pop()
        marked = [cells[place - 1] for place in self.quoted if 0 < place <= len(cells)]
        is_written_by_program = len(marked) == len(cells) or all(
            any(mark in text for mark in (separator, '"', "\r", "\n")) for text in marked
        )
        return separator.join(cells) if is_written_by_program else self.raw


def rows_of(content: str, layout: Layout, *, comment: str = "", quotes: bool = False) -> Iterator[Row]:
    """The rows with text. A quoted text with line breaks is part of one row.

    Args:
        comment: the beginning of comment lines, which are numbered but skipped.
        quotes: whether cells may be quoted, whatever the separator.

    Raises:
        BrokenRowError: the quotation marks are wrong.
    """
    if layout.rows == BY_LINE:
        found = _lines(content, layout.separator, comment, quotes=quotes or layout.separator in QUOTING)
    else:
        pieces = content.split(";") if layout.rows == BY_SEMICOLON else _BLANK_LINES.split(content)
        found = (_split(number, piece.strip("\r\n"), layout.separator) for number, piece in enumerate(pieces, 1))
    return (row for row in found if any(cell.strip() for cell in row.cells))


def _split(number: int, text: str, separator: str) -> Row:
    return Row(number, text.split(separator), text.partition(separator)[2])


def _lines(content: str, separator: str, comment: str, *, quotes: bool) -> Iterator[Row]:
    number = start = 0
    while start < len(content):
        number += 1
        end = _row_end(content, start)
        line = content[start : end.start()]
        if not (comment and line.startswith(comment)):
            if quotes and '"' in line:
                row, end = _quoted_row(content, start, number, separator)
                yield row
            else:
                yield _split(number, line, separator)
        start = end.end()


def _row_end(content: str, start: int) -> re.Match[str]:
    return cast("re.Match[str]", _ROW_END.search(content, start))  # the end of the text is one


def _quoted_row(content: str, start: int, number: int, separator: str) -> tuple[Row, re.Match[str]]:
    """The row that begins here, and its end."""
    quoted_cell, plain_cell = _cells(separator)
    cells: list[str] = []
    quoted: set[int] = set()
    second = None
    while True:
        cell = quoted_cell.match(content, start)
        if cell is not None:
            quoted.add(len(cells))
            cells.append(cell[1].replace('""', '"'))
        else:
            if content.startswith('"', start):
                _require_closed(content, start, number, separator)
            cell = cast("re.Match[str]", plain_cell.match(content, start))  # a cell may be empty
            cells.append(cell[0])
        if not content.startswith(separator, cell.end()):
            end = _row_end(content, cell.end())
            return Row(number, cells, content[second or end.start() : end.start()], frozenset(quoted)), end
        start = cell.end() + len(separator)
        second = second or start


def _require_closed(content: str, start: int, number: int, separator: str) -> None:
    """Check that a quotation mark that begins a cell is closed in its line, as one that is part of the text.

    With tabs it need not be closed, because Quizlet and others quote no cells.

    Raises:
        BrokenRowError: it is not closed there.
    """
    closed = _CLOSED.match(content, start)
    if separator != TAB and (closed is None or "\n" in closed[0] or "\r" in closed[0]):
        raise BrokenRowError(number)


@cache
def _cells(separator: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Patterns of a cell in quotation marks and of another."""
    end = rf"(?={re.escape(separator)}|[\r\n]|\Z)"
    return re.compile(f"{_QUOTED} *{end}"), re.compile(rf"[^\r\n]*?{end}")
