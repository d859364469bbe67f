"""Scores as points: `points` and `out_of` of add_grade_score and update_grade_score."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.operations.test_item_worth import weighted
from tests.support.cases import each
from tests.support.entry_points import Answer, RestEntryPoint

pytestmark = pytest.mark.django_db

update = pytest.mark.rest
"""update_grade_score, list_changes and undo_change are not tools."""


@pytest.fixture
def category(owner: RestEntryPoint, course: Any) -> str:
    return weighted(owner, course, {"Quizzes": 40})["Quizzes"]


@pytest.fixture
def add(owner: RestEntryPoint, course: Any, category: str) -> Callable[..., Answer]:
    def call(**fields: Any) -> Answer:
        return owner.call("add_grade_score", course_id=course["id"], category_id=category, label="Quiz", **fields)

    return call


@pytest.fixture
def change(owner: RestEntryPoint, add) -> Callable[..., Answer]:
    """Changes a score of 17 out of 20."""
    score = add(points=17, out_of=20).body

    def call(**fields: Any) -> Answer:
        return owner.call("update_grade_score", score_id=score["id"], **fields)

    return call


def numbers(score: Any) -> tuple[float, float | None, float | None]:
    return score["score"], score["points"], score["out_of"]


def read(owner: RestEntryPoint, course: Any) -> Any:
    [category] = owner.made("get_grades", course_id=course["id"])["categories"]
    return [numbers(score) for score in category["scores"]]


@each(
    ("points", "out_of", "score"),
    [
        (17, 20, 85),
        (0, 20, 0),
        (30, 20, 150),
        (2, 3, 66.6667),
        (1, 3, 33.3333),
        (17.5, 20, 87.5),
        (150_000, 100_000, 150),
        (0.00005, 0.0001, 100),  # kept to four decimals first
        (1.00004, 3, 33.3333),
        (1.00015, 200_000 / 3, 0.0015),
        (7, 56_000, 0.0125),
        (1, 80_000, 0.0013),  # 0.00125 is half-way
    ],
)
def test_the_percent_is_of_the_points(owner, course, add, *, points: float, out_of: float, score: float) -> None:
    added = add(points=points, out_of=out_of).body
    kept = round(points + 1e-9, 4), round(out_of + 1e-9, 4)
    assert numbers(added) == (score, *kept)
    assert read(owner, course) == [(score, *kept)]


@each(
    ("fields", "wrong"),
    [
        ({}, "score"),
        ({"points": None, "out_of": None}, "score"),
        ({"points": 17}, "out_of"),
        ({"points": 17, "out_of": None}, "out_of"),
        ({"out_of": 20}, "points"),
        ({"out_of": 20, "points": None, "score": 85}, "points"),
        ({"points": 17, "out_of": 0}, "out_of"),
        ({"points": 17, "out_of": 0.00004}, "out_of"),
        ({"points": 17, "out_of": -20}, "out_of"),
        ({"points": 17, "out_of": 100_001}, "out_of"),
        ({"points": -1, "out_of": 20}, "points"),
        ({"points": 30.0001, "out_of": 20}, "points"),
        ({"points": 150_001, "out_of": 100_000}, "points"),
        ({"points": "17", "out_of": 20}, "points"),
        ({"points": 17, "out_of": True}, "out_of"),
        ({"points": 17, "out_of": 20, "score": 84}, "score"),
        ({"points": 17, "out_of": 20, "score": 85.0001}, "score"),
        ({"points": 17, "out_of": 20, "score": 151}, "score"),
    ],
)
def test_wrong_points_are_named(owner, course, add, fields: dict[str, Any], wrong: str) -> None:
    answer = add(**fields)
    assert (answer.error, answer.fields) == ("validation_failed", [wrong])
    assert read(owner, course) == []


def test_the_percent_may_be_sent_with_its_points(add) -> None:
    assert numbers(add(points=2, out_of=3, score=66.66668).body) == (66.6667, 2, 3)


def test_null_for_both_counts_as_not_sent(add) -> None:
    assert numbers(add(points=None, out_of=None, score=85).body) == (85, None, None)


@update
@each(
    ("fields", "expected"),
    [
        ({}, (85, 17, 20)),
        ({"label": "Quiz 1"}, (85, 17, 20)),
        ({"points": None, "out_of": None}, (85, 17, 20)),
        ({"score": 85}, (85, 17, 20)),
        ({"score": 85.00004}, (85, 17, 20)),
        ({"score": 85, "points": 17, "out_of": 20}, (85, 17, 20)),
        ({"score": 86}, (86, None, None)),
        ({"score": 86, "points": None, "out_of": None}, (86, None, None)),
        ({"points": 18, "out_of": 20}, (90, 18, 20)),
        ({"points": 34, "out_of": 40}, (85, 34, 40)),
        ({"points": 18, "out_of": 20, "score": 90}, (90, 18, 20)),
    ],
)
def test_a_change_keeps_or_replaces_the_points(owner, course, change, fields: Any, expected: Any) -> None:
    assert numbers(change(**fields).body) == expected
    assert read(owner, course) == [expected]


@update
@each(
    ("fields", "wrong"),
    [
        ({"points": 18}, "out_of"),
        ({"out_of": 20}, "points"),
        ({"points": None, "out_of": 25}, "points"),
        ({"points": 18, "out_of": 20, "score": 85}, "score"),
        ({"points": 31, "out_of": 20}, "points"),
        ({"score": None}, "score"),
    ],
)
def test_a_wrong_change_changes_nothing(owner, course, change, fields: Any, wrong: str) -> None:
    assert change(**fields).fields == [wrong]
    assert read(owner, course) == [(85, 17, 20)]


@update
def test_points_replace_a_percent(owner, add) -> None:
    score = add(score=50).body
    changed = owner.made("update_grade_score", score_id=score["id"], points=17, out_of=20)
    assert changed == score | {"score": 85, "points": 17, "out_of": 20}


@update
def test_points_of_a_percent_are_not_logged(owner, add) -> None:
    add(score=85)
    [row, *_] = owner.made("list_changes")["data"]
    assert row["after"] == {"category_id": row["after"]["category_id"], "label": "Quiz", "score": 85}


@update
def test_undo_restores_points(owner, course, change) -> None:
    change(score=50)
    [row, *_] = owner.made("list_changes")["data"]
    assert row["before"] == {"score": 85, "points": 17, "out_of": 20}
    assert row["after"] == {"score": 50, "points": None, "out_of": None}
    owner.made("undo_change", change_id=row["id"])
    assert read(owner, course) == [(85, 17, 20)]


@update
def test_a_deleted_score_comes_back_with_its_points(owner, course, add) -> None:
    score = add(points=17, out_of=20).body
    owner.made("delete_grade_score", score_id=score["id"])
    [row, *_] = owner.made("list_changes")["data"]
    owner.made("undo_change", change_id=row["id"])
    assert read(owner, course) == [(85, 17, 20)]
