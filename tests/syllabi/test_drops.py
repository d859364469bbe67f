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
        ("A quiz is given each Thursday, except before exams. Two lowest dropped.", {"Quizzes": 2}),
        ("Homework closes each Sunday night; your lowest three are dropped.", {"Homework": 3}),
        ("Drop your lowest programming or homework assignment score.", {"Homework": 1}),
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
        "Miss more than 3 quizzes and you will be dropped.",
        "Attendance counts. Your lowest grade will be dropped.",
    ],
)
def test_other_drops_are_none(sentence: str) -> None:
    assert drops(*GRADING, sentence) == {}


@each(
    ("sentence", "dropped"),
    [
        ("The lowest report grade is dropped.", {"Lab reports": 1}),
        ("The lowest scoring module is dropped.", {"Modules 1-7": 1}),
        ("WebWork is assigned in every class. The two lowest scores are dropped.", {"WebWork": 2}),
        ("No labs can be made up; your lowest worksheet is dropped.", {"Lab reports": 1}),
    ],
)
def test_the_category_of_several_pieces_is_meant(sentence: str, dropped: dict[str, int]) -> None:
    grading = ("Lab reports: 20%", "Formal report: 20%", "WebWork: 20%", "Modules 1-7: 20%", "Problem set: 20%", "")
    assert drops("Grading", *grading, sentence) == dropped


def test_at_most_twenty_are_dropped() -> None:
    assert drops(*GRADING, "Your best 30 of 60 quizzes count.") == {"Quizzes": 20}


@each("said", ["Lowest dropped. ", "lowest dropped ", "best 8 of 10 ", "drop 2 quizzes "])
def test_a_text_full_of_drops_is_read(said: str) -> None:
    """In a second of CPU: each of thousands would be compared with all words before it."""
    assert drops(*GRADING, "The two lowest quizzes are dropped.", said * 2500)["Quizzes"] >= 2
