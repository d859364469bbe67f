"""Generated accounts for the `now` of get_agenda: small, with many ties, limits and gaps. Each has its own seed."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from random import Random
from typing import TypeVar
from uuid import UUID
from zoneinfo import ZoneInfo

from tests.support.agenda_description import (
    Account,
    Attempt,
    Card,
    Category,
    Course,
    Deck,
    Item,
    Milestone,
    Score,
)

Made = TypeVar("Made")

ZONES = (
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "Asia/Kolkata",
    "Pacific/Auckland",
    "Pacific/Kiritimati",
    "Pacific/Pago_Pago",
)
DAYS = (
    date(2026, 2, 28),
    date(2026, 3, 8),
    date(2026, 3, 29),
    date(2026, 6, 15),
    date(2026, 10, 25),
    date(2026, 12, 31),
)
"""Ends of a month and a year, clock changes in March and October, and one ordinary day."""

CLOCK = (time(0), time(0, 0, 0, 1), time(11, 59, 59), time(12), time(15, 30), time(23, 59, 59, 999_999))
DUE = (-400, -31, -31, -30, -30, -29, -3, -1, -1, 0, 0, 1, 1, 2, 2, 3, 5, 7, 8, 13, 14, 14, 15, 15, 40, 120)
"""Days from the member's today, with the limits of each rule more often."""

AHEAD = tuple(days for days in DUE if days > 1)
EXAMS = (0, 1, 3, 5, 6, 7, 7, 7, 8, 8, 60)

KINDS = ("exam", "quiz", "exam", "assignment", "lab", "paper", "project", "other")
WEIGHTS = ("0", "0", "10", "15", "20", "20", "33.3333", "50", "100", "0.0001")
SECONDS = (1.0, 7.5, 12.0, 12.125, 20.0, 37.42, 60.004, 100.0, 100.004, 100.01, 110.0, 115.0, 120.0)
MINUTES = (5, 6, 9, 10, 14, 15, 16, 24, 25, 26, 29, 30, 34, 35, 44, 45, 60, 61, 90, 120, 200, 480)
AGES = 4
"""Distinct creation times, so that many rows have equal ages."""


def agenda_account(seed: int) -> Account:
    """Return the account of this seed. The same seed always returns the same account."""
    return _Accounts(seed).account()


def agenda_minutes(seed: int, count: int) -> list[int]:
    """Return `count` values of `minutes` for the account of this seed: limits and random values."""
    chance = Random(f"minutes {seed}")  # noqa: S311  # an example, no secret
    return [*chance.sample(MINUTES, count - 1), chance.randint(5, 480)]


class _Accounts:
    """Generates one account.

    Attributes:
        is_season: every course has an exam, most of them on the day `exam`, and there is little other work.
        is_lively: there is much work.
        due: the days from today to choose from.
    """

    def __init__(self, seed: int) -> None:
        self.chance = Random(seed)  # noqa: S311  # an example, no secret
        self.zone = self.pick(ZONES)
        self.today = self.pick(DAYS)
        local = datetime.combine(self.today, self.pick(CLOCK), ZoneInfo(self.zone))
        self.now = local.astimezone(UTC)
        self.is_season = self.maybe(0.25)
        self.is_lively = not self.is_season and self.maybe(0.5)
        self.due = self.pick((DUE, AHEAD))
        self.exam = self.pick(EXAMS)
        self.named = 0

    def account(self) -> Account:
        courses = self.some((2, 3, 4) if self.is_season else (0, 1, 1, 2, 3), self.course)
        decks = self.some((0, 1, 2, 3, 4, 6, 10), lambda: self.deck(courses))
        if courses and decks and self.maybe(0.3):
            decks += self.copies(decks, courses)
        seconds, seconds_reviews = self.pick([(None, 0), *((one, self.pick((49, 50, 51))) for one in SECONDS)])
        return Account(
            now=self.now,
            zone=self.zone,
            new_cards_a_day=self.pick((None, 0, 1, 3, 5, 20, 20, 500)),
            first_reviews=self.pick((0, 0, 0, 1, 3, 5, 6, 21)),
            seconds=seconds,
            seconds_reviews=seconds_reviews,
            courses=self.shuffled(courses),
            decks=self.shuffled(decks),
            attempts=self.attempts(decks, courses),
        )

    # Chance

    def pick(self, values: "tuple[Made, ...] | list[Made]") -> Made:
        return self.chance.choice(values)

    def maybe(self, likelihood: float) -> bool:
        return self.chance.random() < likelihood

    def some(self, numbers: tuple[int, ...], make: Callable[[], Made]) -> list[Made]:
        return [make() for _ in range(self.pick(numbers))]

    def shuffled(self, values: list[Made]) -> list[Made]:
        return self.chance.sample(values, len(values))

    def id(self) -> UUID:
        return UUID(int=self.chance.getrandbits(128), version=4)

    def name(self, kind: str) -> str:
        self.named += 1
        return f"{kind} {self.named}{self.pick(('', '', ' é', ' 🎓'))}"

    def created_at(self) -> datetime:
        return self.now - timedelta(days=60, seconds=self.chance.randrange(AGES))

    def day(self, undated: float) -> date | None:
        return None if self.maybe(undated) else self.today + timedelta(days=self.pick(self.due))

    # Courses

    def course(self) -> Course:
        items = self.some((0, 1, 2, 4, 7) if self.is_lively else (0, 0, 0, 1), self.item)
        if self.is_season or self.maybe(0.5):
            days = timedelta(days=self.exam if self.maybe(0.8) else self.pick(EXAMS))
            items.append(replace(self.item(), kind=self.pick(("exam", "quiz")), due_on=self.today + days))
        weightless = self.maybe(0.1)
        categories = self.some(
            (0, 1, 2, 3), lambda: Category(self.id(), Decimal("0" if weightless else self.pick(WEIGHTS)))
        )
        if categories:
            items = [self.filed(item, categories) for item in items]
        return Course(self.id(), self.name("Course"), categories, items, archived=self.maybe(0.15))

    def item(self) -> Item:
        due_on = self.day(0.2)
        missable_from = self.today - timedelta(days=self.pick((0, 1, 30, 400, 400, 400)))
        if due_on and self.maybe(0.2):
            missable_from = due_on + timedelta(days=self.pick((0, 0, 1)))
        return Item(
            id=self.id(),
            title=self.name("Item"),
            kind=self.pick(KINDS),
            due_on=due_on,
            done=self.maybe(0.15),
            missable_from=missable_from,
            created_at=self.created_at(),
            milestones=self.some((0, 0, 0, 1, 2, 4), self.milestone),
        )

    def milestone(self) -> Milestone:
        return Milestone(
            id=self.id(),
            title=self.name("Milestone"),
            due_on=self.day(0.4),
            done=self.maybe(0.3),
            position=self.pick((1, 1, 2, 3)),
            created_at=self.created_at(),
        )

    def filed(self, item: Item, categories: list[Category]) -> Item:
        """The item with or without a category. Some items have a score; some categories have scores without an item."""
        if self.maybe(0.25):
            return item
        category = self.pick(categories)
        if self.maybe(0.15):
            category.scores.append(Score(self.id(), item.id))
        if self.maybe(0.15):
            category.scores.extend(Score(self.id(), None) for _ in range(self.pick((1, 2, 5))))
        return replace(item, category_id=category.id)

    # Cards

    def deck(self, courses: list[Course]) -> Deck:
        course_id = self.pick(courses).id if courses and self.maybe(0.75) else None
        many = self.maybe(0.1)
        numbers = {
            state: self.pick((0, 12, 40) if many else (0, 0, 0, 1, 2, 5, 8))
            for state in ("new", "learning", "relearning", "review")
        }
        if self.maybe(0.9 if self.is_season else 0.6):
            numbers["learning"] = numbers["relearning"] = 0
        cards = [self.card(state) for state, number in numbers.items() for _ in range(number)]
        return Deck(self.id(), self.name("Deck"), course_id, self.created_at(), self.shuffled(cards))

    def card(self, state: str) -> Card:
        suspended = self.maybe(0.1)
        if state == "new":
            return Card(self.id(), state, self.now - timedelta(days=1), suspended=suspended)
        due_at = self.now + self.pick(
            (
                timedelta(0),
                timedelta(microseconds=1),
                timedelta(microseconds=-1),
                timedelta(minutes=-5),
                timedelta(days=-3),
                timedelta(days=2),
            )
        )
        since = timedelta(days=self.chance.randrange(30), seconds=self.chance.randrange(86_400))
        return Card(self.id(), state, due_at, self.chance.uniform(0.5, 60), self.now - since, suspended)

    def copies(self, decks: list[Deck], courses: list[Course]) -> list[Deck]:
        """Two decks that differ only in their id, perhaps in two courses. Each has one card, so sums do not depend on
        order.
        """
        card = self.card("review")
        first = replace(self.pick(decks), cards=[card])
        return [
            replace(
                first,
                id=self.id(),
                name=self.name("Deck"),
                course_id=self.pick(courses).id,
                cards=[replace(card, id=self.id())],
            )
            for _ in range(2)
        ]

    # Practice

    def attempts(self, decks: list[Deck], courses: list[Course]) -> list[Attempt]:
        """Topics with few and many attempts around the limits of five attempts, 80 percent and 30 days."""
        made = []
        for deck in self.chance.sample(decks, min(len(decks), self.pick((0, 1, 2, 3)))):
            made += self.practice(deck.name, deck.id, deck.course_id)
        if self.maybe(0.15):
            course_id = self.pick(courses).id if courses and self.maybe(0.5) else None
            made += self.practice("Deleted deck", None, course_id)
        return self.shuffled(made)

    def practice(self, topic: str, deck_id: UUID | None, course_id: UUID | None) -> list[Attempt]:
        number, right = self.pick(((4, 0), (5, 0), (5, 1), (5, 3), (5, 4), (7, 5), (10, 2), (10, 8)))
        days = self.pick(((0,), (0, 1, 29), (0, 29, 30), (29,), (30,)))
        return [
            Attempt(topic, deck_id, course_id, place < right, self.today - timedelta(days=self.pick(days)))
            for place in range(number)
        ]
