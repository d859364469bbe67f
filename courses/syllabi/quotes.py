"""Find a quote in a text."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Final

from courses.syllabi.text import comparable

MOST_PLACES: Final = 5_000
"""Maximum number of occurrences of one quote. A quote of one letter occurs in nearly every line."""


class Quotable:
    """The lines of a text, normalized once for all quotes."""

    def __init__(self, lines: Sequence[str]) -> None:
        compared = [comparable(line) for line in lines]
        self._text = " ".join(compared)
        self._starts = list(accumulate((len(line) + 1 for line in compared), initial=0))[:-1]
        self._compared = compared
        self._tight: tuple[str, list[int]] | None = None

    def places(self, quote: str) -> list[range]:
        """The lines (from 0) of each occurrence of the quote.

        Whole words are preferred to parts of words, and both to matches that ignore all white space, which text from a
        PDF may have lost.
        """
        wanted = comparable(quote)
        if not wanted:
            return []
        places = list(_found(wanted, self._text, self._starts))
        if places:
            return [place for place, whole in places if whole] or [place for place, _ in places]
        if self._tight is None:
            tight = [line.replace(" ", "") for line in self._compared]
            self._tight = "".join(tight), list(accumulate(map(len, tight), initial=0))[:-1]
        return [place for place, _ in _found(wanted.replace(" ", ""), *self._tight)]


def _found(wanted: str, text: str, starts: list[int]) -> Iterator[tuple[range, bool]]:
    """The first `MOST_PLACES` occurrences, at most one per first line, each with whether it consists of whole words."""
    at, line = text.find(wanted), -1
    for _ in range(MOST_PLACES):
        if at < 0:
            return
        end = at + len(wanted)
        first = bisect_right(starts, at) - 1
        whole = not (_inside_word(text, at) or _inside_word(text, end))
        following = starts[first + 1] if first + 1 < len(starts) else len(text)
        if whole or first != line:
            yield range(first, bisect_right(starts, end - 1)), whole
        line = first
        at = text.find(wanted, following if whole else end)


def _inside_word(text: str, at: int) -> bool:
    """Return whether this position is inside a word."""
    return 0 < at < len(text) and text[at - 1].isalnum() and text[at].isalnum()
