"""Texts of the cards of an Anki note: its first two fields, or one card for each gap of a cloze note."""

import re
from collections.abc import Callable, Iterator, Sequence

from courses.syllabi.reading.limits import TooLargeError
from vocab.reading.card_html import read_card_html
from vocab.reading.gaps import ClozeText

_MAX_FIELD = 1_000_000
"""Maximum characters of a field's HTML. An embedded picture is shorter."""

_SOUND = re.compile(r"\[sound:[^\]]*\]")


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
