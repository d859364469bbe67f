"""Rows of a table in text: RFC 4180, as well as tables whose texts begin with a quotation mark."""

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple, cast

TAB = "\t"
QUOTING = frozenset({TAB, ",", ";"})
"""Separators of tables whose cells may be quoted."""

_LINE = re.compile(r"[^\r\n]+")
_PIECE = re.compile(r"[^;]+")
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
    separator = layout.separator
    if layout.rows == BY_LINE:
        return _lines(content, separator, comment, quotes=quotes or separator in QUOTING)
    pieces = _by_semicolon(content) if layout.rows == BY_SEMICOLON else enumerate(_BLANK_LINES.split(content), 1)
    return (_split(number, piece.strip("\r\n"), separator) for number, piece in pieces if _has_text(piece, separator))


def _has_text(line: str, separator: str) -> bool:
    """Return whether a line has more than separators."""
    return bool(line.replace(separator, " ").strip())


def _split(number: int, text: str, separator: str) -> Row:
    return Row(number, text.split(separator), text.partition(separator)[2])


def _by_semicolon(content: str) -> Iterator[tuple[int, str]]:
    number, start = 1, 0
    for piece in _PIECE.finditer(content):
        number += content.count(";", start, piece.start())
        start = piece.start()
        yield number, piece[0]


def _lines(content: str, separator: str, comment: str, *, quotes: bool) -> Iterator[Row]:
    number, start = 1, 0
    while (line := _LINE.search(content, start)) is not None:
        number += content.count("\n", start, line.start()) + content.count("\r", start, line.start())
        number -= content.count("\r\n", start, line.start())
        start = line.end()
        if comment and line[0].startswith(comment):
            continue
        if quotes and '"' in line[0]:
            row, start = _quoted_row(content, line.start(), number, separator)
            if any(cell.strip() for cell in row.cells):
                yield row
        elif _has_text(line[0], separator):
            yield _split(number, line[0], separator)


def _quoted_row(content: str, start: int, number: int, separator: str) -> tuple[Row, int]:
    """The row that begins here, and the place after it."""
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
            return Row(number, cells, content[second or cell.end() : cell.end()], frozenset(quoted)), cell.end()
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
