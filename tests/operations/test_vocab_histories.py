"""Random histories of reviews in any time zone, compared with FSRS itself."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import fsrs
import pytest
import time_machine
from hypothesis import given
from hypothesis import strategies as st

from studyservice.rates import limiter as rates
from tests.support.entry_points import RestEntryPoint
from tests.support.properties import examples
from tests.support.vocabulary import deck_with_cards, made_deck, reviewed

START = datetime(2030, 1, 1, 12, tzinfo=UTC)
ZONES = ("Europe/Paris", "America/Los_Angeles", "Pacific/Kiritimati", "Australia/Lord_Howe", "UTC")

pytestmark = [pytest.mark.rest, pytest.mark.same_statements]

SOME = examples(25)


class Step(NamedTuple):
    """After a pause, and perhaps a move of the member, a review of one of three cards."""

    pause: timedelta
    card: int
    rating: str
    zone: str | None


ratings = st.sampled_from(["again", "hard", "good", "easy"])
pauses = st.one_of(
    st.timedeltas(timedelta(0), timedelta(minutes=30)),
    st.timedeltas(timedelta(hours=8), timedelta(days=2)),
    st.timedeltas(timedelta(0), timedelta(days=90)),
)
zones = st.one_of(st.none(), st.none(), st.sampled_from(ZONES))
histories = st.lists(st.builds(Step, pauses, st.integers(0, 2), ratings, zones), max_size=14)


class Answered(NamedTuple):
    """A review as it happened."""

    card: Any
    at: datetime
    day: date
    rating: str


class Student:
    """A new member per example, who goes through a history over HTTP."""

    def __init__(self, make_member: Any, entry_point: Any) -> None:
        self.member = make_member(time_zone=ZONES[0])
        self.entry_point: RestEntryPoint = entry_point(self.member)
        self.deck = made_deck(self.entry_point, "a", "b", "c")
        self.clock = START
        self.answered: list[Answered] = []

    def live(self, history: list[Step]) -> None:
        for step in history:
            self.clock += step.pause
            if step.zone:
                self.member.time_zone = step.zone
                self.member.save(update_fields=["time_zone"])
            with self.now():
                card = reviewed(self.entry_point, self.deck["cards"][step.card], step.rating)
            at = datetime.fromisoformat(card["last_reviewed_at"])
            day = at.astimezone(ZoneInfo(self.member.time_zone)).date()
            self.answered.append(Answered(card, at, day, step.rating))

    def today(self) -> date:
        return self.clock.astimezone(ZoneInfo(self.member.time_zone)).date()

    @contextmanager
    def now(self) -> Iterator[None]:
        rates.clear()
        with time_machine.travel(self.clock, tick=False):
            yield


@pytest.fixture
def new_student(make_member: Any, entry_point: Any) -> Any:
    return lambda: Student(make_member, entry_point)


@pytest.mark.database("both")
@SOME
@given(history=histories, retention=st.sampled_from([None, 0.8, 0.97]))
def test_cards_equal_those_of_fsrs_for_the_same_history(
    new_student: Any, history: list[Step], retention: float | None
) -> None:
    from vocab.models import Card

    student = new_student()
    if retention is not None:
        student.member.desired_retention = retention
        student.member.save()
    student.live(history)
    scheduler = fsrs.Scheduler(desired_retention=retention or 0.9, enable_fuzzing=False)
    alone = {card["id"]: fsrs.Card(card_id=1) for card in student.deck["cards"]}
    lapses: Counter[str] = Counter()
    for card, at, _, rating in student.answered:
        before = alone[card["id"]]
        lapses[card["id"]] += rating == "again" and before.state == fsrs.State.Review
        after, _ = scheduler.review_card(before, fsrs.Rating[rating.capitalize()], at)
        alone[card["id"]] = after
        assert card["state"] == after.state.name.lower()
        assert (card["stability"], card["difficulty"]) == (after.stability, after.difficulty)
        assert datetime.fromisoformat(card["due_at"]) == after.due > at
        assert card["lapses"] == lapses[card["id"]]
    steps = Card.objects.filter(member=student.member).values_list("id", "step")
    assert {str(card_id): step for card_id, step in steps} == {k: card.step for k, card in alone.items()}


@SOME
@given(history=histories, later=pauses)
def test_the_due_count_equals_the_due_cards(new_student: Any, history: list[Step], later: timedelta) -> None:
    student = new_student()
    student.live(history)
    student.clock += later
    with student.now():
        deck = deck_with_cards(student.entry_point, student.deck)
        [listed] = student.entry_point.made("list_vocab_decks")["data"]
    due = [datetime.fromisoformat(card["due_at"]) for card in deck["cards"]]
    assert deck["due_count"] == sum(instant <= student.clock for instant in due)
    assert datetime.fromisoformat(deck["next_due_at"]) == min(due) == due[0]
    assert listed == {name: value for name, value in deck.items() if name != "cards"}


@SOME
@given(history=histories, later=pauses, days=st.sampled_from([1, 7, 30, 365]))
def test_stats_equal_a_plain_recount(new_student: Any, history: list[Step], later: timedelta, days: int) -> None:
    student = new_student()
    student.live(history)
    student.clock += later
    with student.now():
        stats = student.entry_point.made("get_practice_stats", days=days)
        assert student.entry_point.made("get_me")["practice_streak"] == stats["streak"]["current"]
    today = student.today()
    assert stats["streak"] == streak_of({answer.day for answer in student.answered}, today)
    window = [today - timedelta(days=n) for n in reversed(range(days))]
    counted = [answer for answer in student.answered if answer.day >= window[0]]
    by_day = Counter(min(answer.day, today) for answer in counted)
    right = Counter(min(answer.day, today) for answer in counted if answer.rating != "again")
    assert stats["by_day"] == [
        {"date": day.isoformat(), "attempts": by_day[day], "correct": right[day]} for day in window
    ]
    assert (stats["attempts"], stats["correct"]) == (len(counted), right.total())
    weak = len(counted) >= 5 and right.total() / len(counted) < 0.8
    assert [topic["correct"] for topic in stats["weak_topics"]] == [right.total()] * weak


def streak_of(days: set[date], today: date) -> dict[str, Any]:
    """The streak of a member who practiced on `days`."""
    seen = {min(day, today) for day in days}  # "tomorrow", practiced further east, counts as today
    newest = max(seen, default=date.min)
    return {
        "current": run_ending(newest, seen) if newest >= today - timedelta(days=1) else 0,
        "longest": max((run_ending(day, practised) for practised in (days, seen) for day in practised), default=0),
        "practiced_today": newest >= today,
    }


def run_ending(day: date, days: set[date]) -> int:
    """Length of the run of days up to `day`."""
    length = 0
    while day - timedelta(days=length) in days:
        length += 1
    return length
