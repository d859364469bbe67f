"""The columns of a page set side by side, separated by a gutter of spaces."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

LEAST_LINES: Final = 6
"""Minimum number of lines whose right column begins at the same place."""

_RIGHT: Final = re.compile(r"(?<= {2})\S")


def columns_of(lines: Sequence[str]) -> list[list[str]]:
    """The left and the right column of a text as lines of the same numbers; empty without a gutter.

    Lines that cross the gutter belong to the left column.
    """
    starts = Counter(found.start() for line in lines if len(line) < 200 for found in _RIGHT.finditer(line))
    gutter, count = max(starts.items(), key=lambda one: (one[1], one[0]), default=(0, 0))
    if count < LEAST_LINES:
        return []
    parted = [line[gutter - 2 : gutter] == "  " and bool(line[gutter:].strip()) for line in lines]
    left = [line[:gutter].rstrip() if part else line for line, part in zip(lines, parted, strict=True)]
    right = [line[gutter:] if part else "" for line, part in zip(lines, parted, strict=True)]
    return [left, right]
