"""Geometry of small charts, which templates draw as inline SVG.

All lengths are whole numbers in units of the chart's own `viewBox`.
"""

from collections.abc import Sequence
from typing import NamedTuple

HEIGHT = 1000
"""Height of a column chart, and width of a range."""

_STEP = 100
_COLUMN = 76


class Rect(NamedTuple):
    """A rectangle. `css` is its class."""

    x: int
    y: int
    width: int
    height: int
    css: str


class Chart(NamedTuple):
    """A chart.

    Attributes:
        line: position of a line across the chart; None without one. Horizontal in columns, vertical in a range.
    """

    width: int
    height: int
    rects: list[Rect]
    line: int | None


def columns(values: Sequence[tuple[int, int]], line: int | None = None) -> Chart:
    """Draw a column for each pair of numbers: the first at the bottom, in `bar-1`, the second on top, in `bar-2`.

    Args:
        line: a value to mark with a line.
    """
    most = max((*(sum(pair) for pair in values), line or 0, 1))
    rects = []
    for place, pair in enumerate(values):
        bottom = 0
        for value, css in zip(pair, ("bar-1", "bar-2"), strict=True):
            top = round(HEIGHT * (bottom + value) / most)
            height = top - round(HEIGHT * bottom / most)
            if height:
                rects.append(Rect(place * _STEP, HEIGHT - top, _COLUMN, height, css))
            bottom += value
    at = None if line is None else HEIGHT - round(HEIGHT * line / most)
    return Chart(max(1, len(values)) * _STEP, HEIGHT, rects, at)


def percent_range(parts: Sequence[tuple[float, float]], mark: float | None = None) -> Chart:
    """Draw parts of a scale from 0 to 100 percent side by side. The scale grows if a value exceeds it.

    Args:
        parts: start and end of each; the first is `bar-1`, the second `bar-2`.
        mark: a value to mark with a line.
    """
    most = max((100.0, *(end for _, end in parts), mark or 0))
    rects = []
    for (start, end), css in zip(parts, ("bar-1", "bar-2"), strict=False):
        left = round(HEIGHT * start / most)
        rects.append(Rect(left, 0, max(4, round(HEIGHT * end / most) - left), _STEP, css))
    return Chart(HEIGHT, _STEP, rects, None if mark is None else round(HEIGHT * mark / most))
