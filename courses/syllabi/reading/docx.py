"""The text of a DOCX: paragraphs as lines, table rows as `a | b | c` (ISO/IEC 29500-1, 17.3 and 17.4)."""

from typing import IO

from courses.syllabi.reading.lines import MOST_COLUMNS, number
from courses.syllabi.reading.markup import MarkupReader

_WORD = (
    "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
    "http://purl.oclc.org/ooxml/wordprocessingml/main",  # of strict documents
)
_LEFT_OUT = {"moveFrom", "pPr", "instrText"}
"""Text that is not shown, and properties, where a tab is a tab stop and not a character."""

_STRUCK = {"strike", "dstrike", "vanish"}
_CHARACTERS = {"tab": "\t", "noBreakHyphen": "-"}
_OFF = {"0", "false", "off"}

_FALLBACK = "http://schemas.openxmlformats.org/markup-compatibility/2006 Fallback"
"""A copy of the preceding content, for programs that do not support it."""


def _local(name: str) -> str:
    """The name of an element of a word processor; empty for others."""
    namespace, _, local = name.partition(" ")
    return local if namespace in _WORD else ""


class _Document(MarkupReader):
    def __init__(self) -> None:
        super().__init__()
        self._in_text = 0
        self._struck = False

    def started(self, name: str, attributes: dict[str, str]) -> bool:
        """Start tables, rows, cells and text. A row, a cell and a run begin with their properties."""
        local = _local(name)
        value = next((said for attribute, said in attributes.items() if attribute.endswith(" val")), "")
        self._start_table(local, value)
        if local == "r":
            self._struck = False
        elif local in _STRUCK:
            self._struck = self._struck or value not in _OFF
        elif local == "del" or (local == "t" and self._struck):
            self.lines.leave_out()
            return False
        elif local == "t":
            self._in_text += 1
        elif local in _CHARACTERS:
            self.lines.add(_CHARACTERS[local])
        elif local in {"br", "cr"}:
            self.lines.end_line()
        return local not in _LEFT_OUT and name != _FALLBACK

    def _start_table(self, local: str, value: str) -> None:
        match local:
            case "tbl":
                self.lines.start_table()
            case "tr":
                self.lines.start_row()
            case "tc":
                self.lines.start_cell()
            case "gridBefore":
                self.lines.start_cell(number(value))
                self.lines.end_cell()
            case "gridSpan":
                self.lines.cell.columns = min(number(value), MOST_COLUMNS)
            case "vMerge":
                self.lines.cell.above = value != "restart"

    def ended(self, name: str) -> None:
        """End rows, cells and lines."""
        match _local(name):
            case "t":
                self._in_text -= 1
            case "p":
                self.lines.end_line()
            case "tc":
                self.lines.end_cell()
            case "tr":
                self.lines.end_row()
            case "tbl":
                self.lines.end_table()

    def said(self, text: str) -> None:
        """Add characters inside a run's text only."""
        if self._in_text:
            self.lines.add(text)


def read(file: IO[bytes]) -> str:
    """The text of the main document.

    Raises:
        TooLargeError: the text exceeds the limit.
        UnreadableError: it is encrypted or broken.
    """
    return _Document().read(file, "word/document.xml")
