"""create_course and update_course with `syllabus_id`: the upload becomes a file of the course."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from courses.models import Course
from studyservice.models import Change
from tests.support.entry_points import RestEntryPoint
from tests.support.factories import SyllabusFileFactory, stored
from tests.support.samples import UNKNOWN_ID
from tests.support.tools import rest_of

pytestmark = [pytest.mark.django_db, pytest.mark.same_statements, pytest.mark.usefixtures("files")]

TEXT = "Fall 2026\n\nThu, Dec 3: midterm exam"


def upload(owner: RestEntryPoint, text: str = TEXT) -> Any:
    return rest_of(owner).made("create_syllabus", text=text)


def scan(owner: RestEntryPoint) -> Any:
    """An upload without text."""
    return upload(owner, "\ufeff\ufeff")


def text_of(owner: RestEntryPoint, course: Any) -> Any:
    return owner.made("get_course", course_id=course["id"], include_syllabus=True)["syllabus_text"]


def files_of(owner: RestEntryPoint, course: Any) -> list[str]:
    return [file["id"] for file in rest_of(owner).made("list_syllabi", course_id=course["id"])["data"]]


def undo_newest(owner: RestEntryPoint) -> Any:
    [change] = rest_of(owner).made("list_changes", limit=1)["data"]
    return rest_of(owner).call("undo_change", change_id=change["id"])


def test_a_new_course_gets_file_and_text(owner: RestEntryPoint) -> None:
    file = upload(owner)
    item = {"title": "Midterm", "kind": "exam", "due_on": "2026-12-03", "quote": "Thu, Dec 3: midterm exam"}
    made = owner.made("create_course", name="Biology", syllabus_id=file["id"], items=[item])
    assert ([one["evidence"] for one in made["items"]], made["grade_categories"]) == (["confirmed"], [])
    assert (text_of(owner, made), files_of(owner, made)) == (TEXT, [file["id"]])
    kept = rest_of(owner).made("get_syllabus", syllabus_id=file["id"])
    assert (kept["course_id"], kept["expires_at"]) == (made["id"], None)


def test_a_sent_text_takes_precedence(owner: RestEntryPoint, course: Any) -> None:
    made = owner.made("create_course", name="Biology", syllabus_id=upload(owner)["id"], syllabus_text="Mine")
    assert text_of(owner, made) == "Mine"
    owner.made("update_course", course_id=course["id"], syllabus_id=upload(owner)["id"], syllabus_text="Mine")
    assert (text_of(owner, course), len(files_of(owner, course))) == ("Mine", 1)


def test_an_update_returns_a_plain_course(owner: RestEntryPoint, course: Any) -> None:
    changed = owner.made("update_course", course_id=course["id"], syllabus_id=upload(owner)["id"])
    assert changed == course | {"has_syllabus": True, "updated_at": changed["updated_at"]}
    assert changed["updated_at"] > course["updated_at"]


def test_a_file_without_text_keeps_the_text(owner: RestEntryPoint, course: Any) -> None:
    file = scan(owner)
    assert file["text_status"] == "no_text"
    owner.made("update_course", course_id=course["id"], syllabus_text="Week 1")
    owner.made("update_course", course_id=course["id"], syllabus_id=file["id"])
    assert (text_of(owner, course), files_of(owner, course)) == ("Week 1", [file["id"]])


def test_attaching_again_changes_nothing(owner: RestEntryPoint, course: Any) -> None:
    file = upload(owner)
    first = owner.made("update_course", course_id=course["id"], syllabus_id=file["id"])
    rows = Change.objects.count()
    assert owner.made("update_course", course_id=course["id"], syllabus_id=file["id"]) == first
    assert Change.objects.count() == rows


def test_null_attaches_nothing(owner: RestEntryPoint, course: Any) -> None:
    assert owner.made("update_course", course_id=course["id"], syllabus_id=None) == course
    assert "items" not in owner.made("create_course", name="Botany", syllabus_id=None)


def test_an_unattachable_upload_is_422_and_changes_nothing(
    owner: RestEntryPoint, stranger: RestEntryPoint, course: Any, time_machine: Any
) -> None:
    now = datetime(2026, 11, 22, 8, tzinfo=UTC)
    time_machine.move_to(now, tick=False)
    expired, taken, theirs = upload(owner, "Week 1"), upload(owner, "Week 2"), upload(stranger, "Week 3")
    owner.made("create_course", name="Botany", syllabus_id=taken["id"])
    time_machine.move_to(now + timedelta(hours=24), tick=False)
    before = (rows := Change.objects.count(), owner.made("list_courses"))
    for wrong in (UNKNOWN_ID, expired["id"], taken["id"], theirs["id"], "17"):
        for arguments in ({"course_id": course["id"]}, {"name": "Zoology"}):
            operation = "update_course" if "course_id" in arguments else "create_course"
            assert owner.call(operation, **arguments, syllabus_id=wrong).fields == ["syllabus_id"]
    assert (Change.objects.count(), owner.made("list_courses")) == before
    assert rows > 0


def test_a_course_has_at_most_10_files(owner: RestEntryPoint, owner_member: Any, course: Any) -> None:
    stored(SyllabusFileFactory, 9, member=owner_member, course=Course(id=course["id"]))
    owner.made("update_course", course_id=course["id"], syllabus_id=upload(owner, "Week 1")["id"])
    more = upload(owner, "Week 2")
    refused = owner.call("update_course", course_id=course["id"], syllabus_id=more["id"], name="Botany")
    assert (refused.error, len(files_of(owner, course))) == ("conflict", 10)
    assert owner.made("get_course", course_id=course["id"])["name"] == course["name"]
    assert rest_of(owner).made("get_syllabus", syllabus_id=more["id"])["course_id"] is None


@pytest.mark.database("both")
@pytest.mark.rest
@pytest.mark.django_db(transaction=True)
def test_concurrent_attachments_attach_it_to_one_course(owner: RestEntryPoint, in_threads: Any) -> None:
    file = upload(owner)
    answers = in_threads(lambda n: owner.call("create_course", name=f"{n}", syllabus_id=file["id"]), list(range(6)))
    assert sorted(str(answer.error) for answer in answers) == ["None"] + ["validation_failed"] * 5
    assert len(owner.made("list_courses")["data"]) == 1


@pytest.mark.rest
def test_each_attachment_is_logged_once(owner: RestEntryPoint, course: Any) -> None:
    file, bare = upload(owner), scan(owner)
    owner.made("create_course", name="Botany", syllabus_id=file["id"])
    owner.made("update_course", course_id=course["id"], syllabus_id=bare["id"])
    update, create, *uploads = owner.made("list_changes", limit=4)["data"]
    assert (create["object"]["name"], create["before"], create["after"]["syllabus_files"]) == (
        "Botany",
        None,
        1,
    )
    assert (update["object"], update["after"]) == (
        {"type": "course", "id": course["id"], "name": course["name"]},
        {"syllabus_files": 1},
    )
    assert [(row["operation"], row["object"]["type"]) for row in uploads] == [("create_syllabus", "syllabus_file")] * 2


@pytest.mark.rest
def test_changes_of_a_file_have_neither_its_text_nor_its_sender(owner: RestEntryPoint) -> None:
    file = upload(owner)
    owner.made("delete_syllabus", syllabus_id=file["id"])
    delete, create = owner.made("list_changes", limit=2)["data"]
    read = ("filename", "media_type", "size", "course_id", "text_status", "characters", "pages")
    assert delete["before"] == create["after"] == {name: file[name] for name in read}


@pytest.mark.rest
def test_an_undone_attachment_keeps_the_file_for_a_day(owner: RestEntryPoint, course: Any, time_machine: Any) -> None:
    now = datetime(2026, 11, 22, 8, tzinfo=UTC)
    time_machine.move_to(now, tick=False)
    file = upload(owner)
    for operation, arguments in (("create_course", {"name": "Botany"}), ("update_course", {"course_id": course["id"]})):
        owner.made(operation, **arguments, syllabus_id=file["id"])
        now += timedelta(days=3)
        time_machine.move_to(now, tick=False)
        assert undo_newest(owner).error is None
        kept = owner.made("get_syllabus", syllabus_id=file["id"])
        assert (kept["course_id"], datetime.fromisoformat(kept["expires_at"])) == (None, now + timedelta(days=1))
        assert [(one["name"], one["has_syllabus"]) for one in owner.made("list_courses")["data"]] == [
            (course["name"], False)
        ]


@pytest.mark.database("both")
@pytest.mark.rest
def test_an_undo_names_its_obstacle(owner: RestEntryPoint, course: Any) -> None:
    file = upload(owner)
    owner.made("update_course", course_id=course["id"], syllabus_id=file["id"])
    [change] = owner.made("list_changes", limit=1)["data"]
    again = upload(owner)
    assert "uploaded again" in owner.call("undo_change", change_id=change["id"]).body["message"]
    owner.made("delete_syllabus", syllabus_id=again["id"])
    owner.made("delete_syllabus", syllabus_id=file["id"])
    assert owner.call("undo_change", change_id=change["id"]).error is None
    assert text_of(owner, course) is None


@pytest.mark.database("both")
@pytest.mark.rest
@pytest.mark.django_db(transaction=True)
def test_an_upload_can_be_undone_until_it_is_attached(owner: RestEntryPoint, course: Any, files: Path) -> None:
    upload(owner, "Week 1")
    assert undo_newest(owner).error is None
    assert [path for path in files.rglob("*") if path.is_file()] == []
    file = upload(owner)
    [change] = owner.made("list_changes", limit=1)["data"]
    owner.made("update_course", course_id=course["id"], syllabus_id=file["id"])
    assert owner.call("undo_change", change_id=change["id"]).error == "conflict"


@pytest.mark.rest
def test_a_restored_course_has_no_files(owner: RestEntryPoint) -> None:
    made = owner.made("create_course", name="Botany", syllabus_id=upload(owner)["id"])
    owner.made("delete_course", course_id=made["id"])
    [change] = owner.made("list_changes", limit=1)["data"]
    assert change["before"]["syllabus_files"] == 1
    assert undo_newest(owner).error is None
    assert (text_of(owner, made), files_of(owner, made)) == (TEXT, [])


@pytest.mark.rest
def test_a_deleted_file_stays_deleted(owner: RestEntryPoint) -> None:
    file = upload(owner)
    owner.made("delete_syllabus", syllabus_id=file["id"])
    refused = undo_newest(owner)
    assert (refused.error, "cannot be restored" in refused.body["message"]) == ("conflict", True)
