"""delete_course: DELETE /v1/courses/{course_id}. test_deletion_cascade tests the dependent data."""

import pytest

from tests.support.entry_points import RestEntryPoint

pytestmark = pytest.mark.same_statements


def test_it_deletes(owner: RestEntryPoint, course) -> None:
    """Common shapes: Deleted."""
    assert owner.made("delete_course", course_id=course["id"]) == {"id": course["id"], "deleted": True}
    assert owner.made("list_courses")["data"] == []
    assert owner.call("get_course", course_id=course["id"]).error == "not_found"


def test_other_courses_are_unchanged(owner: RestEntryPoint, course) -> None:
    other = owner.made("create_course", name="Algebra")
    owner.made("delete_course", course_id=course["id"])
    assert owner.made("list_courses")["data"] == [other]
