"""The text of HTML: blocks as lines, table rows as `a | b | c`."""

import re
from html.parser import HTMLParser

from courses.syllabi.reading.markup import Lines

BLOCKS = frozenset(
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


class HtmlReader(HTMLParser):
    """Reads HTML as text. Lines of `pre` keep their indentation, and other blocks leave at most one empty line."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.lines = Lines()
        self._skipping: list[str] = []
        self._preformatted = 0
        self._pre_begins = False
        self._rows: list[bool] = []
        """For each open row, whether a cell is open."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Start rows and cells, and end lines. A row or cell ends where the next one begins."""
        if tag in _LEFT_OUT:
            self._skipping.append(tag)
        elif tag == "br" and self._preformatted:
            self.lines.end_line()
        elif tag == "br" or tag in BLOCKS:
            self.lines.end_block()
            self._preformatted += tag == "pre"
            self._pre_begins = tag == "pre"
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
        if tag in BLOCKS:
            self.lines.end_block()
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
        if not self._preformatted:
            self.say(_SPACE.sub(" ", data))
            return
        first, *others = (data[1:] if self._pre_begins and data.startswith("\n") else data).split("\n")
        self._pre_begins = False
        self.say(first)
        for line in others:
            self.lines.end_line()
            self.say(line)

    def say(self, text: str) -> None:
        """Add text to the current line."""
        self.lines.add(text.lstrip() if self.lines.at_start and not self._preformatted else text)

    def read(self, text: str) -> str:
        """The text of a page or of a part of one.

        Raises:
            TooLargeError: the text exceeds the limit.
        """
        self.feed(text)
        self.close()
        return "\n".join(line.rstrip() for line in self.lines.text().split("\n"))


def read_html(text: str) -> str:
    """The text of a page. Raises `TooLargeError` if it exceeds the limit."""
    return HtmlReader().read(text)
