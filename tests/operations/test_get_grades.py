"""get_grades: GET /v1/courses/{course_id}/grades."""

import math
from fractions import Fraction
from typing import Any
from unittest.mock import ANY
from uuid import UUID

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from accounts.models import Member
from courses.models import Course
from grades.models import GradeCategory
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.factories import GradeCategoryFactory, GradeScoreFactory
from tests.support.properties import examples

pytestmark = [pytest.mark.django_db, pytest.mark.same_statements]


@pytest.fixture
def graded(owner: RestEntryPoint, course: Any):
    """Return the breakdown of a course with categories `(weight, scores)`."""

    def fill(*parts: tuple[Any, list[Any]]) -> Any:
        entries = [{"name": f"Category {number}", "weight": weight} for number, (weight, _) in enumerate(parts)]
        made = owner.made("set_grade_categories", course_id=course["id"], categories=entries)
        for category, (_, scores) in zip(made["categories"], parts, strict=True):
            for score in scores:
                owner.made(
                    "add_grade_score",
                    course_id=course["id"],
                    category_id=category["id"],
                    label="Score",
                    score=score,
                )
        return owner.made("get_grades", course_id=course["id"])

    return fill


def test_it_returns_an_empty_breakdown(owner: RestEntryPoint, course: Any) -> None:
    assert owner.made("get_grades", course_id=course["id"]) == {
        "course_id": course["id"],
        "course_name": "Cell Biology",
        "categories": [],
        "current_grade": None,
        "letter_grade": None,
        "outlook": ANY,
    }


def test_it_returns_the_complete_breakdown(graded, course: Any) -> None:
    breakdown = graded((40, [90, 80.5]), (60, []))
    assert breakdown == {
        "course_id": course["id"],
        "course_name": "Cell Biology",
        "categories": [
            {
                "id": ANY,
                "name": "Category 0",
                "weight": 40,
                "drop_lowest": 0,
                "average": 85.25,
                "scores": [
                    {
                        "id": ANY,
                        "category_id": ANY,
                        "item_id": None,
                        "label": "Score",
                        "score": 90,
                        "points": None,
                        "out_of": None,
                        "created_at": ANY,
                        "dropped": False,
                    },
                    {
                        "id": ANY,
                        "category_id": ANY,
                        "item_id": None,
                        "label": "Score",
                        "score": 80.5,
                        "points": None,
                        "out_of": None,
                        "created_at": ANY,
                        "dropped": False,
                    },
                ],
            },
            {"id": ANY, "name": "Category 1", "weight": 60, "drop_lowest": 0, "average": None, "scores": []},
        ],
        "current_grade": 85.25,
        "letter_grade": "B",
        "outlook": ANY,
    }
    [first, _] = breakdown["categories"]
    assert {score["category_id"] for score in first["scores"]} == {first["id"]}


def test_the_grade_is_renormalized_over_categories_with_scores(graded) -> None:
    """Spec, Grade category: the current grade counts only the categories that have scores."""
    assert graded((30, [80]), (10, [100]), (60, []))["current_grade"] == 85


def test_weights_need_not_sum_to_100(graded) -> None:
    assert graded((1, [70]), (1, [80]))["current_grade"] == 75


def test_without_scores_there_is_no_grade(graded) -> None:
    breakdown = graded((50, []), (50, []))
    assert (breakdown["current_grade"], breakdown["letter_grade"]) == (None, None)


def test_weights_that_sum_to_0_yield_no_grade(graded) -> None:
    """Decisions 7: null when the weights of the categories with scores sum to 0."""
    breakdown = graded((0, [90]), (100, []))
    assert (breakdown["current_grade"], breakdown["letter_grade"]) == (None, None)
    assert breakdown["categories"][0]["average"] == 90


def test_a_category_of_weight_0_does_not_count(graded) -> None:
    assert graded((0, [10]), (20, [90]))["current_grade"] == 90


def test_an_average_is_rounded_half_up(graded) -> None:
    assert graded((100, [80, 80.01]))["categories"][0]["average"] == 80.01


def test_the_grade_uses_unrounded_averages(graded) -> None:
    """Decisions 12: the mean of 80.004 and 80.0064 is rounded only at the end."""
    breakdown = graded((1, [80.004]), (1, [80.0064]))
    assert [category["average"] for category in breakdown["categories"]] == [80.0, 80.01]
    assert breakdown["current_grade"] == 80.01


def test_a_tie_from_thirds_is_rounded_up(graded) -> None:
    """3 x 10/3 over 16 is exactly 0.625, however the thirds are represented."""
    assert graded((3, [0, 0, 10]), (13, [0]))["current_grade"] == 0.63


@each(
    ("score", "letter"),
    [
        (150, "A+"),
        (97, "A+"),
        (96.99, "A"),
        (93, "A"),
        (92.99, "A-"),
        (90, "A-"),
        (89.99, "B+"),
        (87, "B+"),
        (86.99, "B"),
        (83, "B"),
        (82.99, "B-"),
        (80, "B-"),
        (79.99, "C+"),
        (77, "C+"),
        (76.99, "C"),
        (73, "C"),
        (72.99, "C-"),
        (70, "C-"),
        (69.99, "D+"),
        (67, "D+"),
        (66.99, "D"),
        (63, "D"),
        (62.99, "D-"),
        (60, "D-"),
        (59.99, "F"),
        (0, "F"),
    ],
)
def test_each_letter_begins_at_its_bound(graded, score: float, letter: str) -> None:
    assert graded((100, [score]))["letter_grade"] == letter


@each(("score", "grade", "letter"), [(89.995, 90, "A-"), (89.9949, 89.99, "B+")])
def test_the_letter_matches_the_rounded_grade(graded, score: float, grade: float, letter: str) -> None:
    breakdown = graded((100, [score]))
    assert (breakdown["current_grade"], breakdown["letter_grade"]) == (grade, letter)


def test_scores_are_oldest_first(owner: RestEntryPoint, graded) -> None:
    """Decisions 12."""
    [category] = graded((100, [3, 1, 2]))["categories"]
    assert [score["score"] for score in category["scores"]] == [3, 1, 2]
    assert category["scores"] == sorted(category["scores"], key=lambda score: score["created_at"])


def test_courses_are_independent(owner: RestEntryPoint, graded) -> None:
    graded((100, [50]))
    other = owner.made("create_course", name="Other")
    assert owner.made("get_grades", course_id=other["id"])["categories"] == []


_PERCENT = st.integers(0, 1_500_000).map(lambda number: Fraction(number, 10_000))
_WEIGHT = st.integers(0, 1_000_000).map(lambda number: Fraction(number, 10_000))
_PARTS = st.lists(st.tuples(_WEIGHT, st.lists(_PERCENT, max_size=7)), max_size=12)


def _half_up(value: Fraction) -> float:
    return math.floor(value * 100 + Fraction(1, 2)) / 100


def _expected_grade(parts: list[tuple[Fraction, list[Fraction]]]) -> float | None:
    scored = [(weight, sum(scores, Fraction()) / len(scores)) for weight, scores in parts if scores]
    total = sum((weight for weight, _ in scored), Fraction())
    return _half_up(sum((weight * average for weight, average in scored), Fraction()) / total) if total else None


def _store(member: Member, course_id: UUID, parts: list[tuple[Fraction, list[Fraction]]]) -> None:
    GradeCategory.objects.filter(course_id=course_id).delete()
    for position, (weight, scores) in enumerate(parts, start=1):
        category = GradeCategoryFactory.create(
            member=member, course=Course(id=course_id), weight=_decimal(weight), position=position
        )
        for score in scores:
            GradeScoreFactory.create(member=member, category=category, score=_decimal(score))


def _decimal(value: Fraction) -> str:
    return f"{value.numerator * (10_000 // value.denominator) / 10_000:.4f}"


@pytest.mark.database("both")
@pytest.mark.rest
@examples(50)
@example(parts=[(Fraction(3), [Fraction(0), Fraction(0), Fraction(10)]), (Fraction(13), [Fraction(0)])])
@given(parts=_PARTS)
def test_it_agrees_with_exact_fractions(
    owner: RestEntryPoint, owner_member: Member, course: Any, parts: list[tuple[Fraction, list[Fraction]]]
) -> None:
    from studyservice.rates import limiter as rates

    rates.clear()
    _store(owner_member, course["id"], parts)
    breakdown = owner.made("get_grades", course_id=course["id"])
    assert breakdown["current_grade"] == _expected_grade(parts)
    averages = [category["average"] for category in breakdown["categories"]]
    assert averages == [_half_up(sum(scores, Fraction()) / len(scores)) if scores else None for _, scores in parts]
