"""Each call that changes study data adds one row to the log of changes, in its transaction. Other calls add none."""

from typing import Any

import pytest
from django.db import transaction

from accounts.models import Member
from courses.courses import create_course
from courses.views import CourseViewSet
from studyservice.changes.calls import NoActor, acting, command
from studyservice.models import Change
from studyservice.rows.access import Access
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint, routes
from tests.support.world import INTO_NOTHING, OPERATIONS, WRITES, World
from vocab.models import Review

pytestmark = pytest.mark.django_db


def logged() -> list[Change]:
    return list(Change.objects.order_by("created_at"))


def by_of(row: Any) -> tuple[Any, Any, Any]:
    return row.by_kind, row.by_id, row.by_name


@pytest.fixture
def world(owner: RestEntryPoint) -> World:
    """One of each of the owner's objects."""
    return World.filled(owner)


def arguments(world: World, operation_id: str) -> dict[str, Any]:
    """Arguments with which the operation changes something."""
    ids = {name: world.id(name) for name in routes()[operation_id].path_ids}
    return ids | (world.body(operation_id) or {})


NO_STUDY_DATA = {"update_me", "refresh_school_calendar", "answer_school_calendar"}
"""Writes of the profile, and writes whose changes belong to a calendar, which is empty in these tests."""


@each("operation_id", sorted({*WRITES} - NO_STUDY_DATA))
def test_a_write_adds_one_change(world: World, owner_member: Member, operation_id: str) -> None:
    given = arguments(world, operation_id) | world.files(operation_id)
    if operation_id in INTO_NOTHING:
        world.empty()
    rows, reviews = Change.objects.count(), Review.objects.count()
    world.made(operation_id, **given)
    [key] = owner_member.api_keys.all()
    if operation_id == "review_vocab_card":
        assert (Change.objects.count(), Review.objects.count()) == (rows, reviews + 1)
        row: Any = Review.objects.latest("reviewed_at")
    else:
        assert Change.objects.count() == rows + 1
        row = logged()[-1]
        assert (row.operation, row.member_id, row.undone_at) == (operation_id, owner_member.id, None)
    assert by_of(row) == ("key", key.id, key.name)


@pytest.mark.same_statements
@each("operation_id", sorted({*OPERATIONS} - {*WRITES} | NO_STUDY_DATA))
@pytest.mark.rest
def test_writes_without_study_data_add_no_change(world: World, operation_id: str) -> None:
    given = arguments(world, operation_id)
    rows = Change.objects.count()
    world.made(operation_id, **given)
    assert Change.objects.count() == rows


@pytest.mark.same_statements
@each("operation_id", [name for name in WRITES if name.startswith("update_")])
def test_writes_without_effect_add_no_change(world: World, operation_id: str) -> None:
    given = arguments(world, operation_id)
    first = world.made(operation_id, **given)
    rows = Change.objects.count()
    assert world.made(operation_id, **given) == first
    assert Change.objects.count() == rows


def test_identical_categories_add_no_change(owner: RestEntryPoint, course: Any) -> None:
    grades = owner.made("set_grade_categories", course_id=course["id"], categories=[{"name": "Quiz", "weight": 40}])
    same = [{"id": one["id"], "name": one["name"], "weight": one["weight"]} for one in grades["categories"]]
    rows = Change.objects.count()
    owner.made("set_grade_categories", course_id=course["id"], categories=same)
    assert Change.objects.count() == rows


def test_a_rejected_write_adds_no_change(owner: RestEntryPoint, course: Any) -> None:
    rows = Change.objects.count()
    assert owner.call("create_item", course_id=course["id"], title="").error == "validation_failed"
    assert owner.call("delete_item", item_id=course["id"]).error == "not_found"
    assert Change.objects.count() == rows


def test_only_changed_fields_are_stored(owner: RestEntryPoint, item: Any) -> None:
    owner.made("update_item", item_id=item["id"], title=item["title"], due_on="2026-12-03")
    [change] = RestEntryPoint(owner.secret).made("list_changes", limit=1)["data"]
    assert (change["before"], change["after"]) == ({"due_on": None}, {"due_on": "2026-12-03"})


def test_a_long_text_is_compressed_and_restored_completely(owner: RestEntryPoint, course: Any) -> None:
    text = "Week one. " * 5000
    for value in (text.strip(), None):
        owner.made("update_course", course_id=course["id"], syllabus_text=value)
    row = logged()[-1]
    assert len(row.contents) < 1000
    RestEntryPoint(owner.secret).made("undo_change", change_id=row.id)
    assert owner.made("get_course", course_id=course["id"], include_syllabus=True)["syllabus_text"] == text.strip()


def test_a_write_without_an_actor_fails(owner_member: Member) -> None:
    with pytest.raises(NoActor), transaction.atomic():
        create_course(Access(owner_member), name="Algebra")
    with acting(command("test")):
        create_course(Access(owner_member), name="Biology")
    assert [(row.object_name, by_of(row)) for row in logged()] == [("Biology", ("command", None, "test"))]


def test_a_read_operation_cannot_write(owner_member: Member) -> None:
    read = CourseViewSet.list_courses
    with acting(command("test"), operation=read), pytest.raises(NoActor, match="list_courses"), transaction.atomic():
        create_course(Access(owner_member), name="Algebra")
    assert not logged()
