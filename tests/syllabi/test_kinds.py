"""Kinds of dates in real syllabi, each with its neighbors and with texts near it that mean something else."""

from datetime import date

import pytest

from courses.syllabi.evidence import evidence_for
from tests.support.cases import each
from tests.syllabi.reading import dates, items, read

pytestmark = pytest.mark.database("sqlite", "parses text")


@each(
    ("lines", "expected"),
    [
        (["Fecha | Tema", "24.09 | Examen: Unidad I", "01.10 | Examen: Unidad II"], ["2026-09-24", "2026-10-01"]),
        (["Datum\tThema", "24.09\tKlausur 1", "29.10\tKlausur 2"], ["2026-09-24", "2026-10-29"]),
        (["07.09  Quiz 1", "14.09  Quiz 2", "21.09  Quiz 3"], ["2026-09-07", "2026-09-14", "2026-09-21"]),
        (
            ["| 1 | 24.09 | Exam 1 |", "| 2 | 01.10 | Exam 2 |", "| 3 | 08.10 | Exam 3 |"],
            ["2026-09-24", "2026-10-01", "2026-10-08"],
        ),
        (["Date | Work", "24.09 | Essay 1 due", "15.10 | Essay 2 due"], ["2026-09-24", "2026-10-15"]),
        (["24.09 Exam 1", "26.11 Exam 2", "10.12 Exam 3"], ["2026-09-24", "2026-11-26", "2026-12-10"]),
    ],
)
def test_a_day_and_a_month_with_a_point_are_a_date_in_a_column_of_dates(lines, expected):
    assert [day for _, _, day in items("Otoño 2026", "", *lines)] == expected


@each(
    "lines",
    [
        ["Read chapter 4.09 before Exam 1", "Section 10.12 is on Exam 2"],
        ["Quiz 1 | 10.09 points", "Quiz 2 | 12.10 points", "Quiz 3 | 9.11 points"],
    ],
)
def test_a_number_with_a_point_elsewhere_is_none(lines):
    assert [day for _, _, day in items("Fall 2026", "", *lines) if day] == []


@each(
    ("line", "expected"),
    [
        ("9/16, 18, 20", ["2026-09-16", "2026-09-18", "2026-09-20"]),
        ("9/16, 9/18, 20", ["2026-09-16", "2026-09-18", "2026-09-20"]),
        ("10/5, 7", ["2026-10-05", "2026-10-07"]),
        ("10/28, 30, 11/1", ["2026-10-28", "2026-10-30", "2026-11-01"]),
        ("9/16, 18 and 20", ["2026-09-16", "2026-09-18", "2026-09-20"]),
        ("9/16 & 18", ["2026-09-16", "2026-09-18"]),
    ],
)
def test_days_after_a_date_are_days_of_its_month(line, expected):
    assert dates("Fall 2026", line) == expected


@each(("line", "expected"), [("9/16, 18 points", ["2026-09-16"]), ("9/16, 5 problems", ["2026-09-16"])])
def test_a_number_of_something_after_a_date_is_none(line, expected):
    assert dates("Fall 2026", line) == expected


@each(
    ("line", "expected"),
    [
        ("2Fri 3 SeptOrganic chemistry", ["2026-09-03"]),
        ("1Wed 1 SepIntroduction", ["2026-09-01"]),
        ("3Mon 6 SeptLab safety", ["2026-09-06"]),
        ("12Tue 12 OctSpectra", ["2026-10-12"]),
        ("4Thu 9 SeptQuiz 1", ["2026-09-09"]),
        ("20Mon 15 NovReview", ["2026-11-15"]),
    ],
)
def test_a_date_glued_to_its_neighbors_is_read(line, expected):
    assert [one[:10] for one in dates("Fall 2026", line)] == expected


@each("line", ["Read 3 Septuagint chapters", "Form 2Fri is online"])
def test_words_that_only_look_glued_are_no_date(line):
    assert dates("Fall 2026", line) == []


@each(
    ("lines", "expected"),
    [
        (["First report due. February 19"], [("First report", "2027-02-19")]),
        (["Second report due. March 12"], [("Second report", "2027-03-12")]),
        (["Essay 1 due. Friday, February 19"], [("Essay 1", "2027-02-19")]),
        (["Term paper due.  April 23"], [("Term paper", "2027-04-23")]),
        (["Problem set 3 is due. 2/19"], [("Problem set 3", "2027-02-19")]),
        (["Lab report due: February 19"], [("Lab report", "2027-02-19")]),
    ],
)
def test_a_date_after_the_end_of_due_is_the_deadline(lines, expected):
    assert [(title, day) for title, _, day in items("Spring 2027", "", *lines, today=date(2027, 1, 5))] == expected


@each("line", ["The first report is long. February 19 is a holiday", "No report is due. February 19: break"])
def test_a_date_of_another_sentence_is_not(line):
    assert [day for _, _, day in items("Spring 2027", "", line, today=date(2027, 1, 5)) if day] == []


@each(
    ("head", "line", "day"),
    [
        ("Notice of Nov 23, 2026.", "HW 3 due Fri Jan 8", date(2027, 1, 8)),
        ("Notice of Nov 23, 2026.", "Poster due Jan 29", date(2027, 1, 29)),
        ("Posted 30 November 2026", "Quiz 4: Tue Jan 12", date(2027, 1, 12)),
        ("Last changed 11/20/2026", "Final exam Thu 2/4", date(2027, 2, 4)),
        ("As of 2026-12-01", "Essay due Mon Jan 11", date(2027, 1, 11)),
        ("Version of Oct 2, 2026", "Project due Wed Jan 20", date(2027, 1, 20)),
    ],
)
def test_a_date_after_new_year_is_in_the_next_year(head, line, day):
    syllabus = read(head, "HW 2 due Fri Dec 18", line)
    assert evidence_for(syllabus, line, day).value == "confirmed"


@each(
    ("head", "line", "day"),
    [
        ("Notice of Nov 23, 2026.", "HW 1 due Fri Nov 27", date(2026, 11, 27)),
        ("Notice of Jan 4, 2026.", "HW 1 due Fri Jan 9", date(2026, 1, 9)),
    ],
)
def test_a_date_of_the_same_half_of_the_year_stays_in_it(head, line, day):
    assert evidence_for(read(head, line), line, day).value == "confirmed"


@each(
    "line",
    [
        "~~Essay 1 due October 26~~ canceled. Notice of 26 Oct 2026",
        "Essay 1: canceled (Notice of 26 Oct 2026)",
        "Essay 1 due ~~October 26~~ November 2. Notice, 26 Oct 2026",
        "Essay 1 <s>October 26</s> is canceled, see the notice of 26 Oct 2026",
        "Essay 1 is cancelled. Notice 26 Oct 2026",
        "Essay 1 ~~due Oct 26~~ (Notice posted 26 Oct 2026)",
    ],
)
def test_the_date_of_a_notice_beside_a_canceled_one_does_not_confirm(line):
    assert evidence_for(read("Fall 2026", line), "Essay 1", date(2026, 10, 26)).value != "confirmed"


@each("line", ["Essay 1 due 26 Oct 2026. Notice the new room", "Essay 1: Notice of topic due 26 Oct 2026"])
def test_a_deadline_beside_the_word_notice_confirms(line):
    assert evidence_for(read("Fall 2026", line), "Essay 1", date(2026, 10, 26)).value == "confirmed"
