"""The rules of "what now": which steps there are, in which order, and why."""

from datetime import timedelta
from fractions import Fraction
from typing import Any
from uuid import UUID

import pytest

from planning.now.situation import WeakTopic
from tests.support.cases import each
from tests.support.situations import ALGEBRA, BIOLOGY, EARLY, codes, deck, exam, item, lengths, milestone, now, titles

pytestmark = pytest.mark.database("sqlite", "rules without statements")


def test_an_empty_account_has_no_steps() -> None:
    assert now(30) == {"minutes": 30, "left_over": 30, "steps": []}


def test_ranks_are_in_order() -> None:
    row = now(
        300,
        decks=[
            deck("Other", repeat=1, due=1, new=1),
            deck("Cells", BIOLOGY, due=1),
        ],
        items=[item("Soon", 2, 10), item("Late", -1, 10), exam(7, status="open")],
        weak_topic=WeakTopic("Verbs", UUID(int=9), None, 60.0),
    )
    assert titles(row) == ["Other", "Late", "Cells", "Soon", "Exam", "Other", "Other"]
    assert codes(row) == [
        ["repeat_now"],
        ["overdue", "worth"],
        ["exam_in", "expected_recall"],
        ["due_in", "worth"],
        ["due_in"],
        ["due"],
        ["new"],
    ]
    assert [step["position"] for step in row["steps"]] == [1, 2, 3, 4, 5, 6, 7]


def test_a_step_of_work_has_every_field() -> None:
    essay = item("Essay", 2, Fraction(100, 7))
    outline = milestone(essay, "Outline", 1)
    assert now(30, items=[essay], milestones=[outline])["steps"] == [
        {
            "position": 1,
            "kind": "milestone",
            "title": "Outline",
            "course_name": "Biology",
            "minutes": 25,
            "item_id": essay.id,
            "milestone_id": outline.id,
            "deck_id": None,
            "cards": None,
            "because": [
                {"code": "due_in", "value": 1, "text": "Due tomorrow"},
                {"code": "worth", "value": 14.29, "text": "14.29 % of the grade"},
            ],
        }
    ]


def test_a_step_of_cards_has_every_field() -> None:
    verbs = deck("Verbs", due=7)
    assert now(30, decks=[verbs])["steps"] == [
        {
            "position": 1,
            "kind": "cards",
            "title": "Verbs",
            "course_name": None,
            "minutes": 5,
            "item_id": None,
            "milestone_id": None,
            "deck_id": verbs.id,
            "cards": 7,
            "because": [{"code": "due", "value": 7, "text": "7 cards due"}],
        }
    ]


class TestRepeatNow:
    """Rank 1: due learning and relearning cards."""

    def test_the_deck_with_most_cards_is_first(self) -> None:
        assert titles(now(decks=[deck("two", repeat=2), deck("nine", repeat=9)])) == ["nine", "two"]

    def test_the_older_of_two_equal_decks_is_first(self) -> None:
        newer, older = deck("newer", repeat=2), deck("older", repeat=2, created_at=EARLY)
        assert titles(now(decks=[newer, older])) == ["older", "newer"]

    @each(("minutes", "third"), [(5, 5), (14, 5), (17, 5), (18, 6), (30, 10), (60, 20)])
    def test_it_takes_a_third_rounded_down_and_at_least_5_minutes(self, minutes: int, third: int) -> None:
        assert lengths(now(minutes, decks=[deck("Verbs", repeat=500)])) == [third]

    def test_decks_share_the_third(self) -> None:
        row = now(60, decks=[deck("Verbs", repeat=60), deck("Nouns", repeat=50), deck("Adverbs", repeat=10)])
        assert (lengths(row), row["left_over"]) == ([12, 8], 40)
        assert [step["cards"] for step in row["steps"]] == [60, 40]

    def test_a_deck_that_no_longer_fits_is_skipped(self) -> None:
        row = now(42, decks=[deck("Verbs", repeat=50), deck("Nouns", repeat=49)], items=[item("Essay", 1)])
        assert titles(row) == ["Verbs", "Essay"]
        assert lengths(row) == [10, 25]

    def test_it_returns_the_total_number_due(self) -> None:
        [step] = now(15, decks=[deck("Verbs", repeat=40)])["steps"]
        assert step["cards"] == 25
        assert step["because"] == [{"code": "repeat_now", "value": 40, "text": "40 cards to repeat now"}]


class TestPressingWork:
    """Rank 2: work due by tomorrow."""

    def test_it_is_overdue_or_due_today_or_tomorrow(self) -> None:
        items = [item("late", -1), item("today", 0), item("tomorrow", 1), item("later", 2)]
        row = now(items=items, decks=[deck("Cells", BIOLOGY, due=1)])
        assert titles(row) == ["late", "today", "tomorrow", "later", "Cells"]
        row = now(items=[*items, exam(2)], decks=[deck("Cells", BIOLOGY, due=1)])
        assert titles(row) == ["late", "today", "tomorrow", "Cells", "later", "Exam"]

    def test_high_worth_is_first(self) -> None:
        items = [item("nothing", 0, 0), item("little", 0, 5), item("much", 1, 20)]
        assert titles(now(items=items)) == ["much", "little", "nothing"]

    def test_unknown_worth_counts_as_the_mean_of_its_course(self) -> None:
        """It is compared exactly, and is no reason."""
        mean = Fraction(100, 7)
        items = [
            item("more", -9, mean + Fraction(1, 10**9)),
            item("equal", 0, mean),
            item("less", 0, Fraction(1428, 100)),
        ]
        row = now(items=[item("unknown", 1), *items], mean_worths={BIOLOGY: mean})
        assert titles(row) == ["more", "equal", "unknown", "less"]
        assert codes(row)[2] == ["due_in"]

    def test_unknown_worth_counts_as_5_in_a_course_without_any(self) -> None:
        items = [
            item("4.99", 0, Fraction(499, 100)),
            item("unknown", 1, course_id=ALGEBRA),
            item("5.01", 1, Fraction(501, 100)),
        ]
        row = now(items=items, mean_worths={BIOLOGY: Fraction(1)})
        assert titles(row) == ["5.01", "unknown", "4.99"]

    def test_worth_is_compared_exactly(self) -> None:
        items = [item("less", -1, Fraction(1428, 100)), item("more", 0, Fraction(100, 7)), item("1428", 0, 0)]
        assert titles(now(items=items))[:2] == ["more", "less"]
        near = [item("less", -1, Fraction(10) - Fraction(1, 10**6)), item("more", 0, 10)]
        row = now(items=near)
        assert titles(row) == ["more", "less"]
        assert [step["because"][1]["value"] for step in row["steps"]] == [10, 10]

    def test_the_earlier_of_two_equal_worths_is_first(self) -> None:
        items = [item("tomorrow", 1, 5), item("late", -3, 5), item("today", 0, 5)]
        assert titles(now(items=items)) == ["late", "today", "tomorrow"]

    def test_equal_dates_are_sorted_by_age_then_by_id(self) -> None:
        same: Any = {"created_at": EARLY + timedelta(minutes=1)}
        items = [
            item("newer", 0),
            item("high id", 0, **same, id=UUID(int=8)),
            item("low id", 0, **same, id=UUID(int=7)),
            item("oldest", 0, created_at=EARLY),
        ]
        assert titles(now(items=items)) == ["oldest", "low id", "high id", "newer"]

    @each(
        ("due", "reason"),
        [
            (-30, {"code": "overdue", "value": 30, "text": "Overdue by 30 days"}),
            (-1, {"code": "overdue", "value": 1, "text": "Overdue by 1 day"}),
            (0, {"code": "due_in", "value": 0, "text": "Due today"}),
            (1, {"code": "due_in", "value": 1, "text": "Due tomorrow"}),
            (2, {"code": "due_in", "value": 2, "text": "Due in 2 days"}),
        ],
    )
    def test_it_returns_the_days(self, due: int, reason: Any) -> None:
        [step] = now(items=[item("Essay", due)])["steps"]
        assert step["because"] == [reason]


class TestCardsBeforeExam:
    """Rank 3: due cards before an exam."""

    @each(("due", "code"), [(0, "exam_in"), (7, "exam_in"), (8, "due")])
    def test_the_exam_is_within_7_days(self, due: int, code: str) -> None:
        row = now(items=[exam(due)], decks=[deck("Cells", BIOLOGY, due=1)])
        assert code in [reason["code"] for step in row["steps"] if step["deck_id"] for reason in step["because"]]

    def test_a_quiz_counts_and_a_paper_does_not(self) -> None:
        for kind, code in [("quiz", "exam_in"), ("paper", "due")]:
            row = now(items=[item("X", 3, kind=kind)], decks=[deck("Cells", BIOLOGY, due=1)])
            [step] = [step for step in row["steps"] if step["deck_id"]]
            assert step["because"][0]["code"] == code

    @each("status", ["done", "graded", "past"])
    def test_the_exam_must_be_open(self, status: str) -> None:
        row = now(items=[exam(0, status=status)], decks=[deck("Cells", BIOLOGY, due=1)])
        assert codes(row) == [["due"]]

    def test_the_nearer_exam_is_first(self) -> None:
        decks = [deck("Cells", BIOLOGY, due=9), deck("Groups", ALGEBRA, due=1)]
        row = now(items=[exam(4), exam(3, ALGEBRA), exam(5, ALGEBRA)], decks=decks)
        assert titles(row)[:2] == ["Groups", "Cells"]
        assert [step["because"][0]["value"] for step in row["steps"][:2]] == [3, 4]

    def test_the_lower_recall_is_first_at_equal_distance(self) -> None:
        decks = [
            deck("known", BIOLOGY, due=1, recall=Fraction(80)),
            deck("forgotten", BIOLOGY, due=1, recall=Fraction(79999, 1000)),
        ]
        row = now(items=[exam(3)], decks=decks)
        assert titles(row)[:2] == ["forgotten", "known"]
        assert row["steps"][0]["because"] == [
            {"code": "exam_in", "value": 3, "text": "Exam or quiz in 3 days"},
            {"code": "expected_recall", "value": 80, "text": "80 % of the cards remembered by then"},
        ]


class TestComingWork:
    """Rank 4: work due within 14 days."""

    def test_it_is_due_within_14_days(self) -> None:
        assert titles(now(items=[item("two", 2), item("fourteen", 14), item("fifteen", 15)])) == ["two", "fourteen"]

    def test_worth_is_divided_by_the_remaining_days(self) -> None:
        items = [item("none", 2), item("far", 10, 30), item("near", 3, 10), item("middle", 5, 16)]
        assert titles(now(items=items)) == ["near", "middle", "far", "none"]

    def test_the_earlier_of_two_equal_quotients_is_first(self) -> None:
        assert titles(now(items=[item("later", 9, 3), item("sooner", 3, 1)])) == ["sooner", "later"]


class TestDueCards:
    """Rank 5: other due cards."""

    def test_decks_are_sorted_by_due_cards_then_by_age(self) -> None:
        decks = [deck("two", due=2), deck("nine", BIOLOGY, due=9), deck("also two", due=2)]
        assert titles(now(decks=decks)) == ["nine", "two", "also two"]

    def test_a_deck_without_due_cards_has_no_step(self) -> None:
        assert titles(now(decks=[deck("Verbs")])) == []


class TestNewCards:
    """Rank 6: new cards."""

    def test_the_next_exam_is_first_at_any_distance_and_no_exam_last(self) -> None:
        decks = [
            deck("older", new=1),
            deck("newer", new=1),
            deck("Cells", BIOLOGY, new=1),
            deck("Groups", ALGEBRA, new=1),
        ]
        row = now(items=[exam(200), exam(100, ALGEBRA), exam(1, status="done")], decks=decks)
        assert titles(row) == ["Groups", "Cells", "older", "newer"]

    def test_decks_share_the_remaining_new_cards_of_today(self) -> None:
        decks = [deck("Verbs", new=15), deck("Nouns", new=15), deck("Adverbs", new=15)]
        row = now(decks=decks, new_cards=20)
        assert [(step["title"], step["cards"]) for step in row["steps"]] == [("Verbs", 15), ("Nouns", 5)]
        assert row["steps"][1]["because"] == [{"code": "new", "value": 5, "text": "5 new cards for today"}]
        assert now(decks=decks, new_cards=0)["steps"] == []

    def test_a_new_card_takes_three_times_as_long(self) -> None:
        [step] = now(decks=[deck("Verbs", new=15)])["steps"]
        assert (step["minutes"], step["cards"]) == (9, 15)
        [step] = now(decks=[deck("Verbs", new=500)])["steps"]
        assert (step["minutes"], step["cards"], step["because"][0]["value"]) == (20, 33, 500)

    def test_a_step_has_at_least_one_card(self) -> None:
        verbs = deck("Verbs", new=1)
        assert now(5, seconds=120, decks=[verbs])["steps"] == []
        [step] = now(6, seconds=120, decks=[verbs])["steps"]
        assert (step["minutes"], step["cards"]) == (6, 1)


class TestWeakTopic:
    """Rank 7: the weakest topic."""

    VERBS = deck("Verbs")

    def test_it_takes_5_minutes(self) -> None:
        row = now(30, weak_topic=WeakTopic("Verbs, irregular", self.VERBS.id, "Biology", 62.5))
        assert row == {
            "minutes": 30,
            "left_over": 25,
            "steps": [
                {
                    "position": 1,
                    "kind": "cards",
                    "title": "Verbs, irregular",
                    "course_name": "Biology",
                    "minutes": 5,
                    "item_id": None,
                    "milestone_id": None,
                    "deck_id": self.VERBS.id,
                    "cards": None,
                    "because": [{"code": "weak", "value": 62.5, "text": "62.5 % correct in the last 30 days"}],
                }
            ],
        }

    def test_it_is_skipped_if_its_deck_has_another_step(self) -> None:
        due = deck("Verbs", due=1)
        row = now(decks=[due], weak_topic=WeakTopic("Verbs", due.id, None, 50.0))
        assert codes(row) == [["due"]]

    def test_it_is_added_only_after_everything_else_fits(self) -> None:
        weak = WeakTopic("Verbs", self.VERBS.id, None, 50.0)
        assert titles(now(30, items=[item("Essay", 1)], weak_topic=weak)) == ["Essay", "Verbs"]
        assert titles(now(34, items=[item("Essay", 1), item("Lab", 1)], weak_topic=weak)) == ["Essay"]
