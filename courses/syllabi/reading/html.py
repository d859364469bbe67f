"""The text of an HTML page: blocks as lines, table rows as `a | b | c`."""

import re
from html.parser import HTMLParser

from courses.syllabi.reading.markup import Lines

_BLOCKS = frozenset(
    {"address", "article", "aside", "blockquote", "body", "caption", "dd", "details", "div", "dl", "dt", "fieldset"}
    | {
        "figcaption",
        "figure",
        "footer",
        "form",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "hr",
        "li",
        "main",
        "nav",
    }
    | {"ol", "p", "pre", "section", "summary", "table", "tbody", "tfoot", "thead", "title", "ul"}
)
_LEFT_OUT = frozenset({"script", "style", "template", "noscript"})
_SPACE = re.compile(r"\s+")


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.lines = Lines()
        self._skipping: list[str] = []
        self._preformatted = 0
        self._rows: list[bool] = []
        """For each open row, whether a cell is open."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Start rows and cells, and end lines. A row or cell ends where the next one begins."""
        if tag in _LEFT_OUT:
            self._skipping.append(tag)
        elif tag == "br" or tag in _BLOCKS:
            self.lines.end_line()
            self._preformatted += tag == "pre"
        elif tag == "tr":
            self._end_row()
            self.lines.start_row()
            self._rows.append(False)
        elif tag in {"td", "th"} and self._rows:
            self._end_cell()
            self.lines.start_cell()
            self._rows[-1] = True

    def handle_endtag(self, tag: str) -> None:
        """End lines, cells and rows."""
        if self._skipping:
            if tag == self._skipping[-1]:
                self._skipping.pop()
        elif tag in {"td", "th"}:
            self._end_cell()
        elif tag in {"tr", "table"}:
            self._end_row()
        if tag in _BLOCKS:
            self.lines.end_line()
            self._preformatted -= tag == "pre" and self._preformatted > 0

    def _end_cell(self) -> None:
        if self._rows and self._rows[-1]:
            self.lines.end_cell()
            self._rows[-1] = False

    def _end_row(self) -> None:
        if self._rows:
            self._end_cell()
            self.lines.end_row()
            self._rows.pop()

    def handle_data(self, data: str) -> None:
        """Add text. White space is one space unless it is preformatted."""
        if self._skipping:
            return
        if self._preformatted:
            first, *others = data.split("\n")
            self.lines.add(first)
            for line in others:
                self.lines.end_line()
                self.lines.add(line)
        else:
            self.lines.add(_SPACE.sub(" ", data))


def read_html(text: str) -> str:
    """The text of the page.

    Raises:
        TooLargeError: the text exceeds the limit.
    """
    page = _Page()
    page.feed(text)
    page.close()
    return "\n".join(line.strip() for line in page.lines.text().split("\n"))
