"""Gaps of Anki's cloze notes: `{{c1::answer}}` or `{{c1::answer::hint}}`, which may be nested."""

import re
from typing import NamedTuple

_MARK = re.compile(r"\{\{c([1-9][0-9,]*)::|\}\}")
_BLANK = "..."
_SHAPES = "image-occlusion:"
"""An answer with this beginning is a shape over a picture."""


class _Gap:
    """An open gap: the numbers of its cards, and its hint."""

    def __init__(self, numbers: frozenset[int]) -> None:
        self.numbers = numbers
        self.hint = _BLANK


class _Text(NamedTuple):
    text: str


class _Open(NamedTuple):
    numbers: frozenset[int]


class _Close(NamedTuple):
    pass


_Token = _Text | _Open | _Close


class ClozeText:
    """A text with gaps.

    Attributes:
        numbers: the numbers of its cards, in order; gaps with the same number are one card.
    """

    def __init__(self, text: str) -> None:
        self._tokens = _tokens(text)
        self.numbers = sorted(
            {number for token in self._tokens if isinstance(token, _Open) for number in token.numbers}
        )

    def card(self, number: int) -> tuple[str, list[str]]:
        """The text for a card, with `[...]` or the hint in place of its gaps, and the content of those."""
        shown: list[str] = []
        answers: list[list[str]] = []
        gaps: list[_Gap] = []
        asked: _Gap | None = None
        for token in self._tokens:
            if isinstance(token, _Open):
                gaps.append(_Gap(token.numbers))
                if asked is None and number in token.numbers:
                    asked = gaps[-1]
                    answers.append([])
            elif isinstance(token, _Close):
                closed = gaps.pop()
                if closed is asked:
                    shown.append(f"[{asked.hint}]")
                    asked = None
            else:
                text = token.text
                if gaps:
                    text, _, hint = text.partition("::")
                    gaps[-1].hint = hint or gaps[-1].hint
                (shown if asked is None else answers[-1]).append(text)
        found = ["".join(parts) for parts in answers]
        return "".join(shown), [answer for answer in found if not answer.startswith(_SHAPES)]


def _tokens(text: str) -> list[_Token]:
    """Split the text at its gaps. Unclosed marks are text."""
    tokens: list[_Token] = []
    open_at: list[tuple[int, str]] = []
    end = 0
    for mark in _MARK.finditer(text):
        if mark[1] is None and not open_at:
            continue
        tokens.append(_Text(text[end : mark.start()]))
        end = mark.end()
        if mark[1] is None:
            open_at.pop()
            tokens.append(_Close())
        else:
            open_at.append((len(tokens), mark[0]))
            tokens.append(_Open(frozenset(int(number) for number in mark[1].split(",") if number)))
    tokens.append(_Text(text[end:]))
    for place, mark_text in open_at:
        tokens[place] = _Text(mark_text)
    return tokens
