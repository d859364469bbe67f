"""Facts about an account behind the `now` of get_agenda: open work, due cards, exams, and exact numbers."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime, time, timedelta
from fractions import Fraction
from math import floor
from uuid import UUID
from zoneinfo import ZoneInfo

import fsrs

from tests.support.agenda_description import Account, Card, Course, Deck, Item, Milestone

_SCHEDULER = fsrs.Scheduler(enable_fuzzing=False)


@dataclass(frozen=True)
class Work:
    """An item to work on, or the milestone that stands in for it."""

    course: Course
    item: Item
    milestone: Milestone | None
    days: int
    worth: Fraction | None
    assumed_worth: Fraction

    @property
    def age(self) -> tuple[datetime, UUID]:
        step = self.milestone or self.item
        return step.created_at, step.id


def without_ended(account: Account) -> Account:
    """The account without courses that have ended, their decks, and attempts on these decks."""
    ended = {course.id for course in account.courses if course.archived}
    decks = {deck.id for deck in account.decks if deck.course_id in ended}
    return replace(
        account,
        courses=[course for course in account.courses if course.id not in ended],
        decks=[deck for deck in account.decks if deck.id not in decks],
        attempts=[
            attempt
            for attempt in account.attempts
            if (attempt.course_id not in ended if attempt.deck_id is None else attempt.deck_id not in decks)
        ],
    )


def status(account: Account, course: Course, item: Item) -> str:
    """The first status that fits."""
    if item.id in [score.item_id for category in course.categories for score in category.scores]:
        return "graded"
    if item.done:
        return "done"
    if item.due_on is None or item.due_on >= account.today:
        return "open"
    if item.kind in ("exam", "quiz") or item.due_on < item.missable_from:
        return "past"
    return "missed"


def worth(account: Account, course: Course, item: Item) -> Fraction | None:
    """Percent of the course grade: 100 · w / W / n."""
    in_all = sum(Fraction(category.weight) for category in course.categories)
    for category in course.categories:
        if category.id == item.category_id and in_all:
            statuses = [status(account, course, one) for one in course.items if one.category_id == category.id]
            coming = statuses.count("open")
            ended = len([one for one in statuses if one not in ("open", "graded")])
            without_item = len([score for score in category.scores if score.item_id is None])
            pieces = len(category.scores) + coming + max(0, ended - without_item)
            return 100 * Fraction(category.weight) / in_all / pieces
    return None


def mean_worth(account: Account, course: Course) -> Fraction:
    """The mean of the items of the course that have a worth, which one without counts as; 5 if none has."""
    known = [its_worth for item in course.items if (its_worth := worth(account, course, item)) is not None]
    return sum(known, Fraction()) / len(known) if known else Fraction(5)


def work(account: Account) -> list[Work]:
    """Items that are open or were missed in the last 30 days. The first open milestone replaces its item."""
    found = []
    for course in account.courses:
        for item in course.items:
            state = status(account, course, item)
            missed_long_ago = state == "missed" and item.due_on and item.due_on < account.today - timedelta(days=30)
            if state not in ("open", "missed") or missed_long_ago:
                continue
            open_ones = [one for one in item.milestones if not one.done]
            milestone = min(open_ones, key=lambda one: (one.position, one.created_at, one.id), default=None)
            dates = [day for day in (item.due_on, milestone and milestone.due_on) if day]
            if dates:
                days = (min(dates) - account.today).days
                its_worth = worth(account, course, item)
                assumed = mean_worth(account, course) if its_worth is None else its_worth
                found.append(Work(course, item, milestone, days, its_worth, assumed))
    return found


def due(account: Account, deck: Deck, *states: str) -> list[Card]:
    """The due cards in these states."""
    return [card for card in deck.cards if card.state in states and card.due_at <= account.now and not card.suspended]


def days_to_exam(account: Account, deck: Deck) -> int | None:
    """Days to the next open exam or quiz of the deck's course; None if there is none."""
    days = [
        (item.due_on - account.today).days
        for course in account.courses
        for item in course.items
        if course.id == deck.course_id
        and item.kind in ("exam", "quiz")
        and item.due_on is not None
        and status(account, course, item) == "open"
    ]
    return min(days, default=None)


def expected_recall(account: Account, deck: Deck, days: int) -> Fraction:
    """The recall of the deck's cards at 12:00 on the day of the exam. Unseen cards count as 0."""
    exam_on = account.today + timedelta(days=days)
    noon = datetime.combine(exam_on, time(12), ZoneInfo(account.zone)).astimezone(UTC)
    recalled = [Fraction(recall(card, noon)) for card in deck.cards if not card.suspended]
    return sum(recalled, Fraction(0)) / len(recalled)


def recall(card: Card, at: datetime) -> float:
    """FSRS's retrievability; 0 for a card without reviews."""
    known = fsrs.Card(card_id=0, stability=card.stability, difficulty=5, last_review=card.last_reviewed_at)
    return _SCHEDULER.get_card_retrievability(known, at)


def seconds_a_card(account: Account) -> Fraction:
    """The mean, rounded half up to two places, if there are at least 50 reviews; otherwise 12."""
    if account.seconds is None or account.seconds_reviews < 50:
        return Fraction(12)
    return Fraction(floor(Fraction(account.seconds) * 100 + Fraction(1, 2)), 100)


def percent(exact: Fraction) -> float:
    """Round half up to two places, as the API does."""
    return floor(exact * 100 + Fraction(1, 2)) / 100
