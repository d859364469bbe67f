"""Fills a migrated database with members in the middle of a term.

The same data every time, but for the day it is centred on and the plaintexts of keys and tokens.
"""

from collections.abc import Iterable, Iterator
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db import connection
from django.utils import timezone

from accounts.models import ApiKey, Member
from accounts.secrets import new_secret, sha256
from bench.cast import Cast, Subject
from bench.seed_apps import Tokens, connect
from bench.seed_decks import Cards, add_decks
from bench.seed_heavy import add_heavy
from bench.tables import chance, copy, new_id
from courses.models import Course, Item
from grades.models import GradeCategory, GradeScore
from planning.models import Milestone

COURSES = 5
ITEMS = 40
TIME_ZONES = ("UTC", "Europe/Paris", "America/New_York", "Asia/Tokyo")
CATEGORIES = (("Homework", 30, 9), ("Quizzes", 20, 6), ("Midterm", 20, 1), ("Final exam", 30, 0))
"""Name, weight and number of scores."""


class Seed:
    """The rows of `members` members, five courses each, forty items a course, around today."""

    def __init__(self, members: int, now: datetime) -> None:
        self.now = now
        self.today: date = now.date()
        self.members = [new_id() for _ in range(members)]
        self.courses = {member: [new_id() for _ in range(COURSES)] for member in self.members}

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
                "id": new_id(),
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
                    created_at = self.now - timedelta(days=60, microseconds=-chance.randrange(10**12))
                    dated = place % 10 != 9
                    yield {
                        "id": new_id(),
                        "member_id": member,
                        "course_id": course,
                        "title": f"Item {place} of course {number}",
                        "kind": kinds[place % len(kinds)],
                        "due_on": self.today + timedelta(days=chance.randint(-60, 60)) if dated else None,
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
                    "id": new_id(),
                    "member_id": member,
                    "item_id": item,
                    "title": f"Step {position} towards it",
                    "due_on": due,
                    "done": past and chance.random() < 0.95,
                    "position": position,
                }

    def category_rows(self) -> Iterator[dict[str, Any]]:
        """The weighted parts of every course's grade."""
        for member, courses in self.courses.items():
            for course in courses:
                for position, (name, weight, _) in enumerate(CATEGORIES, 1):
                    yield {
                        "id": new_id(),
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
                    "id": new_id(),
                    "member_id": member,
                    "category_id": category,
                    "label": f"{name} {number + 1}",
                    "score": Decimal(chance.randint(5000, 10000)) / 100,
                    "created_at": self.now - timedelta(days=40 - number, microseconds=chance.randrange(10**9)),
                }


def fill(members: int, *, items_only: bool) -> Cast:
    """Fill the migrated, empty database; gives the cast.

    Args:
        members: how many.
        items_only: leave out everything that listing items does not read.
    """
    seed = Seed(members, timezone.now())
    secrets = {member: new_secret("sk") for member in seed.members}
    copy(Member, seed.member_rows())
    copy(ApiKey, seed.key_rows(secrets))
    copy(Course, seed.course_rows())
    copy(Item, seed.item_rows())
    cards: Cards = {}
    tokens: Tokens = {}
    heavy: list[Subject] = []
    if not items_only:
        items = Item.objects.order_by("member_id", "created_at").values_list("id", "member_id", "due_on")
        copy(Milestone, seed.milestone_rows(list(items)))
        copy(GradeCategory, seed.category_rows())
        copy(GradeScore, seed.score_rows(list(GradeCategory.objects.values_list("id", "member_id", "name"))))
        cards = add_decks(seed.courses, seed.now)
        tokens = connect(seed.members, seed.now)
        heavy = add_heavy(seed.now)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
        cursor.execute("CHECKPOINT")
    return Cast(
        [
            _subject(secrets[member], courses, cards.get(member, ()), tokens.get(member, ()))
            for member, courses in seed.courses.items()
        ],
        heavy,
    )


def _subject(key: str, courses: Iterable[UUID], cards: Iterable[UUID], tokens: Iterable[str]) -> Subject:
    return Subject(key, tuple(map(str, courses)), tuple(map(str, cards)), tuple(tokens))
