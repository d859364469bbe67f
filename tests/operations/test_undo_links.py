"""Undo of changes of linked items, scores and categories."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.operations.test_item_worth import weighted
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.samples import fetched_item

pytestmark = [pytest.mark.same_statements, pytest.mark.rest]

EXAMS, QUIZZES = "Exams", "Quizzes"


class Linked:
    """A course with two categories, an item and its score, through REST."""

    def __init__(self, owner: RestEntryPoint, course: Any) -> None:
        self.owner, self.course = owner, course
        self.categories = weighted(owner, course, {EXAMS: 60, QUIZZES: 40})
        self.item = owner.made("create_item", course_id=course["id"], title="Quiz 1")
        self.score = self.scored(item_id=self.item["id"])

    def scored(self, name: str = QUIZZES, **fields: Any) -> Any:
        fields = {"label": "Quiz 1", "score": 80, "category_id": self.categories[name], **fields}
        return self.owner.made("add_grade_score", course_id=self.course["id"], **fields)

    def changed(self, operation_id: str, **arguments: Any) -> Callable[[], Any]:
        """Make a change. Return a function that undoes it and returns the error, if any."""
        self.owner.made(operation_id, **arguments)
        change_id = self.owner.made("list_changes", limit=1)["data"][0]["id"]
        return lambda: self.owner.call("undo_change", change_id=change_id).error

    def without(self, name: str) -> Callable[[], Any]:
        """Delete a category."""
        kept = self.owner.made("get_grades", course_id=self.course["id"])["categories"]
        left = [{field: one[field] for field in ("id", "name", "weight")} for one in kept if one["name"] != name]
        return self.changed("set_grade_categories", course_id=self.course["id"], categories=left)

    def now(self) -> tuple[str, str | None]:
        """The status of the item, and the name of its category."""
        item = fetched_item(self.owner, self.item["id"])
        names = {id_: name for name, id_ in self.categories.items()}
        return item["status"], names.get(item["category_id"])

    def scores(self) -> dict[str, str | None]:
        """The item of each score."""
        categories = self.owner.made("get_grades", course_id=self.course["id"])["categories"]
        return {score["id"]: score["item_id"] for one in categories for score in one["scores"]}


@pytest.fixture
def linked(owner: RestEntryPoint, course) -> Linked:
    return Linked(owner, course)


def test_undoing_a_link_restores_the_category(linked: Linked) -> None:
    before = fetched_item(linked.owner, linked.item["id"])
    other = linked.owner.made("create_item", course_id=linked.course["id"], title="Quiz 2")
    undo = linked.changed("update_grade_score", score_id=linked.score["id"], item_id=other["id"])
    assert fetched_item(linked.owner, other["id"])["category_id"] == linked.categories[QUIZZES]
    assert undo() is None
    assert fetched_item(linked.owner, other["id"]) == other
    assert fetched_item(linked.owner, linked.item["id"]) == before


def test_undoing_a_new_score_unlinks_its_item(linked: Linked) -> None:
    change_id = linked.owner.made("list_changes", object_id=linked.score["id"])["data"][0]["id"]
    linked.owner.made("undo_change", change_id=change_id)
    assert (linked.now(), linked.scores()) == (("open", None), {})
    assert fetched_item(linked.owner, linked.item["id"])["updated_at"] == linked.item["updated_at"]


def test_undoing_a_move_moves_both_back(linked: Linked) -> None:
    undo = linked.changed("update_grade_score", score_id=linked.score["id"], category_id=linked.categories[EXAMS])
    assert linked.now() == ("graded", EXAMS)
    assert undo() is None
    assert linked.now() == ("graded", QUIZZES)


def test_undoing_an_items_deletion_links_its_score(linked: Linked) -> None:
    undo = linked.changed("delete_item", item_id=linked.item["id"])
    assert linked.scores() == {linked.score["id"]: None}
    assert undo() is None
    assert (linked.now(), linked.scores()) == (("graded", QUIZZES), {linked.score["id"]: linked.item["id"]})


@each("to", ["category", "item"])
def test_undoing_an_items_deletion_skips_a_score_moved_since(linked: Linked, to: str) -> None:
    undo = linked.changed("delete_item", item_id=linked.item["id"])
    other = linked.owner.made("create_item", course_id=linked.course["id"], title="Quiz 2")
    moved = {"category_id": linked.categories[EXAMS]} if to == "category" else {"item_id": other["id"]}
    linked.owner.made("update_grade_score", score_id=linked.score["id"], **moved)
    scores = linked.scores()
    assert undo() is None
    assert (linked.now(), linked.scores()) == (("open", QUIZZES), scores)


@pytest.mark.database("both")
def test_undoing_an_items_deletion_works_without_its_category(linked: Linked) -> None:
    undo_item = linked.changed("delete_item", item_id=linked.item["id"])
    undo_category = linked.without(QUIZZES)
    assert undo_item() is None
    assert linked.now() == ("open", None)
    assert undo_category() is None
    assert linked.scores() == {linked.score["id"]: linked.item["id"]}
    assert linked.now() == ("graded", QUIZZES)


def test_undoing_a_scores_deletion_links_it(linked: Linked) -> None:
    undo = linked.changed("delete_grade_score", score_id=linked.score["id"])
    assert undo() is None
    assert (linked.now(), linked.scores()) == (("graded", QUIZZES), {linked.score["id"]: linked.item["id"]})


@pytest.mark.database("both")
def test_undoing_a_scores_deletion_fails_if_another_score_has_the_item(linked: Linked) -> None:
    undo = linked.changed("delete_grade_score", score_id=linked.score["id"])
    other = linked.scored(item_id=linked.item["id"])
    assert undo() == "conflict"
    assert linked.scores() == {other["id"]: linked.item["id"]}


def test_undoing_a_scores_deletion_fails_if_the_item_moved(linked: Linked) -> None:
    undo = linked.changed("delete_grade_score", score_id=linked.score["id"])
    linked.owner.made("update_item", item_id=linked.item["id"], category_id=linked.categories[EXAMS])
    assert undo() == "conflict"
    assert (linked.now(), linked.scores()) == (("open", EXAMS), {})


def test_undoing_a_categorys_deletion_links_items_again(linked: Linked) -> None:
    plain = linked.owner.made(
        "create_item", course_id=linked.course["id"], title="Quiz 2", category_id=linked.categories[QUIZZES]
    )
    moved = linked.owner.made(
        "create_item", course_id=linked.course["id"], title="Quiz 3", category_id=linked.categories[QUIZZES]
    )
    before = [fetched_item(linked.owner, one["id"]) for one in (linked.item, plain)]
    undo = linked.without(QUIZZES)
    linked.owner.made("update_item", item_id=moved["id"], category_id=linked.categories[EXAMS])
    assert undo() is None
    assert linked.now() == ("graded", QUIZZES)
    after = [fetched_item(linked.owner, one["id"]) for one in (linked.item, plain)]
    told = [{name: one[name] for name in one if name != "worth"} for one in before]
    assert [{name: one[name] for name in one if name != "worth"} for one in after] == told
    assert fetched_item(linked.owner, moved["id"])["category_id"] == linked.categories[EXAMS]


@each("since", ["score", "category"])
def test_undoing_a_categorys_deletion_fails_if_an_item_is_graded_elsewhere(linked: Linked, since: str) -> None:
    undo = linked.without(QUIZZES)
    if since == "score":
        linked.scored(EXAMS, item_id=linked.item["id"])
    else:
        linked.owner.made("update_item", item_id=linked.item["id"], category_id=linked.categories[EXAMS])
    before = (linked.now(), linked.scores())
    assert undo() == "conflict"
    assert (linked.now(), linked.scores()) == before


@pytest.mark.database("both")
def test_undoing_several_deleted_categories_links_each(linked: Linked) -> None:
    exam = linked.owner.made("create_item", course_id=linked.course["id"], title="Exam")
    score = linked.scored(EXAMS, item_id=exam["id"])
    undo = linked.changed("set_grade_categories", course_id=linked.course["id"], categories=[])
    assert undo() is None
    assert linked.now() == ("graded", QUIZZES)
    assert fetched_item(linked.owner, exam["id"])["category_id"] == linked.categories[EXAMS]
    assert linked.scores() == {linked.score["id"]: linked.item["id"], score["id"]: exam["id"]}


@pytest.mark.database("both")
def test_undoing_a_courses_deletion_links_everything(linked: Linked) -> None:
    before = (linked.now(), linked.scores())
    undo = linked.changed("delete_course", course_id=linked.course["id"])
    assert undo() is None
    assert (linked.now(), linked.scores()) == before


def test_undoing_a_category_change_fails_once_a_score_uses_it(linked: Linked) -> None:
    item = linked.owner.made("create_item", course_id=linked.course["id"], title="Exam")
    undo = linked.changed("update_item", item_id=item["id"], category_id=linked.categories[EXAMS])
    linked.scored(EXAMS, item_id=item["id"])
    assert undo() == "conflict"
    assert fetched_item(linked.owner, item["id"])["category_id"] == linked.categories[EXAMS]


def test_undoing_a_new_item_fails_once_it_is_graded(linked: Linked) -> None:
    change_id = linked.owner.made("list_changes", object_id=linked.item["id"])["data"][-1]["id"]
    assert linked.owner.call("undo_change", change_id=change_id).error == "conflict"
