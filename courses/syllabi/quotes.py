"""Find a quote in a text."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate, islice
from typing import Final

from courses.syllabi.text import comparable

MOST_PLACES: Final = 5_000
"""Maximum number of occurrences of one quote. A quote of one letter occurs in nearly every line."""


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
