"""get_syllabus, get_syllabus_file, list_syllabi and delete_syllabus, for an uploaded file."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from unittest.mock import ANY

import pytest

from courses.models import SyllabusFile
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.samples import UNKNOWN_ID
from tests.support.uploads import multipart

pytestmark = [pytest.mark.django_db, pytest.mark.rest, pytest.mark.same_statements, pytest.mark.usefixtures("files")]

TEXT = "BIO 210 Cell Biology, Fall 2026\nThu, Dec 3: midterm exam"
FORM = "multipart/form-data; boundary=BoUnDaRyStRiNg"


@pytest.fixture
def syllabus(owner: RestEntryPoint) -> Any:
    """An upload of the owner."""
    return owner.made("create_syllabus", text=TEXT)


def plain(syllabus: Any) -> Any:
    """The answer without its proposal."""
    return {name: value for name, value in syllabus.items() if name != "proposal"}


def matches(answer: Any) -> list[str]:
    return [item["match"] for item in answer["proposal"]["items"]]


def test_it_returns_the_same_as_the_upload(owner: RestEntryPoint, syllabus: Any) -> None:
    assert owner.made("get_syllabus", syllabus_id=syllabus["id"]) == syllabus


@each(
    ("query", "text"),
    [
        ({}, TEXT),
        ({"syllabus_from": 8}, TEXT[8:]),
        ({"syllabus_from": 8, "syllabus_limit": 4}, "Cell"),
        ({"syllabus_from": 500_000}, ""),
        ({"syllabus_from": 10**300}, ""),
    ],
)
def test_its_text_is_returned_in_parts(owner: RestEntryPoint, syllabus: Any, query: Any, text: str) -> None:
    answer = owner.made("get_syllabus", syllabus_id=syllabus["id"], include_text=True, **query)
    assert answer == syllabus | {"text": text}


def test_a_part_of_a_text_that_was_not_requested_is_422(owner: RestEntryPoint, syllabus: Any) -> None:
    parts = {"syllabus_from": 0, "syllabus_limit": 1}
    assert owner.call("get_syllabus", syllabus_id=syllabus["id"], **parts).fields == [*parts]


def test_a_missing_text_is_null(owner: RestEntryPoint) -> None:
    scan = owner.client.post("/v1/syllabi", multipart(b"\xef\xbb\xbf \n", filename="a.txt"), content_type=FORM).json()
    assert scan["text_status"] == "no_text"
    assert owner.made("get_syllabus", syllabus_id=scan["id"], include_text=True)["text"] is None


def test_the_proposal_is_computed_anew(owner: RestEntryPoint, course: Any) -> None:
    syllabus = owner.made("create_syllabus", text=TEXT, course_id=course["id"])
    assert matches(syllabus) == ["new"]
    item = owner.made("create_item", course_id=course["id"], title="Midterm exam", kind="exam", due_on="2026-12-03")
    answer = owner.made("get_syllabus", syllabus_id=syllabus["id"])
    assert [(one["match"], one["item_id"]) for one in answer["proposal"]["items"]] == [("same", item["id"])]


def test_it_is_compared_with_the_given_course_or_its_own(owner: RestEntryPoint, course: Any) -> None:
    other = owner.made("create_course", name="Other")
    owner.made("create_item", course_id=other["id"], title="Midterm exam", kind="exam", due_on="2026-12-01")
    syllabus = owner.made("create_syllabus", text=TEXT, course_id=course["id"])
    compared = owner.made("get_syllabus", syllabus_id=syllabus["id"], course_id=other["id"])
    assert matches(compared) == ["moved"]
    owner.made("update_course", course_id=other["id"], syllabus_id=syllabus["id"])
    assert matches(owner.made("get_syllabus", syllabus_id=syllabus["id"])) == ["same"]  # its line is not new
    assert matches(owner.made("get_syllabus", syllabus_id=syllabus["id"], course_id=course["id"])) == ["new"]


def test_a_deleted_course_is_422_if_given_and_ignored_if_stored(
    owner: RestEntryPoint, stranger: RestEntryPoint, course: Any
) -> None:
    owner.made("create_item", course_id=course["id"], title="Midterm exam", due_on="2026-12-01")
    syllabus = owner.made("create_syllabus", text=TEXT, course_id=course["id"])
    owner.made("delete_course", course_id=course["id"])
    assert matches(owner.made("get_syllabus", syllabus_id=syllabus["id"])) == ["new"]
    for gone in (course["id"], UNKNOWN_ID, stranger.made("create_course", name="Theirs")["id"]):
        assert owner.call("get_syllabus", syllabus_id=syllabus["id"], course_id=gone).fields == ["course_id"]


def test_the_file_is_returned_unchanged(owner: RestEntryPoint) -> None:
    content = "Übung 1\r\n".encode("cp1252")
    form = multipart(content, filename="Übung.html")
    syllabus = owner.client.post("/v1/syllabi", form, content_type=FORM).json()
    response = owner.client.get(f"/v1/syllabi/{syllabus['id']}/file")
    headers = {
        "Content-Type": "application/octet-stream",
        "Content-Length": str(len(content)),
        "Content-Disposition": "attachment; filename*=utf-8''%C3%9Cbung.html",
        "X-Content-Type-Options": "nosniff",
    }
    assert (response.status_code, response.content) == (200, content)
    assert headers.items() <= dict(response.headers).items()
    head = owner.client.head(f"/v1/syllabi/{syllabus['id']}/file")
    assert (head.status_code, head.content, head.headers["Content-Length"]) == (200, b"", str(len(content)))


def test_a_file_with_lost_bytes_is_500(owner: RestEntryPoint, syllabus: Any) -> None:
    Path(SyllabusFile.objects.get().file.path).unlink()
    assert owner.call("get_syllabus_file", syllabus_id=syllabus["id"]).error == "internal_error"
    assert owner.made("get_syllabus", syllabus_id=syllabus["id"]) == syllabus


def test_the_files_of_a_course_are_listed_newest_first(
    owner: RestEntryPoint, stranger: RestEntryPoint, course: Any
) -> None:
    assert owner.made("list_syllabi", course_id=course["id"]) == {"data": [], "has_more": False, "next_cursor": None}
    sent = [owner.made("create_syllabus", text=f"Week {number}") for number in range(3)]
    for syllabus in sent[:2]:
        owner.made("update_course", course_id=course["id"], syllabus_id=syllabus["id"])
    attached = {"course_id": course["id"], "expires_at": None}
    listed = [plain(syllabus) | attached for syllabus in reversed(sent[:2])]
    assert owner.made("list_syllabi", course_id=course["id"])["data"] == listed
    assert stranger.call("list_syllabi", course_id=course["id"]).error == "not_found"


@pytest.mark.database("both")
@pytest.mark.django_db(transaction=True)
def test_a_deleted_file_is_gone_and_its_course_keeps_the_text(
    owner: RestEntryPoint, syllabus: Any, files: Path
) -> None:
    course = owner.made("create_course", name="Biology", syllabus_id=syllabus["id"])
    assert owner.made("delete_syllabus", syllabus_id=syllabus["id"]) == {"id": syllabus["id"], "deleted": True}
    for operation in ("get_syllabus", "get_syllabus_file", "delete_syllabus"):
        assert owner.call(operation, syllabus_id=syllabus["id"]).error == "not_found"
    assert owner.made("get_course", course_id=course["id"], include_syllabus=True)["syllabus_text"] == TEXT
    assert [path for path in files.rglob("*") if path.is_file()] == []


def test_it_is_not_found_after_a_day(owner: RestEntryPoint, time_machine: Any) -> None:
    now = datetime(2026, 11, 22, 8, tzinfo=UTC)
    time_machine.move_to(now, tick=False)
    waiting, attached = (owner.made("create_syllabus", text=f"Week {number}") for number in (1, 2))
    course = owner.made("create_course", name="Biology", syllabus_id=attached["id"])
    time_machine.move_to(now + timedelta(hours=24, microseconds=-1), tick=False)
    assert owner.made("get_syllabus", syllabus_id=waiting["id"]) == waiting | {"proposal": ANY}
    time_machine.move_to(now + timedelta(hours=24), tick=False)
    for operation in ("get_syllabus", "get_syllabus_file", "delete_syllabus"):
        assert owner.call(operation, syllabus_id=waiting["id"]).error == "not_found"
    assert owner.made("get_syllabus", syllabus_id=attached["id"])["course_id"] == course["id"]


def test_what_a_member_corrected_is_not_proposed_back(owner: RestEntryPoint) -> None:
    """An item whose line is in both versions is the same, whatever its date or title is; a deleted one has no id."""
    lines = ["HW 2 due January 8, 2027", "HW 3 due January 22, 2027", "HW 4 due January 29, 2027"]
    head = "STAT 240: Statistics\nSpring 2027\n\n"
    course = owner.made("create_course", name="Statistics", term="Spring 2027", syllabus_text=head + "\n".join(lines))
    days = ("2027-01-08", "2027-01-22", "2027-01-29")
    hw2, hw3, hw4 = (
        owner.made("create_item", course_id=course["id"], title=f"HW {number}", due_on=day)
        for number, day in zip((2, 3, 4), days, strict=True)
    )
    owner.made("update_item", item_id=hw2["id"], due_on="2027-01-15")
    owner.made("update_item", item_id=hw3["id"], title="Regression")
    owner.made("delete_item", item_id=hw4["id"])
    text = head + "\n".join([*reversed(lines), "HW 5 due February 5, 2027"])
    sent = owner.made("create_syllabus", text=text, course_id=course["id"])
    found = {one["title"]: (one["match"], one["item_id"], one["due_on"]) for one in sent["proposal"]["items"]}
    assert found == {
        "HW 2": ("same", hw2["id"], "2027-01-08"),
        "HW 3": ("same", hw3["id"], "2027-01-22"),
        "HW 4": ("same", None, "2027-01-29"),
        "HW 5": ("new", None, "2027-02-05"),
    }
