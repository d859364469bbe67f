"""Proposals of syllabi."""

from datetime import date

import pytest

from courses.models import ItemKind
from courses.syllabi.words import kind_of
from tests.support.cases import each
from tests.syllabi.reading import items, proposed, read, weights

pytestmark = pytest.mark.database("sqlite", "parses text")

FALL = "Fall 2026"


def test_it_proposes_the_course_its_items_and_its_weights_with_their_lines():
    proposal = proposed(
        "MUS 214: Counterpoint in Practice",
        "Fall 2026 | Alder Conservatory University",
        "Class meets: Mon/Wed 9:00-10:20 am, Studio 3",
        "Grading: etudes 60%, juried exam 40%",
        "Juried exam: Thursday, October 8, 7 pm",
    )
    course = proposal.course
    assert (course.name, course.code, course.term) == ("Counterpoint in Practice", "MUS 214", "Fall 2026")
    assert (course.institution, course.meets) == ("Alder Conservatory University", "Mon/Wed 9:00-10:20 am, Studio 3")
    assert course.subject is None
    (item,) = proposal.items
    assert (item.title, item.kind, item.due_on) == ("Juried exam", "exam", date(2026, 10, 8))
    assert (item.line, item.quote) == (5, "Juried exam: Thursday, October 8, 7 pm")
    assert (item.match, item.item_id) == ("new", None)
    assert item.confidence is not None
    assert item.confidence >= 0.8
    assert [(one.name, one.weight, one.line) for one in proposal.grade_categories] == [
        ("etudes", 60, 4),
        ("juried exam", 40, 4),
    ]
    assert proposal.warnings == []


def test_a_room_an_address_and_a_term_are_not_codes():
    assert proposed("Office: MU 214", "Galesburg, IL 61401", "MAY 2026", "Choir of the College").course.code is None


def test_an_empty_text_proposes_nothing():
    for text in ("", "A poem about rain.", "Our exam policy is strict. Essays count for much."):
        proposal = proposed(text)
        assert (list(proposal.items), list(proposal.grade_categories)) == ([], [])


def test_a_schedule_with_bars_is_read():
    assert items(
        FALL,
        "Week | Dates | Topic | Due",
        "1 | Sep 7 | Species counterpoint | |",
        "2 | Sep 14 | Suspensions | Worksheet 1 |",
        "3 | Sep 21 | Review for the midterm | Worksheet 2, Listening quiz |",
        "4 | Sep 28 | Midterm exam | |",
    ) == [
        ("Worksheet 1", "assignment", "2026-09-14"),
        ("Worksheet 2", "assignment", "2026-09-21"),
        ("Listening quiz", "quiz", "2026-09-21"),
        ("Midterm exam", "exam", "2026-09-28"),
    ]


def test_a_list_of_deliverables_gets_its_due_date():
    assert items(
        "Spring 2027",
        "Deliverable | Released | Deadline | Worth",
        "Score analysis | 2027-01-20 | 2027-02-03 | 40%",
        "Concert review | 2027-02-03 | 2027-02-24 | 60%",
    ) == [("Score analysis", "assignment", "2027-02-03"), ("Concert review", "assignment", "2027-02-24")]


def test_a_weekday_in_a_week_is_a_date():
    assert items(
        FALL,
        "Week 5 (Oct 5-9)",
        "Dictation quiz on Wednesday",
        "Week 6 (Oct 12-16)",
        "No class Monday",
        "Fugue draft due Friday",
    ) == [("Dictation quiz", "quiz", "2026-10-07"), ("Fugue draft", "paper", "2026-10-16")]


def test_sentences_are_read():
    assert items(
        FALL,
        "Two essays are required of everyone who takes this course for credit, and both are written at home. The first"
        " essay is due on October 5. You should hand in the second essay by Monday, November 9, in class. A listening"
        " quiz will be held on October 14.",
    ) == [
        ("First essay", "paper", "2026-10-05"),
        ("Second essay", "paper", "2026-11-09"),
        ("Listening quiz", "quiz", "2026-10-14"),
    ]


def test_a_sentence_continued_on_the_next_line_keeps_its_date():
    proposal = proposed(
        FALL, "Please remember, all of you who sing, that the take-home exam is due on", "October 19, at noon."
    )
    assert [(item.title, item.due_on, item.line) for item in proposal.items] == [
        ("Take-home exam", date(2026, 10, 19), 2)
    ]


def test_one_due_date_can_belong_to_several_items():
    assert items(FALL, "Take-home midterm: opens Oct 5; due Oct 9 at noon") == [
        ("Take-home midterm", "exam", "2026-10-09")
    ]


def test_each_day_of_a_list_is_an_item():
    found = items(FALL, "Journals are collected on September 11, October 16 and November 20.")
    assert found == [("Journals", "assignment", day) for day in ("2026-09-11", "2026-10-16", "2026-11-20")]
    assert [day for _, _, day in items(FALL, "Presentations: 23 and 30 November")] == ["2026-11-23", "2026-11-30"]


def test_an_item_can_be_named_after_another():
    assert items(FALL, "Draft of Essay 1 due Oct 8", "Critique of project one: October 15") == [
        ("Draft of Essay 1", "paper", "2026-10-08"),
        ("Critique of project one", "project", "2026-10-15"),
    ]


def test_a_day_in_a_dated_week_is_matched():
    assert items(FALL, "Module 8 (10/26-10/30): Project 2 due 10/28") == [("Project 2", "project", "2026-10-28")]


def test_the_days_of_a_term_are_not_dates_of_items():
    assert items("Fall 2026 (August 31 - December 11)", "Quizzes: 10 percent", "Lab reports") == []


def test_a_weekday_row_is_in_its_week():
    assert items(
        FALL, "Week | Dates | Topic | Assignments", "1 | Oct 5 - 9 | Fugues | Memo due Monday", "2 | Oct 12 - 16 | | "
    ) == [("Memo", "assignment", "2026-10-05")]


def test_an_item_to_be_announced_is_undated():
    assert items(FALL, "Final exam: TBA") == [("Final exam", "exam", None)]
    assert items(FALL, "Songs: quiz 1 Oct 5", "Quiz 2: to be announced") == [
        ("Quiz 1", "quiz", "2026-10-05"),
        ("Quiz 2", "quiz", None),
    ]


@each(
    "line",
    [
        "October 12: no class (Columbus Day)",
        "Reading week: October 19-23",
        "Fall break Oct 12-13",
        "Last day to withdraw: October 30",
        "Office hours on October 8 are cancelled",
        "October 5 Review for the midterm",
        "October 5 Homework 3 assigned",
        "Midterm grades posted October 20",
        "Adopted by the senate on June 13, 2024",
        "October 8 | t-test and hypothesis testing | Ch. 4",
    ],
)
def test_other_dates_are_not_items(line):
    assert items(FALL, line) == []


def test_numbers_and_days_at_the_start_of_german_lines_are_read():
    assert items(
        "Sommersemester 2027", "Vorlesung und Übung", "15.04. Abgabe Übungsblatt 1", "29.04. Abgabe Übungsblatt 2"
    ) == [
        ("Übungsblatt 1", "assignment", "2027-04-15"),
        ("Übungsblatt 2", "assignment", "2027-04-29"),
    ]
    assert items("Sommersemester 2027", "24. Juni 2027: Präsentationen") == [
        ("Präsentationen", "project", "2027-06-24")
    ]


def test_german_french_and_spanish_syllabi_are_read():
    assert items("Wintersemester 2026/27", "Abgabe Hausarbeit: 1. Februar 2027", "Klausur: Mo, 8. Februar 2027") == [
        ("Hausarbeit", "paper", "2027-02-01"),
        ("Klausur", "exam", "2027-02-08"),
    ]
    assert items("Automne 2026", "Examen final : mardi 15 décembre") == [("Examen final", "exam", "2026-12-15")]
    assert items("Otoño 2026", "Entrega del ensayo: 9 de noviembre") == [("Ensayo", "paper", "2026-11-09")]


def test_each_item_is_proposed_once():
    assert items(FALL, "Midterm: October 14", "Notes.", "Oct 14 | Midterm exam", "Midterm: TBA") == [
        ("Midterm exam", "exam", "2026-10-14")
    ]


def test_a_sentence_of_a_long_line_is_quoted():
    long = "This course is about counterpoint. " * 12
    (item,) = proposed(FALL, f"{long}The juried exam takes place on October 8.").items
    assert item.quote == "The juried exam takes place on October 8."


@each(
    ("title", "kind"),
    [
        ("Midterm", "exam"),
        ("Final", "exam"),
        ("Final project", "project"),
        ("Midterm paper", "paper"),
        ("Lab report 3", "lab"),
        ("Lab quiz", "quiz"),
        ("Project proposal", "project"),
        ("Assignment 2 draft", "assignment"),
        ("HW4", "assignment"),
        ("Übungsblatt 2", "assignment"),
        ("Excursion", "other"),
    ],
)
def test_the_title_determines_the_kind(title, kind):
    assert kind_of(title) == kind
    assert kind in ItemKind.values


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (("Etudes ........ 45 %", "Jury (in May) ... 55 %"), [("Etudes", 45), ("Jury", 55)]),
        (("30% etudes", "70% juried exam"), [("etudes", 30), ("juried exam", 70)]),
        (("Marks: Etudes 20 / Jury 30 / Essay 50",), [("Etudes", 20), ("Jury", 30), ("Essay", 50)]),
        (("Part | Weight", "Etudes | 45%", "Jury | 55%", "Total | 100%"), [("Etudes", 45), ("Jury", 55)]),
        (("Grading", "Etudes 150 points", "Jury 50 pts", "Total: 200 points"), [("Etudes", 75), ("Jury", 25)]),
        (("Your grade: two juries (30% each), essay 40%.",), [("two juries", 60), ("essay", 40)]),
        (("Essays count for 60% of the grade (30% each) and the jury for 40%.",), [("Essays", 60), ("jury", 40)]),
        (
            ("Participation (25%) You are to sing.", "Always.", "Jury (75%) Once a year."),
            [("Participation", 25), ("Jury", 75)],
        ),
        (("Bewertung", "Klausur 62,5 %", "Referat 37,5 %"), [("Klausur", 62.5), ("Referat", 37.5)]),
        (
            (
                "Homework counts for a quarter of the grade; the recital makes up 70% of it.",
                "5% comes from attendance.",
            ),
            [("Homework", 25), ("recital", 70), ("attendance", 5)],
        ),
        (("Étude (plan 5 %, rapport 25 %) : 30 %", "Examen final : 70 %"), [("Étude", 30), ("Examen final", 70)]),
        (
            ("Analyses (3 x 10%) ..... 30%", "Recital ..... 70%", "(songs 50%, scales 20%)"),
            [("Analyses", 30), ("Recital", 70)],
        ),
        (("Dos parciales de 25% cada uno y un ensayo (50%).",), [("Dos parciales", 50), ("ensayo", 50)]),
        (
            ("Die Note setzt sich aus der Klausur (60%) und dem Referat (40%) zusammen.",),
            [("Klausur", 60), ("Referat", 40)],
        ),
        (
            ("Task | Weight | Notes", "Essays (2) | 30% | 15% each", "Jury | 70% | songs 40%"),
            [("Essays", 30), ("Jury", 70)],
        ),
        (
            ("Points (max. 100 points)", "Jury: max. 60 points", "Songs: max 40 points (4, 10 points each)"),
            [("Jury", 60), ("Songs", 40)],
        ),
        (("Etudes | Jury | Essay", "20% | 30% | 50%"), [("Etudes", 20), ("Jury", 30), ("Essay", 50)]),
        (("Etudes", "Jury", "Essay", "20%", "30%", "50%"), [("Etudes", 20), ("Jury", 30), ("Essay", 50)]),
        (("juries 20% each (2), etudes 35, essay 25",), [("juries", 40), ("etudes", 35), ("essay", 25)]),
        (("Juries 2 @ 25%; etudes 50%",), [("Juries", 50), ("etudes", 50)]),
        (
            ("Juries (60%)", " First jury (25%)", " Second jury (35%)", "Etudes (40%)"),
            [("First jury", 25), ("Second jury", 35), ("Etudes", 40)],
        ),
        (("Total 500 points: juries 300, etudes 150, essay 50.",), [("juries", 60), ("etudes", 30), ("essay", 10)]),
        (("GRADING (200 pts)", "Etudes [50 pts]", "Two juries [75 pts each]"), [("Etudes", 25), ("Two juries", 75)]),
        (("Grading", "Etudes  20%       Quiz 30%      Jury  50%"), [("Etudes", 20), ("Quiz", 30), ("Jury", 50)]),
        (("Grading", "Etudes, 1.5% each: 12", "Songs: 38", "Jury: 50"), [("Etudes", 12), ("Songs", 38), ("Jury", 50)]),
        (
            ("Grading", "Juries I, II, III   100 pts each", "Songs   100 pts (A 60, B 40)", "Total   400 pts"),
            [("Juries I, II, III", 75), ("Songs", 25)],
        ),
        (("id | name | weight", "et | Etudes | 40%", "ju | Jury | 60%"), [("Etudes", 40), ("Jury", 60)]),
        (
            (
                "The etudes are worth 50 per cent of the grade in this course, the songs 20, the jury",
                "20, the essay 10.",
            ),
            [("etudes", 50), ("songs", 20), ("jury", 20), ("essay", 10)],
        ),
        (
            ("Seventy percent of the grade is the jury. The essay counts for 30 percent.",),
            [("jury", 70), ("essay", 30)],
        ),
        (
            ("Task | Points possible | Aims", "Etudes | 50 | 1, 2", "Jury | 150 | 3", "Total points | 200 |"),
            [("Etudes", 25), ("Jury", 75)],
        ),
    ],
)
def test_weights_are_proposed(lines, expected):
    assert weights(*lines) == expected


@pytest.mark.parametrize(
    "lines",
    [
        ("A 90-100%", "B 80-89%", "C 70-79%"),
        ("A = 90%, B = 10%",),
        ("Late work loses 50% on the first day and 50% on the second day.",),
        ("Up to 100% of those who pass are happy.",),
        ("At least 60% of class time is for singing.", "Who misses more than 40% of the classes cannot pass."),
        ("The plan comprises two parts, each equaling 50%.",),
    ],
)
def test_other_percentages_are_not_weights(lines):
    assert weights("Grading", *lines) == []


def test_weights_that_do_not_add_up_are_proposed_with_a_warning():
    proposal = proposed("Grade breakdown", "Etudes 40%", "Jury 30%", "Essay 20%")
    assert [one.weight for one in proposal.grade_categories] == [40, 30, 20]
    assert [(one.type, one.index) for one in proposal.warnings] == [("weights", None)]


def test_at_most_300_items_are_proposed():
    proposal = proposed("Academic year 2026/27", *(f"Quiz {n}: {n % 28 + 1} October" for n in range(1, 331)))
    assert len(proposal.items) == 300
    assert [(one.type, one.message) for one in proposal.warnings if one.type == "too_many"] == [
        ("too_many", "The text names 330 items; the first 300 are here.")
    ]


HOSTILE = [
    "1 ",
    "1/",
    "1/1 ",
    "Sep 1 ",
    "Sep 1\n",
    "Sep 1-",
    " ",
    "\t",
    "\n",
    "| ",
    "a\n",
    "exam ",
    "Exam 1 due Sep 1\n",
    "a 1%\n",
    "homework 10%, ",
    "total 100 points a 50 points\n",
    "M W F ",
    "T ",
    "Mon, ",
    "every Friday from Sep 1 to Dec 1 ",
    "[a](",
    "(",
    ".",
    "University of ",
    "Sep 1 | Exam 1 | Lab 2\n",
    "\ufb01\u00ad",
    "longer words that run on and on without any end at all\n",
    "Fall ",
    "each report is worth 10% of the grade, ",
    "Each report is worth 1% of the grade.\n",
    "two (1% each) ",
    "Sep 1, and the second on ",
]


OTHER_PIECES = pytest.mark.thorough("other pieces of the same kind")


@pytest.mark.parametrize(
    "piece",
    [
        *HOSTILE[::4],
        *(pytest.param(one, marks=OTHER_PIECES) for place, one in enumerate(HOSTILE) if place % 4),
        pytest.param(None, marks=pytest.mark.thorough("same pieces in the longest text")),
    ],
)
def test_every_text_is_parsed_quickly(piece):
    """Each piece of text repeated to the maximum length, and all pieces in turn.

    The limit is generous, because backtracking takes minutes. A piece takes up to 2 seconds, all of them 13.
    """
    from time import process_time

    from courses.syllabi.evidence import evidence_for
    from courses.syllabi.proposal import propose

    text = repeated(piece, 25_000) if piece else "\n".join(repeated(each, 15_000) for each in HOSTILE)
    started = process_time()
    syllabus = read(text[:500_000])
    assert len(propose(syllabus).items) <= 300
    for quote in ("a", "1", "Sep 1", "exam", "not there at all") * (1 if piece else 20):
        evidence_for(syllabus, quote, date(2026, 9, 2))
    assert process_time() - started < (10 if piece else 60)


def repeated(piece: str, length: int) -> str:
    return (piece * (length // len(piece) + 1))[:length]


def test_bare_numbers_are_a_grade_where_their_names_are_work():
    assert weights("Essays 60", "Exam 30", "Participation 10") == [("Essays", 60), ("Exam", 30), ("Participation", 10)]
    assert weights("Pine Hall 60", "Oak Hall 30", "Elm Hall 10") == []


def test_a_share_without_words_belongs_to_the_name_before_it():
    assert weights("Two juries in May. Each 30%.", "Essay: 40%.") == [("Two juries in May", 60), ("Essay", 40)]


def test_words_in_brackets_do_not_exclude_a_category():
    lines = ("Grading", "Quizzes (lowest dropped)     60%", "Jury     40%")
    assert weights(*lines) == [("Quizzes", 60), ("Jury", 40)]


def test_listed_pieces_are_counted():
    assert weights("Grading", "Projects 1-4   12% each", "Essays 1, 2 and 3   9% each", "Exam   25%") == [
        ("Projects 1-4", 48),
        ("Essays 1, 2 and 3", 27),
        ("Exam", 25),
    ]


def test_a_topic_or_returned_work_is_not_selected():
    lines = ("Wed Oct 7: Causal claims, the hypothesis test", "Fri Oct 9: Essay 1 handed back", "Mon Oct 12: Midterm")
    assert [(one.title, one.doubt) for one in proposed("Fall 2026", "", *lines).items] == [
        ("Hypothesis test", "no deadline word"),
        ("Midterm", None),
    ]
