"""The text behind the markup of a source (Markdown, HTML, reStructuredText, TeX), with the same lines."""

import re
from collections.abc import Iterator, Sequence
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
