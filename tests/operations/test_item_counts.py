"""The stored count of a course's items is always correct, even with concurrent writes, and costs one statement."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.members.counts import repair_counts
from courses.item_counts import ITEMS_OF_COURSE
from courses.models import Course
from studyservice.rates import limiter as rates
from tests.support.entry_points import RestEntryPoint
from tests.support.factories import ItemFactory, stored


def counts() -> dict[str, tuple[int, int]]:
    """Each course's stored count and its number of items."""
    return {course.name: (course.item_count, course.items.count()) for course in Course.objects.all()}


def test_creations_and_deletions_are_counted(owner: RestEntryPoint, stranger: RestEntryPoint) -> None:
    first, second = (owner.made("create_course", name=name) for name in ("Biology", "Botany"))
    items = [owner.made("create_item", course_id=first["id"], title=f"{n}") for n in range(3)]
    owner.made("create_item", course_id=second["id"], title="x")
    owner.made("delete_item", item_id=items[0]["id"])
    for entry_point in (owner, stranger):
        assert entry_point.call("delete_item", item_id=items[0]["id"]).error == "not_found"
    assert stranger.call("delete_item", item_id=items[1]["id"]).error == "not_found"
    assert stranger.call("create_item", course_id=first["id"], title="x").error == "not_found"
    assert counts() == {"Biology": (2, 2), "Botany": (1, 1)}


@pytest.mark.database("sqlite", "other tests send the same statements")
@pytest.mark.rest
def test_a_rejected_item_is_not_counted(owner: RestEntryPoint, owner_member: Any, course: Any) -> None:
    stored(ItemFactory, ITEMS_OF_COURSE.most, member=owner_member, course=Course(id=course["id"]))
    repair_counts(owner_member.id)
    assert owner.call("create_item", course_id=course["id"], title="x").error == "conflict"
    assert counts() == {"Cell Biology": (ITEMS_OF_COURSE.most, ITEMS_OF_COURSE.most)}


@pytest.mark.rest
def test_a_new_item_needs_four_statements(owner: RestEntryPoint, course: Any) -> None:
    """The member's clock; the count with the limits and the course's name; the item; and its change.

    PostgreSQL combines the last two.
    """
    owner.made("create_item", course_id=course["id"], title="x")
    with CaptureQueriesContext(connection) as queries:
        owner.made("create_item", course_id=course["id"], title="y")
    asked = [query["sql"].split()[0] for query in queries.captured_queries]
    added = ["WITH"] if connection.vendor == "postgresql" else ["INSERT", "INSERT"]
    assert [sql for sql in asked if sql in {"UPDATE", "INSERT", "WITH"}] == ["UPDATE", "UPDATE", *added]
    assert [sql for sql in asked if sql == "SELECT"] == ["SELECT"]  # the credential


@pytest.mark.django_db(transaction=True)
@pytest.mark.rest
def test_eight_writers_and_a_deleter_keep_the_count_correct(
    owner: RestEntryPoint, owner_member: Any, course: Any, in_threads: Any
) -> None:
    """Near the limit, the count equals the rows, never exceeds the limit, and wastes no place."""
    made = stored(ItemFactory, ITEMS_OF_COURSE.most - 10, member=owner_member, course=Course(id=course["id"]))
    repair_counts(owner_member.id)
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
    assert counts() == {"Cell Biology": (there, there)}
    assert ITEMS_OF_COURSE.most - deletions <= there <= ITEMS_OF_COURSE.most
    assert repair_counts(owner_member.id) == 0


@pytest.mark.rest
def test_the_repair_counts_items_that_bypassed_the_service(owner_member: Any, course: Any) -> None:
    stored(ItemFactory, 3, member=owner_member, course=Course(id=course["id"]))
    assert repair_counts(owner_member.id, dry_run=True) == 1
    assert counts() == {"Cell Biology": (0, 3)}
    assert repair_counts(owner_member.id) == 1
    assert counts() == {"Cell Biology": (3, 3)}
