"""Rows of tables and lists: which date an entry has from its row, its week or the line below it."""

import pytest

from tests.syllabi.reading import items, proposed

pytestmark = pytest.mark.database("sqlite", "parses text")

FALL = "Fall 2026"


def dated(*lines: str) -> list[tuple[str, str | None]]:
    """Title and date of each proposed item."""
    return [(title, day) for title, _, day in items(FALL, "", *lines)]


def test_a_weekday_chooses_among_the_days_of_a_row():
    table = ("Wk | Mon | Wed | Topic | In", "4 | Oct 5 | Oct 7 | Masses | Essay 1 (Wed), T3 (Mon)")
    assert dated(*table) == [("Essay 1", "2026-10-07"), ("T3", "2026-10-05")]


def test_a_title_has_the_date_after_it_if_its_row_begins_with_a_title():
    row = "Map quiz     Wed, Oct 7     Listening quiz     Thu, Oct 8"
    assert dated(row) == [("Map quiz", "2026-10-07"), ("Listening quiz", "2026-10-08")]
    assert dated("Oct 5 | Mass | Oct 7 | Listening quiz") == [("Listening quiz", "2026-10-07")]


def test_columns_of_a_page_are_read_one_after_the_other():
    left = ("Songs  20", "Etudes  30", "Room  4", "Hall  12", "Masses  10", "Operas  40")
    lines = [f"{name:12}| Oct {day}  Essay {day} due" for day, name in enumerate(left, 5)]
    assert dated(*lines) == [(f"Essay {day}", f"2026-10-{day:02}") for day in range(5, 11)]


def test_the_heads_of_a_table_end_with_it():
    table = ("Task | Due", "Essay 1 | Oct 5")
    assert dated(*table, "", "Topics", "Songs | Oct 7") == [("Essay 1", "2026-10-05")]
    assert dated(*table, "Songs | Oct 7") == [("Essay 1", "2026-10-05"), ("Songs", "2026-10-07")]


def test_an_activity_has_the_due_date_below_it():
    lines = ("Essay 1  ASSIGNMENT", "   Opened: Monday, 5 October 2026", "   Due: Sunday, 11 October 2026, 11:59 PM")
    assert dated(*lines, "Essay 2  ASSIGNMENT", "   Due: Sunday, 18 October 2026") == [
        ("Essay 1", "2026-10-11"),
        ("Essay 2", "2026-10-18"),
    ]


def test_the_type_of_a_row_and_what_it_releases_are_no_items():
    table = ("date | type | topic | notes", "2026-10-07 | deadline | P1 Masses | 23:59, P2 released")
    assert dated(*table, "2026-10-14 | exam | Midterm | in class") == [
        ("P1 Masses", "2026-10-07"),
        ("Midterm", "2026-10-14"),
    ]


def test_a_sentence_about_work_does_not_have_the_date_above():
    assert proposed(FALL, "", "October 8", "Essay 1 cannot be late; late essays are not read.").items == []
