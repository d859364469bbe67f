"""The limit on a course's items holds under concurrent writes, and costs no statement of its own."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from courses.item_batches import ITEMS_OF_COURSE
from courses.models import Course, Item
from studyservice.rates import limiter as rates
from tests.support.entry_points import RestEntryPoint
from tests.support.factories import ItemFactory, stored


@pytest.mark.rest
def test_a_new_item_needs_five_statements(owner: RestEntryPoint, course: Any) -> None:
    """The member's clock; the course with the counts; the item; and its change, with the objects that it names."""
    owner.made("create_item", course_id=course["id"], title="x")
    with CaptureQueriesContext(connection) as queries:
        owner.made("create_item", course_id=course["id"], title="y")
    asked = [query["sql"].split()[0] for query in queries.captured_queries]
    assert [sql for sql in asked if sql in {"UPDATE", "INSERT", "WITH"}] == ["UPDATE", "INSERT", "INSERT"]
    assert [sql for sql in asked if sql == "SELECT"] == ["SELECT", "SELECT"]  # the credential, and the course


@pytest.mark.rest
def test_a_deletion_makes_a_place(owner: RestEntryPoint, owner_member: Any, course: Any) -> None:
    [doomed, *_] = stored(ItemFactory, ITEMS_OF_COURSE.most, member=owner_member, course=Course(id=course["id"]))
    assert owner.call("create_item", course_id=course["id"], title="x").error == "conflict"
    owner.made("delete_item", item_id=doomed.id)
    owner.made("create_item", course_id=course["id"], title="x")
    assert owner.call("create_item", course_id=course["id"], title="x").error == "conflict"


@pytest.mark.django_db(transaction=True)
@pytest.mark.rest
def test_eight_writers_and_a_deleter_keep_the_limit(
    owner: RestEntryPoint, owner_member: Any, course: Any, in_threads: Any
) -> None:
    """Near the limit, the number of items never exceeds it, and no place is wasted."""
    made = stored(ItemFactory, ITEMS_OF_COURSE.most - 10, member=owner_member, course=Course(id=course["id"]))
    doomed = iter(made)
    deletions = 5

    def act(number: int) -> list[str | None]:
        if number == 8:
            return [owner.call("delete_item", item_id=next(doomed).id).error for _ in range(deletions)]
        return [owner.call("create_item", course_id=course["id"], title=f"{number}, {n}").error for n in range(5)]

    rates.clear()
    *written, deleted = in_threads(act, list(range(9)))
    assert deleted == [None] * deletions
    created = sum(error is None for errors in written for error in errors)
    assert {error for errors in written for error in errors} == {None, "conflict"}
    there = ITEMS_OF_COURSE.most - 10 + created - deletions
    assert Item.objects.count() == there
    assert ITEMS_OF_COURSE.most - deletions <= there <= ITEMS_OF_COURSE.most


@pytest.mark.rest
@pytest.mark.database("both")
def test_the_last_release_can_count_down_items_that_this_one_created(owner: RestEntryPoint, course: Any) -> None:
    """While both serve. Version 0.6.0 stores the number of a course's items and subtracts deleted ones."""
    owner.made("create_item", course_id=course["id"], title="x")
    with connection.cursor() as cursor:
        cursor.execute("UPDATE courses_course SET item_count = item_count - 1")
        cursor.execute("SELECT item_count FROM courses_course")
        assert cursor.fetchall() == [(-1,)]
