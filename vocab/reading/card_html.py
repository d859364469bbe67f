"""The text of a card's HTML, with exponents, indices and readings told from the text beside them."""

import re
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from textwrap import dedent
from typing import cast

from courses.syllabi.reading.html import BLOCKS, HtmlReader

_RAISED = str.maketrans("0123456789+-=()\u2212\u2013", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾⁻⁻")
_LOWERED = str.maketrans("0123456789+-=()\u2212\u2013", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎₋₋")
_ALWAYS_RAISED = frozenset("°\u2032\u2033'\u2019*†‡™®")
_SCRIPTS = {
    "sup": ("^", _RAISED, frozenset(map(chr, _RAISED)) | _ALWAYS_RAISED),
    "sub": ("_", _LOWERED, frozenset(map(chr, _LOWERED))),
}
"""For each element: the mark, the characters in Unicode, and those that need no mark."""

_ORDINALS = frozenset({"st", "nd", "rd", "th", "er", "re", "ère", "ème"})
_BRACKETED = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_INDENTED = re.compile(r"(?:[ \t][^\n]*(?:\n|\Z)|\n)*")
"""Lines at the beginning, which would lose only the first one's indentation."""

_MAX_DEPTH = 20
"""Maximum depth of spans. Deeper ones are plain text."""

_TEXT, _RUBY, _READING, _FALLBACK = "", "ruby", "rt", "rp"
_SPANS = frozenset({*_SCRIPTS, _RUBY, _READING, _FALLBACK})
_WITHIN_RUBY = frozenset({_READING, _FALLBACK})
_ENDS_READING = frozenset({*_WITHIN_RUBY, _RUBY, "rb", "rtc"})
_CELLS = frozenset({"td", "th", "tr", "table"})


def read_card_html(text: str) -> str:
    """The text of a field.

    Raises:
        TooLargeError: the text exceeds the limit.
    """
    read = _CardReader().read(text).strip("\n")
    indented = cast("re.Match[str]", _INDENTED.match(read))
    return (dedent(indented[0]) + read[indented.end() :]).strip()


@dataclass(slots=True)
class _Span:
    """An open element.

    Attributes:
        tag: its name.
        before: the character before it.
        parts: the text in it, each part with the element it is from.
        blocks: the number of blocks open in it, which are read as part of its line.
    """

    tag: str
    before: str
    parts: list[tuple[str, str]] = field(default_factory=list)
    blocks: int = 0

    def text(self) -> str:
        """The text in place of the element."""
        if self.tag in _SCRIPTS:
            return self._script()
        if self.tag == _RUBY:
            return self._ruby()
        return "".join(text for _, text in self.parts)

    def _script(self) -> str:
        text = "".join(text for _, text in self.parts)
        core = text.strip()
        if not core or (self.before.isdigit() and core.casefold() in _ORDINALS):
            return text
        mark, script, unmarked = _SCRIPTS[self.tag]
        joined = "".join(core.split())
        if unmarked.issuperset(joined):
            written = joined.translate(script)
        elif len(core) == 1 or _BRACKETED.fullmatch(core):
            written = mark + core
        else:
            written = f"{mark}({core})"
        return written + text[len(text.rstrip()) :]

    def _ruby(self) -> str:
        """Each reading in brackets, those for browsers that know no readings if it has some."""
        has_brackets = any(tag == _FALLBACK for tag, _ in self.parts)
        written = []
        for tag, parts in groupby(self.parts, key=itemgetter(0)):
            text = "".join(part for _, part in parts).strip()
            written.append(f"({text})" if tag == _READING and text and not has_brackets else text)
        return "".join(written)


class _CardReader(HtmlReader):
    """Reads `sup` and `sub` as Unicode, else with `^` and `_`, and `ruby` with its readings in brackets."""

    def __init__(self) -> None:
        super().__init__()
        self._spans: list[_Span] = []
        self._last = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open spans. Within one, blocks and breaks are spaces."""
        if tag in _ENDS_READING:
            self._close_reading()
        if tag in _SPANS and len(self._spans) < _MAX_DEPTH:
            self._spans.append(_Span(tag, self._last))
        elif self._spans and (tag == "br" or tag in BLOCKS):
            self._spans[-1].blocks += tag not in {"br", "hr"}
            self.say(" ")
        else:
            if tag in _CELLS:
                self._close_spans(0)
            super().handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        """Close spans: those with this tag, and all where a surrounding block ends."""
        if tag in _ENDS_READING:
            self._close_reading()
        if tag in _SPANS:
            opened = [place for place, span in enumerate(self._spans) if span.tag == tag]
            self._close_spans(opened[-1] if opened else len(self._spans))
        elif self._spans and tag in BLOCKS and self._spans[-1].blocks:
            self._spans[-1].blocks -= 1
            self.say(" ")
        else:
            if tag in BLOCKS or tag in _CELLS:
                self._close_spans(0)
            super().handle_endtag(tag)

    def say(self, text: str) -> None:
        """Add text to the innermost span, else to the line."""
        self._say(_TEXT, text)

    def close(self) -> None:
        """End the text, and with it what is still open."""
        super().close()
        self._close_spans(0)

    def _say(self, tag: str, text: str) -> None:
        self._last = text.rstrip()[-1:] or self._last
        if self._spans:
            self._spans[-1].parts.append((tag, text))
        else:
            super().say(f"({text.strip()})" if tag == _READING and text.strip() else text)

    def _close_reading(self) -> None:
        if self._spans and self._spans[-1].tag in _WITHIN_RUBY:
            self._close_spans(len(self._spans) - 1)

    def _close_spans(self, from_: int) -> None:
        while len(self._spans) > from_:
            span = self._spans.pop()
            self._say(span.tag if span.tag in _WITHIN_RUBY else _TEXT, span.text())
