"""The text of HTML: blocks as lines, table rows as `a | b | c`."""

import re
from html.parser import HTMLParser

from courses.syllabi.reading.lines import BREAK, Lines, number

_BLOCK_NAMES = (
    "address article aside blockquote body caption dd details div dl dt fieldset figcaption figure footer form h1 h2 h3"
    " h4 h5 h6 header hr li main nav ol p pre section summary table tbody tfoot thead title ul"
)
BLOCKS = frozenset(_BLOCK_NAMES.split())
_LEFT_OUT = frozenset({"script", "style", "template", "noscript"})
_STRUCK = frozenset({"s", "strike", "del"})
_UNSEEN = re.compile(r"line-through|display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_EMPTY = frozenset({"br", "hr", "img", "input", "col", "wbr", "meta", "link", "area", "embed", "source"})
_ENDS = {
    "td": {"td", "th", "tr"},
    "th": {"td", "th", "tr"},
    "tr": {"tr"},
    "li": {"li"},
    "p": {"p", "div", "table", "ul"},
}
"""Elements whose end may be missing, and those before which they end."""

_SPACE = re.compile(r"\s+")


class HtmlReader(HTMLParser):
    """Reads HTML as text. Lines of `pre` keep their indentation, and other blocks leave at most one empty line."""

    def __init__(self, *, as_seen: bool = False) -> None:
        """Args: as_seen: leave out struck and hidden text, and keep the lines of a cell apart."""
        super().__init__(convert_charrefs=True)
        self.lines = Lines(BREAK if as_seen else " ")
        self._as_seen = as_seen
        self._skipping: list[str] = []
        self._preformatted = 0
        self._pre_begins = False
        self._rows: list[bool] = []
        """For each open table, whether a cell is open."""

    def _is_left_out(self, tag: str, attributes: dict[str, str | None]) -> bool:
        if not self._as_seen or tag in _LEFT_OUT:
            return tag in _LEFT_OUT
        unseen = "hidden" in attributes or _UNSEEN.search(attributes.get("style") or "")
        return tag in _STRUCK or (tag not in _EMPTY and bool(unseen))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Start tables, rows and cells, and end lines. A row or cell ends where the next one begins."""
        attributes = dict(attrs)
        if self._skipping and tag in _ENDS.get(self._skipping[-1], ()):
            self._skipping.pop()
        if self._skipping:
            self._skipping += [tag] * (tag == self._skipping[-1])
        elif self._is_left_out(tag, attributes):
            self._skipping.append(tag)
            self.lines.leave_out()
        elif tag == "br" and self._preformatted:
            self.lines.end_line()
        elif tag == "br" or tag in BLOCKS:
            self.lines.end_block()
            self._preformatted += tag == "pre"
            self._pre_begins = tag == "pre"
            if tag == "table":
                self._rows.append(False)
                self.lines.start_table()
        elif tag == "tr":
            self._end_cell()
            self.lines.start_row()
        elif tag in {"td", "th"} and self._rows:
            self._end_cell()
            self.lines.start_cell(number(attributes.get("colspan")), number(attributes.get("rowspan")))
            self._rows[-1] = True

    def handle_endtag(self, tag: str) -> None:
        """End lines, cells, rows and tables."""
        if self._skipping:
            if tag == self._skipping[-1]:
                self._skipping.pop()
                return
            if tag not in {"tr", "table"} or self._skipping[-1] not in _ENDS:
                return
            self._skipping.clear()
        if tag in {"td", "th", "tr", "table"}:
            self._end_cell()
        if tag == "tr":
            self.lines.end_row()
        elif tag == "table" and self._rows:
            self._rows.pop()
            self.lines.end_table()
        if tag in BLOCKS:
            self.lines.end_block()
            self._preformatted -= tag == "pre" and self._preformatted > 0

    def _end_cell(self) -> None:
        if self._rows and self._rows[-1]:
            self.lines.end_cell()
            self._rows[-1] = False

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
    return HtmlReader(as_seen=True).read(text)
