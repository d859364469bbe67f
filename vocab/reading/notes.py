"""Texts of the cards of an Anki note: its first two fields, or one card for each gap of a cloze note.

Gaps are `{{c1::answer}}` or `{{c1::answer::hint}}`, and may be nested.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from uuid import UUID, uuid5

from courses.syllabi.reading.lines import TooLargeError
from vocab.reading.card_html import read_card_html

_MAX_FIELD = 1_000_000
"""Maximum characters of a field's HTML. An embedded picture is shorter."""

_SOUND = re.compile(r"\[sound:[^\]]*\]")
_MARK = re.compile(r"\{\{c([1-9][0-9,]*)::|\}\}")
_BLANK = "..."
_NOTES = UUID("6d1d4c0a-3f0e-4a55-9b58-0f6f4b1c2e7d")
_SHAPES = "image-occlusion:"
"""An answer with this beginning is a shape over a picture."""


class _Gap:
    """An open gap."""

    hint = _BLANK


_Token = str | frozenset[int] | None
"""A text, the numbers of a gap that opens, or the end of a gap."""


class ClozeText:
    """A text with gaps.

    Attributes:
        numbers: the numbers of its cards, in order; gaps with the same number are one card.
    """

    def __init__(self, text: str) -> None:
        self._tokens = _tokens(text)
        self.numbers = sorted({number for token in self._tokens if isinstance(token, frozenset) for number in token})

    def card(self, number: int) -> tuple[str, list[str]]:
        """The text for a card, with `[...]` or the hint in place of its gaps, and the content of those."""
        shown: list[str] = []
        answers: list[list[str]] = []
        gaps: list[_Gap] = []
        asked: _Gap | None = None
        for token in self._tokens:
            if isinstance(token, frozenset):
                gaps.append(_Gap())
                if asked is None and number in token:
                    asked = gaps[-1]
                    answers.append([])
            elif token is None:
                closed = gaps.pop()
                if closed is asked:
                    shown.append(f"[{asked.hint}]")
                    asked = None
            else:
                text = token
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
        tokens.append(text[end : mark.start()])
        end = mark.end()
        if mark[1] is None:
            open_at.pop()
            tokens.append(None)
        else:
            open_at.append((len(tokens), mark[0]))
            tokens.append(frozenset(int(number) for number in mark[1].split(",") if number))
    tokens.append(text[end:])
    for place, mark_text in open_at:
        tokens[place] = mark_text
    return tokens


def text_of_html(field: str) -> str:
    """A field's HTML as text, without media. HTML that is too long to read is returned unchanged."""
    if len(field) > _MAX_FIELD:
        return field
    text = _SOUND.sub("", field)
    if "<" not in text and "&" not in text:
        return text.strip()
    try:
        return read_card_html(text)
    except TooLargeError:
        return field


def note_id(key: object) -> str:
    """The UUID of the note with this id or text. A later import of the same note has the same."""
    return str(uuid5(_NOTES, str(key)))


def note_texts(
    fields: Sequence[str], *, is_cloze: bool, text_of: Callable[[str], str] = text_of_html
) -> Iterator[tuple[int, str, str]]:
    """The terms and definitions of a note with their number from 1, which for cloze notes is the gap's.

    Texts may be empty, or too long for a card. A cloze note without gaps has one card without texts.

    Args:
        is_cloze: whether its type has gaps.
        text_of: returns the text of a field.
    """
    first, second = (*fields, "", "")[:2]
    if not is_cloze:
        yield 1, text_of(first), text_of(second)
        return
    cloze = ClozeText(first[:_MAX_FIELD])
    more = text_of(second)
    for number in cloze.numbers:
        shown, answers = cloze.card(number)
        answer = ", ".join(filter(None, map(text_of, answers)))
        yield number, text_of(shown), f"{answer}\n{more}".strip() if answer else ""
    if not cloze.numbers:
        yield 1, "", ""
