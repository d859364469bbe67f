"""The worth of items: their category's share of the grade divided by its number of pieces."""

from collections.abc import Mapping
from typing import Any

import pytest

from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.samples import fetched_item

pytestmark = pytest.mark.same_statements


@pytest.fixture
def categories(owner: RestEntryPoint, course) -> dict[str, str]:
    """The ids of Exams (60), Quizzes (30) and Extra (0), by name."""
    weights = {"Exams": 60, "Quizzes": 30, "Extra": 0}
    return weighted(owner, course, weights)


def weighted(owner: RestEntryPoint, course: Any, weights: Mapping[str, float]) -> dict[str, str]:
    entries = [{"name": name, "weight": weight} for name, weight in weights.items()]
    made = owner.made("set_grade_categories", course_id=course["id"], categories=entries)
    return {one["name"]: one["id"] for one in made["categories"]}


def _worths(owner: RestEntryPoint, course: Any) -> dict[str, float | None]:
    return {one["title"]: one["worth"] for one in owner.made("list_items", course_id=course["id"])["data"]}


def test_worth_is_a_share_of_the_course(owner: RestEntryPoint, course, categories) -> None:
    """60 of 90 for the only exam; 30 of 90 for three quizzes together, rounded half up to two places."""
    exam = owner.made("create_item", course_id=course["id"], title="Exam", category_id=categories["Exams"])
    assert (exam["category_id"], exam["worth"]) == (categories["Exams"], 66.67)
    entry = {"category_id": categories["Quizzes"]}
    made = owner.made(
        "create_item",
        course_id=course["id"],
        title="Quiz 1",
        **entry,
        more=[{"title": "Quiz 2", **entry}, {"title": "Quiz 3", **entry}, {"title": "Reading"}],
    )
    assert made["worth"] == 11.11
    assert [one["worth"] for one in made["items"]] == [11.11, 11.11, 11.11, None]
    extra = owner.made("create_item", course_id=course["id"], title="Bonus", category_id=categories["Extra"])
    assert extra["worth"] == 0
    assert fetched_item(owner, exam["id"])["worth"] == 66.67


@pytest.mark.database("both")
@each(
    ("weights", "pieces", "worth"),
    [
        ({"A": 0}, 1, None),
        ({"A": 100}, 1, 100),
        ({"A": 33.3333, "B": 66.6667}, 1, 33.33),
        ({"A": 0.0001, "B": 100}, 1, 0),
        ({"A": 0.005, "B": 99.995}, 1, 0.01),
        ({"A": 0.0049, "B": 99.9951}, 1, 0),
        ({"A": 1, "B": 7}, 1, 12.5),
        ({"A": 1, "B": 7}, 4, 3.13),
        ({"A": 100, "B": 100}, 7, 7.14),
    ],
)
def test_worth_is_exact(owner: RestEntryPoint, course, weights, pieces, worth) -> None:
    category_id = weighted(owner, course, weights)["A"]
    entry = {"title": "Lab", "category_id": category_id}
    more = [entry] * (pieces - 1)
    owner.made("create_item", course_id=course["id"], **entry, more=more)
    assert _worths(owner, course) == {"Lab": worth}


def test_an_item_to_come_counts_beside_scores(owner: RestEntryPoint, course, categories) -> None:
    quizzes = categories["Quizzes"]
    owner.made("create_item", course_id=course["id"], title="Quiz", category_id=quizzes)
    for number in range(3):
        owner.made("add_grade_score", course_id=course["id"], category_id=quizzes, label=f"{number}", score=80)
        assert _worths(owner, course) == {"Quiz": round(3333.3333333 / (number + 2)) / 100}


@each("ending", [{"done": True}, {"due_on": "2020-01-01"}])
def test_an_ended_item_changes_its_own_worth(owner: RestEntryPoint, course, categories, ending: Any) -> None:
    of_it = {"course_id": course["id"], "category_id": categories["Quizzes"]}
    item = owner.made("create_item", **of_it, title="Quiz")
    owner.made("add_grade_score", **of_it, label="Quiz", score=80)
    assert fetched_item(owner, item["id"])["worth"] == 16.67
    assert owner.made("update_item", item_id=item["id"], **ending)["worth"] == 33.33


def test_scores_count_if_they_outnumber_ended_items(owner: RestEntryPoint, course, categories) -> None:
    quizzes = categories["Quizzes"]
    item = owner.made("create_item", course_id=course["id"], title="Quiz", category_id=quizzes)
    owner.made("update_item", item_id=item["id"], done=True)
    for number in range(3):
        owner.made("add_grade_score", course_id=course["id"], category_id=quizzes, label=f"{number}", score=80)
        assert _worths(owner, course) == {"Quiz": round(3333.3333333 / (number + 1)) / 100}


def test_a_category_can_be_changed(owner: RestEntryPoint, course, categories) -> None:
    item = owner.made("create_item", course_id=course["id"], title="Quiz", category_id=categories["Quizzes"])
    moved = owner.made("update_item", item_id=item["id"], category_id=categories["Exams"])
    assert (moved["category_id"], moved["worth"]) == (categories["Exams"], 66.67)
    assert moved["updated_at"] > item["updated_at"]
    assert owner.made("update_item", item_id=item["id"], category_id=categories["Exams"]) == moved
    cleared = owner.made("update_item", item_id=item["id"], category_id=None)
    assert (cleared["category_id"], cleared["worth"]) == (None, None)


def test_a_category_of_another_course_is_rejected(owner: RestEntryPoint, course, categories) -> None:
    other = owner.made("create_course", name="Other")
    item = owner.made("create_item", course_id=other["id"], title="Quiz")
    category_id = categories["Exams"]
    more = [{"title": "Quiz 2", "category_id": category_id}]
    for answer, fields in (
        (owner.call("update_item", item_id=item["id"], category_id=category_id), ["category_id"]),
        (owner.call("create_item", course_id=other["id"], title="Q", category_id=category_id), ["category_id"]),
        (owner.call("create_item", course_id=other["id"], title="Q", more=more), ["more[0].category_id"]),
    ):
        assert answer.fields == fields
    assert len(owner.made("list_items")["data"]) == 1


def test_deleting_a_category_keeps_its_items(owner: RestEntryPoint, course, categories) -> None:
    item = owner.made("create_item", course_id=course["id"], title="Quiz", category_id=categories["Quizzes"])
    left = [{"id": categories["Exams"], "name": "Exams", "weight": 60}]
    owner.made("set_grade_categories", course_id=course["id"], categories=left)
    assert fetched_item(owner, item["id"]) == {**item, "readiness": None, "category_id": None, "worth": None} or (
        fetched_item(owner, item["id"]) == item | {"category_id": None, "worth": None}
    )


def test_a_new_course_refers_to_its_categories_by_name(owner: RestEntryPoint) -> None:
    made = owner.made(
        "create_course",
        name="Physics",
        items=[
            {"title": "Quiz 1", "category": " qUIZZES "},
            {"title": "Quiz 2", "category": "Quizzes"},
            {"title": "Final", "kind": "exam", "category": "Straße"},
            {"title": "Reading", "category": None},
        ],
        grade_categories=[{"name": "Quizzes", "weight": 25}, {"name": "STRASSE", "weight": 75}],
    )
    quizzes, exams = (one["id"] for one in made["grade_categories"])
    told = [(one["category_id"], one["worth"]) for one in made["items"]]
    assert told == [(quizzes, 12.5), (quizzes, 12.5), (exams, 75), (None, None)]


def test_a_new_course_rejects_an_unknown_category_name(owner: RestEntryPoint) -> None:
    weights = [{"name": "Labs", "weight": 25}, {"name": "Quizzes", "weight": 25}, {"name": "labs", "weight": 50}]
    for items, fields in (
        ([{"title": "Quiz"}, {"title": "Quiz", "category": "Exams"}], ["items[1].category"]),
        ([{"title": "Lab", "category": "LABS"}], ["items[0].category"]),
        ([{"title": "Quiz", "category_id": "1d6e2f8a-9b4c-4d7e-a3f5-2c8b7d6e4f04"}], ["items[0].category_id"]),
    ):
        answer = owner.call("create_course", name="Physics", items=items, grade_categories=weights)
        assert answer.fields == fields
    owner.made("create_course", name="Physics", items=[{"title": "Quiz"}], grade_categories=weights)
    assert len(owner.made("list_courses")["data"]) == 1
