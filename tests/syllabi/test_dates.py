"""Dates as written in syllabi."""

from datetime import date

import pytest

from tests.support.cases import each
from tests.syllabi.reading import dates, items, read

pytestmark = pytest.mark.database("sqlite", "parses text")

FALL = "Autumn 2026"


@each(
    ("line", "expected"),
    [
        ("Recital on Oct 8", ["2026-10-08"]),
        ("Recital: Thursday, October 8th, 2026, 7 pm", ["2026-10-08"]),
        ("the 8th of October", ["2026-10-08"]),
        ("8-Oct-2026", ["2026-10-08"]),
        ("2026-10-08T23:59", ["2026-10-08"]),
        ("2026-10-08 23:59", ["2026-10-08"]),
        ("2026/10/08", ["2026-10-08"]),
        ("Th 10/8 7-9pm", ["2026-10-08"]),
        ("10/8/26", ["2026-10-08"]),
        ("Unit 4 (Oct 5-9)", ["2026-10-05/2026-10-09"]),
        ("Oct. 28 to Nov. 3", ["2026-10-28/2026-11-03"]),
        ("10/28-11/3", ["2026-10-28/2026-11-03"]),
        ("10/26-30", ["2026-10-26/2026-10-30"]),
        ("7–11 December", ["2026-12-07/2026-12-11"]),
        ("Dec 21 – Jan 3", ["2026-12-21/2027-01-03"]),
        ("September 15 and 17", ["2026-09-15", "2026-09-17"]),
        ("12 October 19 Sonata form", ["2026-10-19"]),
        ("9/15 | Motets | 9/22", ["2026-09-15", "2026-09-22"]),
    ],
)
def test_it_reads_english_dates(line, expected):
    assert dates(FALL, line) == expected


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (("Wintersemester 2026/27", "Abgabe am 5. Oktober"), ["2026-10-05"]),
        (("Wintersemester 2026/27", "Klausur: Mo., 8. Feb. 2027, 9 Uhr"), ["2027-02-08"]),
        (
            ("Wintersemester 2026/27", "Die Abgabe und die Vorlesung:", "vom 02.11. bis 06.11."),
            ["2026-11-02/2026-11-06"],
        ),
        (("Wintersemester 2026/27", "07.-11.12.2026"), ["2026-12-07/2026-12-11"]),
        (("Automne 2026", "Remise : mardi 1er décembre"), ["2026-12-01"]),
        (("Automne 2026", "du 5 au 9 octobre"), ["2026-10-05/2026-10-09"]),
        (("Otoño 2026", "Entrega: 12 de octubre de 2026"), ["2026-10-12"]),
        (("Otoño 2026", "del 7 al 11 de diciembre"), ["2026-12-07/2026-12-11"]),
    ],
)
def test_it_reads_german_french_and_spanish_dates(lines, expected):
    assert dates(*lines) == expected


@each(
    "line",
    [
        "Read chapters 3-4 and pages 10-12",
        "Section 2-105, call 555-10-2026",
        "open 24/7",
        "worth 1/2 of the grade",
        "9/10 points",
        "February 30",
        "13/13/2026",
        "99.99. and 0.0.",
        "May 2019",
        "Act 2, 10:30 to 11:45",
    ],
)
def test_it_finds_no_date_in_other_numbers(line):
    assert dates(FALL, line) == []


def test_a_number_over_twelve_determines_the_day():
    assert dates(FALL, "Essay 13/10/2026", "Portfolio 03/12/2026") == ["2026-12-03"]
    assert dates(FALL, "Essay 10/13/2026", "Portfolio 03/12/2027") == ["2027-03-12"]


def test_a_weekday_determines_the_day():
    assert dates(FALL, "Tuesday 3/11") == ["2026-11-03"]
    assert dates("Spring 2026", "Wednesday 3/11") == ["2026-03-11"]


def test_the_term_determines_the_day():
    assert dates(FALL, "Viva 2/11") == ["2026-11-02"]
    assert dates(FALL, "Viva 11/2") == ["2026-11-02"]


def test_the_year_comes_from_the_term_in_the_text_across_new_year():
    assert dates("Fall 2025", "Sep 9") == ["2025-09-09"]
    assert dates("Fall 2025", "Jan 15") == ["2026-01-15"]
    assert dates("Academic year 2025/26", "May 4") == ["2026-05-04"]


def test_the_year_comes_from_full_dates_then_the_courses_term_then_weekdays_then_today():
    spring = date(2026, 2, 1)
    assert dates("Revised March 3, 2024", "Mock trial April 5", today=spring, term="Spring 2025") == ["2024-04-05"]
    assert dates("Mock trial April 5", today=spring, term="Spring 2025") == ["2025-04-05"]
    assert dates("Opening: Monday, January 13", "Mock trial: Friday, April 4", today=spring) == ["2025-04-04"]
    assert dates("Mock trial April 5", today=spring) == ["2026-04-05"]
    assert dates("Mock trial November 5", today=spring) == ["2025-11-05"]


def test_years_that_are_over_are_those_of_an_example():
    assert dates("Sample solutions of Spring 2026", "Fall 2026", "Mock trial Oct 5") == ["2026-10-05"]
    assert dates("Sample solutions of Spring 2026", "Ends on December 11, 2026", "Mock trial Oct 5") == ["2026-10-05"]
    honor_code = "Honor code of May 1, 2024"
    assert dates("October 1 - December 11, 2026", honor_code, "Mock trial Oct 5") == ["2026-10-05"]
    assert dates("2027SP-LAW-101", "Spring 2026", "Mock trial Apr 5", today=date(2027, 1, 9)) == ["2027-04-05"]


def test_a_term_without_a_year_is_the_nearest():
    assert dates("Mock trial Jan 20", today=date(2026, 12, 1), term="Fall semester") == ["2027-01-20"]


def test_the_term_has_the_days_given_in_the_text():
    syllabus = read(FALL, "Semester dates: September 14 to December 18", "Mock trial Oct 5")
    assert syllabus.calendar.term is not None
    assert (syllabus.calendar.term.first, syllabus.calendar.term.last) == (date(2026, 9, 14), date(2026, 12, 18))


@each(
    ("name", "first", "last"),
    [
        ("Fall 2026", date(2026, 8, 1), date(2027, 1, 31)),
        ("Spring 2027", date(2027, 1, 1), date(2027, 6, 30)),
        ("Summer II 2027", date(2027, 5, 1), date(2027, 9, 15)),
        ("2027 Winter Quarter", date(2026, 12, 1), date(2027, 4, 30)),
    ],
)
def test_by_default_the_term_has_the_days_of_its_season(name, first, last):
    term = read(name).calendar.term
    assert term is not None
    assert (term.name, term.first, term.last) == (name, first, last)


@each(
    ("lines", "day"),
    [
        (("Mon Sep 14", "Lecture", "Wed", "Quiz 1"), "2026-09-16"),
        (("Mon, Sep 14 | Cells |", "Wed | Membranes | Quiz 1"), "2026-09-16"),
        (("Thu\tSep 17\tCells", "Fri\t\tQuiz 1"), "2026-09-18"),
        (("**Thursday, September 17**", "", "Lecture", "", "**Monday:**", "", "Quiz 1"), "2026-09-21"),
    ],
)
def test_a_weekday_alone_below_a_date_is_the_next_such_day(lines, day):
    assert ("Quiz 1", "quiz", day) in items(FALL, "", *lines)


@each(
    "lines",
    [
        ("Mon Sep 14: Lecture", "Mon | Tue | Wed | Thu | Fri", "Quiz 1 | | | |"),
        ("Sep 14 - Sep 18", "Wed", "Quiz 1"),
        ("Wed", "Quiz 1"),
    ],
)
def test_a_weekday_in_a_head_or_below_a_range_or_nothing_is_no_date(lines):
    assert ("Quiz 1", "quiz", "2026-09-16") not in items(FALL, "", *lines)


def test_dates_of_a_term_whose_year_nobody_names_are_no_term():
    syllabus = read("Semester dates: September 14 to December 18", "Mock trial Oct 5")
    assert syllabus.calendar.term is None
