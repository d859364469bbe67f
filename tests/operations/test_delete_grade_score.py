"""delete_grade_score: DELETE /v1/grade-scores/{score_id}."""

from typing import Any

import pytest

from grades.models import GradeCategory
from tests.support.entry_points import RestEntryPoint
from tests.support.factories import GradeScoreFactory, stored

pytestmark = pytest.mark.django_db


@pytest.fixture
def score(owner: RestEntryPoint, course: Any) -> Any:
    """A score of 60, in a category that also has one of 80."""
    made = owner.made("set_grade_categories", course_id=course["id"], categories=[{"name": "Quizzes", "weight": 40}])
    [category] = made["categories"]
    add = {"course_id": course["id"], "category_id": category["id"]}
    owner.made("add_grade_score", **add, label="Quiz 1", score=80)
    return owner.made("add_grade_score", **add, label="Quiz 2", score=60)


@pytest.fixture
def labels(owner: RestEntryPoint, course: Any):
    """Returns the labels of the remaining scores."""

    def read() -> list[str]:
        [category] = owner.made("get_grades", course_id=course["id"])["categories"]
        return [score["label"] for score in category["scores"]]

    return read


def test_it_deletes(owner: RestEntryPoint, score: Any, labels) -> None:
    assert owner.call("delete_grade_score", score_id=score["id"]).body == {"id": score["id"], "deleted": True}
    assert labels() == ["Quiz 1"]


def test_the_grade_is_recalculated(owner: RestEntryPoint, course: Any, score: Any) -> None:
    assert owner.made("get_grades", course_id=course["id"])["current_grade"] == 70
    owner.made("delete_grade_score", score_id=score["id"])
    assert owner.made("get_grades", course_id=course["id"])["current_grade"] == 80


def test_deleting_a_score_frees_a_place(owner: RestEntryPoint, owner_member, course: Any, score: Any) -> None:
    category_id = score["category_id"]
    stored(GradeScoreFactory, 498, member=owner_member, category=GradeCategory(id=category_id))
    new = {"course_id": course["id"], "category_id": category_id, "label": "Last", "score": 1}
    assert owner.call("add_grade_score", **new).error == "conflict"
    owner.made("delete_grade_score", score_id=score["id"])
    assert owner.call("add_grade_score", **new).error is None
