"""The columns of a page set side by side, separated by a gutter of spaces or bars."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

LEAST_LINES: Final = 6
"""Minimum number of lines whose right column begins at the same place."""

MOST_CHARACTERS: Final = 200
"""Maximum length of a line with two columns."""

MOST_GUTTERS: Final = 4
"""Maximum number of places where a right column may begin."""

_RIGHT: Final = re.compile(r"(?:(?<= {2})|(?<=\| ))(?!\|)\S")


def columns_of(lines: Sequence[str]) -> list[list[str]]:
    """The left and the right column of a text as lines of the same numbers; empty without a gutter.

    Lines that cross the gutter belong to the left column.

    Args:
        lines: as returned by `readable`.
    """
    starts = Counter(found.start() for line in lines if len(line) < MOST_CHARACTERS for found in _RIGHT.finditer(line))
    best = max((_parted(lines, gutter) for gutter, _ in starts.most_common(MOST_GUTTERS)), default=(0, [], []))
    return [*best[1:]] if best[0] >= LEAST_LINES else []


def _parted(lines: Sequence[str], gutter: int) -> tuple[int, list[str], list[str]]:
    """The number of lines with an entry right of a gutter, and both columns."""
    parted = [
        len(line) < MOST_CHARACTERS and line[gutter - 2 : gutter] in {"  ", "| "} and bool(line[gutter:].strip())
        for line in lines
    ]
    left = [line[: gutter - 2].rstrip() if part else line for line, part in zip(lines, parted, strict=True)]
    right = [line[gutter:] if part else "" for line, part in zip(lines, parted, strict=True)]
    return sum(map(bool, right)), left, right
