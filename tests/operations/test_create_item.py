"""create_item: POST /v1/courses/{course_id}/items."""

from unittest.mock import ANY

import pytest

from tests.support.doors import RestDoor
from tests.support.samples import NOT_DATES, NOT_STRINGS, UNITS, UNKNOWN_ID, fetched_item, refusal, text

pytestmark = pytest.mark.once("statements that others make too")

KINDS = ["exam", "quiz", "assignment", "lab", "paper", "project", "other"]


def test_it_creates(owner: RestDoor, course, time_machine) -> None:
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
        "created_at": ANY,
        "updated_at": ANY,
    }


def test_what_it_answers_is_what_is_stored(owner: RestDoor, course, time_machine) -> None:
    time_machine.move_to("2026-11-21T12:00:00Z")
    made = owner.made("create_item", course_id=course["id"].upper(), title="Midterm", due_on="2026-12-03")
    assert made["course_id"] == course["id"]
    assert fetched_item(owner, made["id"]) == made
    assert owner.made("list_items")["data"] == [made]


def test_kind_and_date_have_defaults(owner: RestDoor, course) -> None:
    """Item: `kind` is `other` by default; null means undated."""
    made = owner.made("create_item", course_id=course["id"], title="Midterm")
    assert (made["kind"], made["due_on"], made["days_until"]) == ("other", None, None)


def test_it_stamps_the_time(owner: RestDoor, course, time_machine) -> None:
    time_machine.move_to("2099-11-21T12:00:00+01:00", tick=False)
    made = owner.made("create_item", course_id=course["id"], title="Midterm")
    assert made["created_at"] == made["updated_at"] == "2099-11-21T11:00:00.000000Z"


def test_each_is_created_later_than_the_one_before(owner: RestDoor, course, time_machine) -> None:
    """Decisions, 6: a poller misses nothing; so no two items of a member share an instant."""
    time_machine.move_to("2099-11-21T12:00:00Z", tick=False)
    stamps = [owner.made("create_item", course_id=course["id"], title=title)["created_at"] for title in "abc"]
    assert stamps == [f"2099-11-21T12:00:00.00000{number}Z" for number in range(3)]


def test_twice_makes_two(owner: RestDoor, course) -> None:
    first = owner.made("create_item", course_id=course["id"], title="Midterm")
    second = owner.made("create_item", course_id=course["id"], title="Midterm")
    assert owner.made("list_items")["data"] == [first, second]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_taken(owner: RestDoor, course, kind: str) -> None:
    assert owner.made("create_item", course_id=course["id"], title="Midterm", kind=kind)["kind"] == kind


def test_other_kinds_are_refused(owner: RestDoor, course) -> None:
    """Decisions, 5: anything else as input is 422; fine print, Null: null for `kind` too."""
    wrong: list[object] = ["homework", "Exam", " exam", "", None, 1, True, [], {}, ["exam"], "exam\x00"]
    for kind in wrong:
        answer = owner.call("create_item", course_id=course["id"], title="Midterm", kind=kind)
        assert (answer.error, answer.fields) == ("validation_failed", ["kind"]), kind


def test_null_means_undated(owner: RestDoor, course) -> None:
    assert owner.made("create_item", course_id=course["id"], title="Midterm", due_on=None)["due_on"] is None


@pytest.mark.parametrize("due_on", ["2028-02-29", "1999-12-31"])
def test_past_days_and_leap_days_are_dates(owner: RestDoor, course, due_on: str) -> None:
    assert owner.made("create_item", course_id=course["id"], title="Midterm", due_on=due_on)["due_on"] == due_on


def test_other_dates_are_refused(owner: RestDoor, course) -> None:
    for due_on in [*NOT_DATES, 20261121, 1.5, True, [], {}]:
        answer = owner.call("create_item", course_id=course["id"], title="Midterm", due_on=due_on)
        assert (answer.error, answer.fields) == ("validation_failed", ["due_on"]), due_on


@pytest.mark.parametrize("unit", UNITS)
def test_a_title_has_at_most_160_code_points(owner: RestDoor, course, unit: str) -> None:
    longest = text(unit, 160)
    assert owner.made("create_item", course_id=course["id"], title=f"\n {longest}  ")["title"] == longest
    answer = owner.call("create_item", course_id=course["id"], title=text(unit, 161))
    assert (answer.error, answer.fields) == ("validation_failed", ["title"])


def test_a_title_is_text_and_not_blank(owner: RestDoor, course) -> None:
    for title in [None, "", "  \t", "a\x00b", *NOT_STRINGS]:
        answer = owner.call("create_item", course_id=course["id"], title=title)
        assert (answer.error, answer.fields) == ("validation_failed", ["title"]), title


def test_the_title_is_required(owner: RestDoor, course) -> None:
    answer = owner.call("create_item", course_id=course["id"], kind="exam")
    assert (answer.error, answer.fields) == ("validation_failed", ["title"])


def test_every_wrong_field_is_named_and_nothing_is_stored(owner: RestDoor, course) -> None:
    answer = owner.call("create_item", course_id=course["id"], title=1, kind="no", due_on="soon")
    assert (answer.error, sorted(answer.fields)) == ("validation_failed", ["due_on", "kind", "title"])
    assert owner.made("list_items")["data"] == []


def test_unknown_and_server_set_fields_are_ignored(owner: RestDoor, course) -> None:
    made = owner.made(
        "create_item", course_id=course["id"], title="Midterm", id=UNKNOWN_ID, created_at="2001-01-01T00:00:00Z", no=1
    )
    assert made["id"] != UNKNOWN_ID
    assert not made["created_at"].startswith("2001")
    assert "no" not in made


@pytest.mark.rest
def test_over_rest_a_course_id_in_the_body_is_ignored(owner: RestDoor, course) -> None:
    other = owner.made("create_course", name="Algebra")
    body = {"title": "Midterm", "course_id": other["id"]}
    response = owner.request("POST", f"/v1/courses/{course['id']}/items", json=body)
    assert (response.status_code, response.json()["course_id"]) == (201, course["id"])


def test_someone_elses_course_is_not_found(owner: RestDoor, stranger: RestDoor, course) -> None:
    """Operation rules: 404 when the parent is missing or not the caller's."""
    foreign = stranger.call("create_item", course_id=course["id"], title="Midterm")
    assert foreign.error == "not_found"
    assert refusal(foreign) == refusal(stranger.call("create_item", course_id=UNKNOWN_ID, title="Midterm"))
    assert owner.made("list_items")["data"] == stranger.made("list_items")["data"] == []


def test_a_missing_course_comes_before_a_wrong_body(stranger: RestDoor, course) -> None:
    """Decisions, 3: parent (404), then body (422)."""
    assert stranger.call("create_item", course_id=UNKNOWN_ID, title="").error == "not_found"
    assert stranger.call("create_item", course_id=course["id"]).error == "not_found"


def test_a_malformed_id_comes_first_and_alone(owner: RestDoor) -> None:
    answer = owner.call("create_item", course_id="nope", title="")
    assert (answer.error, answer.fields) == ("validation_failed", ["course_id"])


def test_the_course_itself_is_not_changed(owner: RestDoor, course) -> None:
    owner.made("create_item", course_id=course["id"], title="Midterm")
    assert owner.made("list_courses")["data"] == [course]


@pytest.mark.rest
def test_over_rest_a_surrogate_is_refused(owner: RestDoor, course) -> None:
    path = f"/v1/courses/{course['id']}/items"
    response = owner.request("POST", path, data=r'{"title": "a\ud800"}', content_type="application/json")
    assert response.status_code == 422
    assert [detail["field"] for detail in response.json()["error"]["details"]] == ["title"]


def test_a_whole_second_has_its_microseconds(owner: RestDoor, course, time_machine) -> None:
    """Spec, Common shapes: timestamps have microseconds, also where they are zero, and texts stay as they are."""
    time_machine.move_to("2126-11-21T12:30:00Z", tick=False)
    title = 'Read "2026-01-01T10:00:00Z"'
    made = owner.made("create_item", course_id=course["id"], title=title, due_on="2126-12-01")
    assert made["created_at"] == made["updated_at"] == "2126-11-21T12:30:00.000000Z"
    assert (made["title"], made["due_on"]) == (title, "2126-12-01")
    assert fetched_item(owner, made["id"]) == made
