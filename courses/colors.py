"""The colors of a member's courses on pages. No answer has them."""

from collections import Counter
from collections.abc import Iterable
from uuid import UUID

from courses.models import HUES

_ORDER = (8, 1, 4, 9, 6, 0, 2, 5, 10, 7, 3, 11)
"""Hues in the order in which new courses take them. Neighbors in this order are easy to tell apart."""


def shown_hue(course_id: UUID, stored: int | None) -> int:
    """The hue on pages. A course from before the column, or from an older archive, has one derived from its id."""
    return course_id.int % HUES if stored is None else stored


def least_used(stored: Iterable[tuple[UUID, int | None]]) -> int:
    """The hue for a new course beside courses with these ids and stored hues."""
    used = Counter(shown_hue(course_id, hue) for course_id, hue in stored)
    return min(_ORDER, key=lambda hue: used[hue])
