"""create_course: POST /v1/courses."""

from unittest.mock import ANY

import pytest

from tests.support.entry_points import RestEntryPoint

pytestmark = pytest.mark.same_statements


def test_it_creates(owner: RestEntryPoint) -> None:
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
        "archived": False,
        "created_at": ANY,
        "updated_at": ANY,
    }


def test_it_stores_every_field(owner: RestEntryPoint) -> None:
    fields = {
        "name": "Cell Biology",
        "code": "BIO 210",
        "term": "Spring",
        "meets": "Mon 10:00–11:20",
        "institution": "Riverside College",
        "subject": "Biology",
    }
    made = owner.made("create_course", **fields)
    assert made == fields | {"id": ANY, "has_syllabus": False, "archived": False, "created_at": ANY, "updated_at": ANY}
    assert owner.made("list_courses")["data"] == [made]


def test_it_stamps_the_time(owner: RestEntryPoint, time_machine) -> None:
    """Common shapes: ISO 8601 in UTC; decisions, 5: microseconds and `Z`."""
    time_machine.move_to("2099-11-21T12:00:00+01:00", tick=False)
    made = owner.made("create_course", name="Cell Biology")
    assert made["created_at"] == made["updated_at"] == "2099-11-21T11:00:00.000000Z"


def test_calling_it_twice_creates_two(owner: RestEntryPoint) -> None:
    first = owner.made("create_course", name="Cell Biology")
    second = owner.made("create_course", name="Cell Biology")
    assert first["id"] != second["id"]
    assert owner.made("list_courses")["data"] == [first, second]


def test_unknown_and_server_set_fields_are_ignored(owner: RestEntryPoint, stranger: RestEntryPoint) -> None:
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


def test_the_thirty_first_conflicts(owner: RestEntryPoint, stranger: RestEntryPoint) -> None:
    """Limits: 30 courses per member (409)."""
    courses = [owner.made("create_course", name=f"Course {number}") for number in range(30)]
    assert owner.call("create_course", name="One more").error == "conflict"
    assert len(owner.made("list_courses")["data"]) == 30
    stranger.made("create_course", name="Another member's")
    owner.made("delete_course", course_id=courses[3]["id"])
    owner.made("create_course", name="One more")


@pytest.mark.rest
def test_an_escaped_surrogate_pair_in_json_is_one_character(owner: RestEntryPoint) -> None:
    response = owner.request("POST", "/v1/courses", data=r'{"name": "\ud83c\udf93"}', content_type="application/json")
    assert response.json()["name"] == "🎓"
