"""A late page of list_items costs as much as the first, because an index leads to its start."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection

from studyservice.rows.limits import Limits
from tests.support.entry_points import RestEntryPoint
from tests.support.factories import CourseFactory, ItemFactory, stored

ITEMS = 5000
UNDATED = 240
LIMIT = 25

pytestmark = pytest.mark.rest


@pytest.fixture
def cursors(owner: RestEntryPoint, owner_member: Any) -> list[str]:
    """Cursors of pages of 5,000 items, 20 per day, with undated items last."""
    day, course = owner_member.today(), CourseFactory.create(member=owner_member)
    for start in range(0, ITEMS - UNDATED, 20):
        stored(ItemFactory, 20, member=owner_member, course=course, due_on=day + timedelta(days=start // 20))
    stored(ItemFactory, UNDATED, member=owner_member, course=course)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    found, page = [], owner.made("list_items", limit=100)
    while page["has_more"]:
        found.append(page["next_cursor"])
        page = owner.made("list_items", limit=100, cursor=page["next_cursor"])
    return found


def explained(entry_point: RestEntryPoint, how: str, **arguments: Any) -> list[Any]:
    """The query plans of a list_items call."""
    asked = []

    def note(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        asked.append((sql, params))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(note):
        assert entry_point.made("list_items", limit=LIMIT, **arguments)["data"]
    told = []
    with connection.cursor() as cursor:
        for sql, params in asked:
            if "courses_item" in sql:
                cursor.execute(f"{how} {sql}", params)
                told.append(cursor.fetchall())
    return told


def rows_read(plan: Any) -> float:
    """The number of rows that the scans of a plan read."""
    below: float = sum(rows_read(part) for part in plan.get("Plans", ()))
    if "Relation Name" not in plan:
        return below
    looked_at: float = plan["Actual Rows"] + plan.get("Rows Removed by Filter", 0)
    loops: float = plan["Actual Loops"]
    return below + loops * looked_at


@pytest.mark.database("postgresql")
def test_no_page_reads_more_than_three_times_its_items(owner: RestEntryPoint, cursors: list[str]) -> None:
    for cursor in (*cursors[::12], *cursors[-2:]):
        [[(plan,)]] = explained(owner, "EXPLAIN (ANALYZE, FORMAT JSON)", cursor=cursor)
        assert rows_read(plan[0]["Plan"]) <= 3 * (LIMIT + 1), plan


@pytest.mark.database("postgresql")
def test_the_index_compares_the_courses_of_a_limited_credential(
    owner: RestEntryPoint, owner_member: Any, make_key: Any, cursors: list[str]
) -> None:
    courses = [course["id"] for course in owner.made("list_courses")["data"]]
    for number in range(3):
        course = CourseFactory.create(member=owner_member, name=f"Latin {number}")
        ItemFactory.create(member=owner_member, course=course, due_on=owner_member.today())
        courses.append(str(course.id))
    limited = RestEntryPoint(make_key(owner_member, limits=Limits(tuple(courses[1:])).stored())[0])
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_sort = off")  # rejects the other plans, which are cheap in small tables
    plan = "\n".join(line for (line,) in explained(limited, "EXPLAIN")[0])
    assert "Index Scan using item_member_due_times" in plan, plan
    if connection.pg_version >= 170000:  # type: ignore[attr-defined]  # before, not in an index that is read in order
        assert re.search(r"using item_member_due_times.*\n.*Index Cond:.*NULLIF\(course_id", plan), plan


@pytest.mark.database("sqlite")
def test_every_page_uses_an_index(owner: RestEntryPoint, cursors: list[str]) -> None:
    """For undated items, SQLite may use the index by course, since it has no statistics."""
    [plan] = explained(owner, "EXPLAIN QUERY PLAN", cursor=cursors[24])
    dated = "INDEX item_member_due_times (member_id=? AND (due_on,time_in_order,created_at,id)>"
    assert any(dated in row[-1] for row in plan), plan
    [plan] = explained(owner, "EXPLAIN QUERY PLAN", cursor=cursors[-1])
    assert any("due_on=? AND (time_in_order,created_at,id)>" in row[-1] for row in plan), plan
