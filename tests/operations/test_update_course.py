"""update_course: PATCH /v1/courses/{course_id}."""

from unittest.mock import ANY

import pytest

from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.samples import (
    COURSE_LIMITS,
    fetched_item,
)

pytestmark = pytest.mark.same_statements

FULL = {
    "name": "Cell Biology",
    "code": "BIO 210",
    "term": "Spring",
    "meets": "Mon 10:00",
    "institution": "Riverside College",
    "subject": "Biology",
}


@pytest.fixture
def full(owner: RestEntryPoint):
    """A course with every field set."""
    return owner.made("create_course", **FULL)


@pytest.mark.database("both")
def test_it_changes_every_field(owner: RestEntryPoint, full) -> None:
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


@each("field", COURSE_LIMITS)
def test_it_changes_only_sent_fields(owner: RestEntryPoint, full, field: str) -> None:
    """Conventions, 3: PATCH changes only the fields sent."""
    changed = owner.made("update_course", course_id=full["id"], **{field: " New "})
    assert changed == full | {field: "New", "updated_at": ANY}


def test_unknown_fields_change_nothing(owner: RestEntryPoint, full, stranger: RestEntryPoint) -> None:
    foreign = stranger.made("get_me")["id"]
    sent = {"id": foreign, "member_id": foreign, "created_at": "2001-01-01T00:00:00Z", "no": 1}
    assert owner.made("update_course", course_id=full["id"], **sent) == full
    assert owner.made("list_courses")["data"] == [full]


def test_only_updated_at_changes(owner: RestEntryPoint, full, time_machine) -> None:
    time_machine.move_to("2099-01-01T00:00:00Z", tick=False)
    changed = owner.made("update_course", course_id=full["id"], name="Algebra")
    assert changed["created_at"] == full["created_at"]
    assert changed["updated_at"] == "2099-01-01T00:00:00.000000Z"


@pytest.mark.database("both")
def test_sending_it_twice_leaves_the_same(owner: RestEntryPoint, full) -> None:
    first = owner.made("update_course", course_id=full["id"], name="Algebra", code=None)
    second = owner.made("update_course", course_id=full["id"], name="Algebra", code=None)
    assert second == first | {"updated_at": ANY}


def test_a_new_name_appears_on_items_and_milestones(owner: RestEntryPoint, course, item, milestone) -> None:
    owner.made("update_course", course_id=course["id"], name="Algebra")
    assert fetched_item(owner, item["id"]) == item | {"course_name": "Algebra"}
    assert owner.made("list_milestones", item_id=item["id"])["data"] == [milestone | {"course_name": "Algebra"}]


def test_other_courses_are_unchanged(owner: RestEntryPoint, course, full) -> None:
    owner.made("update_course", course_id=full["id"], name="Algebra")
    assert owner.made("list_courses")["data"][0] == course


@pytest.mark.database("both")
@pytest.mark.django_db(transaction=True)
def test_parallel_changes_of_different_fields_are_all_kept(owner: RestEntryPoint, course, in_threads) -> None:
    fields = list(COURSE_LIMITS)
    in_threads(lambda field: owner.made("update_course", course_id=course["id"], **{field: "New"}), fields)
    [stored] = owner.made("list_courses")["data"]
    assert {field: stored[field] for field in fields} == dict.fromkeys(fields, "New")


@pytest.mark.database("both")
def test_it_stores_replaces_and_clears_the_syllabus(owner: RestEntryPoint, course) -> None:
    """The answer is a plain course. Null clears the text."""
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


def test_fields_only_for_creation_are_ignored(owner: RestEntryPoint, course) -> None:
    owner.made("update_course", course_id=course["id"], name="Botany", items=[{"title": "Quiz"}])
    assert owner.made("list_items")["data"] == []
