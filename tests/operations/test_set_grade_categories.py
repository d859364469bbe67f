"""set_grade_categories: PUT /v1/courses/{course_id}/grade-categories."""

from collections.abc import Callable
from typing import Any
from unittest.mock import ANY
from uuid import uuid4

import pytest

from tests.support.cases import each
from tests.support.entry_points import Answer, RestEntryPoint, document

pytestmark = [pytest.mark.django_db, pytest.mark.same_statements]

Setter = Callable[..., Answer]


@pytest.fixture
def put(owner: RestEntryPoint, course: Any) -> Setter:
    """Replaces the categories of the owner's course."""

    def call(*entries: Any) -> Answer:
        return owner.call("set_grade_categories", course_id=course["id"], categories=list(entries))

    return call


@pytest.fixture
def quizzes(owner: RestEntryPoint, course: Any, put: Setter) -> Any:
    """A category of the course with one score."""
    [category] = put({"name": "Quizzes", "weight": 40}).body["categories"]
    owner.made("add_grade_score", course_id=course["id"], category_id=category["id"], label="Quiz 1", score=80)
    return category


@pytest.fixture
def breakdown(owner: RestEntryPoint, course: Any) -> Callable[[], Any]:
    """Returns the course's breakdown."""
    return lambda: owner.made("get_grades", course_id=course["id"])


def entry(**fields: Any) -> dict[str, Any]:
    return {"name": "Exam", "weight": 50} | fields


def test_it_returns_the_breakdown(put: Setter, course: Any, breakdown) -> None:
    answer = put({"name": "  Quizzes ", "weight": 40}, {"name": "Exam", "weight": 60.5})
    assert answer.body == {
        "course_id": course["id"],
        "course_name": "Cell Biology",
        "categories": [
            {"id": ANY, "name": "Quizzes", "weight": 40, "drop_lowest": 0, "average": None, "scores": []},
            {"id": ANY, "name": "Exam", "weight": 60.5, "drop_lowest": 0, "average": None, "scores": []},
        ],
        "current_grade": None,
        "letter_grade": None,
        "outlook": ANY,
    }
    assert answer.body == breakdown()


def test_an_existing_id_keeps_its_scores(put: Setter, quizzes: Any) -> None:
    [category] = put({"id": quizzes["id"], "name": "Tests", "weight": 10}).body["categories"]
    assert category == {
        "id": quizzes["id"],
        "name": "Tests",
        "weight": 10,
        "drop_lowest": 0,
        "average": 80,
        "scores": [
            {
                "id": ANY,
                "category_id": quizzes["id"],
                "item_id": None,
                "label": "Quiz 1",
                "score": 80,
                "points": None,
                "out_of": None,
                "created_at": ANY,
                "dropped": False,
            }
        ],
    }


def test_an_existing_id_is_accepted_in_any_case(put: Setter, quizzes: Any) -> None:
    [category] = put(entry(id=quizzes["id"].upper())).body["categories"]
    assert (category["id"], len(category["scores"])) == (quizzes["id"], 1)


def test_the_same_name_without_an_id_is_a_new_category(put: Setter, quizzes: Any) -> None:
    [category] = put({"name": "Quizzes", "weight": 40}).body["categories"]
    assert category["id"] != quizzes["id"]
    assert category["scores"] == []


def test_the_description_warns_that_a_name_keeps_no_scores() -> None:
    """Scripts that match categories by name have lost scores."""
    fields = document()["components"]["schemas"]["CategoryBody"]["properties"]
    assert "the same name" in fields["id"]["description"]


def test_the_categories_of_get_grades_can_be_sent_back_with_another_weight(
    put: Setter, quizzes: Any, owner: RestEntryPoint, course: Any
) -> None:
    """As docs/grades.md advises: unknown fields are ignored, and scores are kept."""
    score = owner.made("add_grade_score", course_id=course["id"], category_id=quizzes["id"], label="One", score=80)
    [category] = owner.made("get_grades", course_id=course["id"])["categories"]
    [kept] = put(category | {"weight": 50}).body["categories"]
    assert kept["weight"] == 50
    assert score["id"] in [one["id"] for one in kept["scores"]]


def test_repeating_a_list_without_ids_recreates_its_categories(put: Setter, quizzes: Any) -> None:
    first, again = (put({"name": "Exams", "weight": 40}).body["categories"] for _ in range(2))
    assert first[0]["id"] != again[0]["id"]


def test_omitted_categories_are_deleted_with_their_scores(
    put: Setter, quizzes: Any, owner: RestEntryPoint, breakdown
) -> None:
    """Spec, set_grade_categories: existing categories left out are deleted with their scores."""
    [score] = breakdown()["categories"][0]["scores"]
    put(entry())
    assert [category["name"] for category in breakdown()["categories"]] == ["Exam"]
    assert owner.call("delete_grade_score", score_id=score["id"]).error == "not_found"


def test_an_empty_list_deletes_all(put: Setter, quizzes: Any, breakdown) -> None:
    assert put().body["categories"] == []
    assert breakdown()["categories"] == []


def test_the_order_of_the_list_is_kept(put: Setter, breakdown) -> None:
    made = put(*(entry(name=name) for name in "DACB")).body["categories"]
    put(*(entry(id=made[index]["id"], name=made[index]["name"]) for index in (2, 0, 3, 1)))
    assert [category["name"] for category in breakdown()["categories"]] == ["C", "D", "B", "A"]


def test_a_new_entry_can_precede_a_kept_one(put: Setter, quizzes: Any) -> None:
    made = put(entry(name="New"), entry(id=quizzes["id"], name="Quizzes")).body["categories"]
    assert [(category["name"], len(category["scores"])) for category in made] == [("New", 0), ("Quizzes", 1)]


def test_a_null_id_means_none(put: Setter) -> None:
    """Decisions 12, Null."""
    assert put(entry(id=None)).body["categories"] == [
        {"id": ANY, "name": "Exam", "weight": 50, "drop_lowest": 0, "average": None, "scores": []}
    ]


def test_twelve_entries_are_accepted(put: Setter) -> None:
    assert len(put(*(entry() for _ in range(12))).body["categories"]) == 12


def test_thirteen_entries_are_rejected(put: Setter, quizzes: Any, breakdown) -> None:
    """Decisions 4: a list over its limit is 422, not 409."""
    before = breakdown()
    answer = put(*(entry() for _ in range(13)))
    assert (answer.error, answer.fields) == ("validation_failed", ["categories"])
    assert breakdown() == before


def test_a_repeated_id_changes_nothing(put: Setter, quizzes: Any, breakdown) -> None:
    before = breakdown()
    answer = put(entry(name="New"), entry(id=quizzes["id"]), entry(id=quizzes["id"]))
    assert (answer.error, answer.fields) == ("validation_failed", ["categories[2].id"])
    assert breakdown() == before


def test_an_unknown_id_changes_nothing(put: Setter, quizzes: Any, breakdown) -> None:
    before = breakdown()
    answer = put(entry(), entry(id=str(uuid4())))
    assert (answer.error, answer.fields) == ("validation_failed", ["categories[1].id"])
    assert breakdown() == before


def test_a_category_of_another_course_is_unknown(owner: RestEntryPoint, put: Setter, quizzes: Any) -> None:
    other = owner.made("create_course", name="Other")
    answer = owner.call("set_grade_categories", course_id=other["id"], categories=[entry(id=quizzes["id"])])
    assert answer.fields == ["categories[0].id"]
    assert put(entry(id=quizzes["id"])).body["categories"][0]["average"] == 80


def test_a_strangers_category_is_unknown(stranger: RestEntryPoint, quizzes: Any, breakdown) -> None:
    before = breakdown()
    course = stranger.made("create_course", name="Mine")
    answer = stranger.call("set_grade_categories", course_id=course["id"], categories=[entry(id=quizzes["id"])])
    assert (answer.error, answer.fields) == ("validation_failed", ["categories[0].id"])
    assert breakdown() == before


def test_every_unknown_id_is_named(put: Setter, quizzes: Any) -> None:
    answer = put(entry(id=str(uuid4())), entry(id=quizzes["id"]), entry(id=quizzes["id"]), entry(id=str(uuid4())))
    assert answer.fields == ["categories[0].id", "categories[2].id", "categories[3].id"]


@each(
    ("changes", "field"),
    [
        ({"id": "17"}, "id"),
        ({"id": 17}, "id"),
        ({"id": ""}, "id"),
        ({"name": ""}, "name"),
        ({"name": " \t\n"}, "name"),
        ({"name": None}, "name"),
        ({"name": 5}, "name"),
        ({"name": "x" * 61}, "name"),
        ({"name": "nul\0"}, "name"),
        ({"weight": -0.0001}, "weight"),
        ({"weight": 100.0001}, "weight"),
        ({"weight": 100.00001}, "weight"),
        ({"weight": "50"}, "weight"),
        ({"weight": True}, "weight"),
        ({"weight": None}, "weight"),
        ({"weight": [50]}, "weight"),
        ({"weight": 10**30}, "weight"),
    ],
)
def test_an_invalid_field_is_named_with_its_position(put: Setter, changes: dict[str, Any], field: str) -> None:
    answer = put(entry(), entry(**changes))
    assert (answer.error, answer.fields) == ("validation_failed", [f"categories[1].{field}"])


@each("missing", ["name", "weight"])
def test_a_missing_field_is_named(put: Setter, missing: str) -> None:
    fields = entry()
    del fields[missing]
    assert put(fields).fields == [f"categories[0].{missing}"]


@each("weight", [0, 100, 33.3333])
def test_weights_within_bounds_are_stored(put: Setter, weight: float) -> None:
    assert put(entry(weight=weight)).body["categories"][0]["weight"] == weight


@each(("weight", "kept"), [(33.33335, 33.3334), (33.33334, 33.3333), (0.00005, 0.0001), (-0.0, 0)])
def test_weights_are_rounded_half_up_to_four_decimals(put: Setter, weight: float, kept: float) -> None:
    """Decisions 12."""
    answered = put(entry(weight=weight)).body["categories"][0]["weight"]
    assert str(answered) == str(float(kept))


@each("length", [1, 60])
def test_names_are_measured_in_code_points_after_trimming(put: Setter, length: int) -> None:
    assert put(entry(name=f" {'🎓' * length} ")).body["categories"][0]["name"] == "🎓" * length


@each("entries", [None, {}, "none", 12, [[]], ["Exam"], [None]])
def test_a_value_that_is_not_a_list_of_objects_is_rejected(owner: RestEntryPoint, course: Any, entries: Any) -> None:
    answer = owner.call("set_grade_categories", course_id=course["id"], categories=entries)
    assert answer.error == "validation_failed"
    assert answer.fields == (["categories[0]"] if isinstance(entries, list) else ["categories"])


def test_unknown_fields_are_ignored(put: Setter, quizzes: Any, breakdown) -> None:
    """Decisions 4: a client may send a fetched object back."""
    before = breakdown()
    assert put(*before["categories"]).body == before


def test_sending_it_twice_returns_the_same(put: Setter, quizzes: Any) -> None:
    """A PUT may be retried (spec, Client behaviour advised)."""
    first = put(entry(id=quizzes["id"])).body
    assert put(entry(id=quizzes["id"])).body == first


@pytest.mark.database("both")
@pytest.mark.django_db(transaction=True)
def test_one_of_several_parallel_replacements_remains_complete(owner: RestEntryPoint, course: Any, in_threads) -> None:
    lists = [[{"name": f"{writer}.{place}", "weight": 5} for place in range(writer % 12 + 1)] for writer in range(16)]
    answers = in_threads(
        lambda entries: owner.call("set_grade_categories", course_id=course["id"], categories=entries), lists
    )
    assert [answer.error for answer in answers] == [None] * 16
    left = owner.made("get_grades", course_id=course["id"])["categories"]
    assert [{"name": category["name"], "weight": category["weight"]} for category in left] in lists


@pytest.mark.database("both")
@pytest.mark.django_db(transaction=True)
def test_parallel_replacements_of_kept_categories_keep_their_scores(
    owner: RestEntryPoint, course: Any, quizzes: Any, in_threads
) -> None:
    def replace(name: str) -> Answer:
        entries = [{"id": quizzes["id"], "name": name, "weight": 1}, {"name": name, "weight": 2}]
        return owner.call("set_grade_categories", course_id=course["id"], categories=entries)

    names = [f"Writer {number}" for number in range(12)]
    assert [answer.error for answer in in_threads(replace, names)] == [None] * 12
    [kept, other] = owner.made("get_grades", course_id=course["id"])["categories"]
    assert (kept["id"], kept["average"]) == (quizzes["id"], 80)
    assert kept["name"] == other["name"]
