"""Fill a migrated database with members in the middle of a term.

The data are the same every time, except for dates and the plaintexts of keys and tokens. `changes` and `syllabi` add to
them: changes in the log, and syllabus files.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date, timedelta
from decimal import Decimal
from itertools import cycle
from typing import Any
from uuid import UUID

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import connection
from django.utils import timezone

from accounts.models import Member
from courses.item_batches import create_item
from courses.items import delete_item, update_item
from courses.models import Course, Item, SyllabusFile
from grades.models import GradeCategory, GradeScore
from planning.milestones import create_milestone, update_milestone
from planning.models import Milestone
from practice.models import Attempt, Source
from practice.rebuilding import rebuild_sums
from studyservice.changes.calls import Actor, acting
from studyservice.database.ids import uuid7
from studyservice.models import ActorKind
from studyservice.rows.access import Access
from tools.bench.cast import SYLLABUS, Cast, Subject
from tools.bench.seed_shared import add_decks, add_keys, chance, copy, new_id, syllabus_file
from vocab.models import Card, CardState, Deck

COURSES = 5
ITEMS = 40
TIME_ZONES = ("UTC", "Europe/Paris", "America/New_York", "Asia/Tokyo")
CATEGORIES = (("Homework", 30, 9), ("Quizzes", 20, 6), ("Midterm", 20, 1), ("Final exam", 30, 0))
"""Name, weight and number of scores."""

HEAVY_DECKS = 100
HEAVY_CARDS = 500
HEAVY_ATTEMPTS = 50_000
HEAVY_KEYS = 200
"""Each key has its own rate limit. A real member can have ten."""

DAYS = 365


class Seed:
    """Rows of `members` members, with five courses each and forty items per course, around today."""

    def __init__(self, members: int) -> None:
        self.now = timezone.now()
        self.today = self.now.date()
        self.members = [new_id() for _ in range(members)]
        self.courses = {member: [new_id() for _ in range(COURSES)] for member in self.members}

    def member_rows(self) -> Iterator[Member]:
        """Yield members in several time zones."""
        for number, (member, zone) in enumerate(zip(self.members, cycle(TIME_ZONES), strict=False)):
            email, name = f"member{number}@example.org", f"Member {number}"
            yield Member(id=member, email=email, name=name, time_zone=zone, write_clock=self.now)

    def course_rows(self) -> Iterator[Course]:
        """Yield the courses of a term."""
        for member, courses in self.courses.items():
            for number, course in enumerate(courses):
                stamps = _stamps(self.now - timedelta(days=90) + timedelta(minutes=number))
                texts = {"name": f"Course {number} of a term", "code": f"CRS {100 + number}"}
                yield Course(id=course, member_id=member, **texts, **stamps)

    def item_rows(self) -> Iterator[Item]:
        """Yield items over four months around today, one in ten undated, created over the last two months."""
        kinds = ("assignment", "assignment", "quiz", "lab", "exam", "paper", "project", "other")
        for member, courses in self.courses.items():
            for number, course in enumerate(courses):
                for place in range(ITEMS):
                    stamps = _stamps(self.now - timedelta(days=60, microseconds=-chance.randrange(10**12)))
                    yield Item(
                        id=new_id(),
                        member_id=member,
                        course_id=course,
                        title=f"Item {place} of course {number}",
                        kind=kinds[place % len(kinds)],
                        due_on=self.today + timedelta(days=chance.randint(-60, 60)) if place % 10 != 9 else None,
                        **stamps,
                    )

    def milestone_rows(self, items: Sequence[tuple[UUID, UUID, date | None]]) -> Iterator[Milestone]:
        """Yield three steps for every fourth item. Past ones are done, except one in twenty."""
        for item, member, due_on in items[::4]:
            for position in (1, 2, 3):
                due = None if due_on is None else due_on - timedelta(days=8 - 2 * position)
                done = due is not None and due < self.today and chance.random() < 0.95
                fields = {"title": f"Step {position} towards it", "due_on": due, "done": done, "position": position}
                yield Milestone(id=new_id(), member_id=member, item_id=item, **fields)

    def category_rows(self) -> Iterator[GradeCategory]:
        """Yield the grade categories of every course."""
        for member, course in ((member, course) for member, courses in self.courses.items() for course in courses):
            for position, (name, weight, _) in enumerate(CATEGORIES, 1):
                fields = {"name": name, "weight": Decimal(weight), "position": position}
                yield GradeCategory(id=new_id(), member_id=member, course_id=course, **fields)

    def score_rows(self, categories: Iterable[tuple[UUID, UUID, str]]) -> Iterator[GradeScore]:
        """Yield sixteen scores for every course."""
        counts = {name: count for name, _, count in CATEGORIES}
        for category, member, name in categories:
            for number in range(counts[name]):
                score = Decimal(chance.randint(5000, 10000)) / 100
                created_at = self.now - timedelta(days=40 - number, microseconds=chance.randrange(10**9))
                fields = {"label": f"{name} {number + 1}", "score": score, "created_at": created_at}
                yield GradeScore(id=new_id(), member_id=member, category_id=category, **fields)

    def card_states(self) -> tuple[dict[str, Any], ...]:
        """Return new cards, learned ones that are due, and forgotten ones."""
        reviewed = self.now - timedelta(days=13, hours=1)
        due: dict[str, Any] = {"due_at": self.now - timedelta(hours=1), "last_reviewed_at": reviewed}
        due |= {"stability": 12.5, "difficulty": 5.1}
        return (
            {"due_at": self.now},
            due | {"state": CardState.REVIEW.value, "step": None, "reps": 4},
            due | {"state": CardState.RELEARNING.value, "step": 0, "reps": 6, "lapses": 1},
        )

    def add_items(self) -> dict[UUID, str]:
        """Add members with keys, courses and items. The keys were just used, so that no measured request records it."""
        copy(Member, self.member_rows())
        keys = dict(zip(self.members, add_keys(self.members, self.now), strict=True))
        copy(Course, self.course_rows())
        copy(Item, self.item_rows())
        return keys

    def add_heavy(self) -> list[Subject]:
        """Add one member with the most flashcards, a year of practice, and many keys."""
        member = new_id()
        decks = [new_id() for _ in range(HEAVY_DECKS)]
        copy(Member, [Member(id=member, email="heavy@example.org", name="Heavy", write_clock=self.now)])
        secrets = add_keys([member] * HEAVY_KEYS, self.now)
        copy(Deck, self._heavy_decks(member, decks))
        copy(Card, self._heavy_cards(member, decks))
        copy(Attempt, self._heavy_attempts(member, decks))
        rebuild_sums([member])
        return [Subject(secret) for secret in secrets]

    def _heavy_decks(self, member: UUID, decks: Sequence[UUID]) -> Iterator[Deck]:
        for number, deck in enumerate(decks):
            stamps = _stamps(self.now - timedelta(days=DAYS) + timedelta(minutes=number))
            yield Deck(id=deck, member_id=member, name=f"Deck {number}", card_count=HEAVY_CARDS, **stamps)

    def _heavy_cards(self, member: UUID, decks: Sequence[UUID]) -> Iterator[Card]:
        """Yield learned cards, one in six of them due."""
        learned = {"state": CardState.REVIEW.value, "step": None, "stability": 40.0, "difficulty": 5.0, "reps": 5}
        learned["definition"] = "What the term means, in a sentence of an ordinary length."
        for deck in decks:
            for position in range(1, HEAVY_CARDS + 1):
                due_at = self.now + timedelta(days=chance.uniform(-20, 100))
                fields = {"due_at": due_at, "last_reviewed_at": due_at - timedelta(days=40), "position": position}
                yield Card(id=new_id(), member_id=member, deck_id=deck, term=f"Term {position}", **fields, **learned)

    def _heavy_attempts(self, member: UUID, decks: Sequence[UUID]) -> Iterator[Attempt]:
        """Yield attempts on every day, in order, five of six correct."""
        for number in range(HEAVY_ATTEMPTS):
            at = self.now - timedelta(days=DAYS * (HEAVY_ATTEMPTS - number) / HEAVY_ATTEMPTS - 1 / 24)
            deck = chance.randrange(HEAVY_DECKS)
            fields = {"source": Source.VOCAB.value, "topic": f"Deck {deck}", "deck_id": decks[deck]}
            fields |= {"correct": chance.random() < 5 / 6, "attempted_at": at, "day": at.date()}
            yield Attempt(id=new_id(), member_id=member, **fields)


def fill(members: int) -> Cast:
    """Fill the migrated, empty database for every row."""
    seed = Seed(members)
    keys = seed.add_items()
    items = Item.objects.order_by("member_id", "created_at").values_list("id", "member_id", "due_on")
    copy(Milestone, seed.milestone_rows(list(items)))
    copy(GradeCategory, seed.category_rows())
    copy(GradeScore, seed.score_rows(list(GradeCategory.objects.values_list("id", "member_id", "name"))))
    cards = add_decks(seed.courses, seed.now - timedelta(days=30), seed.card_states())
    heavy = seed.add_heavy()
    settle()
    people = [Subject(key, _texts(seed.courses[one]), _texts(cards[one])) for one, key in keys.items()]
    return Cast(people, heavy)


def fill_items(members: int) -> Cast:
    """Fill it only for listing items."""
    seed = Seed(members)
    keys = seed.add_items()
    settle()
    return Cast([Subject(key, _texts(seed.courses[member])) for member, key in keys.items()])


def settle() -> None:
    """Let PostgreSQL finish the background work of the filling."""
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
        cursor.execute("CHECKPOINT")


def _stamps(created_at: Any) -> dict[str, Any]:
    return {"created_at": created_at, "updated_at": created_at}


def _texts(ids: list[UUID]) -> list[str]:
    return list(map(str, ids))


CHANGING_MEMBERS = 100
CHANGED_ITEMS = 12
FILES = 2
"""Syllabus files of each course."""


def changes(_members: int) -> Cast:
    """Create, move, tick off and delete items of `CHANGING_MEMBERS` members, like an assistant in a term."""
    for member in Member.objects.filter(courses__isnull=False).distinct().order_by("email")[:CHANGING_MEMBERS]:
        course = Course.objects.filter(member=member).latest("created_at")
        today = member.today()
        with acting(Actor(ActorKind.APP, uuid7(), "Claude")):
            for number in range(CHANGED_ITEMS):
                due_on = today + timedelta(days=30 + number)
                item, _ = create_item(
                    Access(member), course.id, title=f"Problem set {number}", kind="assignment", due_on=due_on
                )
                update_item(Access(member), item["id"], due_on=due_on + timedelta(days=2))
                step = create_milestone(Access(member), item["id"], title="Read the chapter", due_on=due_on)
                update_milestone(Access(member), step["id"], done=True)
                if number % 6 == 0:
                    delete_item(Access(member), item["id"])
    return Cast()


def syllabi(_members: int) -> Cast:
    """Add `FILES` files to each course. All share one stored file."""
    now, stored = timezone.now(), default_storage.save("syllabi/shared", ContentFile(SYLLABUS))
    rows = (
        syllabus_file(
            member,
            course,
            f"syllabus {number}.txt",
            id=new_id(),
            file=stored,
            created_at=now - timedelta(days=80, minutes=number),
        )
        for course, member in list(Course.objects.values_list("id", "member_id"))
        for number in range(FILES)
    )
    SyllabusFile.objects.bulk_create(rows, batch_size=1_000)
    return Cast()
