"""Titles and dates in lines of their own, and entries that are alike."""

import pytest

from tests.syllabi.reading import proposed, read, weights

pytestmark = pytest.mark.database("sqlite", "texts that are read")

FALL = "Fall 2026"


def found(*lines: str) -> list[tuple[str, str, str | None]]:
    """Title, date and doubt of what is proposed."""
    return [(item.title, str(item.due_on), item.doubt) for item in proposed(FALL, "", *lines).items]


def test_dates_belong_to_the_titles_above_them_where_titles_come_first():
    assert found("Essay 1: Songs", "October 8", "", "Midterm exam", "October 15, 10:00", "", "Policies") == [
        ("Essay 1: Songs", "2026-10-08", None),
        ("Midterm exam", "2026-10-15", None),
    ]


def test_dates_belong_to_the_titles_below_them_where_dates_come_first():
    assert found("Thu Oct 8", "Essay 1: Songs due", "Thu Oct 15", "Midterm exam", "", "Essay 9 is graded by peers") == [
        ("Essay 1: Songs", "2026-10-08", None),
        ("Midterm exam", "2026-10-15", None),
    ]


def test_an_entry_that_no_word_names_is_an_item_among_items_but_not_ticked():
    listed = ["Essay 1: October 1", "Essay 2: October 8", "Essay 3: October 15", "Museum visit: October 22"]
    assert found(*listed)[3] == ("Museum visit", "2026-10-22", "maybe a topic")
    assert [title for title, _, _ in found("Masses: October 1", "Motets: October 8", "Essay 1: October 15")] == [
        "Essay 1"
    ]


@pytest.mark.parametrize(
    "line",
    [
        "Available until Oct 12 at 11:59pm | Due Oct 8 at 11:59pm | 20 pts",
        "Posted Oct 1\tDue Oct 8",
        "Closes: Thursday, October 8, 6:00 PM",
    ],
)
def test_due_counts_before_until_and_before_when_it_was_posted(line):
    assert found("Song book", line) == [("Song book", "2026-10-08", None)]


def test_the_place_beside_a_due_date_is_no_item():
    assert found("Task | Weight | Due", "Final exam | 40% | 10/8/2026, 9 am, Sports Hall") == [
        ("Final exam", "2026-10-08", None)
    ]


def test_how_long_something_is_to_be_is_not_its_name():
    assert found("A one-page proposal is due October 8.") == [("Proposal", "2026-10-08", None)]


def test_what_is_handed_in_does_not_take_place():
    assert found("The exercise of October 8 takes place in room 4.")[0][2] is not None


def test_a_weekday_says_the_year_of_a_date_outside_the_term():
    syllabus = read("Spring 2028", "Mon 20 Sept")
    assert str(syllabus.mentions(1)[0].first) == "2027-09-20"


def test_parts_that_happen_to_add_up_to_another_part_do_not_make_it_up():
    said = [("Essays", 40), ("Quiz", 30), ("Songs", 20), ("Lab", 10)]
    assert weights("Grading", *(f"{name}: {value}%" for name, value in said)) == said


def test_shares_in_words_and_in_percent():
    said = "Twelve percent comes from the memo, eighty-five percent from the jury, three percent from the songs."
    assert [value for _, value in weights("Grading", said)] == [12, 85, 3]


def test_a_penalty_and_the_numbers_of_weeks_are_no_shares():
    rows = [f"{week}\t10/{week}\tMasses {week}" for week in range(5, 16)]
    assert weights("Grading", "Wk\tDate\tTopic", *rows) == []
    assert weights("Grading", "Essays: 20% off per day", "Jury: 80%", "Songs: 20%") == [("Jury", 80), ("Songs", 20)]


def test_a_label_makes_a_line_the_date_of_the_title_above_it_whatever_follows():
    assert found("Song book", "Length: 4 songs", "Due date: Thursday, October 8, 5 pm local time") == [
        ("Song book", "2026-10-08", None)
    ]


def test_a_date_with_a_title_after_it_is_not_that_of_the_column_before_it():
    assert found("Song quiz        5%        Oct 8     Essay 1 due") == [("Essay 1", "2026-10-08", None)]


def test_the_name_beside_a_numbered_item_is_none_of_its_own():
    assert [title for title, _, _ in found("Lab 1     Songs     due Oct 8")] == ["Lab 1"]


def test_a_row_of_a_numbered_week_has_items_without_a_date():
    assert found("Week | Topic | Deadlines", "3 | Masses | Essay 1") == [("Essay 1", "None", "no date")]


def test_what_is_due_every_week_is_not_ticked():
    assert found("Homework is due every Friday, beginning October 9.") == [("Homework", "2026-10-09", "every week")]
