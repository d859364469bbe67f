"""Evidence of a date in a quoted line."""

from datetime import date

import pytest

from courses.syllabi.evidence import evidence_for
from tests.support.cases import each
from tests.syllabi.reading import read

pytestmark = pytest.mark.database("sqlite", "parses text")

OCT_8, OCT_9, OCT_15 = date(2026, 10, 8), date(2026, 10, 9), date(2026, 10, 15)


def said(*lines: str, quote: str, day: date | None = OCT_8) -> str:
    return evidence_for(read("Fall 2026", *lines), quote, day).value


def test_a_date_in_the_quoted_line_confirms():
    assert said("Recital (juried) — Thursday, Oct 8", quote="Recital (juried)") == "confirmed"


def test_another_date_in_the_line_contradicts_even_if_the_correct_one_is_near():
    assert said("Thu Oct 8", "Recital Oct 15", quote="Recital") == "contradicted"


@each("away", [1, 2, 3])
def test_a_quote_without_a_date_uses_the_nearest_line(away):
    assert said("Thu Oct 8", *["Madrigals"] * (away - 1), "Recital", quote="Recital") == "confirmed"


def test_four_lines_away_is_too_far():
    assert said("Thu Oct 8", "Motets", "Madrigals", "Chorales", "Recital", quote="Recital") == "inferred"


def test_the_nearest_line_above_or_below_counts():
    assert said("Oct 8", "Motets", "Recital", "Oct 15", quote="Recital", day=OCT_15) == "confirmed"
    assert said("Oct 15: Motets", "Masses", "Recital", "Oct 22", quote="Recital") == "contradicted"
    assert said("Recital", "Oct 8", quote="Recital") == "confirmed"


@each("line", ["Oct 15: Songs", "Songs (room 4 on Oct 15)", "| 8 | Songs | Oct 15 |"])
def test_the_date_of_an_entry_near_a_quote_does_not_contradict(line):
    assert said("Recital", line, quote="Recital") == "inferred"


def test_a_date_alone_below_can_be_the_head_of_what_follows():
    assert said("Oct 8", "Motets", "Recital", "Oct 15", quote="Recital") == "inferred"
    assert said("Oct 8", "Motets", "Recital", "Oct 15", quote="Recital", day=OCT_9) == "contradicted"


@each("day", [OCT_8, OCT_15])
def test_two_equally_near_lines_both_count(day):
    assert said("Oct 8", "Recital", "Oct 15", quote="Recital", day=day) == "confirmed"


@each("label", ["Due:", "Date:", "Due date:", "**Due:**"])
def test_a_line_with_only_a_due_date_belongs_only_to_the_line_above(label):
    lines = ("Recital 1", f"{label} October 8", "Recital 2", f"{label} October 15")
    assert said(*lines, quote="Recital 1") == "confirmed"
    assert said(*lines, quote="Recital 2", day=OCT_15) == "confirmed"
    assert said(*lines, quote="Recital 2", day=OCT_8) == "contradicted"
    assert said("Masses", "Recital", f"{label} October 8", quote="Masses") == "inferred"


def test_a_weekday_letter_in_the_row_of_a_week_is_inferred():
    line = "Wk 6 (10/5)   M: Motets   W: Masses   F: Recital"
    assert said(line, quote=line, day=OCT_9) == "inferred"
    assert said(line, quote=line, day=OCT_15) == "contradicted"


def test_either_of_two_dates_and_any_day_in_a_range_is_accepted():
    assert said("Recital Oct 8 or Oct 15", quote="Recital", day=OCT_15) == "confirmed"
    assert said("Recitals Oct 6-9", quote="Recitals") == "confirmed"
    assert said("Recitals Oct 6-9", quote="Recitals", day=OCT_15) == "contradicted"


def test_a_weekday_narrows_a_range():
    assert said("Unit 7 (Oct 5-9): recital on Thursday", quote="recital on Thursday") == "confirmed"
    assert said("Unit 7 (Oct 5-9): recital on Thursday", quote="recital on Thursday", day=OCT_9) == "inferred"


@each("line", ["Week 7 (Oct 5-9): recital", "7 | 10/5-10/9 | Recital", "Module 7 (10/5-10/9): recital"])
def test_the_week_of_a_schedule_does_not_determine_the_day(line):
    assert said(line, quote="recital") == "inferred"
    assert said(line, quote="recital", day=OCT_15) == "contradicted"


def test_the_week_above_a_line_is_only_inferred():
    assert said("Week 7 (Oct 5-9)", "Recital", quote="Recital") == "inferred"


def test_a_date_below_a_label_counts():
    lines = ("Recital 1:", "Thursday 1 October", "Recital 2:", "Thursday 8 October")
    assert said(*lines, quote="Recital 2:") == "confirmed"


@each("line", ["Journals are due Fridays", "Recital: Thursday of week 7", "One week after the lab", "Jeden Freitag"])
def test_a_relative_or_recurring_date_is_inferred(line):
    assert said("Oct 15", line, quote=line) == "inferred"


def test_a_recurring_date_is_inferred_only_between_its_bounds():
    line = "Journals: every Friday from September 4 until December 4"
    assert said(line, quote=line, day=OCT_9) == "inferred"


def test_an_undated_item_is_confirmed_by_a_quote_without_a_date():
    assert said("Recital: to be announced", quote="Recital", day=None) == "confirmed"
    assert said("Recital: Oct 8", quote="Recital: Oct 8", day=None) == "contradicted"


def test_a_quote_missing_from_the_text_is_not_found():
    assert said("Recital Oct 8", quote="Exam Oct 8") == "not_found"
    assert said("Recital Oct 8", quote=" — ") == "not_found"


def test_the_best_match_counts():
    lines = ("Recital: 20 %", "", "", "", "Recital Oct 15", "Recital Oct 8")
    assert said(*lines, quote="Recital") == "confirmed"


def test_whole_words_are_preferred_to_parts_of_words():
    assert said("Etude 1: Oct 8", "Etude 12: Oct 15", quote="Etude 1", day=OCT_15) == "contradicted"


@each(
    ("line", "quote"),
    [
        ("  RECITAL \t of   songs", "recital of songs"),
        ("Reci\u00adtal of songs", "Recital of songs"),
        ("Final re\ufb02ection", "Final reflection"),
        ("\u201cWinter\u2019s Journey\u201d recital", '"Winter\'s Journey" recital'),
        ("\u00abRecital\u00bb", '"Recital"'),
        ("Take\u2011home recital \u2014 songs", "Take-home recital - songs"),
        ("Recital | of | songs", "Recital of songs"),
        ("Recitalof songs", "Recital of songs"),
        ("Re\u0301cital", "R\u00e9cital"),
    ],
)
def test_differences_between_text_extractions_are_ignored(line, quote):
    assert said("Oct 8", line, quote=quote) == "confirmed"


def test_a_quote_can_span_lines():
    assert said("The recital of songs", "takes place on Oct 8", quote="recital of songs takes place") == "confirmed"


@each("year", [2025, 2027])
def test_a_date_without_a_year_does_not_confirm_another_year(year):
    assert said("Recital Oct 8", quote="Recital", day=date(year, 10, 8)) == "contradicted"


def test_an_opening_day_neither_confirms_nor_contradicts():
    assert said("Recital", "Opened: Monday, October 1", "Due: Thursday, October 8", quote="Recital") == "confirmed"
    assert said("Recital", "Opened: Monday, October 1", "", "", quote="Recital") == "inferred"


@each(
    ("lines", "quote"),
    [
        (["| 10/5 | Motets | Recital |", "| 10/12 | Masses |"], "Recital"),
        (["Date | Topic | Work", "Oct 5 | Motets | Recital", "Oct 12 | Masses |"], "Oct 5 | Motets | Recital"),
        (["6\tOct 5\tMotets\tRecital", "7\tOct 12\tMasses\t"], "Motets Recital"),
        (["Week 6 - Oct 5: motets, recital", "Week 7 - Oct 12: masses"], "motets, recital"),
        (["Week 5: 9/28  Songs", "Week 6: 10/5  Motets", "Recital of motets"], "Recital of motets"),
        (["Oct 5    Motets    Recital", "Oct 13   Masses    Singing"], "Recital"),
        (["| 6 | Motets | Oct 5 | | Recital |", "| 7 | Masses | Oct 12 | | |"], "Recital"),
    ],
)
def test_a_row_that_has_the_first_day_of_a_week_infers_its_days(lines, quote):
    assert said(*lines, quote=quote) == "inferred"
    assert said(*lines, quote=quote, day=date(2026, 10, 5)) == "confirmed"
    assert said(*lines, quote=quote, day=OCT_15) == "contradicted"


@each(
    "lines",
    [
        ["Oct 5: Recital", "Oct 12: Concert"],
        ["| 10/5 | Motets | Recital |", "| 10/7 | Masses |"],
        ["Due | Work", "10/5 | Recital", "10/12 | Concert"],
        ["Work | Due date", "Recital | 10/5", "Concert | 10/12"],
        ["| 10/5 | Recital due |", "| 10/12 | Concert due |"],
    ],
)
def test_a_row_of_a_day_or_of_a_deadline_does_not(lines):
    assert said(*lines, quote="Recital") == "contradicted"
