"""Syllabus files in the admin: state and size for everyone, content with a permission, and reading again."""

from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from accounts.models import Member
from courses.models import Course, SyllabusFile
from tests.support.browsers import form_of, listed
from tests.support.entry_points import RestEntryPoint
from tests.support.factories import SyllabusFileFactory, stored
from tests.support.hostile_files import image_named_docx
from tests.support.samples import UNKNOWN_ID
from tests.support.syllabus_files import pdf
from tests.support.uploads import stored_file

LIST = "/admin/courses/syllabusfile/"
COURSE = "/admin/courses/course/"

pytestmark = [pytest.mark.rest, pytest.mark.usefixtures("files")]


@pytest.fixture
def upload(owner: RestEntryPoint) -> SyllabusFile:
    """An upload of the owner."""
    return SyllabusFile.objects.get(id=owner.made("create_syllabus", text="Week 1: cells")["id"])


@pytest.fixture
def helper(make_member: Any) -> Client:
    """An operator who can manage files but not read them."""
    member = make_member("helper@example.org", is_staff=True)
    names = ["view_syllabusfile", "change_syllabusfile", "delete_syllabusfile"]
    member.user_permissions.set(Permission.objects.filter(codename__in=names))
    client = Client()
    client.force_login(member)
    return client


def act(client: Client, file: SyllabusFile) -> list[str]:
    """The messages after reading a file again."""
    ticked = {"action": "read_again", "_selected_action": str(file.id)}
    return [str(message) for message in client.post(LIST, ticked, follow=True).context["messages"]]


def bring(admin: Client, course: Any, content: bytes, name: str = "a.pdf", there: int = 0) -> list[str]:
    """The messages after adding a file to a course with this many files."""
    path = f"{COURSE}{course['id']}/change/"
    file = {f"syllabus_files-{there}-file": SimpleUploadedFile(name, content)}
    count = {"syllabus_files-TOTAL_FORMS": str(there + 1)}
    answer = admin.post(path, form_of(admin, path) | file | count, follow=True)
    return [str(message) for message in answer.context["messages"]]


def newest(owner: RestEntryPoint) -> Any:
    [change] = owner.made("list_changes", limit=1)["data"]
    return change


@pytest.mark.same_statements
def test_uploads_are_listed_with_state_and_size(admin: Client, upload: SyllabusFile) -> None:
    page = admin.get(LIST).content.decode()
    for told in ("syllabus.txt", "owner@example.org", "read", "13"):
        assert told in page
    assert listed(admin, LIST, q="owner@") == listed(admin, LIST, q="syllab") == ["syllabus.txt"]
    assert listed(admin, LIST, text_status__exact="no_text") == []


@pytest.mark.same_statements
def test_viewing_the_content_needs_the_permission(helper: Client, owner: RestEntryPoint, upload: SyllabusFile) -> None:
    page = helper.get(f"{LIST}{upload.id}/change/").content.decode()
    assert "text/plain" in page
    assert "Week 1" not in page
    assert upload.file.url not in page
    assert helper.get(upload.file.url).status_code == 403
    assert newest(owner)["operation"] == "operator_read"
    member = Member.objects.get(email="helper@example.org")
    member.user_permissions.add(Permission.objects.get(codename="read_syllabusfile"))
    assert "Week 1: cells" in helper.get(f"{LIST}{upload.id}/change/").content.decode()
    assert b"".join(helper.get(upload.file.url)) == b"Week 1: cells"


def test_viewing_the_content_is_logged(admin: Client, owner: RestEntryPoint, upload: SyllabusFile) -> None:
    for path in (f"{LIST}{upload.id}/change/", upload.file.url):
        b"".join(admin.get(path))
        told = newest(owner)
        assert (told["operation"], told["object"]) == (
            "operator_read",
            {"type": "syllabus_file", "id": str(upload.id), "name": "syllabus.txt"},
        )


def test_a_file_can_be_read_again(helper: Client, owner: RestEntryPoint, owner_member: Member, course: Any) -> None:
    file = stored_file(owner_member, course["id"], pdf([["Thu, Dec 3: midterm exam"]]))
    assert act(helper, file) == ["syllabus.pdf: read."]
    answer = owner.made("get_syllabus", syllabus_id=str(file.id), include_text=True)
    assert (answer["text"], answer["pages"], answer["characters"]) == ("Thu, Dec 3: midterm exam", 1, 24)
    assert owner.made("get_course", course_id=course["id"])["has_syllabus"] is False
    told = newest(owner)
    assert (told["operation"], told["before"]["text_status"], told["after"]["text_status"]) == (
        "read_syllabus_again",
        "no_text",
        "read",
    )
    assert owner.call("undo_change", change_id=told["id"]).error == "conflict"


@pytest.mark.same_statements
def test_a_file_that_cannot_be_read_again_shows_the_reason(admin: Client, owner_member: Member, course: Any) -> None:
    picture = stored_file(owner_member, course["id"], image_named_docx())
    assert "This type of file is not read here" in act(admin, picture)[0]
    Path(picture.file.path).unlink()
    assert act(admin, picture) == ["syllabus.pdf: storage has no such file."]


def test_reading_again_needs_the_change_permission(helper: Client, upload: SyllabusFile) -> None:
    Member.objects.get(email="helper@example.org").user_permissions.remove(
        Permission.objects.get(codename="change_syllabusfile")
    )
    assert act(helper, upload) == ["No action selected."]


@pytest.mark.django_db(transaction=True)
def test_a_deleted_file_is_removed_from_storage(admin: Client, upload: SyllabusFile, files: Path) -> None:
    assert admin.post(f"{LIST}{upload.id}/delete/", {"post": "yes"}).status_code == 302
    assert [path for path in files.rglob("*") if path.is_file()] == []


@pytest.mark.same_statements
def test_a_file_added_by_an_operator_is_read(admin: Client, owner: RestEntryPoint, course: Any) -> None:
    bring(admin, course, pdf([["Thu, Dec 3: midterm exam"]]), "Plan.pdf")
    [file] = owner.made("list_syllabi", course_id=course["id"])["data"]
    assert (file["filename"], file["text_status"], file["pages"], file["expires_at"]) == ("Plan.pdf", "read", 1, None)


@pytest.mark.same_statements
def test_a_rejected_file_shows_the_reason_and_is_not_stored(
    admin: Client, owner_member: Member, course: Any, files: Path
) -> None:
    assert "This type of file is not read here" in bring(admin, course, image_named_docx())[0]
    assert "larger than" in bring(admin, course, b"a" * (10 * 1024 * 1024 + 1))[0]
    stored(SyllabusFileFactory, 10, member=owner_member, course=Course(id=course["id"]))
    assert "10 files" in bring(admin, course, b"Week 1", "a.txt", there=10)[0]
    assert [path for path in files.rglob("*") if path.is_file()] == []


def test_an_unknown_file_is_not_found(admin: Client) -> None:
    assert admin.get(f"{COURSE}syllabi/ab/{UNKNOWN_ID}").status_code == 404
