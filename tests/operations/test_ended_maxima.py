"""The maxima of courses: 30 that have not ended, 200 in all."""

from typing import Any

import pytest

from courses.models import Course
from studyservice.rows.limits import Limits
from tests.conftest import MakeMember, OpenEntryPoint
from tests.support.archive_lines import an_id
from tests.support.archives import a_course, one_course, parts, zipped
from tests.support.cases import each
from tests.support.entry_points import Answer, RestEntryPoint
from tests.support.factories import CourseFactory

FULL = "You have reached the limit of 30 courses. End or delete one first."
FULL_IN_ALL = "You have reached the limit of 200 courses, ended ones included. Delete one first."


@pytest.fixture
def fill(owner_member: Any) -> Any:
    """Adds courses of the owner, as 200 calls would take long."""

    def add(number: int, *, archived: bool = False) -> list[Course]:
        made: list[Course] = CourseFactory.create_batch(number, member=owner_member, archived=archived)
        return made

    return add


def told(answer: Answer) -> tuple[str | None, str]:
    return answer.error, "" if answer.error is None else answer.body["message"]


def undo_newest(owner: RestEntryPoint) -> Answer:
    [change] = owner.made("list_changes", limit=1)["data"]
    return owner.call("undo_change", change_id=change["id"])


def number_open(owner: RestEntryPoint) -> int:
    return sum(not course["archived"] for course in owner.made("list_courses")["data"])


def test_ended_courses_leave_room_for_others(owner: RestEntryPoint, course: Any, fill: Any) -> None:
    fill(29)
    assert told(owner.call("create_course", name="One more")) == ("conflict", FULL)
    owner.made("update_course", course_id=course["id"], archived=True)
    owner.made("create_course", name="One more")
    assert len(owner.made("list_courses")["data"]) == 31


def test_a_course_is_not_reopened_beside_30(owner: RestEntryPoint, course: Any, fill: Any) -> None:
    ended = owner.made("update_course", course_id=course["id"], archived=True)
    fill(30)
    refused = owner.call("update_course", course_id=course["id"], archived=False, name="Botany")
    assert told(refused) == ("conflict", FULL)
    assert owner.made("list_courses")["data"][0] == ended, "nothing is changed, the name neither"
    assert owner.made("update_course", course_id=course["id"], name="Botany")["archived"] is True


@pytest.mark.rest
def test_a_limited_credential_counts_the_hidden_courses_too(
    owner: RestEntryPoint, owner_member: Any, course: Any, fill: Any, make_key: Any
) -> None:
    owner.made("update_course", course_id=course["id"], archived=True)
    fill(30)
    limited = RestEntryPoint(make_key(owner_member, limits=Limits((course["id"],)).stored())[0])
    refused = limited.call("update_course", course_id=course["id"], archived=False)
    assert told(refused) == ("conflict", FULL)


def test_an_open_course_among_30_is_still_changed(owner: RestEntryPoint, course: Any, fill: Any) -> None:
    fill(29)
    assert owner.made("update_course", course_id=course["id"], archived=False, name="Botany")["name"] == "Botany"


def test_200_courses_are_the_most(owner: RestEntryPoint, course: Any, fill: Any) -> None:
    fill(199, archived=True)
    assert told(owner.call("create_course", name="One more")) == ("conflict", FULL_IN_ALL)
    owner.made("delete_course", course_id=course["id"])
    owner.made("create_course", name="One more")


@pytest.mark.rest
def test_the_undo_of_an_ending_needs_room(owner: RestEntryPoint, course: Any, fill: Any) -> None:
    ended = owner.made("update_course", course_id=course["id"], archived=True)
    more = fill(30)
    assert told(undo_newest(owner)) == ("conflict", FULL)
    assert owner.made("list_courses")["data"][0] == ended
    more[0].delete()
    assert undo_newest(owner).error is None
    assert number_open(owner) == 30


@pytest.mark.rest
def test_the_undo_of_a_deletion_needs_room(owner: RestEntryPoint, course: Any, fill: Any) -> None:
    owner.made("delete_course", course_id=course["id"])
    fill(30)
    assert told(undo_newest(owner)) == ("conflict", FULL)
    assert number_open(owner) == 30


@pytest.mark.rest
def test_the_deletion_of_an_ended_course_is_undone_beside_30(owner: RestEntryPoint, course: Any, fill: Any) -> None:
    owner.made("update_course", course_id=course["id"], archived=True)
    owner.made("delete_course", course_id=course["id"])
    fill(30)
    assert undo_newest(owner).error is None
    assert len(owner.made("list_courses")["data"]) == 31


@pytest.mark.rest
def test_the_undo_of_a_deletion_stops_at_200(owner: RestEntryPoint, course: Any, fill: Any) -> None:
    owner.made("delete_course", course_id=course["id"])
    fill(200, archived=True)
    assert told(undo_newest(owner)) == ("conflict", FULL_IN_ALL)


@pytest.mark.rest
def test_the_undo_of_a_reopening_and_of_a_new_name_needs_no_room(owner: RestEntryPoint, course: Any, fill: Any) -> None:
    owner.made("update_course", course_id=course["id"], archived=True)
    owner.made("update_course", course_id=course["id"], archived=False, name="Botany")
    fill(29)
    assert undo_newest(owner).error is None
    assert owner.made("list_courses")["data"][0]["archived"] is True


def archive_of(number: int, ended: int) -> bytes:
    """An archive with this many open and ended courses."""
    lines = [a_course(id=an_id(place), archived=place >= number) for place in range(number + ended)]
    return zipped(parts(courses=lines))


@pytest.mark.rest
def test_an_archive_with_30_open_courses_and_170_ended_ones_is_imported(owner: RestEntryPoint) -> None:
    assert owner.made("import_data", file=archive_of(30, 170))["counts"]["courses"] == 200
    assert number_open(owner) == 30


@pytest.mark.rest
@each(
    ("number", "ended", "why"),
    [(31, 0, "There would be more than 30 open courses."), (30, 171, "There would be more than 200 courses.")],
)
def test_an_archive_with_too_many_courses_is_a_conflict(
    owner: RestEntryPoint, number: int, ended: int, why: str
) -> None:
    refused = owner.call("import_data", file=archive_of(number, ended))
    assert told(refused) == ("conflict", f"{why} Nothing was changed.")
    assert owner.made("list_courses")["data"] == []


@pytest.mark.rest
def test_an_archive_keeps_which_courses_have_ended(
    owner: RestEntryPoint, course: Any, make_member: MakeMember, entry_point: OpenEntryPoint
) -> None:
    owner.made("update_course", course_id=course["id"], archived=True)
    owner.made("create_course", name="Algebra")
    newcomer = entry_point(make_member("new@example.org"))
    newcomer.made("import_data", file=owner.made("export_data"))
    assert [one["archived"] for one in newcomer.made("list_courses")["data"]] == [True, False]


@pytest.mark.rest
def test_courses_of_an_archive_from_before_are_open(owner: RestEntryPoint) -> None:
    owner.made("import_data", file=one_course())
    assert [one["archived"] for one in owner.made("list_courses")["data"]] == [False]


@pytest.mark.django_db(transaction=True)
def test_parallel_reopenings_stop_at_30(owner: RestEntryPoint, fill: Any, in_threads: Any) -> None:
    fill(29)
    ended = fill(12, archived=True)
    answers = in_threads(lambda one: owner.call("update_course", course_id=str(one.id), archived=False).error, ended)
    assert sorted(map(str, answers)) == ["None"] + ["conflict"] * 11
    assert number_open(owner) == 30
