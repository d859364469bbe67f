"""The text of an ODT: paragraphs as lines, table rows as `a | b | c` (OpenDocument 1.3)."""

from typing import IO

from courses.syllabi.reading.lines import number
from courses.syllabi.reading.markup import MarkupReader

_MAX_BLANKS = 100
_MAX_REPEATED = 20
"""Columns of a repeated cell. Spreadsheets repeat the last one up to their margin."""

_TEXT = "urn:oasis:names:tc:opendocument:xmlns:text:1.0"
_TABLE = "urn:oasis:names:tc:opendocument:xmlns:table:1.0"
_OFFICE = "urn:oasis:names:tc:opendocument:xmlns:office:1.0"
_STYLE = "urn:oasis:names:tc:opendocument:xmlns:style:1.0"
_STRUCK = (f"{_STYLE} text-line-through-style", f"{_STYLE} text-line-through-type")
_LINES = {f"{_TEXT} p", f"{_TEXT} h"}
_LEFT_OUT = {f"{_TEXT} tracked-changes", f"{_TEXT} note", f"{_OFFICE} annotation", f"{_TEXT} sequence-decls"}


class _Content(MarkupReader):
    def __init__(self) -> None:
        super().__init__()
        self._in_line = 0
        self._style = ""
        self._left_out: set[str] = set()
        """The styles of struck and hidden text."""

    def started(self, name: str, attributes: dict[str, str]) -> bool:
        """Start tables, rows, cells and lines, and add characters represented by elements."""
        self._read_style(name, attributes)
        if attributes.get(f"{_TEXT} style-name") in self._left_out:
            self.lines.leave_out()
            return False
        if name in _LINES:
            self._in_line += 1
        elif name == f"{_TEXT} s":
            count = attributes.get(f"{_TEXT} c", "1")
            self.lines.add(" " * min(int(count) if count.isdecimal() else 1, _MAX_BLANKS))
        elif name == f"{_TEXT} tab":
            self.lines.add("\t")
        elif name == f"{_TEXT} line-break":
            self.lines.end_line()
        elif name == f"{_TABLE} table":
            self.lines.start_table()
        elif name == f"{_TABLE} table-row":
            self.lines.start_row()
        elif name == f"{_TABLE} table-cell":
            self._start_cell(attributes)
        return name not in _LEFT_OUT

    def _read_style(self, name: str, attributes: dict[str, str]) -> None:
        """Remember the styles of struck and hidden text."""
        if name == f"{_STYLE} style":
            self._style = attributes.get(f"{_STYLE} name", "")
        elif name == f"{_STYLE} text-properties":
            struck = any(attributes.get(one, "none") != "none" for one in _STRUCK)
            if struck or attributes.get(f"{_TEXT} display") == "none":
                self._left_out.add(self._style)

    def _start_cell(self, attributes: dict[str, str]) -> None:
        """Start a cell. Empty ones that are repeated fill their columns; covered ones are not read."""
        repeated = number(attributes.get(f"{_TABLE} number-columns-repeated"))
        columns, rows = (number(attributes.get(f"{_TABLE} number-{one}-spanned")) for one in ("columns", "rows"))
        self.lines.start_cell(columns if repeated == 1 else min(repeated, _MAX_REPEATED), rows)

    def ended(self, name: str) -> None:
        """End rows, cells and lines."""
        if name in _LINES:
            self._in_line -= 1
            self.lines.end_line()
        elif name == f"{_TABLE} table-cell":
            self.lines.end_cell()
        elif name == f"{_TABLE} table-row":
            self.lines.end_row()
        elif name == f"{_TABLE} table":
            self.lines.end_table()

    def said(self, text: str) -> None:
        """Add characters of paragraphs and headings, with line ends as spaces."""
        if self._in_line:
            self.lines.add(text.replace("\n", " "))


def read(file: IO[bytes]) -> str:
    """The text of the document.

    Raises:
        TooLargeError: the text exceeds the limit.
        UnreadableError: it is encrypted or broken.
    """
    return _Content().read(file, "content.xml")
