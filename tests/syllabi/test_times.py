"""Times of day in a syllabus, and the items that they belong to."""

import pytest

from courses.syllabi.times import time_in
from tests.support.cases import each
from tests.syllabi.reading import proposed

pytestmark = pytest.mark.database("sqlite", "reads texts")

FALL = "BIO 210, Fall 2026"


def times(*lines: str) -> list[tuple[str, str | None]]:
    """Title and time of each proposed item."""
    return [(item.title, item.due_time) for item in proposed(FALL, "", *lines).items]


@each(
    ("text", "expected"),
    [
        ("by 11:59 pm", "23:59"),
        ("at 11:59PM EST", "23:59"),
        ("by 11:59:59 PM", "23:59"),
        ("5 p.m.", "17:00"),
        ("5pm-6pm", "17:00"),
        ("12:00 am", "00:00"),
        ("12 pm", "12:00"),
        ("at noon", "12:00"),
        ("9:00-10:50 am", "09:00"),
        ("9-10:50am", "09:00"),
        ("11:00-1:00 pm", "11:00"),
        ("11:30 AM–12:20 PM", "11:30"),
        ("3:30 - 5:30 p.m.", "15:30"),
        ("17:00", "17:00"),
        ("09:30", "09:30"),
        ("10:15-13:45", "10:15"),
        ("17.00 Uhr", "17:00"),
        ("um 9 Uhr", "09:00"),
        ("à 14 h", "14:00"),
        ("9h30", "09:30"),
        ("9:00-11:00", "09:00"),
        ("10:30–11:45", "10:30"),
        ("11:30-1:00", "11:30"),
        ("12:00-2:00", "12:00"),
        ("1:00-3:00", "13:00"),
        ("in class 10:30", "10:30"),
        ("in class, 2:15", "14:15"),
        ("in class at 9:00", "09:00"),
    ],
)
def test_the_first_time_is_read(text: str, expected: str) -> None:
    assert time_in(text) == expected


@each(
    "text",
    [
        *("", "at 5:00", "24:00", "25:00 pm", "13 pm", "7:75 pm", "Chapter 3.4", "pages 3-5", "2 h lab", "midnight"),
        *("$5 am", "Übung 5 am Montag", "3 am 12. Mai", "Psalm 119:105", "10:00 and 11:00"),
        *("7:00-9:00", "8:30-8:30", "8:00-2:00", "John 3:16-4:02", "9:07-9:51", "in class 6:30", "in class 10"),
    ],
)
def test_other_numbers_and_ambiguous_times_are_not_read(text: str) -> None:
    assert time_in(text) is None


@each(
    ("line", "expected"),
    [
        ("Essay 1: due Friday, October 9, 2026 by 11:59 pm", "23:59"),
        ("Midterm exam: October 12, 2026. 9:00-10:50 am in Hall B.", "09:00"),
        ("October 12, 2026, 2:00 pm: Midterm exam", "14:00"),
        ("Homework 5 - 11:59 pm, October 12, 2026", "23:59"),
        ("Section 2 (10:00 am T/R) - Final Exam, Tuesday, October 6, 2026 at 3:30-5:30 pm", "15:30"),
        ("Essay 1: due Friday, October 9, 2026", None),
    ],
)
def test_a_line_gives_its_item_a_time(line: str, expected: str | None) -> None:
    [(_, time)] = times(line)
    assert time == expected


def test_the_times_of_an_exam_in_its_line_are_its_own() -> None:
    lines = (
        "Thu Dec 3 - Quiz 5: membranes (20 points), in class 10:30",
        "Fri Dec 18 - FINAL EXAM, 9:00-11:00, Room 204",
    )
    assert times(*lines) == [("Quiz 5: membranes", "10:30"), ("FINAL EXAM", "09:00")]


def test_items_of_one_line_have_their_own_times() -> None:
    line = "Homework 1 is due October 5 at 5 pm, Homework 2 is due October 12 at 6 pm, Homework 3 is due October 19."
    assert [time for _, time in times(line)] == ["17:00", "18:00", None]


def test_a_line_below_a_title_gives_it_a_time() -> None:
    assert times("Research essay", "Due: October 8, 2026, 5 pm") == [("Research essay", "17:00")]


def test_the_cell_of_an_item_gives_it_a_time() -> None:
    rows = ["Date | Time | Work", "Oct 5 | 9:00-10:50 am | Quiz 1", "Oct 12 | 9:00-10:50 am | Essay 1 (by 5 pm)"]
    assert times(*rows) == [("Quiz 1", None), ("Essay 1", "17:00")]


def test_a_column_of_due_dates_gives_times() -> None:
    rows = ["Assignment | Due", "Essay 1 | Oct 5, 11:59 pm", "Essay 2 | Oct 12"]
    assert times(*rows) == [("Essay 1", "23:59"), ("Essay 2", None)]


def test_a_cell_that_says_when_something_is_due_gives_a_time() -> None:
    assert times("Oct 5, 2026\tHomework 1\tdue by 11:59 pm") == [("Homework 1", "23:59")]


def test_a_cell_with_a_date_is_no_list_of_names() -> None:
    row = "Oct 5 | Review | Final Exam, Tuesday 10/13 @ 8am"
    items = proposed(FALL, "", "Date | Topic | Assignment", row).items
    assert [(item.title, str(item.due_on), item.due_time) for item in items] == [("Final Exam", "2026-10-13", "08:00")]


def test_an_undated_item_has_no_time() -> None:
    assert all(time is None for _, time in times("Homework is due every Friday at 5 pm", "Final exam: TBA, 9:00 am"))
