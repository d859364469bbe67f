"""Fills a migrated database with members in the middle of a term.

The same data every time, but for the day it is centred on and the keys' plaintexts. Rows are copied, so that two
million items take a minute and not ten.
"""

import random
from collections.abc import Iterable, Iterator
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db import connection
from django.utils import timezone
from psycopg import sql

from accounts.models import ApiKey, Member
from accounts.secrets import new_secret, sha256
from bench.cast import Subject
from courses.models import Course, Item
from grades.models import GradeCategory, GradeScore
from planning.models import Milestone

COURSES = 5
ITEMS = 40
TIME_ZONES = ("UTC", "Europe/Paris", "America/New_York", "Asia/Tokyo")
CATEGORIES = (("Homework", 30, 9), ("Quizzes", 20, 6), ("Midterm", 20, 1), ("Final exam", 30, 0))
"""Name, weight and number of scores."""

_random = random.Random(7)  # noqa: S311  # data for measuring, the same every time


def _id() -> UUID:
    return UUID(int=_random.getrandbits(128), version=4)


def copy(model: Any, rows: Iterable[dict[str, Any]]) -> None:
    """COPY `rows` (attribute name to value) into the table of `model`; what a row leaves out gets the default."""
    fields = model._meta.local_concrete_fields
    defaults = {field.attname: field.get_default() for field in fields}
    statement = sql.SQL("COPY {} ({}) FROM STDIN").format(
        sql.Identifier(model._meta.db_table),
        sql.SQL(", ").join(sql.Identifier(field.column) for field in fields),
    )
    with connection.cursor() as cursor, cursor.copy(statement) as stream:
        for row in rows:
            stream.write_row([row.get(name, default) for name, default in defaults.items()])


class Seed:
    """The rows of `members` members, five courses each, forty items a course, around today."""

    def __init__(self, members: int, now: datetime) -> None:
        self.now = now
        self.today: date = now.date()
        self.members = [_id() for _ in range(members)]
        self.courses = {member: [_id() for _ in range(COURSES)] for member in self.members}

    def member_rows(self) -> Iterator[dict[str, Any]]:
        """Members of several time zones."""
        for number, member in enumerate(self.members):
            yield {
                "id": member,
                "email": f"member{number}@example.org",
                "name": f"Member {number}",
                "time_zone": TIME_ZONES[number % len(TIME_ZONES)],
                "write_clock": self.now,
            }

    def key_rows(self, secrets: dict[UUID, str]) -> Iterator[dict[str, Any]]:
        """One key for each member; `last_used_at` is now, so that no measured request is the one to record it."""
        for member, secret in secrets.items():
            yield {
                "id": _id(),
                "member_id": member,
                "name": "bench",
                "secret_hash": sha256(secret),
                "hint": secret[:11],
                "last_used_at": self.now,
            }

    def course_rows(self) -> Iterator[dict[str, Any]]:
        """A term's courses."""
        for member, courses in self.courses.items():
            for number, course in enumerate(courses):
                created_at = self.now - timedelta(days=90) + timedelta(minutes=number)
                yield {
                    "id": course,
                    "member_id": member,
                    "name": f"Course {number} of a term",
                    "code": f"CRS {100 + number}",
                    "created_at": created_at,
                    "updated_at": created_at,
                }

    def item_rows(self) -> Iterator[dict[str, Any]]:
        """Items over four months around today, one in ten undated, added over the last two months."""
        kinds = ("assignment", "assignment", "quiz", "lab", "exam", "paper", "project", "other")
        for member, courses in self.courses.items():
            for number, course in enumerate(courses):
                for place in range(ITEMS):
                    created_at = self.now - timedelta(days=60, microseconds=-_random.randrange(10**12))
                    dated = place % 10 != 9
                    yield {
                        "id": _id(),
                        "member_id": member,
                        "course_id": course,
                        "title": f"Item {place} of course {number}",
                        "kind": kinds[place % len(kinds)],
                        "due_on": self.today + timedelta(days=_random.randint(-60, 60)) if dated else None,
                        "created_at": created_at,
                        "updated_at": created_at,
                    }

    def milestone_rows(self, items: Iterable[tuple[UUID, UUID, date | None]]) -> Iterator[dict[str, Any]]:
        """Three steps for every fourth item, done where they are past, but for one in twenty."""
        for number, (item, member, due_on) in enumerate(items):
            if number % 4:
                continue
            for position in (1, 2, 3):
                due = None if due_on is None else due_on - timedelta(days=8 - 2 * position)
                past = due is not None and due < self.today
                yield {
                    "id": _id(),
                    "member_id": member,
                    "item_id": item,
                    "title": f"Step {position} towards it",
                    "due_on": due,
                    "done": past and _random.random() < 0.95,
                    "position": position,
                }

    def category_rows(self) -> Iterator[dict[str, Any]]:
        """The weighted parts of every course's grade."""
        for member, courses in self.courses.items():
            for course in courses:
                for position, (name, weight, _) in enumerate(CATEGORIES, 1):
                    yield {
                        "id": _id(),
                        "member_id": member,
                        "course_id": course,
                        "name": name,
                        "weight": Decimal(weight),
                        "position": position,
                    }

    def score_rows(self, categories: Iterable[tuple[UUID, UUID, str]]) -> Iterator[dict[str, Any]]:
        """Sixteen scores for every course."""
        counts = {name: count for name, _, count in CATEGORIES}
        for category, member, name in categories:
            for number in range(counts[name]):
                yield {
                    "id": _id(),
                    "member_id": member,
                    "category_id": category,
                    "label": f"{name} {number + 1}",
                    "score": Decimal(_random.randint(5000, 10000)) / 100,
                    "created_at": self.now - timedelta(days=40 - number, microseconds=_random.randrange(10**9)),
                }


def fill(members: int, *, items_only: bool) -> list[Subject]:
    """Fill the migrated, empty database; gives the cast.

    Args:
        members: how many.
        items_only: leave out milestones and grades, which listing items does not read.
    """
    seed = Seed(members, timezone.now())
    secrets = {member: new_secret("sk") for member in seed.members}
    copy(Member, seed.member_rows())
    copy(ApiKey, seed.key_rows(secrets))
    copy(Course, seed.course_rows())
    copy(Item, seed.item_rows())
    if not items_only:
        items = Item.objects.order_by("member_id", "created_at").values_list("id", "member_id", "due_on")
        copy(Milestone, seed.milestone_rows(list(items)))
        copy(GradeCategory, seed.category_rows())
        copy(GradeScore, seed.score_rows(list(GradeCategory.objects.values_list("id", "member_id", "name"))))
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
        cursor.execute("CHECKPOINT")
    return [Subject(secrets[member], tuple(map(str, courses))) for member, courses in seed.courses.items()]
