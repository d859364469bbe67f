"""A new version of a syllabus: an item whose line is unchanged in the course's text is not proposed back."""

from datetime import UTC, datetime
from typing import Any

import pytest
import time_machine
from django.test import Client

from accounts.models import Member
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.forms import form_with

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.rest,
    pytest.mark.database("sqlite", "other tests send the same statements"),
]

TEXT = """STAT 240: Statistics
Spring 2027

HW 2 due January 8, 2027
HW 3 due January 22, 2027

Homework: 40%
Exams: 60%
"""


@pytest.fixture(autouse=True)
def _now() -> Any:
    with time_machine.travel(datetime(2027, 1, 2, 12, tzinfo=UTC), tick=False):
        yield


@pytest.fixture
def its(owner: RestEntryPoint) -> dict[str, str]:
    """A course with the text and its two items."""
    items = [{"title": "HW 2", "due_on": "2027-01-08"}, {"title": "HW 3", "due_on": "2027-01-22"}]
    course = owner.made("create_course", name="Statistics", term="Spring 2027", syllabus_text=TEXT, items=items)
    return {"course_id": course["id"]} | {item["title"]: item["id"] for item in course["items"]}


def proposed(owner: RestEntryPoint, its: dict[str, str], text: str) -> dict[str, tuple[str, str | None, str | None]]:
    """Match, id and date of each proposed item."""
    items = owner.made("create_syllabus", text=text, course_id=its["course_id"])["proposal"]["items"]
    return {item["title"]: (item["match"], item["item_id"], item["due_on"]) for item in items}


@each(
    "text",
    [
        f"{TEXT}\nHW 4 due January 29, 2027",
        TEXT.replace("HW 2 due January 8, 2027\n", "") + "\nOther words.\nHW 2 due January 8, 2027\n",
        TEXT.replace("HW 2 due", "hw 2   DUE"),
    ],
)
@each(
    "changes",
    [
        {"due_on": "2027-01-15"},
        {"due_on": None},
        {"title": "Simulation report"},
        {"due_on": "2027-01-15", "done": True},
    ],
)
def test_what_the_member_changed_is_the_same(owner: RestEntryPoint, its: Any, text: str, changes: Any) -> None:
    owner.made("update_item", item_id=its["HW 2"], **changes)
    found = proposed(owner, its, text)
    assert [one for title, one in found.items() if title.casefold() == "hw 2"] == [("same", its["HW 2"], "2027-01-08")]
    assert found["HW 3"] == ("same", its["HW 3"], "2027-01-22")
    assert "gone" not in [match for match, *_ in found.values()]


def test_what_the_member_deleted_is_the_same_without_an_id(owner: RestEntryPoint, its: Any) -> None:
    owner.made("delete_item", item_id=its["HW 2"])
    assert proposed(owner, its, TEXT)["HW 2"] == ("same", None, "2027-01-08")


def test_the_page_has_no_row_of_what_is_the_same(
    owner: RestEntryPoint, owner_member: Member, client: Client, its: Any
) -> None:
    owner.made("delete_item", item_id=its["HW 2"])
    owner.made("update_item", item_id=its["HW 3"], due_on="2027-01-23")
    client.force_login(owner_member)
    text = f"{TEXT}\nHW 4 due January 29, 2027"
    page = client.post(f"/courses/{its['course_id']}/syllabus", {"text": text}).content.decode()
    titles = [value for name, [value] in form_with("row", page).items() if name.endswith("-title")]
    assert titles == ["HW 4"]


def test_a_line_that_changed_moves_its_item(owner: RestEntryPoint, its: Any) -> None:
    owner.made("update_item", item_id=its["HW 2"], due_on="2027-01-15")
    text = TEXT.replace("January 8", "January 11")
    assert proposed(owner, its, text)["HW 2"] == ("moved", its["HW 2"], "2027-01-11")


def test_a_line_that_changed_brings_back_a_deleted_item(owner: RestEntryPoint, its: Any) -> None:
    owner.made("delete_item", item_id=its["HW 2"])
    text = TEXT.replace("January 8", "January 11")
    assert proposed(owner, its, text)["HW 2"] == ("new", None, "2027-01-11")


def test_without_a_stored_text_the_dates_count(owner: RestEntryPoint, its: Any) -> None:
    owner.made("update_course", course_id=its["course_id"], syllabus_text=None)
    owner.made("update_item", item_id=its["HW 2"], due_on="2027-01-15")
    owner.made("delete_item", item_id=its["HW 3"])
    found = proposed(owner, its, TEXT)
    assert found == {"HW 2": ("moved", its["HW 2"], "2027-01-08"), "HW 3": ("new", None, "2027-01-22")}


def test_what_is_gone_has_no_line_and_no_category(owner: RestEntryPoint, its: Any) -> None:
    text = TEXT.replace("HW 3 due January 22, 2027\n", "")
    items = owner.made("create_syllabus", text=text, course_id=its["course_id"])["proposal"]["items"]
    [gone] = [item for item in items if item["match"] == "gone"]
    assert gone == {
        **dict.fromkeys(("line", "quote", "confidence", "doubt", "evidence", "category")),
        "title": "HW 3",
        "kind": "other",
        "due_on": "2027-01-22",
        "match": "gone",
        "item_id": its["HW 3"],
    } | {name: value for name, value in gone.items() if name == "due_time"}
    assert [item["category"] for item in items if item["match"] != "gone"] == ["Homework"]
