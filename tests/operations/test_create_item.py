"""create_item: POST /v1/courses/{course_id}/items."""

from unittest.mock import ANY

import pytest

from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.samples import NOT_ENDED, UNKNOWN_ID, fetched_item

pytestmark = pytest.mark.same_statements

KINDS = ["exam", "quiz", "assignment", "lab", "paper", "project", "other"]


def test_it_creates(owner: RestEntryPoint, course, time_machine) -> None:
    time_machine.move_to("2026-11-21T12:00:00Z")
    made = owner.made("create_item", course_id=course["id"], title="  Midterm ", kind="exam", due_on="2026-12-03")
    assert made == {
        "id": ANY,
        "course_id": course["id"],
        "course_name": "Cell Biology",
        "title": "Midterm",
        "kind": "exam",
        "due_on": "2026-12-03",
        "days_until": 12,
        **NOT_ENDED,
        "created_at": ANY,
        "updated_at": ANY,
    }


def test_the_answer_equals_the_stored_item(owner: RestEntryPoint, course, time_machine) -> None:
    time_machine.move_to("2026-11-21T12:00:00Z")
    made = owner.made("create_item", course_id=course["id"].upper(), title="Midterm", due_on="2026-12-03")
    assert made["course_id"] == course["id"]
    assert fetched_item(owner, made["id"]) == made
    assert owner.made("list_items")["data"] == [made]


def test_kind_and_date_have_defaults(owner: RestEntryPoint, course) -> None:
    """Item: `kind` is `other` by default; null means undated."""
    made = owner.made("create_item", course_id=course["id"], title="Midterm")
    assert (made["kind"], made["due_on"], made["days_until"]) == ("other", None, None)


def test_it_stamps_the_time(owner: RestEntryPoint, course, time_machine) -> None:
    time_machine.move_to("2099-11-21T12:00:00+01:00", tick=False)
    made = owner.made("create_item", course_id=course["id"], title="Midterm")
    assert made["created_at"] == made["updated_at"] == "2099-11-21T11:00:00.000000Z"


def test_each_item_has_a_later_timestamp_than_the_one_before(owner: RestEntryPoint, course, time_machine) -> None:
    """Decisions, 6: pollers miss nothing, so no two items of a member share a timestamp."""
    time_machine.move_to("2099-11-21T12:00:00Z", tick=False)
    stamps = [owner.made("create_item", course_id=course["id"], title=title)["created_at"] for title in "abc"]
    assert stamps == [f"2099-11-21T12:00:00.00000{number}Z" for number in range(3)]


def test_calling_it_twice_creates_two(owner: RestEntryPoint, course) -> None:
    first = owner.made("create_item", course_id=course["id"], title="Midterm")
    second = owner.made("create_item", course_id=course["id"], title="Midterm")
    assert owner.made("list_items")["data"] == [first, second]


@each("kind", KINDS)
def test_every_kind_is_accepted(owner: RestEntryPoint, course, kind: str) -> None:
    assert owner.made("create_item", course_id=course["id"], title="Midterm", kind=kind)["kind"] == kind


def test_null_means_undated(owner: RestEntryPoint, course) -> None:
    assert owner.made("create_item", course_id=course["id"], title="Midterm", due_on=None)["due_on"] is None


@each("due_on", ["2028-02-29", "1999-12-31"])
def test_past_days_and_leap_days_are_accepted(owner: RestEntryPoint, course, due_on: str) -> None:
    assert owner.made("create_item", course_id=course["id"], title="Midterm", due_on=due_on)["due_on"] == due_on


def test_unknown_and_server_set_fields_are_ignored(owner: RestEntryPoint, course) -> None:
    made = owner.made(
        "create_item", course_id=course["id"], title="Midterm", id=UNKNOWN_ID, created_at="2001-01-01T00:00:00Z", no=1
    )
    assert made["id"] != UNKNOWN_ID
    assert not made["created_at"].startswith("2001")
    assert "no" not in made


@pytest.mark.rest
def test_over_rest_a_course_id_in_the_body_is_ignored(owner: RestEntryPoint, course) -> None:
    other = owner.made("create_course", name="Algebra")
    body = {"title": "Midterm", "course_id": other["id"]}
    response = owner.request("POST", f"/v1/courses/{course['id']}/items", json=body)
    assert (response.status_code, response.json()["course_id"]) == (201, course["id"])


def test_the_course_is_unchanged(owner: RestEntryPoint, course) -> None:
    owner.made("create_item", course_id=course["id"], title="Midterm")
    assert owner.made("list_courses")["data"] == [course]


def test_a_whole_second_is_written_with_microseconds(owner: RestEntryPoint, course, time_machine) -> None:
    """Spec, Common shapes: timestamps have microseconds, even if zero, and texts stay unchanged."""
    time_machine.move_to("2126-11-21T12:30:00Z", tick=False)
    title = 'Read "2026-01-01T10:00:00Z"'
    made = owner.made("create_item", course_id=course["id"], title=title, due_on="2126-12-01")
    assert made["created_at"] == made["updated_at"] == "2126-11-21T12:30:00.000000Z"
    assert (made["title"], made["due_on"]) == (title, "2126-12-01")
    assert fetched_item(owner, made["id"]) == made
