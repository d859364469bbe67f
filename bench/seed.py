"""Fills a migrated database with members in the middle of a term.

The same data every time, but for the day it is centred on and the plaintexts of keys and tokens.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date, timedelta
from decimal import Decimal
from itertools import cycle
from uuid import UUID

from django.db import connection
from django.utils import timezone

from accounts.models import Member
from bench.cast import TOKENS, Cast, Subject
from bench.seed_credentials import add_keys, connect
from bench.seed_decks import add_decks, learned
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

    def __init__(self, members: int) -> None:
        self.now = timezone.now()
        self.today = self.now.date()
        self.members = [new_id() for _ in range(members)]
        self.courses = {member: [new_id() for _ in range(COURSES)] for member in self.members}

    def member_rows(self) -> Iterator[Member]:
        """Members of several time zones."""
        for number, (member, zone) in enumerate(zip(self.members, cycle(TIME_ZONES), strict=False)):
            email, name = f"member{number}@example.org", f"Member {number}"
            yield Member(id=member, email=email, name=name, time_zone=zone, write_clock=self.now)

    def course_rows(self) -> Iterator[Course]:
        """A term's courses."""
        for member, courses in self.courses.items():
            for number, course in enumerate(courses):
                created_at = self.now - timedelta(days=90) + timedelta(minutes=number)
                yield Course(
                    id=course,
                    member_id=member,
                    name=f"Course {number} of a term",
                    code=f"CRS {100 + number}",
                    created_at=created_at,
                    updated_at=created_at,
                )

    def item_rows(self) -> Iterator[Item]:
        """Items over four months around today, one in ten undated, added over the last two months."""
        kinds = ("assignment", "assignment", "quiz", "lab", "exam", "paper", "project", "other")
        for member, courses in self.courses.items():
            for number, course in enumerate(courses):
                for place in range(ITEMS):
                    created_at = self.now - timedelta(days=60, microseconds=-chance.randrange(10**12))
                    dated = place % 10 != 9
                    yield Item(
                        id=new_id(),
                        member_id=member,
                        course_id=course,
                        title=f"Item {place} of course {number}",
                        kind=kinds[place % len(kinds)],
                        due_on=self.today + timedelta(days=chance.randint(-60, 60)) if dated else None,
                        created_at=created_at,
                        updated_at=created_at,
                    )

    def milestone_rows(self, items: Sequence[tuple[UUID, UUID, date | None]]) -> Iterator[Milestone]:
        """Three steps for every fourth item, done where they are past, but for one in twenty."""
        for item, member, due_on in items[::4]:
            for position in (1, 2, 3):
                due = None if due_on is None else due_on - timedelta(days=8 - 2 * position)
                past = due is not None and due < self.today
                yield Milestone(
                    id=new_id(),
                    member_id=member,
                    item_id=item,
                    title=f"Step {position} towards it",
                    due_on=due,
                    done=past and chance.random() < 0.95,
                    position=position,
                )

    def category_rows(self) -> Iterator[GradeCategory]:
        """The weighted parts of every course's grade."""
        for member, course in ((member, course) for member, courses in self.courses.items() for course in courses):
            for place, (name, weight, _) in enumerate(CATEGORIES, 1):
                yield GradeCategory(
                    id=new_id(), member_id=member, course_id=course, name=name, weight=Decimal(weight), position=place
                )

    def score_rows(self, categories: Iterable[tuple[UUID, UUID, str]]) -> Iterator[GradeScore]:
        """Sixteen scores for every course."""
        counts = {name: count for name, _, count in CATEGORIES}
        for category, member, name in categories:
            for number in range(counts[name]):
                yield GradeScore(
                    id=new_id(),
                    member_id=member,
                    category_id=category,
                    label=f"{name} {number + 1}",
                    score=Decimal(chance.randint(5000, 10000)) / 100,
                    created_at=self.now - timedelta(days=40 - number, microseconds=chance.randrange(10**9)),
                )


def fill(members: int) -> Cast:
    """Fill the migrated, empty database for every row; gives the cast."""
    seed = Seed(members)
    keys = _add_items(seed)
    items = Item.objects.order_by("member_id", "created_at").values_list("id", "member_id", "due_on")
    copy(Milestone, seed.milestone_rows(list(items)))
    copy(GradeCategory, seed.category_rows())
    copy(GradeScore, seed.score_rows(list(GradeCategory.objects.values_list("id", "member_id", "name"))))
    cards = add_decks(seed.courses, seed.now - timedelta(days=30), learned(seed.now))
    tokens = connect(seed.members, TOKENS, seed.now)
    heavy = add_heavy(seed.now)
    _settle()
    return Cast(
        [
            Subject(key, _texts(seed.courses[member]), _texts(cards[member]), tokens[member])
            for member, key in keys.items()
        ],
        heavy,
    )


def fill_items(members: int) -> Cast:
    """Fill it with what listing items reads."""
    seed = Seed(members)
    keys = _add_items(seed)
    _settle()
    return Cast([Subject(key, _texts(seed.courses[member])) for member, key in keys.items()])


def _add_items(seed: Seed) -> dict[UUID, str]:
    """Members with their keys, courses and items; `last_used_at` is now, so that no measured request records it."""
    copy(Member, seed.member_rows())
    keys = dict(zip(seed.members, add_keys(seed.members, seed.now), strict=True))
    copy(Course, seed.course_rows())
    copy(Item, seed.item_rows())
    return keys


def _settle() -> None:
    """Leave PostgreSQL nothing to do that comes of the filling."""
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
        cursor.execute("CHECKPOINT")


def _texts(ids: list[UUID]) -> list[str]:
    return list(map(str, ids))
