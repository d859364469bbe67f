"""How many of the lowest scores of each category a text says are dropped."""

import pytest

from tests.support.cases import each
from tests.syllabi.reading import proposed

pytestmark = pytest.mark.database("sqlite", "parses text")

GRADING = ("Fall 2026", "", "Grading", "Homework: 20%", "Quizzes: 30%", "Midterm exams: 30%", "Final exam: 20%", "")


def drops(*lines: str) -> dict[str, int]:
    """The categories with dropped scores."""
    return {one.name: one.drop_lowest for one in proposed(*lines).grade_categories if one.drop_lowest}


@each(
    ("sentence", "dropped"),
    [
        ("The lowest quiz grade will be dropped.", {"Quizzes": 1}),
        ("I will drop the lowest of your quiz grades.", {"Quizzes": 1}),
        ("We drop your two lowest quizzes.", {"Quizzes": 2}),
        ("You will be allowed to drop your lowest 5 quiz scores.", {"Quizzes": 5}),
        ("The two lowest homework grades will be dropped.", {"Homework": 2}),
        ("Your lowest two (2) homework scores do not count.", {"Homework": 2}),
        ("The lowest exam grade is dropped.", {"Midterm exams": 1}),
        ("I drop the two lowest homeworks, one lowest quiz, and one exam.", {"Homework": 2, "Quizzes": 1}),
        ("We will drop one quiz score so that you can miss one.", {"Quizzes": 1}),
        ("Two homeworks will be dropped.", {"Homework": 2}),
        ("The best 8 of 10 quizzes count.", {"Quizzes": 2}),
        ("Your best four (4) of the five (5) quizzes count.", {"Quizzes": 1}),
        ("There are weekly quizzes. The lowest one will be dropped.", {"Quizzes": 1}),
    ],
)
def test_a_sentence_names_the_category(sentence: str, dropped: dict[str, int]) -> None:
    assert drops(*GRADING, sentence) == dropped


@each(
    ("line", "dropped"),
    [
        ("Quizzes (best 8 of 10): 30%", 2),
        ("Quizzes (lowest dropped): 30%", 1),
        ("Quizzes: 30%, the two lowest are dropped", 2),
        ("Quizzes (2 drops) 30%", 2),
        ("Quizzes 30% (drop lowest)", 1),
        ("Quizzes | 30% | lowest score dropped", 1),
    ],
)
def test_the_line_of_the_category_may_say_so(line: str, dropped: int) -> None:
    assert drops("Grading", line, "Exams: 70%") == {"Quizzes": dropped}


@each(
    ("lines", "dropped"),
    [
        (("Klausur: 70%", "Übungen: 30%", "", "Die zwei schlechtesten Übungen werden gestrichen."), {"Übungen": 2}),
        (("Examen: 70%", "Devoirs: 30%", "", "La note la plus basse des devoirs sera éliminée."), {"Devoirs": 1}),
        (("Examen: 70%", "Tareas: 30%", "", "Se elimina la nota más baja de las tareas."), {"Tareas": 1}),
    ],
)
def test_other_languages(lines: tuple[str, ...], dropped: dict[str, int]) -> None:
    assert drops(*lines) == dropped


@each(
    "sentence",
    [
        "Homework grades are never dropped.",
        "The lowest quiz will not be dropped.",
        "Unexcused absence will result in your being dropped from the course.",
        "Quizzes that are late drop one letter grade.",
        "Two points will be added to your lowest exam grade.",
        "Dec 4: last day to drop a class; quiz 3.",
        "Please drop one copy of your homework in the box.",
    ],
)
def test_other_drops_are_none(sentence: str) -> None:
    assert drops(*GRADING, sentence) == {}


def test_at_most_twenty_are_dropped() -> None:
    assert drops(*GRADING, "Your best 30 of 60 quizzes count.") == {"Quizzes": 20}
