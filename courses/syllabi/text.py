"""The lines of a syllabus behind the markup of its source (Markdown, HTML, reStructuredText, TeX), and quotes in them.

They are normalized so that different extractions of one page compare equal.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate, islice
from typing import Final

from courses.syllabi.reading.lines import BREAK

_PAIRS: Final = [
    (re.compile(begin, re.IGNORECASE), end)
    for begin, end in (
        (r"<!--", "-->"),
        (r"<s>", "</s>"),
        (r"<del\b[^<>]{0,200}>", "</del>"),
        (r"<strike>", "</strike>"),
        (r"~~(?=[^\s~])", "~~"),
        (r"<(?:span|font)\b[^<>]{0,200}line-through[^<>]{0,200}>", "</span>"),
    )
]
"""Comments and struck text."""

MOST_STRUCK: Final = 5_000
"""Maximum characters of struck text."""

_TAG: Final = re.compile(
    r"<(?P<end>/?)(?P<name>table|thead|tbody|tr|td|th|br|p|div|span|font|strong|em|b|i|u|a|ul|ol|li|center|sup|sub|small|ins|code|h[1-6]|hr|img)"
    r"\b(?P<said>[^<>]{0,500})>",
    re.IGNORECASE,
)
_ATTRIBUTES: Final = re.compile(r"\{[.#:][^{}\n]{0,200}\}")
_ROLE: Final = re.compile(
    r"(?:\{[\w:-]{1,40}\}|:[\w:-]{1,40}:)?`([^`<>\n]{1,200}?)\s*(?:<[^`<>\n]{0,300}>)?`_{0,2}(?!\w)"
)
"""A role or a link of reStructuredText: "{doc}`Norms <../norms>`"."""

_EMPHASIS: Final = re.compile(r"(?<![\w\\])_(?=[^\s_])([^_\n]{1,200}?)(?<=[^\s\\])_(?!\w)")
_MARKS: Final = re.compile(r"\*\*|__(?!_)|\\(?=[#*_()\[\].~-])")
_TEX_ROW: Final = re.compile(r"\\\\\s*(?:\[[^\]]{0,20}\]\s*)?(?:\\hline\s*)?$")


def plain(lines: Sequence[str]) -> list[str]:
    """The lines without comments, struck text, tags, emphasis and attributes; those of a row of tags as `a | b`."""
    text = "\n".join(lines)
    for begin, end in _PAIRS:
        text = _without(text, begin, end)
    if "<" in text:
        text = "".join(_without_tags(text))
    return [_plain_line(line) if not line.isalnum() else line for line in text.split("\n")]


def _without(text: str, begin: re.Pattern[str], end: str) -> str:
    """The text without what is between two marks, but with its line ends. Struck text crosses no blank line."""
    kept, at, close = [], 0, 0
    for found in begin.finditer(text):
        if found.start() < at:
            continue
        if close < found.end() and (close := text.find(end, found.end())) < 0:
            break
        if close - found.end() > MOST_STRUCK and end != "-->":
            continue
        inside = text[found.end() : close]
        if end == "-->" or "\n\n" not in inside:
            kept += [text[at : found.start()], " ", "\n" * inside.count("\n")]
            at = close + len(end)
    return "".join([*kept, text[at:]])


def _without_tags(text: str) -> Iterator[str]:
    """The text without tags. The cells of a row go to its first line, and its other lines stay empty."""
    at, lines = 0, 0
    in_row = in_cell = False
    for found in _TAG.finditer(text):
        said, name, ends = text[at : found.start()], found["name"].lower(), bool(found["end"])
        at = found.end()
        lines += said.count("\n") + found[0].count("\n")
        yield " ".join(said.split("\n")) if in_row else said
        if name == "tr" or (name == "table" and in_row):
            yield "\n" * lines if in_row else ""
            in_row, in_cell, lines = name == "tr" and not ends, False, 0
        elif name in {"td", "th"} and not ends:
            yield " | " if in_cell else ""
            in_cell = True
        elif name == "br" or (in_row and name in {"p", "div", "li"} and not ends):
            yield BREAK
        if not in_row:
            yield "\n" * found[0].count("\n")
            lines = 0
    yield text[at:]


def _plain_line(line: str) -> str:
    """A line without emphasis, attributes and roles; a row of TeX as `a | b`."""
    if "{" in line:
        line = _ATTRIBUTES.sub("", line)
    if "`" in line:
        line = _ROLE.sub(r"\1", line).replace("`", "")
    if "_" in line:
        line = _EMPHASIS.sub(r"\1", line)
    if "&" in line and (row := _TEX_ROW.search(line)):
        line = " | ".join(line[: row.start()].replace("\\&", "\0").split("&")).replace("\0", "&")
    return _MARKS.sub("", line)


_INVISIBLE: Final = "\u00ad\u200b\u200c\u200d\u2060\ufeff"
"""Soft hyphens, joiners and marks of order."""

_QUOTATION_MARKS: Final = (
    "\"'`\u00b4\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f\u2039\u203a\u00ab\u00bb\u2032\u2033\u2035\u2036"
)
_BLANKS: Final = "|\u2022-\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u2e3a\u2e3b\ufe58\ufe63\uff0d"
"""Dashes, and the marks between cells and their lines that readers of files write. A page has none to quote."""

_TO_COMPARE: Final = str.maketrans(_BLANKS, " " * len(_BLANKS), _INVISIBLE + _QUOTATION_MARKS)
_TO_READ: Final = str.maketrans("\u2010\u2011\u2212\u2012\u2015\u2019", "---\u2013\u2014'", _INVISIBLE)
_LINK: Final = re.compile(r"\[([^\[\]]{1,200})\]\([^()]{0,400}\)")
"""Markdown syntax."""

_LEADER: Final = re.compile(r" ?\.(?: ?\.){3,} ?")
"""Dots that lead from a name to its number or date."""

_DAYS: Final = "(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)"
_GLUED: Final = re.compile(
    rf"(?<=\d)(?={_DAYS}\b\.? \d)|(?:(?<=[a-z]day)|(?<=\d (?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sep|Oct|Nov|Dec))"
    r"|(?<=\d Sept))(?=[A-Z][a-z])"
)
"""Where columns lost the space between them: "2Fri 3 SeptOrganic", "WednesdayQuiz"."""

_ADDRESS: Final = re.compile(r"\bhttps?://\S+")
_WORD: Final = re.compile(r"[^\W_]+")
MOST_PLACES: Final = 5_000
"""Maximum number of occurrences of one quote. A quote of one letter occurs in nearly every line."""


def lines_of(text: str) -> list[str]:
    """The lines of a text without line ends. Line numbers start at 1."""
    return text.splitlines()


def readable(line: str) -> str:
    """A line for the readers of dates and items: without addresses, ligatures and soft hyphens, and with one kind of
    hyphen.
    """
    if not line.isascii():
        line = unicodedata.normalize("NFKC", line).translate(_TO_READ)
    if "](" in line:
        line = _LINK.sub(r"\1", line)
    if "...." in line or ". . ." in line:
        line = _LEADER.sub(": ", line)
    if "://" in line:
        line = _ADDRESS.sub(" ", line)
    return _GLUED.sub(" ", line)


def quoted(quote: str) -> str:
    """A quote as the lines of its text are read, with single spaces."""
    return readable(plain([" ".join(quote.split())])[0])


def comparable(text: str) -> str:
    """A text normalized for finding quotes.

    It ignores case, runs of white space, soft hyphens, ligatures, and the kind of quotation marks and dashes.
    """
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    return " ".join(text.casefold().translate(_TO_COMPARE).split())


def words_of(text: str) -> list[str]:
    """The words of a text, case-folded. Numbers are words."""
    return _WORD.findall(comparable(text))


def title_key(title: str) -> str:
    """The title normalized for comparison: trimmed, with single spaces, case-folded."""
    return " ".join(title.casefold().split())


class Quotable:
    """The lines of a text, normalized once for all quotes."""

    def __init__(self, lines: Sequence[str]) -> None:
        compared = [comparable(line) for line in lines]
        self._spaced = _joined(compared, " ")
        self._tight = _joined([line.replace(" ", "") for line in compared], "")

    def places(self, quote: str) -> list[range]:
        """The lines (from 0) of each occurrence of the quote.

        Whole words are preferred to parts of words, and both to matches that ignore all white space, which text from a
        PDF may have lost.
        """
        wanted = comparable(quote)
        if not wanted:
            return []
        found = _found(wanted, *self._spaced)
        whole = [place for place, is_whole in found.items() if is_whole]
        return whole or [*found] or [*_found(wanted.replace(" ", ""), *self._tight)]


def _joined(lines: Sequence[str], by: str) -> tuple[str, list[int]]:
    """The lines as one text, with the position at which each begins."""
    return by.join(lines), list(accumulate((len(line) + len(by) for line in lines), initial=0))[:-1]


def _found(wanted: str, text: str, starts: list[int]) -> dict[range, bool]:
    """The lines of the first `MOST_PLACES` occurrences, with whether one in them consists of whole words."""
    found: dict[range, bool] = {}
    for occurrence in islice(re.finditer(re.escape(wanted), text), MOST_PLACES):
        start, end = occurrence.span()
        place = range(bisect_right(starts, start) - 1, bisect_right(starts, end - 1))
        found[place] = found.get(place, False) or not (_inside_word(text, start) or _inside_word(text, end))
    return found


def _inside_word(text: str, at: int) -> bool:
    """Return whether this position is inside a word."""
    return 0 < at < len(text) and text[at - 1].isalnum() and text[at].isalnum()
