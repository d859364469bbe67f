"""Courses and items when a change is taken back: their limits, and the items that a course counts."""

from collections import Counter

from accounts.models import Member
from accounts.undo.hooks import Columns
from courses.courses import require_room
from courses.item_counts import add_to_count, take_away_from_count


def courses_come_back(member: Member, rows: list[Columns]) -> None:
    """Raises `Conflict` if there are too many courses now."""
    require_room(member, more=0)


def items_come_back(member: Member, rows: list[Columns]) -> None:
    """Count the items of each course; raises `Conflict` where a limit is full."""
    for course_id, more in Counter(row["course_id"] for row in rows).items():
        add_to_count(member, course_id, more)


def items_go_again(member: Member, rows: list[Columns]) -> None:
    """Count the items no more."""
    for course_id, less in Counter(row["course_id"] for row in rows).items():
        take_away_from_count(member.id, course_id, less)
