"""A proposal compared with the items of a course, and its warnings."""

from datetime import date, timedelta
from uuid import UUID, uuid4

import pytest

from courses.syllabi.comparison import Stored
from courses.syllabi.proposal import propose
from courses.syllabi.warnings import Claim, cautions_about
from tests.support.cases import each
from tests.syllabi.reading import read

pytestmark = pytest.mark.database("sqlite", "parses text")

ONE, TWO = UUID(int=1), UUID(int=2)
OCT_8, OCT_15 = date(2026, 10, 8), date(2026, 10, 15)


def compared(lines: list[str], *stored: Stored) -> list[tuple[str, str, UUID | None]]:
    return [(item.title, item.match, item.item_id) for item in propose(read("Fall 2026", *lines), stored).items]


def test_items_are_the_same_moved_new_or_gone():
    lines = ["Quiz 1: Oct 8", "Quiz 2: Oct 15", "Quiz 3: Oct 22"]
    three = uuid4()
    assert compared(
        lines, Stored(ONE, "quiz  1", OCT_8), Stored(TWO, "Quiz 2", OCT_8), Stored(three, "Jury", OCT_8, "exam")
    ) == [
        ("Quiz 1", "same", ONE),
        ("Quiz 2", "moved", TWO),
        ("Quiz 3", "new", None),
        ("Jury", "gone", three),
    ]


def test_moved_has_the_new_date_and_gone_the_stored_item_without_a_line():
    stored = [Stored(ONE, "Quiz 2", OCT_8), Stored(TWO, "Jury", OCT_8, "exam")]
    moved, gone = propose(read("Fall 2026", "Quiz 2: Oct 15"), stored).items
    assert (moved.due_on, moved.line) == (OCT_15, 2)
    assert (gone.title, gone.kind, gone.due_on) == ("Jury", "exam", OCT_8)
    assert (gone.line, gone.quote, gone.confidence) == (None, None, None)


@each(
    ("line", "title"),
    [("HW3: Oct 8", "Homework 3"), ("Exam II: Oct 8", "Exam 2"), ("Juried exam: Oct 8", "Exam (juried)")],
)
def test_other_spellings_are_the_same_item(line, title):
    assert [match for _, match, _ in compared([line], Stored(ONE, title, OCT_8))] == ["same"]


@each("title", ["Quiz 12", "Quiz", "Quiz 2 draft"])
def test_other_numbers_and_stages_are_different_items(title):
    assert [match for _, match, _ in compared(["Quiz 2: Oct 8"], Stored(ONE, title, OCT_8))] == ["new", "gone"]


def test_an_undated_proposal_moves_nothing():
    assert compared(["Final exam: TBA"], Stored(ONE, "Final exam", OCT_8)) == [("Final exam", "same", ONE)]


def test_an_undated_stored_item_moves_to_the_proposed_date():
    assert compared(["Final exam: Oct 8"], Stored(ONE, "Final exam", None)) == [("Final exam", "moved", ONE)]


def test_each_stored_item_is_matched_once():
    assert compared(["Quiz: Oct 8", "Quiz: Oct 15"], Stored(ONE, "Quiz", OCT_15)) == [
        ("Quiz", "new", None),
        ("Quiz", "same", ONE),
    ]


def warned(
    *claims: Claim, text: str = "Fall 2026", term: str | None = None, stored: tuple[Stored, ...] = ()
) -> list[tuple[str, int | None]]:
    return [(one.type, one.index) for one in cautions_about(read(text, term=term), claims, stored=stored)]


def test_a_date_outside_the_term_is_reported():
    assert warned(Claim("Quiz", OCT_8), Claim("Quiz", date(2027, 2, 1))) == [("outside_term", 1)]
    assert warned(Claim("Quiz", OCT_8), text="", term="Spring 2027") == [("outside_term", 0)]
    assert warned(Claim("Quiz", OCT_8), text="") == []


def test_a_contradictory_weekday_is_reported():
    assert warned(Claim("Quiz", OCT_8, "Quiz on Thursday")) == []
    assert warned(Claim("Quiz", OCT_8, "Quiz Friday, Oct 8")) == [("weekday", 0)]
    assert warned(Claim("Quiz", OCT_8, "due Fridays")) == [("weekday", 0)]


def test_two_dates_names_the_second():
    (caution,) = cautions_about(read("Fall 2026"), [Claim("Quiz", OCT_8, "Quiz Oct 8 (make-up Oct 15)")])
    assert (caution.type, caution.index) == ("two_dates", 0)
    assert caution.message == "This line also has 15 October 2026."
    assert warned(Claim("Quiz", OCT_8, "Quizzes Oct 6-9")) == []


@each(
    "quote",
    ["Essay 1 due Oct 8, Quiz 2 on Oct 15", "Quiz 2 Oct 15; Essay 1 Oct 8", "Essay 1: assigned Oct 1, due Oct 8"],
)
def test_two_dates_are_reported_only_if_both_fit_the_title(quote):
    assert warned(Claim("Essay 1", OCT_8, quote)) == []


def test_the_dates_of_other_items_of_a_line_are_no_second_dates():
    line = "Quizzes: Oct 8, Oct 15, Oct 22"
    days = [OCT_8, OCT_8 + timedelta(days=7), OCT_8 + timedelta(days=14)]
    quizzes = [Claim(f"Quiz {number}", day, line) for number, day in enumerate(days, start=1)]
    assert warned(*quizzes) == []
    assert warned(*quizzes[:2]) == [("two_dates", 0), ("two_dates", 1)]


def test_wrong_weights_are_reported():
    syllabus = read("Fall 2026")
    assert cautions_about(syllabus, [], [60, 40]) == []
    (caution,) = cautions_about(syllabus, [], [60, 30])
    assert (caution.type, caution.message) == ("weights", "The weights add up to 90 %, not to 100 %.")


@each("parts", [(33.33, 33.33, 33.33), (26.67, 6.67, 66.67), (14.29,) * 7])
def test_weights_rounded_to_two_decimals_are_not_reported(parts):
    assert cautions_about(read("Fall 2026"), [], parts) == []


def test_duplicates_are_reported():
    assert warned(Claim("Quiz 1", OCT_8), stored=(Stored(ONE, " quiz  1", OCT_8),)) == [("duplicate", 0)]
    assert warned(Claim("Quiz 1", OCT_8), stored=(Stored(ONE, "Quiz 1 (canon)", OCT_8),)) == []
    assert warned(Claim("Quiz 1", OCT_8), Claim("Quiz 1", OCT_8)) == [("duplicate", 1)]
    assert warned(Claim("Quiz 1", OCT_8), Claim("Quiz 1", OCT_15), Claim("Quiz 2", OCT_8)) == []
