"""list_courses: GET /v1/courses."""

import pytest

from tests.support.entry_points import RestEntryPoint

pytestmark = pytest.mark.same_statements


def test_it_returns_an_empty_page(owner: RestEntryPoint) -> None:
    assert owner.made("list_courses") == {"data": [], "has_more": False, "next_cursor": None}


def test_it_returns_complete_courses(owner: RestEntryPoint) -> None:
    made = owner.made("create_course", name="Cell Biology", code="BIO 210", meets="Mon", subject="Biology")
    assert owner.made("list_courses") == {"data": [made], "has_more": False, "next_cursor": None}


def test_it_lists_the_oldest_first(owner: RestEntryPoint, time_machine) -> None:
    """Operations: list_courses, oldest first."""
    time_machine.move_to("2026-11-21T12:00:00Z", tick=False)
    for name in ["Zoology", "Algebra", "Music"]:
        owner.made("create_course", name=name)
    assert [course["name"] for course in owner.made("list_courses")["data"]] == ["Zoology", "Algebra", "Music"]


def test_a_change_does_not_move_a_course(owner: RestEntryPoint, course) -> None:
    owner.made("create_course", name="Second")
    owner.made("update_course", course_id=course["id"], name="First")
    assert [course["name"] for course in owner.made("list_courses")["data"]] == ["First", "Second"]


def test_thirty_courses_are_one_page(owner: RestEntryPoint) -> None:
    """Operation rules: everything in one page (`has_more` false)."""
    made = [owner.made("create_course", name=f"Course {number}") for number in range(30)]
    assert owner.made("list_courses") == {"data": made, "has_more": False, "next_cursor": None}


def test_it_lists_only_the_members_own_courses(owner: RestEntryPoint, stranger: RestEntryPoint, course) -> None:
    theirs = stranger.made("create_course", name="Theirs")
    assert owner.made("list_courses")["data"] == [course]
    assert stranger.made("list_courses")["data"] == [theirs]


@pytest.mark.database("both")
def test_it_returns_which_have_a_syllabus(owner: RestEntryPoint, course) -> None:
    from courses.models import Course

    owner.made("create_course", name="Without")
    Course.objects.filter(id=course["id"]).update(syllabus_text="Week 1: cells")
    assert [course["has_syllabus"] for course in owner.made("list_courses")["data"]] == [True, False]
