"""What the deletion of a course removes, and what it keeps (States: Course; decisions, 6)."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from django.db import transaction

from studyservice.changes.calls import acting, command
from studyservice.rows.access import Access
from tests.support.entry_points import RestEntryPoint
from tests.support.uploads import stored_file

if TYPE_CHECKING:
    from accounts.models import Member
    from courses.models import SyllabusFile

Upload = Callable[..., "SyllabusFile"]


@pytest.fixture
def upload(settings, tmp_path: Path) -> Upload:
    """Stores a syllabus file for a course."""
    settings.MEDIA_ROOT = tmp_path

    def store(member: "Member", course: Any, content: bytes = b"Week 1") -> "SyllabusFile":
        return stored_file(member, course["id"], content)

    return store


def _path(row: "SyllabusFile") -> Path:
    return Path(row.file.path)


def _fill(entry_point: RestEntryPoint, course: Any) -> None:
    """Items, milestones, categories and scores, two of each."""
    categories = [{"name": "Quizzes", "weight": 40}, {"name": "Exams", "weight": 60}]
    grades = entry_point.made("set_grade_categories", course_id=course["id"], categories=categories)
    for number, category in enumerate(grades["categories"]):
        entry_point.made("add_grade_score", course_id=course["id"], category_id=category["id"], label="x", score=80)
        item = entry_point.made("create_item", course_id=course["id"], title=f"Item {number}")
        entry_point.made("create_milestone", item_id=item["id"], title=f"Step {number}")


def _rows() -> dict[str, int]:
    from courses.models import Course, Item, SyllabusFile
    from grades.models import GradeCategory, GradeScore
    from planning.models import Milestone

    models = [Course, Item, Milestone, GradeCategory, GradeScore, SyllabusFile]
    return {model.__name__: model._default_manager.count() for model in models}


def _everything(entry_point: RestEntryPoint) -> Any:
    """All courses, items, milestones and grades that a member sees."""
    courses = entry_point.made("list_courses")["data"]
    items = entry_point.made("list_items")["data"]
    return {
        "courses": courses,
        "items": items,
        "milestones": [entry_point.made("list_milestones", item_id=item["id"]) for item in items],
        "grades": [entry_point.made("get_grades", course_id=course["id"]) for course in courses],
    }


@pytest.mark.same_statements
def test_everything_in_the_course_is_deleted(owner: RestEntryPoint, owner_member, course, upload: Upload) -> None:
    """delete_course: removes items, milestones, grades and uploaded files."""
    _fill(owner, course)
    upload(owner_member, course)
    assert _rows() == {
        "Course": 1,
        "Item": 2,
        "Milestone": 2,
        "GradeCategory": 2,
        "GradeScore": 2,
        "SyllabusFile": 1,
    }
    owner.made("delete_course", course_id=course["id"])
    assert set(_rows().values()) == {0}


def test_its_parts_are_no_longer_found(owner: RestEntryPoint, course, item, milestone) -> None:
    owner.made("delete_course", course_id=course["id"])
    assert owner.call("get_item", item_id=item["id"]).error == "not_found"
    assert owner.call("list_milestones", item_id=item["id"]).error == "not_found"
    assert owner.call("update_milestone", milestone_id=milestone["id"]).error == "not_found"
    assert owner.call("get_grades", course_id=course["id"]).error == "not_found"
    assert owner.made("list_items", course_id=course["id"])["data"] == []


@pytest.mark.same_statements
def test_the_members_other_data_is_unchanged(owner: RestEntryPoint, course) -> None:
    other = owner.made("create_course", name="Algebra")
    _fill(owner, other)
    before = _everything(owner)
    _fill(owner, course)
    owner.made("delete_course", course_id=course["id"])
    assert _everything(owner) == before | {"courses": before["courses"][1:], "grades": before["grades"][1:]}


@pytest.mark.same_statements
def test_other_members_data_is_unchanged(owner: RestEntryPoint, stranger: RestEntryPoint, course) -> None:
    theirs = stranger.made("create_course", name="Theirs")
    _fill(stranger, theirs)
    before = _everything(stranger)
    _fill(owner, course)
    owner.made("delete_course", course_id=course["id"])
    assert _everything(stranger) == before


@pytest.mark.same_statements
def test_the_number_of_statements_is_independent_of_the_data(
    owner: RestEntryPoint, course, django_assert_max_num_queries
) -> None:
    for _ in range(5):
        _fill(owner, course)
    with django_assert_max_num_queries(24):
        owner.made("delete_course", course_id=course["id"])


@pytest.mark.django_db(transaction=True)
def test_its_stored_files_are_deleted_and_others_are_not(
    owner: RestEntryPoint, owner_member, course, upload: Upload
) -> None:
    other = owner.made("create_course", name="Algebra")
    gone = [upload(owner_member, course), upload(owner_member, course)]
    kept = upload(owner_member, other, b"Vectors")
    owner.made("delete_course", course_id=course["id"])
    assert [_path(row).exists() for row in gone] == [False, False]
    assert _path(kept).read_bytes() == b"Vectors"


@pytest.mark.django_db(transaction=True)
def test_a_stored_file_is_deleted_after_the_commit(owner_member, course, upload: Upload) -> None:
    """Decisions, 6: after the commit, never before."""
    from uuid import UUID

    from courses.courses import delete_course

    row = upload(owner_member, course)
    with acting(command("test")), transaction.atomic():
        delete_course(Access(owner_member), UUID(course["id"]))
        assert _path(row).exists()
    assert not _path(row).exists()


@pytest.mark.django_db(transaction=True)
def test_a_deletion_that_is_rolled_back_keeps_the_file(
    owner: RestEntryPoint, owner_member, course, upload: Upload
) -> None:
    from uuid import UUID

    from courses.courses import delete_course

    row = upload(owner_member, course)
    with acting(command("test")), transaction.atomic():
        delete_course(Access(owner_member), UUID(course["id"]))
        transaction.set_rollback(True)
    assert _path(row).read_bytes() == b"Week 1"
    assert owner.made("list_courses")["data"] == [course]


@pytest.mark.django_db(transaction=True)
def test_a_missing_file_does_not_prevent_the_deletion(
    owner: RestEntryPoint, owner_member, course, upload: Upload
) -> None:
    _path(upload(owner_member, course)).unlink()
    assert owner.made("delete_course", course_id=course["id"]) == {"id": course["id"], "deleted": True}


@pytest.mark.django_db(transaction=True)
def test_a_storage_error_affects_neither_the_answer_nor_other_files(
    owner: RestEntryPoint, owner_member, course, upload: Upload, caplog
) -> None:
    """The storage cannot remove the file, because a directory with content replaces it."""
    stuck, other = upload(owner_member, course), upload(owner_member, course)
    _path(stuck).unlink()
    (_path(stuck) / "inside").mkdir(parents=True)
    assert owner.made("delete_course", course_id=course["id"]) == {"id": course["id"], "deleted": True}
    assert not _path(other).exists()
    assert "Error calling" in caplog.text
    assert _rows()["SyllabusFile"] == 0


@pytest.mark.django_db(transaction=True)
def test_a_strangers_delete_keeps_the_file(stranger: RestEntryPoint, owner_member, course, upload: Upload) -> None:
    row = upload(owner_member, course)
    assert stranger.call("delete_course", course_id=course["id"]).error == "not_found"
    assert _path(row).exists()


def test_deleting_an_item_keeps_the_rest_of_its_course(owner: RestEntryPoint, course) -> None:
    """States: Item deleted: cascades only to its milestones."""
    _fill(owner, course)
    [first, second] = owner.made("list_items")["data"]
    before = _everything(owner)
    owner.made("delete_item", item_id=first["id"])
    after = _everything(owner)
    for grades in before["grades"]:
        grades["outlook"]["uncategorized"] -= 1  # the deleted item had no category
    assert after == before | {"items": [second], "milestones": before["milestones"][1:]}
