"""Warnings about a quote whose weekday contradicts its date."""

from typing import Any

import pytest

from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint

pytestmark = pytest.mark.database("sqlite", "parses text in memory")

WRONG = [
    "Reading responses: Fridays (Jan 24)",
    "Reading responses are due Friday, January 24, 2026.",
    "Quiz on January 24, 2026 (Friday)",
    "Fri | Jan 24 | Quiz",
    "1/24 Fri: quiz",
    "Abgabe: Freitag, 24. Januar 2026",
    "Tue/Thu (Jan 24): lab",
    "Lab Tue Jan 20, Thu Jan 23",
    "Fri. - 24 January: quiz, then Monday, Jan 26",
]
"""In January 2026 the 24th is a Saturday."""

RIGHT = [
    "Reading responses: Fridays (Jan 23)",
    "Quiz Friday; essay due Jan 24",
    "Fridays, starting with Jan 24",
    "Tue, Thu (Jan 20, Jan 22): lab",
    "Tuesdays and Thursdays (Jan 22)",
    "Jan 20, Thu Jan 22",
    "Tue Jan 20 Thu Jan 22 Mon Jan 26",
    "Jan 20 (Tue), Jan 22 (Thu), Jan 26 (Mon)",
    "Fri (Jan 19-23): quiz",
    "Monday to Friday, Jan 19-23",
    "The sat quiz, 24 Jan",
    "Friday in week 24",
]


@pytest.fixture
def winter(owner: RestEntryPoint) -> Any:
    """A course with a year in its term."""
    return owner.made("create_course", name="Composition", term="Spring 2026")


def warned(owner: RestEntryPoint, course: Any, quote: str, **fields: Any) -> list[Any]:
    answer = owner.made("create_item", course_id=course["id"], title="Reading responses", quote=quote, **fields)
    return [one for one in answer["warnings"] if one["type"] == "weekday"]


@each("quote", WRONG)
def test_a_contradictory_weekday_is_reported(owner: RestEntryPoint, winter: Any, quote: str) -> None:
    [warning] = warned(owner, winter, quote)
    assert warning["index"] == 0


@each("quote", RIGHT)
def test_a_matching_or_distant_weekday_is_not_reported(owner: RestEntryPoint, winter: Any, quote: str) -> None:
    assert warned(owner, winter, quote) == []


def test_the_message_names_weekday_and_date(owner: RestEntryPoint, winter: Any) -> None:
    [warning] = warned(owner, winter, "Reading responses: Fridays (Jan 24)")
    assert warning["message"] == (
        'The text of "Reading responses" says Friday beside 24 January 2026, which is a Saturday.'
    )


def test_a_dated_item_has_only_one_such_warning(owner: RestEntryPoint, winter: Any) -> None:
    """The warning about the item's own date is enough. A contradictory quote is only reported if the date matches."""
    [own] = warned(owner, winter, "Due Friday, Jan 24", due_on="2026-01-24")
    assert own["message"] == '"Reading responses", 24 January 2026, is a Saturday; the text says Friday.'
    [quotes] = warned(owner, winter, "Due Fridays (Jan 24)", due_on="2026-01-23")
    assert quotes["message"].endswith("says Friday beside 24 January 2026, which is a Saturday.")


def test_each_item_of_a_call_has_its_own_warning(owner: RestEntryPoint) -> None:
    items = [
        {"title": "Essay", "due_on": "2026-02-02", "quote": "Essay: Mon, Feb 2"},
        {"title": "Quiz", "quote": "Quizzes: Fridays (Jan 24) and Fridays (Jan 31)"},
        {"title": "Lab", "due_on": "2026-01-24", "quote": "Lab: Friday, Jan 24"},
    ]
    weights = [{"name": "Quizzes", "weight": 20}]
    made = owner.made("create_course", name="Composition", term="Spring 2026", items=items, grade_categories=weights)
    assert [(one["type"], one["index"]) for one in made["warnings"]] == [
        ("weekday", 1),
        ("weekday", 2),
        ("weights", None),
    ]
