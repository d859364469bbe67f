"""The text of an ODT: paragraphs as lines, table rows as `a | b | c` (OpenDocument 1.3)."""

from typing import IO

from courses.syllabi.reading.markup import MarkupReader

_MAX_BLANKS = 100
_TEXT = "urn:oasis:names:tc:opendocument:xmlns:text:1.0"
_TABLE = "urn:oasis:names:tc:opendocument:xmlns:table:1.0"
_OFFICE = "urn:oasis:names:tc:opendocument:xmlns:office:1.0"
_LINES = {f"{_TEXT} p", f"{_TEXT} h"}
_LEFT_OUT = {f"{_TEXT} tracked-changes", f"{_TEXT} note", f"{_OFFICE} annotation", f"{_TEXT} sequence-decls"}


class _Content(MarkupReader):
    def __init__(self) -> None:
        super().__init__()
        self._in_line = 0

    def started(self, name: str, attributes: dict[str, str]) -> bool:
        """Start rows and cells, and add characters represented by elements."""
        if name in _LINES:
            self._in_line += 1
        elif name == f"{_TEXT} s":
            count = attributes.get(f"{_TEXT} c", "1")
            self.lines.add(" " * min(int(count) if count.isdecimal() else 1, _MAX_BLANKS))
        elif name == f"{_TEXT} tab":
            self.lines.add("\t")
        elif name == f"{_TEXT} line-break":
            self.lines.end_line()
        elif name == f"{_TABLE} table-row":
            self.lines.start_row()
        elif name == f"{_TABLE} table-cell":
            self.lines.start_cell()
        return name not in _LEFT_OUT

    def ended(self, name: str) -> None:
        """End rows, cells and lines."""
        if name in _LINES:
            self._in_line -= 1
            self.lines.end_line()
        elif name == f"{_TABLE} table-cell":
            self.lines.end_cell()
        elif name == f"{_TABLE} table-row":
            self.lines.end_row()

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
