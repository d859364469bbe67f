"""The category of a proposed item: by the words and the number of its title, then by its kind."""

import pytest

from courses.syllabi.comparison import Stored
from courses.syllabi.proposal import propose
from tests.support.cases import each
from tests.syllabi.reading import proposed, read

pytestmark = pytest.mark.database("sqlite", "parses text")


def category_of(title: str, *names: str) -> str | None:
    """The category of an item with a date, where the categories have equal weights."""
    weights = [f"{name}: {100 // len(names) + (place < 100 % len(names))}%" for place, name in enumerate(names)]
    proposal = proposed("Fall 2026", "", "Grading", *weights, "", "Schedule", "", f"Oct 8: {title} due")
    assert [one.name for one in proposal.grade_categories] == [*names]
    [item] = [one for one in proposal.items if one.due_on is not None]
    return item.category


@each(
    ("title", "names", "category"),
    [
        ("Quiz 3", ("Quizzes", "Exams"), "Quizzes"),
        ("HW 3", ("Homework", "Quizzes", "Exams"), "Homework"),
        ("Homework 3", ("Homework assignments", "Quizzes", "Exams"), "Homework assignments"),
        ("Lab report 2", ("Labs", "Lab reports", "Exams"), "Lab reports"),
        ("Lab 2", ("Labs", "Lab reports", "Exams"), "Labs"),
        ("Essay 1 draft", ("Essays", "Exams"), "Essays"),
        ("Final project", ("Final exam", "Project", "Homework"), "Project"),
        ("Final exam", ("Exams", "Final paper"), "Exams"),
        ("Problem set 4", ("Problem sets", "Reading responses", "Exams"), "Problem sets"),
        ("PS 4", ("Problem sets", "Reading responses", "Exams"), "Problem sets"),
        ("Final exam", ("Tests", "Final", "Homework"), "Final"),
        ("Final paper", ("Papers", "Final", "Homework"), "Papers"),
        ("Test 1", ("Tests", "Quizzes", "Final exam"), "Tests"),
        ("Source analysis 1", ("Source analyses", "Essays"), "Source analyses"),
        ("Paper 2", ("Short papers", "Term paper"), "Short papers"),
        ("Quiz 2", ("Three quizzes", "Exams"), "Three quizzes"),
    ],
)
def test_words_decide(title: str, names: tuple[str, ...], category: str) -> None:
    assert category_of(title, *names) == category


@each(
    ("title", "category"),
    [
        ("Exam 2", "Exam 2"),
        ("Exam II", "Exam 2"),
        ("Final exam", "Final exam"),
        ("Exam 3", None),
        ("Lab 3", "Labs 1-6"),
    ],
)
def test_numbers_decide(title: str, category: str | None) -> None:
    proposal = proposed(
        "Fall 2026",
        "Exam 1: 20%",
        "Exam 2: 30%",
        "Final exam: 40%",
        "Labs 1-6: 10%",
        "",
        "Schedule",
        "",
        f"Oct 8: {title}",
    )
    assert [one.category for one in proposal.items if one.due_on] == [category]


@each(
    ("title", "names", "category"),
    [
        ("Midterm", ("Exams", "Homework"), "Exams"),
        ("Homework 2", ("Problem sets", "Exams"), "Problem sets"),
        ("Final exam", ("Midterm", "Homework"), None),
        ("Homework 2", ("Problem sets", "Worksheets", "Exams"), None),
        ("Presentation", ("Homework", "Exams"), None),
    ],
)
def test_then_the_kind_decides_if_one_category_fits(title: str, names: tuple[str, ...], category: str | None) -> None:
    assert category_of(title, *names) == category


def test_a_name_that_two_categories_have_is_none() -> None:
    lines = ["Essay: 25%", "Exam: 40%", "Essay: 35%", "", "Schedule", "", "Oct 8: Essay 1 due"]
    assert [one.category for one in proposed("Fall 2026", *lines).items if one.due_on] == [None]


def test_without_categories_there_is_none() -> None:
    assert [one.category for one in proposed("Fall 2026", "Oct 8: Quiz 1").items] == [None]


def test_one_that_is_gone_has_none() -> None:
    from uuid import uuid4

    syllabus = read("Fall 2026", "Quizzes: 40%", "Exams: 60%", "", "Oct 8: Quiz 1")
    found = propose(syllabus, [Stored(uuid4(), "Quiz 7", None, "quiz")]).items
    assert [(one.match, one.category) for one in found] == [("new", "Quizzes"), ("gone", None)]
