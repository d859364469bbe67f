"""Scores of items: what is graded, and how its category changes."""

from typing import Any

import pytest

from tests.operations.test_item_worth import weighted
from tests.support.entry_points import RestEntryPoint
from tests.support.samples import UNKNOWN_ID, fetched_item
from tests.support.tools import mcp_of

pytestmark = [pytest.mark.same_statements, pytest.mark.rest]


@pytest.fixture
def categories(owner: RestEntryPoint, course) -> dict[str, str]:
    return weighted(owner, course, {"Exams": 60, "Quizzes": 40})


@pytest.fixture
def quiz(owner: RestEntryPoint, course, categories) -> Any:
    """An item without a category."""
    return owner.made("create_item", course_id=course["id"], title="Quiz 1", kind="quiz", due_on="2030-12-03")


@pytest.fixture
def graded(owner: RestEntryPoint, course, categories, quiz) -> Any:
    """The score of `quiz` in the category Quizzes."""
    return added(owner, course, categories["Quizzes"], item_id=quiz["id"])


def added(owner: RestEntryPoint, course: Any, category_id: str, **fields: Any) -> Any:
    fields = {"label": "Quiz 1", "score": 80, **fields}
    return owner.made("add_grade_score", course_id=course["id"], category_id=category_id, **fields)


def test_a_score_grades_an_item(owner: RestEntryPoint, course, categories, quiz, graded) -> None:
    assert graded["item_id"] == quiz["id"]
    now = fetched_item(owner, quiz["id"])
    assert (now["status"], now["done"], now["category_id"], now["worth"]) == (
        "graded",
        False,
        categories["Quizzes"],
        40,
    )
    assert now["updated_at"] == quiz["updated_at"]
    breakdown = owner.made("get_grades", course_id=course["id"])
    assert breakdown["categories"][1]["scores"] == [graded | {"dropped": False}]
    [listed] = owner.made("list_items", status="graded")["data"]
    assert listed["id"] == quiz["id"]


def test_a_score_needs_no_item(owner: RestEntryPoint, course, categories) -> None:
    score = added(owner, course, categories["Quizzes"])
    assert score["item_id"] is None
    assert added(owner, course, categories["Quizzes"], item_id=None)["item_id"] is None


def test_an_item_has_one_score_and_its_category(owner: RestEntryPoint, course, categories, quiz, graded) -> None:
    other = owner.made("create_course", name="Other")
    elsewhere = owner.made("create_item", course_id=other["id"], title="Quiz")
    exam = owner.made("create_item", course_id=course["id"], title="Exam", category_id=categories["Exams"])
    score = added(owner, course, categories["Quizzes"])
    for item_id in (quiz["id"], elsewhere["id"], exam["id"], UNKNOWN_ID):
        fields = {"category_id": categories["Quizzes"], "item_id": item_id, "label": "x", "score": 1}
        assert owner.call("add_grade_score", course_id=course["id"], **fields).fields == ["item_id"]
        assert owner.call("update_grade_score", score_id=score["id"], item_id=item_id).fields == ["item_id"]
    assert len(owner.made("get_grades", course_id=course["id"])["categories"][1]["scores"]) == 2


def test_a_second_score_names_the_first_and_the_way_out(
    owner: RestEntryPoint, course, categories, quiz, graded
) -> None:
    fields = {"category_id": categories["Quizzes"], "item_id": quiz["id"], "label": "x", "score": 1}
    [detail] = owner.call("add_grade_score", course_id=course["id"], **fields).body["details"]
    assert detail["message"] == (
        f"The score {graded['id']} names this item. Delete it with delete_grade_score and add it again, or change it "
        "with update_grade_score over REST."
    )


def test_tools_name_no_source_of_ids_for_a_known_one(owner: RestEntryPoint, course, categories, quiz, graded) -> None:
    exam = owner.made("create_item", course_id=course["id"], title="Exam", category_id=categories["Exams"])
    for tool, given in (
        ("add_grade_score", {"category_id": categories["Quizzes"], "item_id": quiz["id"]}),
        ("add_grade_score", {"category_id": categories["Quizzes"], "item_id": exam["id"]}),
        ("update_item", {"category_id": categories["Exams"], "item_id": quiz["id"]}),
    ):
        sent = {"course_id": course["id"], "label": "x", "score": 1} if tool == "add_grade_score" else {}
        response = mcp_of(owner).rpc("tools/call", {"name": tool, "arguments": given | sent})
        [block] = response.json()["result"]["content"]
        assert block["text"].startswith("validation_failed")
        assert "for a valid" not in block["text"]


def test_a_graded_item_has_the_category_of_its_score(owner: RestEntryPoint, categories, quiz, graded) -> None:
    for category_id in (categories["Exams"], None):
        assert owner.call("update_item", item_id=quiz["id"], category_id=category_id).fields == ["category_id"]
    kept = owner.made("update_item", item_id=quiz["id"], category_id=categories["Quizzes"])
    assert kept["updated_at"] == quiz["updated_at"]


def test_an_item_moves_with_its_score(owner: RestEntryPoint, course, categories, quiz, graded) -> None:
    moved = owner.made("update_grade_score", score_id=graded["id"], category_id=categories["Exams"], item_id=quiz["id"])
    assert moved == graded | {"category_id": categories["Exams"]}
    now = fetched_item(owner, quiz["id"])
    assert (now["category_id"], now["worth"], now["updated_at"]) == (categories["Exams"], 60, quiz["updated_at"])


def test_null_unlinks_the_item_and_keeps_its_category(owner: RestEntryPoint, course, categories, quiz, graded) -> None:
    moved = owner.made("update_grade_score", score_id=graded["id"], item_id=None, category_id=categories["Exams"])
    assert (moved["item_id"], moved["category_id"]) == (None, categories["Exams"])
    now = fetched_item(owner, quiz["id"])
    assert (now["status"], now["category_id"]) == ("open", categories["Quizzes"])


def test_item_and_category_sent_together_must_match(owner: RestEntryPoint, course, categories, quiz, graded) -> None:
    exam = owner.made("create_item", course_id=course["id"], title="Exam", category_id=categories["Exams"])
    fields = {"item_id": exam["id"], "category_id": categories["Exams"]}
    moved = owner.made("update_grade_score", score_id=graded["id"], **fields)
    assert (moved["item_id"], moved["category_id"]) == (exam["id"], categories["Exams"])
    assert fetched_item(owner, exam["id"])["status"] == "graded"
    before = fetched_item(owner, quiz["id"])
    assert (before["status"], before["category_id"]) == ("open", categories["Quizzes"])


def test_deletions_unlink(owner: RestEntryPoint, course, categories, quiz, graded) -> None:
    owner.made("delete_grade_score", score_id=graded["id"])
    now = fetched_item(owner, quiz["id"])
    assert (now["status"], now["category_id"]) == ("open", categories["Quizzes"])
    again = added(owner, course, categories["Quizzes"], item_id=quiz["id"])
    owner.made("delete_item", item_id=quiz["id"])
    [score] = owner.made("get_grades", course_id=course["id"])["categories"][1]["scores"]
    assert score == again | {"item_id": None, "dropped": False}


def test_deleting_a_category_ungrades_its_items(owner: RestEntryPoint, course, categories, quiz, graded) -> None:
    left = [{"id": categories["Exams"], "name": "Exams", "weight": 60}]
    owner.made("set_grade_categories", course_id=course["id"], categories=left)
    now = fetched_item(owner, quiz["id"])
    assert (now["status"], now["category_id"], now["updated_at"]) == ("open", None, quiz["updated_at"])


def test_one_change_includes_the_effect_on_the_item(owner: RestEntryPoint, course, categories, quiz, graded) -> None:
    change = owner.made("list_changes", limit=1)["data"][0]
    assert (change["operation"], change["after"]["item_id"]) == ("add_grade_score", quiz["id"])
    assert change["after"]["items"] == 1
    [newest, _] = owner.made("list_changes", object_id=quiz["id"])["data"]
    assert newest == change


@pytest.mark.database("both")
@pytest.mark.django_db(transaction=True)
def test_one_of_two_concurrent_scores_grades_the_item(owner: RestEntryPoint, in_threads) -> None:
    course = owner.made("create_course", name="Cell Biology")
    category_id = weighted(owner, course, {"Quizzes": 40})["Quizzes"]
    item = owner.made("create_item", course_id=course["id"], title="Quiz 1")
    fields = {"course_id": course["id"], "category_id": category_id, "item_id": item["id"], "label": "Quiz 1"}
    answers = in_threads(lambda score: owner.call("add_grade_score", score=score, **fields), [70, 80, 90])
    assert sorted(answer.fields for answer in answers) == [[], ["item_id"], ["item_id"]]
    [category] = owner.made("get_grades", course_id=course["id"])["categories"]
    assert [score["item_id"] for score in category["scores"]] == [item["id"]]
