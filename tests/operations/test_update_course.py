"""update_course: PATCH /v1/courses/{course_id}."""

from unittest.mock import ANY

import pytest

from tests.support.doors import RestDoor
from tests.support.samples import (
    COURSE_LIMITS,
    COURSE_OPTIONAL,
    NOT_STRINGS,
    UNITS,
    UNKNOWN_ID,
    fetched_item,
    refusal,
    text,
)

pytestmark = pytest.mark.once("statements that others make too")

FULL = {
    "name": "Cell Biology",
    "code": "BIO 210",
    "term": "Spring",
    "meets": "Mon 10:00",
    "institution": "Riverside College",
    "subject": "Biology",
}


@pytest.fixture
def full(owner: RestDoor):
    """A course with every field set."""
    return owner.made("create_course", **FULL)


@pytest.mark.every_database
def test_it_changes_every_field(owner: RestDoor, full) -> None:
    new = {
        "name": "Algebra",
        "code": "MATH 1",
        "term": "Summer",
        "meets": "Tue",
        "institution": "Hill",
        "subject": "Mathematics",
    }
    changed = owner.made("update_course", course_id=full["id"], **new)
    assert changed == full | new | {"updated_at": ANY}
    assert owner.made("list_courses")["data"] == [changed]


@pytest.mark.parametrize("field", COURSE_LIMITS)
def test_it_changes_only_what_is_sent(owner: RestDoor, full, field: str) -> None:
    """Conventions, 3: PATCH changes only fields sent."""
    changed = owner.made("update_course", course_id=full["id"], **{field: " New "})
    assert changed == full | {field: "New", "updated_at": ANY}


@pytest.mark.every_database
@pytest.mark.parametrize("value", [None, "", "  "])
@pytest.mark.parametrize("field", COURSE_OPTIONAL)
def test_null_clears_an_optional_field(owner: RestDoor, full, field: str, value: str | None) -> None:
    changed = owner.made("update_course", course_id=full["id"], **{field: value})
    assert changed == full | {field: None, "updated_at": ANY}


@pytest.mark.parametrize("value", [None, "", "   "])
@pytest.mark.parametrize("field", ["name", "term"])
def test_name_and_term_are_never_empty(owner: RestDoor, full, field: str, value: str | None) -> None:
    answer = owner.call("update_course", course_id=full["id"], **{field: value})
    assert (answer.error, answer.fields) == ("validation_failed", [field])


def test_an_empty_object_changes_nothing(owner: RestDoor, full) -> None:
    """Conventions, 3: an empty object changes nothing; so `updated_at` stays too."""
    assert owner.made("update_course", course_id=full["id"]) == full
    assert owner.made("list_courses")["data"] == [full]


def test_unknown_fields_change_nothing(owner: RestDoor, full, stranger: RestDoor) -> None:
    foreign = stranger.made("get_me")["id"]
    sent = {"id": foreign, "member_id": foreign, "created_at": "2001-01-01T00:00:00Z", "no": 1}
    assert owner.made("update_course", course_id=full["id"], **sent) == full
    assert owner.made("list_courses")["data"] == [full]


@pytest.mark.every_database
def test_a_fetched_course_can_be_sent_back(owner: RestDoor, full) -> None:
    """Decisions, 4: a client may send a fetched object back."""
    fetched = owner.made("get_course", course_id=full["id"], include_syllabus=True)
    changed = owner.made("update_course", course_id=full["id"], **(fetched | {"name": "Algebra"}))
    assert changed == full | {"name": "Algebra", "updated_at": ANY}


def test_only_updated_at_moves(owner: RestDoor, full, time_machine) -> None:
    time_machine.move_to("2099-01-01T00:00:00Z", tick=False)
    changed = owner.made("update_course", course_id=full["id"], name="Algebra")
    assert changed["created_at"] == full["created_at"]
    assert changed["updated_at"] == "2099-01-01T00:00:00.000000Z"


@pytest.mark.every_database
def test_twice_leaves_the_same(owner: RestDoor, full) -> None:
    first = owner.made("update_course", course_id=full["id"], name="Algebra", code=None)
    second = owner.made("update_course", course_id=full["id"], name="Algebra", code=None)
    assert second == first | {"updated_at": ANY}


def test_a_new_name_shows_on_items_and_milestones(owner: RestDoor, course, item, milestone) -> None:
    owner.made("update_course", course_id=course["id"], name="Algebra")
    assert fetched_item(owner, item["id"]) == item | {"course_name": "Algebra"}
    assert owner.made("list_milestones", item_id=item["id"])["data"] == [milestone | {"course_name": "Algebra"}]


def test_other_courses_stay(owner: RestDoor, course, full) -> None:
    owner.made("update_course", course_id=full["id"], name="Algebra")
    assert owner.made("list_courses")["data"][0] == course


@pytest.mark.parametrize(("field", "limit"), COURSE_LIMITS.items())
def test_text_is_limited_in_code_points(owner: RestDoor, full, field: str, limit: int) -> None:
    for unit in UNITS:
        longest = text(unit, limit)
        assert owner.made("update_course", course_id=full["id"], **{field: f" {longest} "})[field] == longest
        answer = owner.call("update_course", course_id=full["id"], **{field: text(unit, limit + 1)})
        assert (answer.error, answer.fields) == ("validation_failed", [field]), unit


@pytest.mark.parametrize("field", COURSE_LIMITS)
def test_only_strings_that_can_be_stored_are_text(owner: RestDoor, full, field: str) -> None:
    for value in [*NOT_STRINGS, "a\x00b"]:
        answer = owner.call("update_course", course_id=full["id"], **{field: value})
        assert (answer.error, answer.fields) == ("validation_failed", [field]), value


def test_one_wrong_field_changes_none(owner: RestDoor, full) -> None:
    answer = owner.call("update_course", course_id=full["id"], name="Algebra", code="x" * 21, term=None)
    assert (answer.error, sorted(answer.fields)) == ("validation_failed", ["code", "term"])
    assert owner.made("list_courses")["data"] == [full]


def test_someone_elses_course_is_not_found_and_stays(owner: RestDoor, stranger: RestDoor, full) -> None:
    foreign = stranger.call("update_course", course_id=full["id"], name="Mine")
    assert foreign.error == "not_found"
    assert refusal(foreign) == refusal(stranger.call("update_course", course_id=UNKNOWN_ID, name="Mine"))
    assert owner.made("list_courses")["data"] == [full]


def test_an_empty_object_for_a_missing_course_is_not_found(owner: RestDoor) -> None:
    assert owner.call("update_course", course_id=UNKNOWN_ID).error == "not_found"


def test_a_missing_course_comes_before_a_wrong_body(stranger: RestDoor, course) -> None:
    """Decisions, 3: object (404), then body (422)."""
    assert stranger.call("update_course", course_id=UNKNOWN_ID, name="").error == "not_found"
    assert stranger.call("update_course", course_id=course["id"], name="").error == "not_found"


def test_a_malformed_id_comes_first_and_alone(owner: RestDoor) -> None:
    """Decisions, 3: path ids (422), then object (404), then body (422)."""
    answer = owner.call("update_course", course_id="nope", name="")
    assert (answer.error, answer.fields) == ("validation_failed", ["course_id"])


@pytest.mark.every_database
@pytest.mark.django_db(transaction=True)
def test_parallel_changes_of_different_fields_all_stay(owner: RestDoor, course, in_threads) -> None:
    fields = list(COURSE_LIMITS)
    in_threads(lambda field: owner.made("update_course", course_id=course["id"], **{field: "New"}), fields)
    [stored] = owner.made("list_courses")["data"]
    assert {field: stored[field] for field in fields} == dict.fromkeys(fields, "New")


@pytest.mark.rest
def test_over_rest_the_body_is_optional(owner: RestDoor, full) -> None:
    """Conventions, 3: PATCH bodies are optional."""
    response = owner.request("PATCH", f"/v1/courses/{full['id']}")
    assert (response.status_code, response.json()) == (200, full)


@pytest.mark.rest
@pytest.mark.parametrize("body", ["[]", "null", '"name"', "7"])
def test_over_rest_a_body_is_an_object(owner: RestDoor, full, body: str) -> None:
    response = owner.request("PATCH", f"/v1/courses/{full['id']}", data=body, content_type="application/json")
    assert response.status_code == 422
    assert [detail["field"] for detail in response.json()["error"]["details"]] == ["body"]


@pytest.mark.rest
def test_over_rest_broken_json_comes_before_a_malformed_id(owner: RestDoor) -> None:
    """Decisions, 3: content type and JSON (400), then path ids (422)."""
    response = owner.request("PATCH", "/v1/courses/nope", data="{", content_type="application/json")
    assert response.status_code == 400
    assert response.json()["error"]["type"] == "invalid_request"


@pytest.mark.every_database
def test_it_stores_replaces_and_clears_the_syllabus(owner: RestDoor, course) -> None:
    """The answer is a plain Course; null clears the text."""
    for sent, stored in (
        ("  Week 1\nCells ", "Week 1\nCells"),
        ("Week 2", "Week 2"),
        (None, None),
        ("a", "a"),
        (" ", None),
    ):
        changed = owner.made("update_course", course_id=course["id"], syllabus_text=sent)
        assert changed == course | {"has_syllabus": stored is not None, "updated_at": ANY}
        assert owner.made("get_course", course_id=course["id"], include_syllabus=True)["syllabus_text"] == stored


def test_what_is_entered_with_a_new_course_alone_is_ignored(owner: RestDoor, course) -> None:
    owner.made("update_course", course_id=course["id"], name="Botany", items=[{"title": "Quiz"}])
    assert owner.made("list_items")["data"] == []
