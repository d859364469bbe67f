"""get_grades and the worth of items equal grades calculated by brute force."""

from collections.abc import Sequence
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any
from uuid import UUID

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from accounts.models import Member
from courses.models import Course, Item
from grades.models import GradeCategory
from tests.support.entry_points import RestEntryPoint
from tests.support.factories import GradeCategoryFactory, GradeScoreFactory, ItemFactory
from tests.support.grade_oracle import (
    OVER_100,
    Category,
    average,
    current_grade,
    dropped,
    half_up,
    letter,
    outlook,
    reaches,
    worth,
)
from tests.support.properties import examples
from tests.support.run import is_thorough

pytestmark = [pytest.mark.django_db, pytest.mark.rest]

DAY = timedelta(days=1)


def _ten_thousandths(most: int, usual: Sequence[int]) -> st.SearchStrategy[Fraction]:
    usually = st.sampled_from(usual).map(Fraction)
    return usually | st.integers(0, most * 10_000).map(lambda number: Fraction(number, 10_000))


_SCORE = _ten_thousandths(150, [0, 50, 60, 70, 80, 85, 90, 95, 100, 110])
_CATEGORY = st.builds(
    Category,
    weight=_ten_thousandths(100, [0, 10, 20, 25, 40, 50]),
    scores=st.lists(_SCORE, max_size=6),
    linked=st.integers(0, 6),
    open=st.integers(0, 5),
    ended=st.integers(0, 5),
    drop_lowest=st.integers(0, 4) | st.integers(0, 20),
    is_named=st.booleans(),
)
_COURSE = st.lists(_CATEGORY, max_size=4)
_PERCENT = st.none() | _ten_thousandths(100, [50, 70, 90, 100])


def _stored(member: Member, course: Course, categories: Sequence[Category]) -> list[GradeCategory]:
    Item.objects.filter(course=course).delete()
    GradeCategory.objects.filter(course=course).delete()
    today = member.today()
    made = []
    for position, one in enumerate(categories, start=1):
        category = GradeCategoryFactory.create(
            member=member,
            course=course,
            weight=_decimal(one.weight),
            drop_lowest=one.drop_lowest,
            position=position,
        )
        mine: dict[str, Any] = {"member": member, "category": category}
        for place, score in enumerate(one.scores):
            item = ItemFactory.create(course=course, graded=True, **mine) if place < one.graded else None
            GradeScoreFactory.create(score=_decimal(score), item=item, **mine)
        days = [None, today, today + DAY]
        for place in range(one.open):
            ItemFactory.create(course=course, due_on=days[place % 3], **mine)
        ended: list[dict[str, Any]] = [
            {"done": True, "done_at": member.created_at},
            {"due_on": today - DAY},
            {"due_on": today - DAY, "kind": "exam"},
        ]
        for place in range(one.ended):
            ItemFactory.create(course=course, **ended[place % 3], **mine)
        made.append(category)
    return made


def _decimal(value: Fraction) -> Decimal:
    return Decimal(int(value * 10_000)).scaleb(-4)


@pytest.mark.database("both")
@examples(1000 if is_thorough() else 180)
@example(
    categories=[Category(Fraction(100), [Fraction(60), Fraction(90)], 1, 1, 1, 1)], target=None, assume=Fraction(70)
)
@example(categories=[Category(Fraction(3), [Fraction(10), Fraction(), Fraction()]), Category(Fraction(13))],
         target=Fraction("0.625"), assume=None)  # fmt: skip
@given(categories=_COURSE, target=_PERCENT, assume=_PERCENT | _SCORE)
def test_get_grades_agrees_with_brute_force(
    *,
    owner: RestEntryPoint,
    owner_member: Member,
    course: Any,
    categories: list[Category],
    target: Fraction | None,
    assume: Fraction | None,
) -> None:
    from studyservice.rates import limiter as rates

    rates.clear()
    rows = _stored(owner_member, Course(id=UUID(course["id"])), categories)
    named = [str(row.id) for row, one in zip(rows, categories, strict=True) if one.is_named]
    asked: dict[str, Any] = {"remaining": named} if named else {}
    asked |= {name: float(value) for name, value in (("target", target), ("assume", assume)) if value is not None}
    told = owner.made("get_grades", course_id=course["id"], **asked)
    for answered, one in zip(told["categories"], categories, strict=True):
        mean = average(one)
        assert answered["average"] == (None if mean is None else half_up(mean))
        assert [score["dropped"] for score in answered["scores"]] == dropped(one)
    grade = current_grade(categories)
    assert (told["current_grade"], told["letter_grade"]) == (grade, None if grade is None else letter(grade))
    expected = outlook(categories, target, assume)
    for row, expected_row in zip(told["outlook"]["needed"], expected["needed"], strict=True):
        if expected_row["score"] == OVER_100:
            expected_row["score"] = row["score"]
            assert row["score"] > 100
            assert reaches(categories, row["score"], row["at_least"])
            assert not reaches(categories, float(Decimal(str(row["score"])) - Decimal("0.01")), row["at_least"])
    assert told["outlook"] == expected
    items = owner.made("list_items", course_id=course["id"], limit=100)["data"]
    worths = {
        str(row.id): worth(one, categories)
        for row, one in zip(rows, categories, strict=True)
        if one.graded + one.open + one.ended
    }
    assert {item["category_id"]: item["worth"] for item in items} == worths
