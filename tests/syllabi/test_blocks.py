"""Titles and dates on separate lines, and repeated entries."""

import pytest

from tests.support.cases import each
from tests.syllabi.reading import proposed, read, weights

pytestmark = pytest.mark.database("sqlite", "parses text")

FALL = "Fall 2026"


def found(*lines: str) -> list[tuple[str, str, str | None]]:
    """Title, date and doubt of each proposed item."""
    return [(item.title, str(item.due_on), item.doubt) for item in proposed(FALL, "", *lines).items]


def test_dates_belong_to_the_titles_below_if_dates_come_first():
    assert found("Thu Oct 8", "Essay 1: Songs due", "Thu Oct 15", "Midterm exam", "", "Essay 9 is graded by peers") == [
        ("Essay 1: Songs", "2026-10-08", None),
        ("Midterm exam", "2026-10-15", None),
    ]


@each(
    "line",
    [
        "Available until Oct 12 at 11:59pm | Due Oct 8 at 11:59pm | 20 pts",
        "Posted Oct 1\tDue Oct 8",
        "Closes: Thursday, October 8, 6:00 PM",
    ],
)
def test_a_due_date_takes_precedence_over_until_and_posting_dates(line):
    assert found("Song essay 1", line) == [("Song essay 1", "2026-10-08", None)]


def test_the_location_beside_a_due_date_is_not_an_item():
    assert found("Task | Weight | Due", "Final exam | 40% | 10/8/2026, 9 am, Sports Hall") == [
        ("Final exam", "2026-10-08", None)
    ]


def test_a_required_length_is_not_a_title():
    assert [title for title, _, _ in found("A one-page proposal is due October 8.")] == ["Proposal"]


def test_an_assignment_that_takes_place_is_doubtful():
    assert found("The exercise of October 8 takes place in room 4.")[0][2] is not None


def test_a_weekday_determines_the_year_of_a_date_outside_the_term():
    syllabus = read("Spring 2028", "Mon 20 Sept")
    assert str(syllabus.mentions(1)[0].first) == "2027-09-20"


def test_parts_that_add_up_to_another_part_by_chance_are_not_its_parts():
    said = [("Essays", 40), ("Quiz", 30), ("Songs", 20), ("Lab", 10)]
    assert weights("Grading", *(f"{name}: {value}%" for name, value in said)) == said


def test_shares_can_be_in_words_and_in_percent():
    said = "Twelve percent comes from the memo, eighty-five percent from the jury, three percent from the songs."
    assert [value for _, value in weights("Grading", said)] == [12, 85, 3]


def test_a_penalty_and_week_numbers_are_not_shares():
    rows = [f"{week}\t10/{week}\tMasses {week}" for week in range(5, 16)]
    assert weights("Grading", "Wk\tDate\tTopic", *rows) == []
    assert weights("Grading", "Essays: 20% off per day", "Jury: 80%", "Songs: 20%") == [("Jury", 80), ("Songs", 20)]


def test_a_label_makes_a_line_the_date_of_the_title_above():
    assert found("Song essay 1", "Length: 4 songs", "Due date: Thursday, October 8, 5 pm local time") == [
        ("Song essay 1", "2026-10-08", None)
    ]


def test_the_name_beside_a_numbered_item_is_not_another_item():
    assert [title for title, _, _ in found("Lab 1     Songs     due Oct 8")] == ["Lab 1"]


def test_a_row_of_a_numbered_week_has_undated_items():
    assert found("Week | Topic | Deadlines", "3 | Masses | Essay 1") == [("Essay 1", "None", "no date")]


def test_weekly_work_is_not_selected():
    assert found("Homework is due every Friday, beginning October 9.") == [("Homework", "2026-10-09", "every week")]


def test_a_column_for_each_section_is_a_date_for_each():
    rows = ("          Section 1     Section 2", "Test 1    Mon Oct 5     Tue Oct 6")
    assert found(*rows) == [("Test 1", "2026-10-05", "two dates"), ("Test 1", "2026-10-06", "two dates")]


def test_a_head_that_says_what_is_due_names_the_date_below_it():
    table = ("No. | Date | Experiment | Report due", "1 | Oct 1 | Free fall | Oct 8", "2 | Oct 8 | Friction | Oct 15")
    assert [(title, day) for title, day, _ in found(*table)] == [
        ("Report: Free fall", "2026-10-08"),
        ("Report: Friction", "2026-10-15"),
    ]


def test_two_days_in_the_cell_of_a_week_are_its_days():
    assert found("Oct 6, 8     Masses     Problem set 1") == [
        ("Problem set 1", "2026-10-08", "it names several days, not one")
    ]


def test_a_date_follows_its_words_in_a_line_that_begins_with_the_days_of_its_week():
    assert ("Exam 1", "2026-10-05") in [one[:2] for one in found("5 10/5, 10/7 Exam 1 on Mon. 10/5; Motets Essay 2")]


def test_where_something_is_handed_in_is_no_item():
    assert "Practical of" not in [title for title, _, _ in found("Song book: hand in at the practical of October 8")]
