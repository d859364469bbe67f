"""How "what now" fills the minutes: the length of steps, and the end of the list."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planning.agenda_serializers import NowRow
from planning.now.ranks import what_now
from planning.now.situation import Situation
from tests.support.cases import each
from tests.support.properties import examples
from tests.support.situations import ALGEBRA, BIOLOGY, TODAY, codes, deck, item, lengths, now, titles

pytestmark = pytest.mark.database("sqlite", "rules without statements")


class TestFilling:
    """The minutes of the steps, and the remaining minutes."""

    @each(
        ("minutes", "found"),
        [(5, []), (9, []), (10, [10]), (24, [24]), (25, [25]), (34, [25]), (35, [25, 10]), (50, [25, 25])],
    )
    def test_work_is_in_slices_of_25_with_a_last_one_of_10_or_more(self, minutes: int, found: list[int]) -> None:
        row = now(minutes, items=[item(str(number), 1) for number in range(9)])
        assert (lengths(row), row["left_over"]) == (found, minutes - sum(found))

    @each(("cards", "minutes"), [(1, 5), (25, 5), (26, 6), (30, 6), (31, 7), (100, 20), (101, 20), (500, 20)])
    def test_cards_take_5_to_20_minutes(self, cards: int, minutes: int) -> None:
        [step] = now(decks=[deck("Verbs", due=cards)])["steps"]
        assert (step["minutes"], step["cards"]) == (minutes, min(cards, 100))

    def test_cards_take_the_remaining_minutes_if_at_least_5(self) -> None:
        verbs = deck("Verbs", due=500)
        assert lengths(now(30, decks=[verbs], items=[item("Essay", 1)])) == [25, 5]
        assert lengths(now(29, decks=[verbs], items=[item("Essay", 1)])) == [25]

    def test_seconds_a_card_are_exact(self) -> None:
        [step] = now(seconds=Fraction("7.51"), decks=[deck("Verbs", due=41)])["steps"]
        assert (step["minutes"], step["cards"]) == (6, 41)
        [step] = now(7, seconds=Fraction("8.4"), decks=[deck("Verbs", due=60)])["steps"]
        assert (step["minutes"], step["cards"]) == (7, 50)

    def test_it_stops_at_the_first_step_that_does_not_fit(self) -> None:
        row = now(34, items=[item("Essay", 0), item("Lab", 1)], decks=[deck("Verbs", due=1)])
        assert (titles(row), row["left_over"]) == (["Essay"], 9)

    def test_there_are_at_most_7_steps(self) -> None:
        items = [item(str(number), 1) for number in range(9)]
        row = now(480, items=items)
        assert (len(row["steps"]), row["left_over"]) == (7, 480 - 7 * 25)
        row = now(480, decks=[deck(str(number), repeat=1) for number in range(9)], items=items)
        assert (len(row["steps"]), row["left_over"]) == (7, 480 - 7 * 5)

    def test_a_deck_can_have_a_step_in_each_of_its_ranks(self) -> None:
        row = now(decks=[deck("Verbs", repeat=1, due=1, new=1)])
        assert codes(row) == [["repeat_now"], ["due"], ["new"]]


_DAYS = st.one_of(st.none(), st.integers(-40, 20))
_ITEMS = st.lists(
    st.builds(
        item,
        st.sampled_from(["Essay", "Lab", "Reading"]),
        _DAYS,
        st.one_of(st.none(), st.fractions(0, 100, max_denominator=9)),
        kind=st.sampled_from(["exam", "quiz", "paper"]),
        status=st.sampled_from(["open", "missed", "done", "past", "graded"]),
        course_id=st.sampled_from([BIOLOGY, ALGEBRA]),
    ),
    max_size=8,
)
_DECKS = st.lists(
    st.builds(
        deck,
        st.just("Deck"),
        st.sampled_from([None, BIOLOGY, ALGEBRA]),
        repeat=st.integers(0, 60),
        due=st.integers(0, 200),
        new=st.integers(0, 200),
        recall=st.fractions(0, 100, max_denominator=9),
    ),
    max_size=6,
)
_SITUATIONS = st.builds(
    Situation,
    st.just(TODAY),
    st.fractions(1, 120, max_denominator=100),
    st.one_of(st.just(1_000_000), st.integers(0, 100)),
    _ITEMS,
    st.just(()),
    _DECKS,
)


def _order(row: NowRow) -> list[tuple[str, UUID | None]]:
    return [(step["because"][0]["code"], step["item_id"] or step["deck_id"]) for step in row["steps"]]


@given(_SITUATIONS, st.integers(5, 480), st.integers(5, 480))
@examples(300)
def test_more_minutes_never_change_the_order(situation: Situation, some: int, others: int) -> None:
    fewer, more = _order(what_now(situation, some)), _order(what_now(situation, others))
    assert [step for step in fewer if step in more] == [step for step in more if step in fewer]


@given(_SITUATIONS, st.integers(5, 480))
@examples(300)
def test_a_course_with_nothing_due_changes_nothing(situation: Situation, minutes: int) -> None:
    course_id = UUID(int=3)
    more = replace(
        situation,
        items=[
            item("Holiday", None, 50, course_id=course_id),
            *situation.items,
            item("Later", 15, 50, course_id=course_id, kind="exam"),
            item("Done", 0, 50, course_id=course_id, status="done"),
        ],
        decks=[deck("Known", course_id), *situation.decks],
    )
    assert what_now(more, minutes) == what_now(situation, minutes)


@given(_SITUATIONS, st.integers(5, 480))
@examples(300)
def test_every_minute_is_accounted_for(situation: Situation, minutes: int) -> None:
    row = what_now(situation, minutes)
    steps: Sequence[Any] = row["steps"]
    assert sum(step["minutes"] for step in steps) + row["left_over"] == minutes
    assert row["left_over"] >= 0
    assert len({step["item_id"] for step in steps if step["item_id"]}) == sum(1 for step in steps if step["item_id"])
    for step in steps:
        assert step["minutes"] >= 5
        assert step["cards"] is None or step["cards"] >= 1
        reasons = [reason["code"] for reason in step["because"]]
        assert len(set(reasons)) == len(reasons)
        for reason in step["because"]:
            assert reason["text"].isascii()
            assert reason["text"].isprintable()
            assert len(reason["text"]) < 120
