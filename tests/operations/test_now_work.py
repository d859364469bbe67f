"""Items and milestones that count as work for "what now", and their dates."""

from datetime import timedelta

import pytest

from tests.support.cases import each
from tests.support.situations import EARLY, exam, item, milestone, now, titles

pytestmark = pytest.mark.database("sqlite", "rules without statements")


@each("status", ["done", "graded", "past"])
def test_done_graded_and_past_items_are_not_work(status: str) -> None:
    essay = item("Essay", 1, status=status)
    assert titles(now(items=[essay], milestones=[milestone(essay, "Outline", 1)])) == []


def test_a_missed_item_is_work_for_30_days() -> None:
    items = [item("30", -30), item("31", -31)]
    assert titles(now(items=items, milestones=[milestone(items[1], "Outline", 1)])) == ["30"]


def test_exams_are_work() -> None:
    assert titles(now(items=[exam(1)])) == ["Exam"]


def test_only_the_first_milestone_by_position_age_and_id_counts() -> None:
    essay = item("Essay", 5)
    milestones = [
        milestone(essay, "third", -9, position=3, created_at=EARLY),
        milestone(essay, "second", -9, position=2),
        milestone(essay, "first", 2, position=2, created_at=EARLY + timedelta(minutes=1)),
    ]
    row = now(items=[essay], milestones=milestones)
    assert titles(row) == ["first"]
    assert row["steps"][0]["because"][0]["value"] == 2


@each(("own", "of_item", "days"), [(3, 5, 3), (5, 3, 3), (None, 3, 3), (3, None, 3)])
def test_its_date_is_the_earlier_one(own: int | None, of_item: int | None, days: int) -> None:
    essay = item("Essay", of_item)
    [step] = now(items=[essay], milestones=[milestone(essay, "Outline", own)])["steps"]
    assert (step["title"], step["because"][0]["value"]) == ("Outline", days)


def test_an_undated_item_counts_only_with_a_dated_first_milestone() -> None:
    one, two, three, four = (item(title) for title in ["one", "two", "three", "four"])
    milestones = [
        milestone(one, "undated"),
        milestone(one, "dated", 1, position=2),
        milestone(two, "far", 15),
        milestone(three, "near", 14),
    ]
    assert titles(now(items=[one, two, three, four], milestones=milestones)) == ["near"]


def test_a_distant_item_counts_with_a_near_milestone() -> None:
    essay = item("Essay", 300, 40)
    [step] = now(items=[essay], milestones=[milestone(essay, "Outline", -90)])["steps"]
    assert [reason["code"] for reason in step["because"]] == ["overdue", "worth"]


def test_age_is_that_of_the_milestone() -> None:
    first, second = item("first", 1), item("second", 1)
    outline = milestone(second, "Outline", 1, created_at=EARLY)
    assert titles(now(items=[first, second], milestones=[outline])) == ["Outline", "first"]
