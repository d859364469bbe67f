"""Checks the oracle for the `now` of get_agenda against examples calculated by hand, one per rule."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any
from uuid import UUID

import pytest

from tests.support.agenda_accounts import agenda_account, agenda_minutes
from tests.support.agenda_description import Account, Attempt, Card, Category, Course, Deck, Item, Milestone, Score
from tests.support.agenda_facts import status, worth
from tests.support.agenda_oracle import now
from tests.support.cases import each

pytestmark = pytest.mark.database("sqlite", "examples without statements")

NOW = datetime(2026, 11, 23, 9, tzinfo=UTC)
TODAY = NOW.date()
CATEGORY = UUID(int=7)


def day(days: int | None) -> date | None:
    return None if days is None else TODAY + timedelta(days=days)


def item(number: int, days: int | None, kind: str = "assignment", **fields: Any) -> Item:
    """An item due some days from today. A higher number is younger."""
    given: dict[str, Any] = {"done": False, "missable_from": date(2026, 9, 1)} | fields
    return Item(UUID(int=number), f"Item {number}", kind, day(days), created_at=NOW + timedelta(number), **given)


def milestone(number: int, days: int | None, position: int = 1, *, done: bool = False) -> Milestone:
    return Milestone(UUID(int=number), f"Step {number}", day(days), done, position, NOW + timedelta(number))


def course(*items: Item, weight: int = 100, scores: tuple[Score, ...] = (), number: int = 100) -> Course:
    """A course with one category of this weight. Another category has the rest of the grade."""
    rest = [Category(UUID(int=8), Decimal(100 - weight))]
    return Course(
        UUID(int=number), f"Course {number}", [Category(CATEGORY, Decimal(weight), list(scores)), *rest], [*items]
    )


def cards(number: int, state: str, *, stability: float | None = None, days_ago: int = 0) -> list[Card]:
    """Cards that are due now."""
    seen = None if state == "new" else NOW - timedelta(days=days_ago)
    return [Card(UUID(int=10_000 + n), state, NOW, stability, seen) for n in range(number)]


def deck(number: int, *held: list[Card], of: Course | None = None) -> Deck:
    return Deck(
        UUID(int=number),
        f"Deck {number}",
        None if of is None else of.id,
        NOW + timedelta(number),
        [card for some in held for card in some],
    )


def account(*courses: Course, decks: tuple[Deck, ...] = (), **fields: Any) -> Account:
    return Account(NOW, "UTC", courses=[*courses], decks=[*decks], **fields)


def steps(given: Account, minutes: int) -> list[Any]:
    """Title, minutes, cards and reasons of each step."""
    return [
        (step["title"], step["minutes"], step["cards"], {one["code"]: one["value"] for one in step["because"]})
        for step in now(given, minutes)["steps"]
    ]


def titles(given: Account, minutes: int = 480) -> list[str]:
    return [step[0] for step in steps(given, minutes)]


def test_a_complete_answer() -> None:
    """Rank 2, then the last slice: 25 of 37 minutes are used, and the remaining 12 are also a slice."""
    essay = item(1, -2, category_id=CATEGORY)
    lab = item(2, 1, milestones=[milestone(3, 5)])
    answer = now(account(course(essay, lab, weight=15)), 37)
    for step in answer["steps"]:
        for reason in step["because"]:
            del reason["text"]
    shared = {"course_name": "Course 100", "deck_id": None, "cards": None}
    assert answer == {
        "minutes": 37,
        "left_over": 0,
        "steps": [
            {
                "position": 1,
                "kind": "item",
                "title": "Item 1",
                "minutes": 25,
                "item_id": str(essay.id),
                "milestone_id": None,
                "because": [{"code": "overdue", "value": 2}, {"code": "worth", "value": 15.0}],
                **shared,
            },
            {
                "position": 2,
                "kind": "milestone",
                "title": "Step 3",
                "minutes": 12,
                "item_id": str(lab.id),
                "milestone_id": str(UUID(int=3)),
                "because": [{"code": "due_in", "value": 1}],
                **shared,
            },
        ],
    }


def test_an_empty_account_has_nothing_to_do() -> None:
    assert now(account(), 30) == {"minutes": 30, "left_over": 30, "steps": []}


@each(
    ("given", "expected"),
    [
        (item(1, None), "open"),
        (item(1, 0), "open"),
        (item(1, 5, done=True), "done"),
        (item(2, -1, done=True), "graded"),
        (item(1, -1), "missed"),
        (item(1, -1, kind="quiz"), "past"),
        (item(1, -1, missable_from=TODAY), "past"),
        (item(1, -1, missable_from=TODAY - timedelta(days=1)), "missed"),
    ],
)
def test_the_first_matching_status_is_used(given: Item, expected: str) -> None:
    its_course = course(given, scores=(Score(UUID(int=9), UUID(int=2)),))
    assert status(account(its_course), its_course, given) == expected


def test_worth_is_divided_by_scores_and_open_pieces() -> None:
    """100 · w / W / n: 40 of 100, for two items, for five scores beside them, and for five scores of ended items."""

    def worth_of(given: Item, its_course: Course) -> Fraction | None:
        return worth(account(its_course), its_course, given)

    coming = [item(1, 3, category_id=CATEGORY), item(2, 3, category_id=CATEGORY)]
    assert worth_of(coming[0], course(*coming, weight=40)) == 20
    scores = tuple(Score(UUID(int=n), None) for n in range(5))
    assert worth_of(coming[0], course(*coming, weight=40, scores=scores)) == Fraction(40, 7)
    ended = [item(1, -3, category_id=CATEGORY), item(2, 3, done=True, category_id=CATEGORY)]
    assert worth_of(ended[0], course(*ended, weight=40, scores=scores)) == 8
    assert worth_of(item(3, 3), course(*coming, weight=40)) is None
    weightless = Course(UUID(int=1), "None", [Category(CATEGORY, Decimal(0))], coming)
    assert worth_of(coming[0], weightless) is None


def test_pressing_work_is_sorted_by_worth_then_by_date() -> None:
    """Rank 2: by worth, high first; then by date. An unknown worth is 5 in a course without any, else its mean."""
    high, unknown = item(1, 1, category_id=CATEGORY), (item(2, 0), item(3, -30), item(4, -31), item(5, -1, kind="exam"))
    assert titles(account(course(high, weight=50), course(*unknown))) == ["Item 1", "Item 3", "Item 2"]
    assert titles(account(course(high, *unknown, weight=50))) == ["Item 3", "Item 2", "Item 1"]


def test_later_work_is_sorted_by_worth_per_day_left() -> None:
    """Rank 4: 100 in 2 days (50 a day) precedes 100 in 10 days (10 a day), then an unknown one. 15 days are too far."""
    ten, forty = (
        course(item(1, 2, category_id=CATEGORY), weight=10),
        course(item(2, 10, category_id=CATEGORY), weight=40),
    )
    assert titles(account(forty, ten, course(item(3, 2), item(4, 15)))) == ["Item 1", "Item 2", "Item 3"]


def test_the_first_open_milestone_replaces_its_item() -> None:
    """Work: the first open milestone by position. Its date is the earlier of its own and its item's."""
    done, first, second = milestone(11, -9, 1, done=True), milestone(12, 9, 2), milestone(13, 3, 3)
    given = account(course(item(1, 4, milestones=[second, first, done])))
    assert steps(given, 30) == [("Step 12", 25, None, {"due_in": 4})]
    undated = account(
        course(item(1, None, milestones=[second]), item(2, None), item(3, None, milestones=[first, second]))
    )
    assert steps(undated, 30) == [("Step 13", 25, None, {"due_in": 3})]


def test_cards_to_repeat_use_a_third_of_the_minutes() -> None:
    """Rank 1: 60 cards of 12 seconds need 12 minutes; a third of 30 is 10 (50 cards). The next deck is skipped."""
    given = account(
        course(item(1, 0)),
        decks=(deck(1, cards(3, "learning")), deck(2, cards(40, "relearning"), cards(20, "learning"))),
    )
    assert steps(given, 30) == [("Deck 2", 10, 50, {"repeat_now": 60}), ("Item 1", 20, None, {"due_in": 0})]
    assert steps(given, 5) == [("Deck 2", 5, 25, {"repeat_now": 60})]
    assert steps(given, 60) == [
        ("Deck 2", 12, 60, {"repeat_now": 60}),
        ("Deck 1", 5, 3, {"repeat_now": 3}),
        ("Item 1", 25, None, {"due_in": 0}),
    ]


def test_cards_before_an_exam_are_sorted_by_days_then_by_expected_recall() -> None:
    """Rank 3: by days to the exam. Of two exams in 7 days, the course with lower recall is first."""
    near, weak, strong, far = (
        course(item(n, days, "exam"), number=n) for n, days in [(10, 3), (20, 7), (30, 7), (40, 8)]
    )
    given = account(
        far,
        strong,
        weak,
        near,
        decks=(
            deck(1, cards(2, "review", stability=90.0), of=strong),
            deck(2, cards(2, "review", stability=5.0, days_ago=5), of=weak),
            deck(3, cards(2, "review", stability=90.0), of=near),
            deck(4, cards(9, "review", stability=90.0), of=far),
        ),
    )
    found = steps(given, 480)
    assert [step[0] for step in found] == ["Deck 3", "Deck 2", "Deck 1", "Item 10", "Item 20", "Item 30", "Item 40"]
    assert [step[3]["exam_in"] for step in found[:3]] == [3, 7, 7]


def test_unseen_cards_count_as_0_in_expected_recall() -> None:
    """A card reviewed as many days ago as its stability has a recall of 90 percent. An unseen card counts as 0."""
    exam = course(item(1, 7, "exam"))
    seen = cards(1, "review", stability=7.0)
    assert steps(account(exam, decks=(deck(1, seen, cards(1, "new"), of=exam),)), 30)[0] == (
        "Deck 1",
        5,
        1,
        {"exam_in": 7, "expected_recall": 45.0},
    )


def test_other_due_cards_are_sorted_by_number_and_limited_to_twenty_minutes() -> None:
    """Rank 5: most due first, 5 to 20 minutes. 20 minutes fit 100 cards of 12 seconds, though 120 are due."""
    given = account(decks=(deck(1, cards(30, "review")), deck(2, cards(120, "review")), deck(3, cards(30, "review"))))
    assert steps(given, 33) == [
        ("Deck 2", 20, 100, {"due": 120}),
        ("Deck 1", 6, 30, {"due": 30}),
        ("Deck 3", 6, 30, {"due": 30}),
    ]


def test_new_cards_are_distributed_in_the_order_of_exams() -> None:
    """Rank 6: 15 of 20 a day remain. The deck with an exam gets 10, the older of the others 5, the last none."""
    exam = course(item(1, 90, "quiz"))
    given = account(
        exam,
        decks=(deck(1, cards(8, "new")), deck(2, cards(8, "new")), deck(3, cards(10, "new"), of=exam)),
        new_cards_a_day=20,
        first_reviews=5,
    )
    assert steps(given, 60) == [("Deck 3", 6, 10, {"new": 10}), ("Deck 1", 5, 5, {"new": 5})]


def test_seconds_are_measured_after_fifty_reviews() -> None:
    """20.004 seconds are returned as 20: 15 cards in 5 minutes. New cards take three times as long: 5 cards."""
    given: dict[str, Any] = {"decks": (deck(1, cards(40, "new")),), "seconds": 20.004}
    assert steps(account(**given, seconds_reviews=50), 5) == [("Deck 1", 5, 5, {"new": 40})]
    assert steps(account(**given, seconds_reviews=49), 5) == [("Deck 1", 5, 8, {"new": 40})]


def test_filling_stops_at_the_first_step_that_does_not_fit() -> None:
    """Work needs 10 minutes. Cards would fit in the remaining 9, but filling has stopped. There are at most 7 steps."""
    given = account(course(item(1, 0), item(2, 1)), decks=(deck(1, cards(1, "review")),))
    assert (steps(given, 34)[1:], now(given, 34)["left_over"]) == ([], 9)
    assert [step[1] for step in steps(given, 35)] == [25, 10]
    assert [step[1] for step in steps(given, 55)] == [25, 25, 5]
    assert titles(account(course(*(item(n, 3) for n in range(1, 10))))) == [f"Item {n}" for n in range(1, 8)]


def test_a_weak_topic_is_last_and_only_without_another_step_of_its_deck() -> None:
    """Rank 7: the weakest topic with five attempts in 30 days, under 80 percent."""
    since = [TODAY - timedelta(days=29)] * 5
    weak = [Attempt("Cells", UUID(int=1), None, place < 3, on) for place, on in enumerate(since)]
    good = [Attempt("Bones", UUID(int=2), None, place < 4, on) for place, on in enumerate(since)]
    decks = (deck(1, cards(1, "new")), deck(2))
    assert steps(account(decks=decks, attempts=weak + good, new_cards_a_day=0), 30) == [
        ("Cells", 5, None, {"weak": 60.0})
    ]
    assert steps(account(decks=decks, attempts=weak + good), 30) == [("Deck 1", 5, 1, {"new": 1})]
    assert steps(account(decks=decks, attempts=weak[:4] + good, new_cards_a_day=0), 30) == []


def test_the_generated_accounts_cover_every_rank_and_every_reason() -> None:
    """The comparison cannot test cases that the accounts never reach."""
    reached: dict[str, int] = {}
    for seed in range(100):
        given = agenda_account(seed)
        answers = [now(given, minutes) for minutes in agenda_minutes(seed, 4)]
        codes = {one["code"] for answer in answers for step in answer["steps"] for one in step["because"]}
        for code in codes:
            reached[code] = reached.get(code, 0) + 1
    assert set(reached) == {
        "repeat_now", "overdue", "due_in", "worth", "exam_in", "expected_recall", "due", "new", "weak",
    }  # fmt: skip
    assert min(reached.values()) >= 5, reached
