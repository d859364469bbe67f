"""The rules of a plan, with few enough cards to follow."""

import random
import time as clock
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import fsrs
import pytest

from tests.support.cases import each
from tests.support.plan_cards import DAY, as_memory, noon, plan_cards, settings, settled_by_the_package
from vocab.exam_plan.days import Day, Days, PlanCard, evenly, from_the_last, left_of_today
from vocab.exam_plan.memory import LEARNING, RELEARNING, REVIEW, Memory, instant, recalled
from vocab.exam_plan.plan import Plan, Planner, exam_plan, planner, queue, sample

pytestmark = pytest.mark.database("sqlite", "pure arithmetic")

TODAY = date(2030, 5, 6)
NOW = datetime(2030, 5, 6, 9, tzinfo=UTC)
SCHEDULER = fsrs.Scheduler(enable_fuzzing=False)


def a_new_card() -> PlanCard:
    return PlanCard(Memory(LEARNING, 0, None, 0.0, None, instant(NOW)))


def begun_today(at: datetime = NOW) -> PlanCard:
    card, _ = SCHEDULER.review_card(fsrs.Card(card_id=1, due=at), fsrs.Rating.Good, at)
    return PlanCard(as_memory(card), reps=1, today=1, before=None)


def a_review(days_ago: int, interval: int, **fields: Any) -> PlanCard:
    """A card in review, last seen this many days ago at 9:00 UTC, and due this many days later."""
    last = instant(NOW - days_ago * DAY)
    memory = Memory(REVIEW, 0, float(interval), 5.0, last, instant(NOW + (interval - days_ago) * DAY))
    return PlanCard(memory, reps=3, **fields)


def day_numbers(plan: Plan) -> list[tuple[int, int, int]]:
    return [(day.new, day.due, day.last_look) for day in plan.days]


def few(minutes: int, seconds: str = "60.00") -> dict[str, Any]:
    """Plan with one card a minute."""
    return {"minutes": minutes, "seconds": Decimal(seconds)}


class TestShares:
    def test_days_are_equal_with_the_remainder_on_the_earliest(self) -> None:
        assert evenly(7, 11) == [1] * 7 + [0] * 4
        assert (evenly(7, 3), evenly(0, 2), evenly(3, 0)) == ([3, 2, 2], [0, 0], [])

    def test_days_are_filled_from_the_last_day_back(self) -> None:
        assert from_the_last(7, 4, 3) == [0, 1, 3, 3]
        assert from_the_last(7, 2, 3) == [3, 4], "too few a day: more cards on each"
        assert from_the_last(0, 2, 3) == [0, 0]

    def test_work_done_today_counts_toward_todays_share(self) -> None:
        assert left_of_today([3, 2, 2], 1, lambda left: evenly(left, 2)) == [2, 2, 2]
        assert left_of_today([3, 2, 2], 5, lambda left: evenly(left, 2)) == [0, 1, 1]


class TestDays:
    @each("zone", ["Europe/Paris", "America/Sao_Paulo", "Pacific/Apia", "America/Santiago"])
    def test_an_instant_is_on_the_members_date(self, zone: str) -> None:
        first = date(2018, 9, 1)  # including a clock change at midnight in some zones
        days = Days(first, first + 100 * DAY, ZoneInfo(zone))
        moment = noon(first, zone)
        for _ in range(2300):
            assert days.of(instant(moment)) == (moment.astimezone(ZoneInfo(zone)).date() - first).days
            moment += timedelta(hours=1)

    def test_past_instants_count_as_today_and_later_ones_as_the_exam_day(self) -> None:
        days = Days(TODAY, TODAY + 3 * DAY, ZoneInfo("UTC"))
        assert [days.of(instant(NOW + shift * DAY)) for shift in (-9, 0, 2, 3, 9)] == [0, 0, 2, 3, 3]


class TestNewCards:
    def test_they_are_spread_evenly_over_the_days_before_the_window(self) -> None:
        plan = exam_plan([a_new_card() for _ in range(7)], settings(TODAY, 12, **few(10)))
        assert [day.new for day in plan.days] == [1] * 7 + [0] * 5
        assert plan.days[-1].last_look == 7

    def test_inside_the_window_they_are_spread_over_all_days_without_a_last_look(self) -> None:
        cards = [a_new_card() for _ in range(9)] + [a_review(30, 20)]
        plan = exam_plan(cards, settings(TODAY, 4, **few(2)))
        assert [day.new for day in plan.days] == [3, 2, 2, 2]
        assert [day.last_look for day in plan.days] == [0, 0, 0, 1]

    def test_cards_begun_today_count_toward_todays_share(self) -> None:
        left = [begun_today() for _ in range(2)] + [a_new_card() for _ in range(5)]
        assert [day.new for day in exam_plan(left, settings(TODAY, 4, **few(10))).days] == [1, 2, 2, 0]
        more = [begun_today() for _ in range(4)] + [a_new_card() for _ in range(3)]
        assert [day.new for day in exam_plan(more, settings(TODAY, 4, **few(10))).days] == [0, 2, 1, 0]

    def test_a_card_with_earlier_reviews_was_not_begun_today(self) -> None:
        card = replace(begun_today(), reps=2)
        assert exam_plan([card, *(a_new_card() for _ in range(3))], settings(TODAY, 4, **few(10))).days[0].new == 1


class TestReviews:
    def test_a_card_due_by_fsrs_counts_once_a_day(self) -> None:
        plan = exam_plan([a_review(5, 8), a_review(3, 3), a_review(9, 2)], settings(TODAY, 6, **few(10)))
        assert [day.due for day in plan.days][:4] == [2, 0, 0, 1]

    def test_a_card_due_today_is_due_at_any_hour(self) -> None:
        late = replace(a_review(5, 5).memory, due=instant(NOW + timedelta(hours=14)))
        assert exam_plan([PlanCard(late, reps=2)], settings(TODAY, 6, **few(10))).days[0].due == 1

    def test_due_days_equal_those_of_the_package(self) -> None:
        """With every answer good at noon, from the first due day to the window."""
        theirs = fsrs.Card(card_id=1, due=NOW)
        theirs = settled_by_the_package(SCHEDULER, theirs, fsrs.Rating.Good, NOW - 3 * DAY)
        start, due = PlanCard(as_memory(theirs), reps=4), set()
        while (day := max(0, (theirs.due.date() - TODAY).days)) < 99:
            due.add(day)
            theirs = settled_by_the_package(SCHEDULER, theirs, fsrs.Rating.Good, noon(TODAY + day * DAY))
        assert len(due) >= 2
        plan = exam_plan([start], settings(TODAY, 100, **few(10)))
        assert {number for number, day in enumerate(plan.days) if day.due} == due

    def test_learning_steps_of_today_are_not_due(self) -> None:
        again, _ = SCHEDULER.review_card(fsrs.Card(card_id=1, due=NOW), fsrs.Rating.Again, NOW)
        yesterday, _ = SCHEDULER.review_card(fsrs.Card(card_id=1, due=NOW), fsrs.Rating.Again, NOW - DAY)
        cards = [PlanCard(as_memory(again), reps=1, today=1), PlanCard(as_memory(yesterday), reps=1)]
        assert exam_plan(cards, settings(TODAY, 6, **few(10))).days[0].due == 1

    def test_in_the_window_only_relearned_cards_are_due(self) -> None:
        relearned = Memory(RELEARNING, 0, 1.0, 5.0, instant(NOW - DAY), instant(NOW - DAY + timedelta(minutes=10)))
        before = replace(relearned, last=instant(NOW - 5 * DAY), due=instant(NOW - 5 * DAY))
        cards = [PlanCard(relearned, reps=4), PlanCard(before, reps=4), a_review(9, 2)]
        plan = exam_plan(cards, settings(TODAY, 1, **few(5, "120.00")))
        assert day_numbers(plan) == [(0, 1, 2)]
        assert sum(day.due for day in plan.days) == 1


class TestLastLooks:
    def test_the_window_is_long_enough_for_all_cards(self) -> None:
        of_seven = settings(TODAY, 20, **few(3))
        assert [of_seven.window(number) for number in (1, 3, 4, 7)] == [1, 1, 2, 3]
        assert settings(TODAY, 20, minutes=5, seconds=Decimal("120.00")).looks_a_day() == 2
        assert settings(TODAY, 20, minutes=10, seconds=Decimal("7.01")).looks_a_day() == 85

    def test_days_are_filled_from_the_last_back(self) -> None:
        plan = exam_plan([a_review(2, 30) for _ in range(7)], settings(TODAY, 20, **few(3)))
        assert [day.last_look for day in plan.days] == [0] * 17 + [1, 3, 3]

    def test_a_card_seen_in_the_window_needs_no_last_look(self) -> None:
        cards = [a_review(ago, 30) for ago in (0, 1, 2, 3, 30)]
        plan = exam_plan(cards, settings(TODAY, 2, **few(5, "180.00")))  # one a day: the window began three days ago
        assert [day.last_look for day in plan.days] == [0, 1]

    def test_too_few_minutes_put_more_cards_on_each_day(self) -> None:
        cards = [a_review(30, 30) for _ in range(10)]
        assert [day.last_look for day in exam_plan(cards, settings(TODAY, 3, **few(2))).days] == [2, 4, 4]

    def test_looks_taken_today_count_toward_todays_share(self) -> None:
        before = instant(NOW - 40 * DAY)
        taken = [a_review(0, 30, today=1, before=before) for _ in range(2)]
        twice = a_review(0, 30, today=1, before=instant(NOW - DAY))  # had its last look yesterday
        cards = [*taken, twice, *(a_review(40, 30) for _ in range(7))]
        assert [day.last_look for day in exam_plan(cards, settings(TODAY, 3, **few(3))).days] == [1, 3, 3]
        assert [day.last_look for day in exam_plan(cards, settings(TODAY, 4, **few(3))).days] == [0, 1, 3, 3]

    def test_a_second_plan_repeats_nothing(self) -> None:
        """After today's cards are done, a new plan has none left for today and the same for other days."""
        cards = [a_review(40 + number, 50) for number in range(9)]
        of_three = settings(TODAY, 3, **few(4))
        first = planner(cards, of_three)
        for place in first.looks_today():
            before = cards[place].memory.last
            cards[place] = replace(a_review(0, 50, today=1, before=before), reps=4)
        plan = exam_plan(cards, of_three)
        assert [day.last_look for day in plan.days] == [0, 4, 4]

    def test_the_card_that_gains_most_by_waiting_is_last(self) -> None:
        cards = [a_review(10, stability) for stability in (3, 200, 10, 40)]
        planned = planner(cards, settings(TODAY, 4, **few(1)))
        exam = instant(noon(TODAY + 4 * DAY))

        def value(card: PlanCard, day: int) -> float:
            at = noon(TODAY + day * DAY)
            theirs = fsrs.Card(
                card_id=1,
                state=fsrs.State.Review,
                stability=card.memory.stability,
                difficulty=5.0,
                due=NOW,
                last_review=NOW - 10 * DAY,
            )
            likely = SCHEDULER.get_card_retrievability(theirs, at)
            after = [
                recalled(as_memory(settled_by_the_package(SCHEDULER, theirs, rating, at)), exam)
                for rating in (fsrs.Rating.Good, fsrs.Rating.Again)
            ]
            return likely * after[0] + (1 - likely) * after[1]

        gains = [value(card, 3) - value(card, 0) for card in cards]
        assert planned.looks_today() == [min(range(4), key=gains.__getitem__)]
        plan = exam_plan(cards, settings(TODAY, 4, **few(1)))
        order = sorted(range(4), key=gains.__getitem__)
        expected = sum(value(cards[place], day) for day, place in enumerate(order)) / 4
        assert plan.predicted == pytest.approx(expected, abs=1e-12)

    def test_the_earlier_of_two_equal_gains_is_seen_first(self) -> None:
        cards = [a_review(10, 30) for _ in range(5)]
        assert planner(cards, settings(TODAY, 3, **few(2))).looks_today() == [0]
        assert planner(cards, settings(TODAY, 2, **few(2))).looks_today() == [0, 1]


class TestPrediction:
    def test_at_most_equals_the_plan_with_a_window_of_one_day(self) -> None:
        cards = plan_cards(random.Random(2), 40, NOW)  # noqa: S311  # the same cards every time
        plan = exam_plan(cards, settings(TODAY, 20, **few(5)))
        in_a_day = exam_plan(cards, settings(TODAY, 20, **few(40)))
        assert plan.predicted < plan.at_most == in_a_day.predicted == in_a_day.at_most

    def test_a_new_card_begun_in_the_window_matches_the_package(self) -> None:
        plan = exam_plan([a_new_card()], settings(TODAY, 1))
        theirs = settled_by_the_package(SCHEDULER, fsrs.Card(card_id=1, due=NOW), fsrs.Rating.Good, noon(TODAY))
        assert plan.predicted == SCHEDULER.get_card_retrievability(theirs, noon(TODAY + DAY))
        assert (day_numbers(plan), plan.at_most) == ([(1, 0, 0)], plan.predicted)

    def test_reviews_are_at_noon_or_at_a_later_last_review(self) -> None:
        at = NOW + timedelta(hours=9)  # 18:00: its learning steps are less than a full day before noon of the exam
        plan = exam_plan([begun_today(at)], settings(TODAY, 1))
        card, _ = SCHEDULER.review_card(fsrs.Card(card_id=1, due=at), fsrs.Rating.Good, at)
        card = settled_by_the_package(SCHEDULER, card, fsrs.Rating.Good, at)
        assert plan.predicted == SCHEDULER.get_card_retrievability(card, noon(TODAY + DAY)) == 1.0

    def test_noons_are_in_the_members_time_zone(self) -> None:
        """When clocks go forward, the day has 23 hours, which the package rounds down to 0 days."""
        of_paris = settings(date(2030, 3, 30), 1, zone=ZoneInfo("Europe/Paris"))
        assert exam_plan([a_new_card()], of_paris).predicted == 1.0


class TestManyCards:
    def test_a_sample_takes_every_kth_card_by_stability(self) -> None:
        cards = plan_cards(random.Random(5), 1200, NOW)  # noqa: S311  # the same cards every time
        chosen = sample(cards)
        assert len(chosen) == 400
        ranked = sorted(range(1200), key=lambda place: (cards[place].memory.stability or 0, place))
        assert [id(card) for card in chosen] == [id(cards[place]) for place in sorted(ranked[::3])]
        assert sample(cards[:500]) == cards[:500]
        assert len(sample(cards[:501])) == 251

    def test_sample_numbers_are_scaled_to_all_cards(self) -> None:
        cards = plan_cards(random.Random(6), 1000, NOW)  # noqa: S311  # the same cards every time
        for_exam = settings(TODAY, 40, minutes=20)
        plan = exam_plan(cards, for_exam)
        assert plan.sampled
        days, predicted = Planner(sample(cards), for_exam, window=10, looks_a_day=50).days()
        assert plan.predicted == predicted
        assert plan.days[1:] == [Day(2 * day.new, 2 * day.due, 2 * day.last_look) for day in days[1:]]
        assert plan.days[0] == planner(cards, for_exam).today()
        whole, exact = planner(cards, for_exam).days()
        assert plan.days[0] == whole[0], "today is exact"
        assert plan.predicted == pytest.approx(exact, abs=0.01)
        assert sum(day.last_look for day in plan.days) == 1000

    def test_5000_cards_take_less_than_a_second(self) -> None:
        cards = plan_cards(random.Random(7), 5000, NOW, new=0.1)  # noqa: S311  # the same cards every time
        for days in (5, 120):
            for_exam = settings(TODAY, days, minutes=60)
            began = clock.process_time()
            exam_plan(cards, for_exam)
            queue(cards, for_exam, instant(NOW))
            assert clock.process_time() - began < 1


class TestQueue:
    def test_it_returns_the_cards_of_today_in_order(self) -> None:
        chance = random.Random(8)  # noqa: S311  # the same cards every time
        for days in (1, 3, 30):
            cards = plan_cards(chance, 60, NOW)
            for_exam = settings(TODAY, days, **few(5))
            today = exam_plan(cards, for_exam).days[0]
            places = queue(cards, for_exam, instant(NOW))
            assert len(places) == len(set(places))
            states = [cards[place].memory.state for place in places]
            new = [place for place in places if cards[place].is_new]
            assert places[len(places) - today.new :] == new == sorted(new)
            asked = [place for place in places if not cards[place].is_new]
            steps = [place for place in asked if planner(cards, for_exam).in_learning(cards[place])]
            assert asked[: len(steps)] == sorted(steps, key=lambda place: cards[place].memory.due)
            assert len(asked) - len(steps) == today.last_look + today.due - sum(
                planner(cards, for_exam).is_due(cards[place]) for place in steps
            )
            assert states

    def test_steps_are_due_at_their_time_and_reviews_all_day(self) -> None:
        step = begun_today(NOW)
        late = PlanCard(replace(a_review(5, 5).memory, due=instant(NOW + timedelta(hours=14))), reps=2)
        for_exam = settings(TODAY, 9, **few(10))
        assert queue([late, step], for_exam, instant(NOW)) == [0]
        assert queue([late, step], for_exam, instant(NOW + timedelta(minutes=10))) == [1, 0]
        assert queue([], for_exam, instant(NOW)) == []
