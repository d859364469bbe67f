"""Builds lines of text from the structure of a document: a table row becomes one line of its cells.

The limits that all readers keep are here, too.
"""

from dataclasses import dataclass, field
from typing import Final

MAX_PAGES = 100
"""Maximum pages of a PDF."""

MAX_CHARACTERS = 500_000
"""Maximum characters of text (`courses.models.MAX_SYLLABUS_CHARACTERS`)."""

MAX_MARKUP_BYTES = 32 * 1024 * 1024
"""Maximum unpacked markup of a document: about sixty times the longest text."""

MAX_DEPTH = 200
"""Maximum depth of nested elements in a document. Real documents have about twenty."""


class TooLargeError(Exception):
    """The file exceeds the limit. Nothing of it is stored."""


class UnreadableError(Exception):
    """The file is encrypted or broken."""


BREAK: Final = " \u2022 "
"""Between the lines of a cell, whose row is one line."""

MOST_COLUMNS: Final = 100
MOST_ROWS: Final = 1_000
"""Columns and rows that a merged cell covers at most."""

MOST_IN_CELL: Final = 12
"""Lines of a cell of a table. One with more is a part of a page that a table lays out."""

_GOES_ON: Final = (",", ":", "-", "\u2013", "(", "/", "&")
"""Ends of a line that goes on in the next one."""


def number(said: str | None) -> int:
    """The number in an attribute; 1 without one."""
    return int(said) if said and said.isdecimal() and len(said) < 6 else 1


@dataclass
class Cell:
    """A cell: its lines, and the columns and rows that it covers.

    Attributes:
        tables: the rows of tables inside it.
        above: whether it is the lower part of the cell above it (`w:vMerge`).
    """

    columns: int = 1
    rows: int = 1
    above: bool = False
    tables: int = 0
    lines: list[str] = field(default_factory=list)
    line: list[str] = field(default_factory=list)
    """The pieces of the line that has not ended."""

    def end_line(self) -> None:
        """End the line."""
        self.lines.append("".join(self.line))
        self.line = []

    def text(self, mark: str) -> str:
        """Its lines, joined by a mark unless one goes on in the next."""
        joined = ""
        for line in filter(None, (" ".join(one.split()) for one in [*self.lines, "".join(self.line)])):
            apart = mark if joined and not (line[0].islower() or joined.endswith(_GOES_ON)) else " " * bool(joined)
            joined += apart + line
        return joined


@dataclass
class _Table:
    row: list[Cell] | None = None
    over: dict[int, tuple[str, int]] = field(default_factory=dict)
    """By column, the text of a cell that covers further rows, and how many."""
    last: list[str] = field(default_factory=list)
    """The cells of the last row."""


class Lines:
    """Lines of text. A merged cell is in every column and row that it covers; a row within a cell is a line of it."""

    def __init__(self, mark: str = BREAK) -> None:
        """Args: mark: between the lines of a cell."""
        self._mark = mark
        self._lines = Cell()
        self._tables: list[_Table] = []
        self._open: list[Cell] = []
        self._length = 0
        self._apart = False

    @property
    def cell(self) -> Cell:
        """The open cell, else the page."""
        return self._open[-1] if self._open else self._lines

    def add(self, text: str) -> None:
        """Add text to the current line or cell.

        Raises:
            TooLargeError: there are more than `MAX_CHARACTERS` in total.
        """
        self._count(text)
        line = self.cell.line
        if self._apart and text and line:
            text = text.lstrip() if line[-1][-1:].isspace() else text if text[0].isspace() else f" {text}"
        self._apart = self._apart and not text
        line.append(text)

    def leave_out(self) -> None:
        """Leave struck text out. The texts before and after it stay apart."""
        self._apart = True

    @property
    def at_start(self) -> bool:
        """Whether the current line or cell has no text yet."""
        return not any(self.cell.line)

    def end_line(self) -> None:
        """End the line."""
        self._apart = False
        self.cell.end_line()

    def end_block(self) -> None:
        """End the line, but add no second empty line, and none at the beginning."""
        if not self.at_start or (self.cell.lines and self.cell.lines[-1]):
            self.end_line()

    def start_table(self) -> None:
        """Start a table."""
        self._tables.append(_Table())

    def end_table(self) -> None:
        """End a table."""
        if self._tables:
            self.end_row()
            self._tables.pop()

    def start_row(self) -> None:
        """Start a table row."""
        if not self._tables:
            self.start_table()
        self.end_row()
        if self.cell.line:
            self.end_line()
        self._tables[-1].row = []

    def start_cell(self, columns: int = 1, rows: int = 1) -> None:
        """Start a cell of the open row."""
        self._open.append(Cell(min(max(columns, 1), MOST_COLUMNS), min(max(rows, 1), MOST_ROWS)))

    def end_cell(self) -> None:
        """End the cell. Outside a row it is ordinary text."""
        if not self._open:
            return
        cell = self._open.pop()
        if self._tables and self._tables[-1].row is not None:
            self._tables[-1].row.append(cell)
        else:
            self.cell.line.append(cell.text(self._mark))

    def end_row(self) -> None:
        """End the row. One of a page that a table lays out is the lines of its cells."""
        table = self._tables[-1] if self._tables else None
        if table is None or table.row is None:
            return
        row, table.row = table.row, None
        outer = self.cell
        if any(cell.tables > 1 or len(cell.lines) > MOST_IN_CELL for cell in row):
            for cell in row:
                outer.lines += [*cell.lines, "".join(cell.line)]
                outer.tables += cell.tables
            return
        across = len(row) == 1 and not table.over
        table.last = self._placed(table, row)
        if across:
            table.last = table.last[:1]
        if any(table.last):
            outer.tables += len(table.last) > 1
            outer.lines.append(" | ".join(table.last).rstrip())

    def _placed(self, table: _Table, row: list[Cell]) -> list[str]:
        """The texts of a row by column, with those of merged cells in every column that they cover."""
        texts: list[str] = []
        waiting = [*reversed(row)]
        over, table.over = table.over, {}
        while waiting or len(texts) in over:
            at = len(texts)
            if at in over:
                text, left = over[at]
                columns = 1
            else:
                cell = waiting.pop()
                text = table.last[at] if cell.above and at < len(table.last) else cell.text(self._mark)
                left, columns = cell.rows, cell.columns
            for column in range(at, at + columns):
                self._count(text if column > at or at in over else "")
                texts.append(text)
                if left > 1:
                    table.over[column] = text, left - 1
        return texts

    def _count(self, text: str) -> None:
        self._length += len(text)
        if self._length > MAX_CHARACTERS:
            raise TooLargeError

    def text(self) -> str:
        """All lines."""
        while self._open:
            self.end_cell()
        while self._tables:
            self.end_table()
        self.end_line()
        return "\n".join(self._lines.lines)
