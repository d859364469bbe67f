"""The position of a date relative to its title: details below, column headers, labels, preceding words."""

import pytest

from tests.support.cases import each
from tests.syllabi.reading import items, proposed, weights

pytestmark = pytest.mark.database("sqlite", "parses text")

FALL = "Fall 2026"
UNNAMED = "no word for a kind of work"
"""The doubt of a title that only its place says to be an item."""


def doubts(*lines: str) -> list[tuple[str, str, str | None]]:
    """Title, date and doubt of each proposed item."""
    return [(item.title, str(item.due_on), item.doubt) for item in proposed(FALL, *lines).items]


def test_details_below_a_title_contain_its_due_date():
    assert doubts(
        "Upcoming assignments",
        "",
        "Song book",
        "Not available until Oct 1 | Due Oct 8 at 11:59pm | -/20 pts",
        "Motet analysis",
        "Due Oct 15 at 11:59pm | -/25 pts",
    ) == [("Song book", "2026-10-08", UNNAMED), ("Motet analysis", "2026-10-15", UNNAMED)]


def test_a_detail_about_an_opening_is_not_the_due_date():
    assert items(FALL, "Song book", "Available from Oct 1 at 8:00am", "Masses") == []


def test_a_column_of_assignments_names_items_but_makes_none_due():
    row = "Oct 5 | Masses | Song book"
    assert doubts("Date | Topic | Assignment", row) == [("Song book", "2026-10-05", UNNAMED)]
    assert doubts("Date | Topic | Due", "Oct 5 | Masses | Essay 1") == [("Essay 1", "2026-10-05", None)]


def test_numbers_below_a_due_header_are_items():
    assert doubts("Wk\tMon\tTopic\tHomework due\tNotes", "5\tOct 5\t\t1\t", "6\tOct 12\tMotets\t2, 3") == [
        ("Homework 1", "2026-10-05", None),
        ("Homework 2", "2026-10-12", None),
        ("Homework 3", "2026-10-12", None),
    ]


def test_a_row_about_every_class_does_not_have_the_date_above():
    assert items(FALL, "Task | Due", "Essay 1 | Oct 5", "Quizzes | every class") == [("Essay 1", "paper", "2026-10-05")]


@each("head", ["Week of", "Starting"])
def test_the_first_day_of_a_week_is_not_the_due_date(head):
    assert [doubt for _, _, doubt in doubts(f"{head} | Topic | Notes", "Oct 5 | Exam 1 |")] == [
        "it names several days, not one"
    ]


def test_a_cell_with_two_due_dates_is_a_doubt():
    assert [doubt for _, _, doubt in doubts("Task | Due", "Essay 1 | Oct 6 / Oct 7")] == ["two dates"] * 2


def test_a_period_of_weeks_is_not_a_date():
    assert doubts("Final exam: November 30 to December 18") == [("Final exam", "None", "no date")]


def test_the_word_before_a_date_makes_it_a_deadline():
    assert doubts("Please send me the first draft by 5 pm on Friday, October 9.") == [
        ("First draft", "2026-10-09", None)
    ]


def test_a_code_is_due():
    assert doubts("Thu Oct 8     L4 Threads     A0 due, A1 out") == [("A0", "2026-10-08", UNNAMED)]


@each(
    "line",
    [
        "October 8: practice exam discussed",
        "Last year the midterm was on October 8.",
        "Past exams: Midterm Fall 2024 (October 8)",
        "October 8: Test repeatability of your setup",
    ],
)
def test_rehearsals_and_past_events_are_not_items(line):
    assert items(FALL, line) == []


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (
            ("Grading", "Exam 1 (Ch. 1-4): Thursday, February 11 (40%)", "Jury: Friday, May 7, 8-10 am (60%)"),
            [("Exam 1", 40), ("Jury", 60)],
        ),
        (
            ("Assessment", "Commentary, 1,000 words, 40%.", "Jury, two hours, 60%."),
            [("Commentary", 40), ("Jury", 60)],
        ),
        (("40 | Songs - every week you sing one, and you write about it, too", "60 | Jury"), []),
    ],
)
def test_the_name_of_a_grade_part_has_no_day_or_length(lines, expected):
    assert [(name, weight) for name, weight in weights(*lines)] == expected or not expected


def test_a_title_at_the_start_of_a_line_has_the_due_date_at_its_end():
    assert doubts("Assignment 1: Song book (15 points). Ten songs, two of them yours. Due date: October 8.") == [
        ("Assignment 1: Song book", "2026-10-08", None)
    ]


def test_a_list_of_days_numbers_the_tests():
    assert doubts("Tests: October 6, October 8 and October 13") == [
        ("Test 1", "2026-10-06", None),
        ("Test 2", "2026-10-08", None),
        ("Test 3", "2026-10-13", None),
    ]


def test_weekdays_that_contradict_the_year_make_every_date_doubtful():
    lines = (
        "Tue, Sep 12: Essay 1 due",
        "Thu, Oct 12: Essay 2 due",
        "Mon, Nov 6: Essay 3 due",
        "Final exam: December 8",
    )
    assert [doubt for _, _, doubt in doubts(*lines)] == ["maybe another year"] * 4


@each(
    "line",
    [
        "October 8: Quiz on modes (not graded)",
        "Immunization records are due to the office by October 8.",
        f"There is also one examination, a midterm with {'many ' * 12}passages to identify, in class on October 8.",
    ],
)
def test_weak_reasons_select_nothing(line):
    assert all(doubt for _, _, doubt in doubts(line))


def test_a_column_headed_by_a_weekday_has_that_day_of_the_week():
    lines = (
        "Week of  Tuesday        Thursday",
        "9/28     Quiz 1 due     Review",
        "10/5     Review         Exam 1 due",
    )
    assert items(FALL, *lines) == [("Quiz 1", "quiz", "2026-09-29"), ("Exam 1", "exam", "2026-10-08")]


def test_a_list_beside_a_list_keeps_its_own_dates():
    rows = [f"Essay {at}       Oct {at}                Quiz {at}       Nov {at}" for at in range(2, 9)]
    assert items("Fall 2026", "", *rows)[:2] == [("Essay 2", "paper", "2026-10-02"), ("Quiz 2", "quiz", "2026-11-02")]
