"""create_course: POST /v1/courses."""

from unittest.mock import ANY

import pytest

from tests.support.doors import RestDoor
from tests.support.samples import COURSE_LIMITS, COURSE_OPTIONAL, NOT_STRINGS, UNITS, text

pytestmark = pytest.mark.once("statements that others make too")


def test_it_creates(owner: RestDoor) -> None:
    answer = owner.call("create_course", name="  Cell Biology ", code="BIO 210")
    assert answer.body == {
        "id": ANY,
        "name": "Cell Biology",
        "code": "BIO 210",
        "term": "Fall semester",
        "meets": None,
        "institution": None,
        "subject": None,
        "has_syllabus": False,
        "created_at": ANY,
        "updated_at": ANY,
    }


def test_it_stores_every_field(owner: RestDoor) -> None:
    fields = {
        "name": "Cell Biology",
        "code": "BIO 210",
        "term": "Spring",
        "meets": "Mon 10:00–11:20",
        "institution": "Riverside College",
        "subject": "Biology",
    }
    made = owner.made("create_course", **fields)
    assert made == fields | {"id": ANY, "has_syllabus": False, "created_at": ANY, "updated_at": ANY}
    assert owner.made("list_courses")["data"] == [made]


def test_it_stamps_the_time(owner: RestDoor, time_machine) -> None:
    """Common shapes: ISO 8601 in UTC; decisions, 5: microseconds and `Z`."""
    time_machine.move_to("2099-11-21T12:00:00+01:00", tick=False)
    made = owner.made("create_course", name="Cell Biology")
    assert made["created_at"] == made["updated_at"] == "2099-11-21T11:00:00.000000Z"


def test_twice_makes_two(owner: RestDoor) -> None:
    first = owner.made("create_course", name="Cell Biology")
    second = owner.made("create_course", name="Cell Biology")
    assert first["id"] != second["id"]
    assert owner.made("list_courses")["data"] == [first, second]


@pytest.mark.parametrize("value", [None, "", " \t\n "])
@pytest.mark.parametrize("field", COURSE_OPTIONAL)
def test_null_and_blank_mean_none(owner: RestDoor, field: str, value: str | None) -> None:
    """Fine print, Text: blank optional text is stored as null."""
    assert owner.made("create_course", name="Cell Biology", **{field: value})[field] is None


@pytest.mark.parametrize("value", [None, "", "   ", "\u2003"])
@pytest.mark.parametrize("field", ["name", "term"])
def test_name_and_term_are_never_empty(owner: RestDoor, field: str, value: str | None) -> None:
    """Course: name 1-120 characters, term 1-60 and not nullable."""
    answer = owner.call("create_course", **({"name": "Cell Biology"} | {field: value}))
    assert (answer.error, answer.fields) == ("validation_failed", [field])


def test_the_name_is_required(owner: RestDoor) -> None:
    answer = owner.call("create_course", code="BIO 210")
    assert (answer.error, answer.fields) == ("validation_failed", ["name"])


@pytest.mark.parametrize(("field", "limit"), COURSE_LIMITS.items())
def test_text_fits_up_to_the_limit_and_no_further(owner: RestDoor, field: str, limit: int) -> None:
    """Decisions, 4: trimmed at both ends, then measured in Unicode code points."""
    for unit in UNITS:
        longest = text(unit, limit)
        made = owner.made("create_course", **({"name": "Cell Biology"} | {field: f"  {longest}\n"}))
        assert made[field] == longest
        answer = owner.call("create_course", **({"name": "Cell Biology"} | {field: text(unit, limit + 1)}))
        assert (answer.error, answer.fields) == ("validation_failed", [field]), unit


@pytest.mark.parametrize("field", COURSE_LIMITS)
def test_only_strings_that_can_be_stored_are_text(owner: RestDoor, field: str) -> None:
    """Decisions, 4: no number for a string."""
    for value in [*NOT_STRINGS, "a\x00b"]:
        answer = owner.call("create_course", **({"name": "Cell Biology"} | {field: value}))
        assert (answer.error, answer.fields) == ("validation_failed", [field]), value


def test_every_wrong_field_is_named(owner: RestDoor) -> None:
    """Errors: `details` lists each field."""
    answer = owner.call("create_course", name="", code=1, term=None, meets="x" * 121, subject="Biology")
    assert (answer.error, sorted(answer.fields)) == ("validation_failed", ["code", "meets", "name", "term"])


def test_a_refused_course_is_not_stored(owner: RestDoor) -> None:
    owner.call("create_course", name="Cell Biology", code="x" * 21)
    assert owner.made("list_courses")["data"] == []


def test_unknown_and_server_set_fields_are_ignored(owner: RestDoor, stranger: RestDoor) -> None:
    """Decisions, 4: the server ignores unknown fields."""
    foreign = stranger.made("get_me")["id"]
    sent = {
        "id": foreign,
        "member_id": foreign,
        "created_at": "2001-01-01T00:00:00Z",
        "color": 7,
    }
    made = owner.made("create_course", name="Cell Biology", **sent)
    assert made["id"] != foreign
    assert not made["created_at"].startswith("2001")
    assert made["has_syllabus"] is False
    assert "color" not in made
    assert owner.made("list_courses")["data"] == [made]


def test_the_thirty_first_conflicts(owner: RestDoor, stranger: RestDoor) -> None:
    """Limits: 30 courses per member (409)."""
    courses = [owner.made("create_course", name=f"Course {number}") for number in range(30)]
    assert owner.call("create_course", name="One more").error == "conflict"
    assert len(owner.made("list_courses")["data"]) == 30
    stranger.made("create_course", name="Another member's")
    owner.made("delete_course", course_id=courses[3]["id"])
    owner.made("create_course", name="One more")


def test_the_limit_is_checked_after_the_body(owner: RestDoor) -> None:
    """Decisions, 3: body (422), then count limits (409)."""
    for number in range(30):
        owner.made("create_course", name=f"Course {number}")
    answer = owner.call("create_course", name="")
    assert (answer.error, answer.fields) == ("validation_failed", ["name"])


@pytest.mark.rest
def test_over_rest_it_is_201(owner: RestDoor) -> None:
    """Conventions, 4: creates answer `201` with the new object."""
    response = owner.request("POST", "/v1/courses", json={"name": "Cell Biology"})
    assert response.status_code == 201
    assert owner.made("list_courses")["data"] == [response.json()]


@pytest.mark.rest
@pytest.mark.parametrize("body", ["[]", "null", '"name"', "7", "true", '[{"name": "x"}]'])
def test_over_rest_a_body_is_an_object(owner: RestDoor, body: str) -> None:
    """Decisions, 4: a body that is not an object is 422 with `field` = `body`."""
    response = owner.request("POST", "/v1/courses", data=body, content_type="application/json")
    assert response.status_code == 422
    assert [detail["field"] for detail in response.json()["error"]["details"]] == ["body"]


@pytest.mark.rest
def test_over_rest_an_empty_body_lacks_the_name(owner: RestDoor) -> None:
    """Fine print, Bodies: an empty POST reads as `{}`."""
    response = owner.request("POST", "/v1/courses")
    assert response.status_code == 422
    assert [detail["field"] for detail in response.json()["error"]["details"]] == ["name"]


@pytest.mark.rest
def test_over_rest_a_lone_surrogate_is_refused(owner: RestDoor) -> None:
    response = owner.request("POST", "/v1/courses", data=r'{"name": "a\ud800"}', content_type="application/json")
    assert response.status_code == 422
    assert [detail["field"] for detail in response.json()["error"]["details"]] == ["name"]


@pytest.mark.rest
def test_over_rest_an_escaped_surrogate_pair_is_one_character(owner: RestDoor) -> None:
    response = owner.request("POST", "/v1/courses", data=r'{"name": "\ud83c\udf93"}', content_type="application/json")
    assert response.json()["name"] == "🎓"
