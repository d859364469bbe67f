"""What the gradings of real syllabi look like."""

import pytest

from tests.support.cases import each
from tests.syllabi.reading import weights

pytestmark = pytest.mark.database("sqlite", "parses text")

HALVES = [("Essays", 60), ("Final exam", 40)]


@each(
    "lines",
    [
        ("> Essays 60%", "> Final exam 40%"),
        (">> **Essays**: 60%", ">> **Final exam**: 40%"),
        (
            "> 60% of the grade comes from essays.   There are four.",
            ">",
            "> 40% of the grade comes from the final exam.",
        ),
        ("Essays | 3 | 20 | 60", "Final exam | 1 | 40 | 40", "Total | | | 100"),
        ("Essays (3 at 20 points) | 60", "Final exam | 40"),
        ("Essays    3 essays, 20 points each    60", "Final exam    40"),
        ("Essays | 120 points total", "Final exam | 80 points", "Total | 200 points"),
        ("Essays: 60% of your grade (20% each); Final exam: 40% of your grade",),
        ("Essays 60% [3 essays, 20% each]", "Final exam 40%"),
        ("Grading: Essays - 60%", "Final exam - 40%"),
    ],
)
def test_a_grading_is_read(lines):
    got = weights("Grading", "", *lines)
    assert [(name.capitalize(), weight) for name, weight in got] == HALVES


def test_the_number_of_equal_pieces_follows_from_the_whole():
    assert weights("Exams: 25% each; Paper: 25%; Homework: 15%; Participation: 10%.") == [
        ("Exams", 50),
        ("Paper", 25),
        ("Homework", 15),
        ("Participation", 10),
    ]


FAR_APART = "\n" * 4


@each(
    "text",
    [
        FAR_APART.join(["Pine Hall 20 points", "Oak Hall 50 points", "Exam hall of Elm 30 points", "East 10 points"]),
        "> 90% is an A\n> 10% is an F",
    ],
)
def test_other_numbers_are_no_grading(text):
    assert weights(*text.splitlines()) == []


def test_the_grading_comes_before_that_of_one_part():
    lines = (
        "Participation 10% Homework 15% Midterm 35% Project 40%",
        "The parts of the project:",
        "Proposal 15% Proposal presentation 5% Midterm report 15%",
        "Project presentation 10% Final deliverables 55%",
    )
    assert [name for name, _ in weights("Grading", *lines)] == ["Participation", "Homework", "Midterm", "Project"]


def test_points_with_a_total_come_before_a_pair_of_percentages():
    lines = (
        "5 lecture exams (60 pts. each) = 300 pts.",
        "Portfolio = 100 pts.",
        "Lab = 200 pts.",
        "Total = 600 points",
    )
    test = "A lecture test is made up of 50% multiple choice questions and 50% short essay questions."
    assert weights("Grades", *lines, "", test) == [("5 lecture exams", 50), ("Portfolio", 16.67), ("Lab", 33.33)]


def test_a_narrow_table_between_wide_ones_keeps_its_rows():
    lines = ("Part | Points", "Essays | 60", "Final exam | 40", "Labs | 100", "Total | 200")
    wide = [f"{week} | Sep {week} | Motets | Reading" for week in range(1, 5)]
    assert weights(*lines, "", "Week | Day | Topic | Work", *wide) == [("Essays", 30), ("Final exam", 20), ("Labs", 50)]


@each(
    ("name", "plural"),
    [("Quiz", "Quizzes"), ("Lab report", "Lab reports"), ("Case study", "Case studies"), ("Klausur", "Klausur")],
)
def test_a_series_is_named_in_the_plural_of_a_known_word(name, plural):
    assert weights("Grading", f"{name} 1: 20%", f"{name} 2: 20%", f"{name} 3: 20%", "Participation: 40%") == [
        (plural, 60),
        ("Participation", 40),
    ]


PERCENTAGES = "Essays 40% / Quizzes 20% / Final exam 30% / Participation 10%"


@each("points", [("20", "10", "10", "100"), ("40", "10", "10", "40")])
@each("grading", [("Grading", PERCENTAGES), ("4. Grading policy", "", PERCENTAGES), (f"Grading: {PERCENTAGES}",)])
def test_percentages_below_a_heading_win_over_points_of_single_pieces(grading, points):
    pieces = ("Sep 14: Essay 1 due", "Sep 28: Quiz 1", "Oct 12: Quiz 2", "Dec 14: Final exam")
    schedule = [f"{piece} ({number} points)" for piece, number in zip(pieces, points, strict=True)]
    names = [("Essays", 40), ("Quizzes", 20), ("Final exam", 30), ("Participation", 10)]
    assert weights(*grading, "", "Schedule", *schedule) == names


def test_the_points_of_another_piece_are_no_total():
    """The quizzes have 20 points together, and so has the essay."""
    assert weights("Quiz 1: October 5 (10 points)", "Quiz 2: October 12 (10 points)", "Essay: May 3 (20 points)") == []
