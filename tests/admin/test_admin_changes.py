"""The member's log records changes and reading by operators. Operators can read the log but not edit it."""

from typing import Any

import pytest
from django.test import Client

from accounts.models import Member
from courses.models import Course
from studyservice.models import ActorKind, Change
from tests.conftest import MakeMember
from tests.support.browsers import form_of
from tests.support.entry_points import RestEntryPoint
from tests.support.uploads import stored_file

pytestmark = pytest.mark.same_statements

LOG = "/admin/studyservice/change/"


def latest(owner: RestEntryPoint) -> Any:
    """The newest change in the wording of the log."""
    return owner.made("list_changes", limit=1)["data"][0]


def number() -> int:
    return Change.objects.count()


@pytest.fixture
def operator(make_member: MakeMember) -> Member:
    return make_member("operator@example.com", name="Olga", is_staff=True, is_superuser=True)


def told_by(operator: Member) -> dict[str, Any]:
    return {"kind": "operator", "id": str(operator.id), "name": "Olga"}


@pytest.fixture
def edit(admin: Client, course: Any) -> str:
    return f"/admin/courses/course/{course['id']}/change/"


@pytest.mark.rest
def test_a_change_by_an_operator_is_logged(
    admin: Client, operator: Member, owner: RestEntryPoint, course: Any, edit: str
) -> None:
    form = form_of(admin, edit)
    rows = number()
    assert admin.post(edit, form | {"name": "Botany"}).status_code == 302
    assert number() == rows + 1
    told = latest(owner)
    assert {name: told[name] for name in ("operation", "by", "before", "after")} == {
        "operation": "update_course",
        "by": told_by(operator),
        "before": {"name": course["name"]},
        "after": {"name": "Botany"},
    }


@pytest.mark.rest
def test_creations_and_deletions_by_an_operator_are_logged(
    admin: Client, operator: Member, owner: RestEntryPoint, owner_member: Member
) -> None:
    fields = {"member": str(owner_member.id), "name": "Botany", "term": "Fall semester"}
    no_files = {"syllabus_files-TOTAL_FORMS": "0", "syllabus_files-INITIAL_FORMS": "0"}
    assert admin.post("/admin/courses/course/add/", fields | no_files).status_code == 302
    told = latest(owner)
    assert (told["operation"], told["by"], told["object"]["name"]) == ("create_course", told_by(operator), "Botany")
    course = Course.objects.get()
    assert admin.post(f"/admin/courses/course/{course.id}/delete/", {"post": "yes"}).status_code == 302
    told = latest(owner)
    assert (told["operation"], told["by"], told["object"]["id"]) == ("delete_course", told_by(operator), str(course.id))


@pytest.mark.rest
def test_opening_an_object_is_logged(
    admin: Client, operator: Member, owner: RestEntryPoint, course: Any, edit: str
) -> None:
    """Capabilities 5: operators' reading appears as `operator_read`."""
    rows = number()
    admin.get(edit)
    assert number() == rows + 1
    told = latest(owner)
    assert told == {
        "id": told["id"],
        "created_at": told["created_at"],
        "operation": "operator_read",
        "by": told_by(operator),
        "object": {"type": "course", "id": course["id"], "name": course["name"]},
        "before": None,
        "after": None,
        "undoable": False,
        "undone_at": None,
    }


@pytest.mark.rest
def test_downloading_a_file_is_logged(admin: Client, owner: RestEntryPoint, owner_member: Member, course: Any) -> None:
    file = stored_file(owner_member, course["id"], filename="plan.pdf")
    assert admin.get(file.file.url).getvalue() == b"Week 1"
    assert (latest(owner)["operation"], latest(owner)["object"]["name"]) == ("operator_read", "plan.pdf")


@pytest.mark.usefixtures("course")
def test_opening_a_list_is_not_logged(admin: Client) -> None:
    rows = number()
    for path in ("/admin/courses/course/", LOG, "/admin/accounts/member/"):
        assert admin.get(path).status_code == 200
    assert number() == rows


@pytest.mark.database("both")
def test_the_log_of_a_member_is_readable(
    admin: Client, operator: Member, owner: RestEntryPoint, owner_member: Member, item: Any
) -> None:
    owner.made("update_item", item_id=item["id"], due_on="2026-12-03")
    moved = Change.objects.get(operation="update_item")
    page = admin.get(LOG, {"member__id__exact": str(owner_member.id)}).content.decode()
    assert f"{LOG}{moved.id}/change/" in page
    assert "due_on: from nothing to 2026-12-03" in admin.get(f"{LOG}{moved.id}/change/").content.decode()
    read = Change.objects.get(by_kind=ActorKind.OPERATOR)
    assert (read.operation, read.object_id, read.by_id) == ("operator_read", moved.id, operator.id)


@pytest.mark.database("both")
def test_the_log_is_read_only(admin: Client, item: Any) -> None:
    row = Change.objects.latest("created_at")
    assert admin.get(f"{LOG}add/").status_code == 403
    assert admin.post(f"{LOG}{row.id}/change/", {"operation": "other"}).status_code == 403
    assert admin.post(f"{LOG}{row.id}/delete/", {"post": "yes"}).status_code == 403
    assert Change.objects.get(id=row.id).operation == row.operation


def test_an_operator_without_the_permission_cannot_see_it(make_member: MakeMember, item: Any) -> None:
    client = Client()
    client.force_login(make_member("helper@example.com", is_staff=True))
    assert client.get(LOG).status_code == 403
