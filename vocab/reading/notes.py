"""Cards from an Anki note: its first two fields, or one card for each gap of a cloze note."""

import re
from collections.abc import Callable, Iterator, Sequence

from courses.syllabi.reading.html import read_html
from courses.syllabi.reading.limits import TooLargeError
from vocab.reading.found import FoundCard, fits
from vocab.reading.gaps import ClozeText

_MAX_FIELD = 1_000_000
"""Maximum characters of a field's HTML. An embedded picture is shorter."""

_SOUND = re.compile(r"\[sound:[^\]]*\]")


def text_of_html(field: str) -> str:
    """A field's HTML as text, without media. Empty if it is too long to read."""
    if len(field) > _MAX_FIELD:
        return ""
    text = _SOUND.sub("", field)
    if "<" not in text and "&" not in text:
        return text.strip()
    try:
        return read_html(text).strip()
    except TooLargeError:
        return ""


def note_cards(
    fields: Sequence[str], *, is_cloze: bool, text_of: Callable[[str], str] = text_of_html
) -> Iterator[tuple[int, FoundCard | None]]:
    """The cards of a note by number from 1, which for cloze notes is the gap's. None for notes without a card.

    Args:
        is_cloze: whether its type has gaps.
        text_of: returns the text of a field.
    """
    first, second = (*fields, "", "")[:2]
    if not is_cloze:
        yield 1, _card(text_of(first), text_of(second))
        return
    cloze = ClozeText(first[:_MAX_FIELD])
    more = text_of(second)
    for number in cloze.numbers:
        shown, answers = cloze.card(number)
        answer = ", ".join(filter(None, map(text_of, answers)))
        yield number, _card(text_of(shown), f"{answer}\n{more}".strip() if answer else "")
    if not cloze.numbers:
        yield 1, None


def _card(term: str, definition: str) -> FoundCard | None:
    return {"term": term, "definition": definition} if fits(term, definition) else None
