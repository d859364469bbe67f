"""The example and the simulation in docs/exam-plan.md are correct, and a plan depends only on its arguments."""

import subprocess
import sys
from datetime import UTC, date, datetime
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest

from tests import ROOT
from tests.support.cases import each
from tools.bench.exam_plan import by_member, by_size, simulated
from vocab.exam_plan.days import Day, PlanCard, Settings
from vocab.exam_plan.memory import LEARNING, REVIEW, Memory, instant, recalled
from vocab.exam_plan.plan import exam_plan, planner

pytestmark = pytest.mark.database("sqlite", "pure arithmetic")

TEXT = (ROOT / "docs" / "exam-plan.md").read_text(encoding="utf-8")


def noon(year: int, month: int, day: int) -> int:
    return instant(datetime(year, month, day, 12, tzinfo=UTC))


def review(stability: float, last: int, due: int) -> PlanCard:
    return PlanCard(Memory(REVIEW, 0, stability, 5.0, last, due), reps=3)


CARDS = {
    "A": PlanCard(Memory(LEARNING, 0, None, 0.0, None, noon(2030, 1, 7))),
    "B": review(10.0, noon(2030, 1, 5), noon(2030, 1, 15)),
    "C": review(3.0, noon(2030, 1, 4), noon(2030, 1, 7)),
    "D": review(40.0, noon(2029, 12, 29), noon(2030, 2, 7)),
}
SETTINGS = Settings(date(2030, 1, 7), date(2030, 1, 11), ZoneInfo("UTC"), 0.9, 5, Decimal("120.00"))


def test_the_example_has_the_days_and_the_prediction_of_the_plan() -> None:
    plan = exam_plan(list(CARDS.values()), SETTINGS)
    assert plan.days == [Day(1, 1, 0), Day(), Day(0, 0, 2), Day(0, 0, 2)]
    for number, day in enumerate(plan.days, start=7):
        minutes = -(-day.cards() * 120 // 60)
        cells = (f"{number} January", day.new, day.due, day.last_look, minutes, max(0, minutes - 5))
        assert f"| {' | '.join(map(str, cells))} |" in TEXT
    assert f"{100 * plan.predicted:.2f} percent" in TEXT
    assert f"{100 * plan.at_most:.2f}" in TEXT


def test_the_example_has_the_recall_and_the_values_of_each_card() -> None:
    planned = planner(list(CARDS.values()), SETTINGS)
    without = [recalled(card.memory, noon(2030, 1, 11)) for card in CARDS.values()]
    assert f"{100 * sum(without) / 4:.2f} percent" in TEXT
    for (name, card), likely in zip(CARDS.items(), without, strict=True):
        [line] = [line for line in TEXT.splitlines() if line.startswith(f"| {name} | ") and "9 January" not in line]
        assert line.endswith(f"| {likely:.4f} |" if likely else "| 0 |")
        memory = planned._up_to_the_window(card, 0, [Day() for _ in range(4)])
        values = [planned._value(memory, day) for day in (2, 3)]
        seen = [recalled(memory, noon(2030, 1, 7 + day)) for day in (2, 3)]
        rows = TEXT.partition(f"| {name} | 9 January | {seen[0]:.4f} |")[2].splitlines()[:2]
        assert rows[0].endswith(f"| {values[0]:.4f} | |")
        assert rows[1].startswith(f"| | 10 January | {seen[1]:.4f} |")
        assert rows[1].endswith(f"| {values[1]:.4f} | {planned._gain(memory):.4f} |")


@each(("cards", "minutes"), [(34, 10), (200, 10)])
def test_less_than_two_percent_is_lost_with_a_month_and_enough_minutes(cards: int, minutes: int) -> None:
    planned, others = simulated(cards, 30, minutes, recalled, 4)
    assert not any(one.over for one in planned)
    assert sum(one.forgotten for one in planned) / 4 < 2 < sum(one.forgotten for one in others) / 4
    assert all(abs(one.error or 0) < 2 for one in planned)


@pytest.mark.thorough("a minute of simulation")
def test_the_tables_equal_those_of_the_simulation() -> None:
    for table in (by_size(), by_member()):
        assert table in TEXT


def test_a_plan_needs_neither_a_database_nor_django() -> None:
    code = "import sys, vocab.exam_plan.plan; sys.exit('django' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)  # this interpreter
