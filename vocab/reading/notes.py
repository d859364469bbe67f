"""Cards out of a note of Anki's: its first two fields, or of a cloze note one for each gap."""

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
    """The cards of a note by their numbers from 1, which are those of its gaps; None for what makes no card.

    Args:
        is_cloze: whether it is one of a type with gaps.
        text_of: gives the text of a field.
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
