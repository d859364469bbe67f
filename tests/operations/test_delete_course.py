"""delete_course: DELETE /v1/courses/{course_id}. What goes with a course is in test_deletion_cascade."""

import pytest

from tests.support.doors import RestDoor
from tests.support.samples import UNKNOWN_ID, refusal

pytestmark = pytest.mark.once("statements that others make too")


def test_it_deletes(owner: RestDoor, course) -> None:
    """Common shapes: Deleted."""
    assert owner.made("delete_course", course_id=course["id"]) == {"id": course["id"], "deleted": True}
    assert owner.made("list_courses")["data"] == []
    assert owner.call("get_course", course_id=course["id"]).error == "not_found"


def test_twice_is_not_found(owner: RestDoor, course) -> None:
    owner.made("delete_course", course_id=course["id"])
    assert owner.call("delete_course", course_id=course["id"]).error == "not_found"


def test_other_courses_stay(owner: RestDoor, course) -> None:
    other = owner.made("create_course", name="Algebra")
    owner.made("delete_course", course_id=course["id"])
    assert owner.made("list_courses")["data"] == [other]


def test_an_id_in_capitals_names_the_course(owner: RestDoor, course) -> None:
    assert owner.made("delete_course", course_id=course["id"].upper()) == {"id": course["id"], "deleted": True}


def test_someone_elses_course_is_not_found_and_stays(owner: RestDoor, stranger: RestDoor, course) -> None:
    """Rule 1: the same answer as for an object that does not exist."""
    foreign = stranger.call("delete_course", course_id=course["id"])
    assert foreign.error == "not_found"
    assert refusal(foreign) == refusal(stranger.call("delete_course", course_id=UNKNOWN_ID))
    assert owner.made("list_courses")["data"] == [course]


def test_a_malformed_id_is_named(owner: RestDoor) -> None:
    answer = owner.call("delete_course", course_id="nope")
    assert (answer.error, answer.fields) == ("validation_failed", ["course_id"])


@pytest.mark.rest
def test_over_rest_it_is_200(owner: RestDoor, course) -> None:
    """Conventions, 4: deletes answer `200` with Deleted."""
    response = owner.request("DELETE", f"/v1/courses/{course['id']}")
    assert (response.status_code, response.json()) == (200, {"id": course["id"], "deleted": True})
