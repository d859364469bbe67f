"""The lowest scores of a grade category, which do not count."""

import json
from collections.abc import Callable
from typing import Any
from unittest.mock import ANY

import pytest

from grades.models import GradeCategory
from studyservice.models import Change
from tests.conftest import MakeMember, OpenEntryPoint
from tests.support.entry_points import RestEntryPoint

pytestmark = [pytest.mark.django_db, pytest.mark.same_statements]

Setter = Callable[..., list[Any]]


@pytest.fixture
def put(owner: RestEntryPoint, course: Any) -> Setter:
    """Replaces the categories of the owner's course."""

    def replace(*entries: dict[str, Any]) -> list[Any]:
        listed: list[Any] = owner.made("set_grade_categories", course_id=course["id"], categories=list(entries))[
            "categories"
        ]
        return listed

    return replace


@pytest.fixture
def score(owner: RestEntryPoint, course: Any) -> Callable[..., None]:
    """Adds scores to a category, in this order."""

    def add(category: Any, *scores: float) -> None:
        for one in scores:
            owner.made("add_grade_score", course_id=course["id"], category_id=category["id"], label="x", score=one)

    return add


def _quizzes(**fields: Any) -> dict[str, Any]:
    return {"name": "Quizzes", "weight": 40} | fields


def _breakdown(owner: RestEntryPoint, course: Any) -> Any:
    return owner.made("get_grades", course_id=course["id"])


@pytest.mark.database("both")
def test_the_lowest_scores_do_not_count(owner: RestEntryPoint, course: Any, put: Setter, score: Any) -> None:
    quizzes, final = put(_quizzes(drop_lowest=2), {"name": "Final", "weight": 60})
    score(quizzes, 80, 50, 100, 60)
    score(final, 70)
    told = _breakdown(owner, course)
    answered = {
        "id": quizzes["id"],
        "name": "Quizzes",
        "weight": 40,
        "drop_lowest": 2,
        "average": 90,
        "scores": [
            {
                "id": ANY,
                "category_id": quizzes["id"],
                "item_id": None,
                "label": "x",
                "score": value,
                "points": None,
                "out_of": None,
                "created_at": ANY,
                "dropped": value < 80,
            }
            for value in (80, 50, 100, 60)
        ],
    }
    assert told["categories"][0] == answered
    assert told["categories"][1]["drop_lowest"] == 0
    assert (told["current_grade"], told["letter_grade"]) == (78, "C+")


def test_the_older_of_two_equal_scores_is_dropped(owner: RestEntryPoint, course: Any, put: Setter, score: Any) -> None:
    [quizzes] = put(_quizzes(drop_lowest=2))
    score(quizzes, 90, 60, 60, 60)
    [told] = _breakdown(owner, course)["categories"]
    assert [one["dropped"] for one in told["scores"]] == [False, True, True, False]


def test_the_last_score_always_counts(owner: RestEntryPoint, course: Any, put: Setter, score: Any) -> None:
    [quizzes] = put(_quizzes(drop_lowest=20))
    score(quizzes, 50)
    assert _breakdown(owner, course)["current_grade"] == 50
    score(quizzes, 80, 40)
    [told] = _breakdown(owner, course)["categories"]
    assert ([one["dropped"] for one in told["scores"]], told["average"]) == ([True, False, True], 80)


def test_omitted_fields_stay_unchanged(put: Setter) -> None:
    new = put(_quizzes(), _quizzes(drop_lowest=None), _quizzes(drop_lowest=3))
    assert [one["drop_lowest"] for one in new] == [0, 0, 3]
    kept = new[2]["id"]
    assert put(_quizzes(id=kept, weight=10))[0]["drop_lowest"] == 3
    assert put(_quizzes(id=kept, drop_lowest=None))[0]["drop_lowest"] == 3
    assert put(_quizzes(id=kept, drop_lowest=1.0))[0]["drop_lowest"] == 1
    assert put(_quizzes(id=kept, drop_lowest=0))[0]["drop_lowest"] == 0


def test_an_invalid_number_of_dropped_scores_is_named(owner: RestEntryPoint, course: Any) -> None:
    for wrong in (-1, 21, 1.5, "1", True, [1]):
        entries = [_quizzes(), _quizzes(drop_lowest=wrong)]
        answer = owner.call("set_grade_categories", course_id=course["id"], categories=entries)
        assert answer.fields == ["categories[1].drop_lowest"], wrong
        answer = owner.call("create_course", name="Physics", grade_categories=entries)
        assert answer.fields == ["grade_categories[1].drop_lowest"], wrong


def test_a_new_course_sets_the_number_of_dropped_scores(owner: RestEntryPoint) -> None:
    entries = [_quizzes(drop_lowest=2), _quizzes(drop_lowest=None), _quizzes()]
    made = owner.made("create_course", name="Physics", grade_categories=entries)
    assert made["grade_categories"][0] == {"id": ANY, "name": "Quizzes", "weight": 40, "drop_lowest": 2}
    assert [one["drop_lowest"] for one in made["grade_categories"]] == [2, 0, 0]
    assert [one["drop_lowest"] for one in _breakdown(owner, made)["categories"]] == [2, 0, 0]


def test_dropped_scores_raise_the_worth_of_items(owner: RestEntryPoint, course: Any, put: Setter) -> None:
    quizzes, _ = put(_quizzes(drop_lowest=1), {"name": "Final", "weight": 60})
    entry = {"title": "Quiz", "category_id": quizzes["id"]}
    for worth in (40, 40, 20, 13.33):
        owner.made("create_item", course_id=course["id"], **entry)
        assert {item["worth"] for item in owner.made("list_items")["data"]} == {worth}


@pytest.mark.rest
@pytest.mark.database("both")
def test_it_is_logged_and_can_be_undone(owner: RestEntryPoint, course: Any, put: Setter, score: Any) -> None:
    [quizzes] = put(_quizzes(drop_lowest=1))
    score(quizzes, 50, 80)
    before = _breakdown(owner, course)
    put(_quizzes(id=quizzes["id"], drop_lowest=0))
    [change] = owner.made("list_changes", limit=1)["data"]
    told = [[one["drop_lowest"] for one in change[side]["categories"]] for side in ("before", "after")]
    assert told == [[1], [0]]
    owner.made("undo_change", change_id=change["id"])
    assert _breakdown(owner, course) == before
    put()
    owner.made("undo_change", change_id=owner.made("list_changes", limit=1)["data"][0]["id"])
    assert _breakdown(owner, course) == before


def _as_before_the_upgrade(*changes: Any) -> None:
    """Store rows of the log as a release without `drop_lowest` did."""
    for change in changes:
        contents = {side: _without(change[side]) for side in ("before", "after")}
        if change["operation"] == "create_course":
            [category] = GradeCategory.objects.filter(course_id=change["object"]["id"])
            fields = {"course_id": str(category.course_id), "name": category.name, "weight": float(category.weight)}
            contents["after"].pop("grade_categories")
            contents["more"] = [("grade_category", str(category.id), category.name, None, fields | {"position": 1})]
        Change.objects.filter(id=change["id"]).update(contents=json.dumps(contents).encode(), taken=None, undoable=True)


def _without(fields: Any) -> Any:
    if fields is None:
        return None
    listed = [{name: one[name] for name in one if name != "drop_lowest"} for one in fields.get("categories", ())]
    return fields | ({"categories": listed} if listed else {})


@pytest.mark.rest
@pytest.mark.database("both")
def test_a_category_list_from_before_the_upgrade_can_be_undone(
    owner: RestEntryPoint, course: Any, put: Setter, score: Any
) -> None:
    [quizzes] = put(_quizzes())
    score(quizzes, 50, 80)
    before = _breakdown(owner, course)
    put(_quizzes(id=quizzes["id"], weight=10), {"name": "Final", "weight": 60})
    [change] = owner.made("list_changes", limit=1)["data"]
    _as_before_the_upgrade(change)
    owner.made("undo_change", change_id=change["id"])
    assert _breakdown(owner, course) == before


@pytest.mark.rest
def test_a_category_that_now_drops_scores_is_not_overwritten(owner: RestEntryPoint, course: Any, put: Setter) -> None:
    [quizzes] = put(_quizzes())
    made = owner.made("create_course", name="Physics", grade_categories=[_quizzes()])
    _as_before_the_upgrade(*owner.made("list_changes", limit=2)["data"])
    changes = owner.made("list_changes", limit=2)["data"]
    put(_quizzes(id=quizzes["id"], drop_lowest=1))
    entered = made["grade_categories"][0]
    owner.made("set_grade_categories", course_id=made["id"], categories=[entered | {"drop_lowest": 1}])
    for change in changes:
        assert owner.call("undo_change", change_id=change["id"]).error == "conflict"


@pytest.mark.rest
def test_the_archive_contains_it(
    owner: RestEntryPoint, course: Any, put: Setter, make_member: MakeMember, entry_point: OpenEntryPoint
) -> None:
    put(_quizzes(drop_lowest=2))
    other = entry_point(make_member("other@example.org"))
    assert other.call("import_data", file=owner.made("export_data")).error is None
    [copied] = other.made("list_courses")["data"]
    assert [one["drop_lowest"] for one in _breakdown(other, copied)["categories"]] == [2]
