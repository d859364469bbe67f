"""update_grade_score: PATCH /v1/grade-scores/{score_id}."""

from typing import Any

import pytest

from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.samples import UNKNOWN_ID

pytestmark = [pytest.mark.django_db, pytest.mark.rest, pytest.mark.same_statements]


def categories_of(entry_point: RestEntryPoint, course: Any, *names: str) -> Any:
    listed = [{"name": name, "weight": 50} for name in names]
    return entry_point.made("set_grade_categories", course_id=course["id"], categories=listed)["categories"]


@pytest.fixture
def categories(owner: RestEntryPoint, course: Any) -> Any:
    """The categories Quizzes and Exams."""
    return categories_of(owner, course, "Quizzes", "Exams")


@pytest.fixture
def score(owner: RestEntryPoint, course: Any, categories: Any) -> Any:
    """A score of 80 in Quizzes."""
    fields = {"category_id": categories[0]["id"], "label": "Quiz 1", "score": 80}
    return owner.made("add_grade_score", course_id=course["id"], **fields)


@pytest.fixture
def listed(owner: RestEntryPoint, course: Any):
    """Returns the scores of all categories."""

    def read() -> Any:
        categories = owner.made("get_grades", course_id=course["id"])["categories"]
        return [
            [{name: value for name, value in score.items() if name != "dropped"} for score in category["scores"]]
            for category in categories
        ]

    return read


@pytest.mark.database("both")
def test_it_changes_every_field(owner: RestEntryPoint, score: Any, categories: Any, listed) -> None:
    fields = {"label": " Final ", "score": 90.12345, "category_id": categories[1]["id"]}
    changed = owner.made("update_grade_score", score_id=score["id"], **fields)
    assert changed == score | {"label": "Final", "score": 90.1235, "category_id": categories[1]["id"]}
    assert listed() == [[], [changed]]


@pytest.mark.database("both")
@each(("field", "value"), [("label", "Quiz 2"), ("score", 0.0), ("score", 150.0)])
def test_it_changes_only_sent_fields(owner: RestEntryPoint, score: Any, listed, field: str, value: object) -> None:
    changed = owner.made("update_grade_score", score_id=score["id"], **{field: value})
    assert changed == score | {field: value}
    assert listed() == [[changed], []]


def test_the_grade_is_recalculated(owner: RestEntryPoint, course: Any, score: Any) -> None:
    owner.made("update_grade_score", score_id=score["id"], score=50)
    assert owner.made("get_grades", course_id=course["id"])["current_grade"] == 50


def test_the_change_contains_the_old_values(owner: RestEntryPoint, score: Any, categories: Any) -> None:
    owner.made("update_grade_score", score_id=score["id"], score=90, label="Quiz 1", category_id=categories[1]["id"])
    [row, *_] = owner.made("list_changes")["data"]
    assert row["object"] == {"type": "grade_score", "id": score["id"], "name": "Quiz 1"}
    assert row["before"] == {"score": 80.0, "category_id": categories[0]["id"]}
    assert row["after"] == {"score": 90.0, "category_id": categories[1]["id"]}
    assert row["undoable"]


def test_a_category_of_another_course_is_rejected(
    owner: RestEntryPoint, stranger: RestEntryPoint, score: Any, listed
) -> None:
    other = categories_of(owner, owner.made("create_course", name="Algebra"), "Homework")
    foreign = categories_of(stranger, stranger.made("create_course", name="Latin"), "Homework")
    for category_id in (other[0]["id"], foreign[0]["id"], UNKNOWN_ID):
        answer = owner.call("update_grade_score", score_id=score["id"], category_id=category_id, score=1)
        assert (answer.error, answer.fields) == ("validation_failed", ["category_id"])
    assert listed() == [[score], []]
