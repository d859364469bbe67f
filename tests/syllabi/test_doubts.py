"""Why an item is selected or not: each reason and each doubt, by name."""

import pytest

from courses.syllabi.reasons import DEADLINES, Reason, confidence_of, first_doubt
from tests.support.cases import each
from tests.syllabi.reading import proposed

pytestmark = pytest.mark.database("sqlite", "parses text")

FALL = "Fall 2026"


def doubts(*lines: str) -> list[tuple[str, str | None]]:
    """Title and doubt of each proposed item."""
    return [(item.title, item.doubt) for item in proposed(FALL, *lines).items]


EVERYTHING = {one for one in Reason if not one.is_doubt}


def test_any_reason_against_an_item_prevents_selecting_it():
    assert confidence_of(EVERYTHING) >= 0.8
    assert all(confidence_of({*EVERYTHING, one}) < 0.8 for one in Reason if one.is_doubt)


def test_without_a_reason_to_be_a_deadline_a_date_is_not_selected():
    assert confidence_of(EVERYTHING - DEADLINES) < 0.8
    assert first_doubt(EVERYTHING - DEADLINES) == "no deadline word"


@pytest.mark.parametrize(
    ("lines", "title"),
    [
        (("Song essay due October 8",), "Song essay"),
        (("October 8: essay 1 due",), "Essay 1"),
        (("October 8 | Listening quiz",), "Listening quiz"),
        (("Date | Topic | Due in class", "10/8 | Motets | Motet paper"), "Motet paper"),
        (("Essay 1: October 8",), "Essay 1"),
        (("Fri Oct 9, 2026\tAssignment Song book\tdue by 11:59pm",), "Assignment Song book"),
        (("", "Song essay 1", "Twelve songs, copied by hand.", "Due: October 8"), "Song essay 1"),
    ],
    ids=["due after", "a schedule", "sat at a time", "its column", "an entry", "its row", "its block"],
)
def test_a_reason_selects_an_item(lines, title):
    assert doubts(*lines) == [(title, None)]


@pytest.mark.parametrize(
    ("lines", "title", "doubt"),
    [
        (("Final exam: TBA",), "Final exam", "no date"),
        (("Listening quiz: October 8, 2024",), "Listening quiz", "outside the term"),
        (("Listening quiz: Friday, October 8",), "Listening quiz", "another weekday"),
        (("Final exam: October 8 or October 15",), "Final exam", "two dates"),
        (("Listening quizzes: October 5-9",), "Listening quizzes", "it names several days, not one"),
        (("Lab report 1 due every week", "October 8: Homework 3"), "Homework 3", "no deadline word"),
        (("Song book due October 8",), "Song book", "no word for a kind of work"),
        (("The recital reports must be submitted by October 8.",), "Recital reports", "little says so"),
        (("Wk 6 (10/5)   M: Motets   W: Masses   F: Song quiz",), "Song quiz", "it names several days, not one"),
    ],
    ids=lambda given: given if isinstance(given, str) else "",
)
def test_a_doubtful_item_is_not_selected(lines, title, doubt):
    assert doubts(*lines) == [(title, doubt)]


def test_a_part_of_the_grade_needs_no_word_for_its_kind():
    grade = ("Grading", "Song book 60%", "Attendance 40%")
    assert doubts(*grade, "", "Song book due Thursday, October 8") == [("Song book", None)]


def test_nor_does_an_entry_in_a_list_of_deadlines():
    listed = [f"Song book {number} due October {day}" for number, day in enumerate((8, 15, 22), 1)]
    assert doubts(*listed) == [("Song book 1", None), ("Song book 2", None), ("Song book 3", None)]
    assert [doubt for _, doubt in doubts(*listed[:1])] == ["no word for a kind of work"]


def test_another_line_with_another_date_is_a_doubt():
    assert doubts("Essay 1: masses due October 8", "Essay 1 due October 15") == [
        ("Essay 1: masses", "two dates"),
        ("Essay 1", "two dates"),
    ]


@each("work", ["Essay 3 draft", "Essay 3 presentation", "Draft of essay 3"])
def test_a_draft_is_another_work_than_the_essay(work):
    got = doubts(f"{work} due October 8", "Essay 3 due October 15")
    assert [doubt for _, doubt in got] == [None, None]


def test_a_final_and_the_final_exam_are_one_work():
    assert {doubt for _, doubt in doubts("Final: December 8, 1 pm", "Final exam: December 10, 1 pm")} == {"two dates"}


@each("line", ["Drop deadline: October 8", "Last day to withdraw is October 8", "Make-up exam: October 8"])
def test_dates_of_the_registrar_are_not_items(line):
    assert doubts(line) == []
