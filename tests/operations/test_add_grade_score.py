"""add_grade_score: POST /v1/courses/{course_id}/grade-scores."""

from collections.abc import Callable
from typing import Any
from unittest.mock import ANY
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accounts.models import Member
from grades.models import GradeCategory, GradeScore
from tests.support.cases import each
from tests.support.entry_points import Answer, RestEntryPoint
from tests.support.factories import GradeScoreFactory, stored
from tests.support.properties import examples

pytestmark = [pytest.mark.django_db, pytest.mark.same_statements]


@pytest.fixture
def category(owner: RestEntryPoint, course: Any) -> Any:
    """A category of the course."""
    made = owner.made("set_grade_categories", course_id=course["id"], categories=[{"name": "Quizzes", "weight": 40}])
    return made["categories"][0]


@pytest.fixture
def add(owner: RestEntryPoint, course: Any, category: Any) -> Callable[..., Answer]:
    """Adds a score, 80 for Quiz 1 by default."""

    def call(**fields: Any) -> Answer:
        fields = {"category_id": category["id"], "label": "Quiz 1", "score": 80} | fields
        return owner.call("add_grade_score", course_id=course["id"], **fields)

    return call


@pytest.fixture
def scores(owner: RestEntryPoint, course: Any) -> Callable[[], list[Any]]:
    """Returns the scores of the course."""

    def read() -> list[Any]:
        categories = owner.made("get_grades", course_id=course["id"])["categories"]
        scores = [score for category in categories for score in category["scores"]]
        return [{name: value for name, value in score.items() if name != "dropped"} for score in scores]

    return read


def test_it_returns_the_score(add, category: Any, scores) -> None:
    answer = add(label="  Quiz 1 ", score=84.5)
    assert answer.body == {
        "id": ANY,
        "category_id": category["id"],
        "item_id": None,
        "label": "Quiz 1",
        "score": 84.5,
        "points": None,
        "out_of": None,
        "created_at": ANY,
    }
    assert scores() == [answer.body]


def test_sending_it_twice_adds_two(add, scores) -> None:
    add()
    add()
    assert len(scores()) == 2


@each("score", [0, 100, 150, 84.1234])
def test_scores_from_0_to_150_are_stored(add, scores, score: float) -> None:
    assert add(score=score).body["score"] == score
    assert scores()[0]["score"] == score


@each(
    ("score", "kept"),
    [(84.12345, 84.1235), (84.12344, 84.1234), (0.00005, 0.0001), (0.00004999, 0), (-0.0, 0), (149.99995, 150)],
)
def test_scores_are_rounded_half_up_to_four_decimals(add, scores, score: float, kept: float) -> None:
    """Decisions 12. Compared as text, because -0.0 equals 0.0."""
    assert str(add(score=score).body["score"]) == str(float(kept))
    assert str(scores()[0]["score"]) == str(float(kept))


@pytest.mark.rest
@examples(40)
@given(score=st.floats(0, 150))
def test_the_answer_equals_a_later_read(add, scores, score: float) -> None:
    from studyservice.rates import limiter as rates

    rates.clear()
    added = add(score=score).body
    assert abs(added["score"] - score) <= 0.00005 + 1e-12
    assert scores()[-1] == added


def test_an_unknown_category_is_rejected(add, scores) -> None:
    """Decisions 7: a category_id of another course is 422."""
    answer = add(category_id=str(uuid4()))
    assert (answer.error, answer.fields) == ("validation_failed", ["category_id"])
    assert scores() == []


def test_a_category_of_another_course_is_rejected(owner: RestEntryPoint, category: Any, scores) -> None:
    other = owner.made("create_course", name="Other")
    answer = owner.call("add_grade_score", course_id=other["id"], category_id=category["id"], label="Quiz", score=80)
    assert answer.fields == ["category_id"]
    assert scores() == []


def test_a_strangers_category_is_rejected(stranger: RestEntryPoint, category: Any, scores) -> None:
    course = stranger.made("create_course", name="Mine")
    answer = stranger.call(
        "add_grade_score", course_id=course["id"], category_id=category["id"], label="Quiz", score=80
    )
    assert (answer.error, answer.fields) == ("validation_failed", ["category_id"])
    assert scores() == []


def _fill(member: Member, category: Any, number: int) -> None:
    stored(GradeScoreFactory, number, member=member, category=GradeCategory(id=category["id"]))


def test_a_course_has_500_scores_at_most(owner_member: Member, category: Any, add) -> None:
    """Decisions 6."""
    _fill(owner_member, category, 499)
    assert add().error is None
    assert add().error == "conflict"
    assert GradeScore.objects.filter(member=owner_member).count() == 500


def test_the_limit_counts_every_category(owner: RestEntryPoint, owner_member: Member, category: Any, add) -> None:
    _fill(owner_member, category, 500)
    course_id = owner.made("list_courses")["data"][0]["id"]
    entries = [category, {"name": "Exam", "weight": 10}]
    [_, exam] = owner.made("set_grade_categories", course_id=course_id, categories=entries)["categories"]
    assert add(category_id=exam["id"]).error == "conflict"


def test_each_course_has_its_own_limit(owner: RestEntryPoint, owner_member: Member, category: Any) -> None:
    _fill(owner_member, category, 500)
    course = owner.made("create_course", name="Other")
    made = owner.made("set_grade_categories", course_id=course["id"], categories=[{"name": "Exam", "weight": 1}])
    [exam] = made["categories"]
    assert owner.made("add_grade_score", course_id=course["id"], category_id=exam["id"], label="Final", score=80)


@pytest.mark.database("both")
@pytest.mark.django_db(transaction=True)
def test_parallel_adds_stop_at_the_limit(owner_member: Member, category: Any, add, in_threads) -> None:
    _fill(owner_member, category, 498)
    answers = in_threads(lambda number: add(label=f"New {number}").error, list(range(16)))
    assert sorted(map(str, answers)) == ["None"] * 2 + ["conflict"] * 14
    assert GradeScore.objects.filter(member=owner_member).count() == 500


@pytest.mark.database("both")
@pytest.mark.django_db(transaction=True)
def test_parallel_adds_get_strictly_increasing_times(add, scores, in_threads) -> None:
    in_threads(lambda number: add(label=f"New {number}"), list(range(16)))
    times = [score["created_at"] for score in scores()]
    assert len(set(times)) == 16
    assert times == sorted(times)
