"""Courses, syllabus files and items in the admin."""

from pathlib import Path
from typing import Any
from unittest.mock import ANY

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from accounts.models import Member
from courses.models import Course, Item, SyllabusFile
from tests.support.browsers import form_of, listed
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.factories import CourseFactory

COURSES = "/admin/courses/course/"
ITEMS = "/admin/courses/item/"
NO_FILES = {"syllabus_files-TOTAL_FORMS": "0", "syllabus_files-INITIAL_FORMS": "0"}


def new_course(member: Member, **fields: Any) -> dict[str, Any]:
    return {"member": str(member.id), "name": "Cell Biology", "term": "Fall semester"} | NO_FILES | fields


def test_a_course_is_created_as_over_the_api(admin: Client, owner: RestEntryPoint, owner_member: Member) -> None:
    """Texts are trimmed, blank optional texts become null, and the time is on the member's clock."""
    fields = new_course(owner_member, name="  Cell Biology ", code=" ", syllabus_text="  ")
    assert admin.post(f"{COURSES}add/", fields).status_code == 302
    [course] = owner.made("list_courses")["data"]
    assert course == {
        "id": ANY,
        "name": "Cell Biology",
        "code": None,
        "term": "Fall semester",
        "meets": None,
        "institution": None,
        "subject": None,
        "has_syllabus": False,
        "archived": False,
        "created_at": ANY,
        "updated_at": course["created_at"],
    }
    owner_member.refresh_from_db()
    assert Course.objects.get().created_at == owner_member.write_clock


@pytest.mark.same_statements
def test_a_course_over_the_limit_is_rejected(admin: Client, owner: RestEntryPoint, owner_member: Member) -> None:
    for number in range(30):
        owner.made("create_course", name=f"Course {number}")
    response = admin.post(f"{COURSES}add/", new_course(owner_member), follow=True)
    assert [str(message) for message in response.context["messages"]] == [
        "You have reached the limit of 30 courses. End or delete one first."
    ]
    assert Course.objects.count() == 30


@pytest.mark.same_statements
@each(
    ("field", "value"),
    [("name", " "), ("name", "x" * 121), ("code", "x" * 21), ("term", ""), ("syllabus_text", "x" * 500_001)],
)
def test_an_invalid_field_is_named(admin: Client, owner_member: Member, field: str, value: str) -> None:
    response = admin.post(f"{COURSES}add/", new_course(owner_member, **{field: value}))
    assert list(response.context["adminform"].form.errors) == [field]
    assert not Course.objects.exists()


@pytest.mark.same_statements
def test_a_syllabus_is_edited(admin: Client, owner: RestEntryPoint, course: Any) -> None:
    path = f"{COURSES}{course['id']}/change/"
    assert admin.post(path, form_of(admin, path) | {"syllabus_text": "Week 1: cells"}).status_code == 302
    changed = owner.made("get_course", course_id=course["id"], include_syllabus=True)
    assert (changed["syllabus_text"], changed["has_syllabus"]) == ("Week 1: cells", True)
    assert changed["updated_at"] > course["updated_at"]
    assert changed["name"] == course["name"]


def test_a_course_is_ended_and_reopened_under_the_members_maximum(
    admin: Client, owner: RestEntryPoint, owner_member: Member, course: Any
) -> None:
    path = f"{COURSES}{course['id']}/change/"
    assert admin.post(path, form_of(admin, path) | {"archived": "on"}).status_code == 302
    assert owner.made("list_courses")["data"][0]["archived"] is True
    CourseFactory.create_batch(30, member=owner_member)
    fields = {name: value for name, value in form_of(admin, path).items() if name != "archived"}
    response = admin.post(path, fields, follow=True)
    assert "End or delete one first." in response.content.decode()
    assert owner.made("list_courses")["data"][0]["archived"] is True


def test_an_emptied_syllabus_becomes_null(admin: Client, owner: RestEntryPoint, course: Any) -> None:
    Course.objects.update(syllabus_text="Week 1")
    path = f"{COURSES}{course['id']}/change/"
    admin.post(path, form_of(admin, path) | {"syllabus_text": ""})
    assert owner.made("get_course", course_id=course["id"])["has_syllabus"] is False


@pytest.mark.same_statements
def test_a_course_stays_with_its_member(
    admin: Client, owner: RestEntryPoint, course: Any, make_member: Any, owner_member: Member
) -> None:
    path = f"{COURSES}{course['id']}/change/"
    admin.post(path, form_of(admin, path) | {"member": str(make_member().id), "name": "New"})
    assert [(c.name, c.member) for c in Course.objects.all()] == [("New", owner_member)]


def upload(admin: Client, path: str, name: str = "syllabus.pdf") -> None:
    one = {"syllabus_files-TOTAL_FORMS": "1", "syllabus_files-0-file": SimpleUploadedFile(name, b"%PDF-1.7")}
    assert admin.post(path, form_of(admin, path) | one).status_code == 302


@pytest.mark.same_statements
def test_an_uploaded_file_belongs_to_the_courses_member(admin: Client, course: Any, owner_member: Member) -> None:
    upload(admin, f"{COURSES}{course['id']}/change/", "Syllabus – fall.pdf")
    [file] = SyllabusFile.objects.all()
    assert (file.member, str(file.course_id), file.filename) == (owner_member, course["id"], "Syllabus – fall.pdf")
    assert Path(file.file.path).read_bytes() == b"%PDF-1.7"
    owner_member.refresh_from_db()
    assert file.created_at == owner_member.write_clock


def test_a_file_can_be_added_with_a_new_course(admin: Client, owner_member: Member) -> None:
    one = {"syllabus_files-TOTAL_FORMS": "1", "syllabus_files-0-file": SimpleUploadedFile("a.txt", b"text")}
    assert admin.post(f"{COURSES}add/", new_course(owner_member) | one).status_code == 302
    [file] = SyllabusFile.objects.all()
    assert (file.member, file.course) == (owner_member, Course.objects.get())


@pytest.mark.same_statements
def test_operators_download_a_file(admin: Client, course: Any) -> None:
    upload(admin, f"{COURSES}{course['id']}/change/")
    url = SyllabusFile.objects.get().file.url
    assert f'href="{url}"' in admin.get(f"{COURSES}{course['id']}/change/").content.decode()
    response = admin.get(url)
    assert response.getvalue() == b"%PDF-1.7"
    assert response.headers["Content-Disposition"] == 'attachment; filename="syllabus.pdf"'
    assert Client().get(url).headers["Location"].startswith("/admin/login/")


@pytest.mark.same_statements
def test_a_missing_file_is_not_found(admin: Client, course: Any) -> None:
    upload(admin, f"{COURSES}{course['id']}/change/")
    file = SyllabusFile.objects.get()
    Path(file.file.path).unlink()
    assert admin.get(file.file.url).status_code == 404


@pytest.mark.django_db(transaction=True)
def test_a_removed_file_is_deleted_from_storage(admin: Client, course: Any) -> None:
    path = f"{COURSES}{course['id']}/change/"
    upload(admin, path)
    file = SyllabusFile.objects.get()
    ticked = {"syllabus_files-0-id": str(file.id), "syllabus_files-0-course": course["id"]}
    admin.post(path, form_of(admin, path) | ticked | {"syllabus_files-0-DELETE": "on"})
    assert not SyllabusFile.objects.exists()
    assert not Path(file.file.path).exists()


@pytest.mark.django_db(transaction=True)
def test_deleting_courses_deletes_their_objects_and_files(admin: Client, course: Any, item: Any) -> None:
    upload(admin, f"{COURSES}{course['id']}/change/")
    stored = Path(SyllabusFile.objects.get().file.path)
    ticked = {"action": "delete_selected", "_selected_action": course["id"], "post": "yes"}
    assert admin.post(COURSES, ticked).status_code == 302
    assert (Course.objects.count(), Item.objects.count(), SyllabusFile.objects.count()) == (0, 0, 0)
    assert not stored.exists()
    assert Path(settings.MEDIA_ROOT) in stored.parents


def test_a_new_item_gets_the_courses_member(
    admin: Client, owner: RestEntryPoint, owner_member: Member, course: Any
) -> None:
    fields = {"course": course["id"], "title": " Midterm ", "kind": "exam", "due_on": "2031-05-02", "due_time": "09:30"}
    assert admin.post(f"{ITEMS}add/", fields).status_code == 302
    [item] = owner.made("list_items")["data"]
    assert (item["title"], item["due_on"], item["due_time"]) == ("Midterm", "2031-05-02", "09:30")
    owner_member.refresh_from_db()
    assert Item.objects.get().created_at == owner_member.write_clock


def test_a_poller_sees_an_item_added_by_an_operator(admin: Client, owner: RestEntryPoint, item: Any) -> None:
    """Decisions, section 6: pollers miss nothing."""
    admin.post(f"{ITEMS}add/", {"course": item["course_id"], "title": "Added", "kind": "other"})
    polled = owner.made("list_items", created_after=item["created_at"])["data"]
    assert [new["title"] for new in polled] == ["Added"]


@pytest.mark.same_statements
def test_an_item_can_be_changed_and_stays_in_its_course(admin: Client, owner: RestEntryPoint, item: Any) -> None:
    other = owner.made("create_course", name="Other")
    path = f"{ITEMS}{item['id']}/change/"
    admin.post(path, form_of(admin, path) | {"course": other["id"], "title": "Final", "due_on": "2031-05-02"})
    changed = owner.made("get_item", item_id=item["id"])
    assert (changed["course_id"], changed["title"], changed["due_on"]) == (item["course_id"], "Final", "2031-05-02")
    assert changed["updated_at"] > item["updated_at"]


def test_an_item_without_a_course_is_rejected(admin: Client, owner_member: Member) -> None:
    fields = {"course": str(owner_member.id), "title": "Midterm", "kind": "exam"}
    response = admin.post(f"{ITEMS}add/", fields)
    assert list(response.context["adminform"].form.errors) == ["course"]


@each(
    ("fields", "error"),
    [
        ({"due_time": "17:00"}, "A time needs a date."),
        ({"due_on": "2031-05-02", "due_time": "24:00"}, "Must be a time written HH:MM"),
        ({"due_on": "2031-05-02", "due_time": "5 pm"}, "Must be a time written HH:MM"),
    ],
)
def test_an_item_has_a_whole_time_of_a_day(admin: Client, course: Any, fields: dict[str, str], error: str) -> None:
    response = admin.post(f"{ITEMS}add/", {"course": course["id"], "title": "Midterm", "kind": "exam"} | fields)
    assert error in response.text
    assert not Item.objects.exists()


def test_an_item_is_deleted_with_its_milestones(admin: Client, owner: RestEntryPoint, milestone: Any) -> None:
    admin.post(f"{ITEMS}{milestone['item_id']}/delete/", {"post": "yes"})
    assert owner.call("list_milestones", item_id=milestone["item_id"]).error == "not_found"


@pytest.mark.same_statements
@each(
    ("path", "term", "found"),
    [
        (COURSES, "owner@exa", ["Cell Biology"]),
        (COURSES, "biolog", ["Cell Biology"]),
        (COURSES, "stranger@example.org", []),
        (ITEMS, "owner@example.org", ["Midterm"]),
        (ITEMS, "midt", ["Midterm"]),
        ("/admin/planning/milestone/", "outline", ["Outline"]),
        ("/admin/planning/milestone/", "owner@", ["Outline"]),
    ],
)
@pytest.mark.usefixtures("milestone")
def test_rows_are_found_by_the_members_address_and_by_text(
    admin: Client, path: str, term: str, found: list[str]
) -> None:
    assert listed(admin, path, q=term) == found


@each(("term", "found"), [("own", ["owner@example.org"]), ("nobody", []), ("ow\x00n", ["owner@example.org"])])
@pytest.mark.usefixtures("owner_member")
def test_a_courses_member_is_suggested(admin: Client, term: str, found: list[str]) -> None:
    where = {"app_label": "courses", "model_name": "course", "field_name": "member", "term": term}
    answer = admin.get("/admin/autocomplete/", where).json()
    assert [one["text"] for one in answer["results"]] == found


@each("path", ["planning/milestone", "grades/gradecategory", "grades/gradescore"])
def test_study_data_below_an_item_is_read_only(admin: Client, path: str) -> None:
    assert admin.post(f"/admin/{path}/add/", {}).status_code == 403
