"""Each statement that a limited credential's read sends is asked for its courses."""

import re
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.db import connection

from studyservice.registry.data import member_data
from studyservice.rows.limits import Limits
from tests.support.entry_points import RestEntryPoint, routes
from tests.support.half_seen import WHOLE_ACCOUNT, HalfSeen, Patient
from tests.support.world import OPERATIONS

pytestmark = [pytest.mark.rest, pytest.mark.django_db, pytest.mark.database("sqlite", "the forms differ in their text")]

OF_THE_MEMBER = WHOLE_ACCOUNT | {"get_me", "get_practice_stats"}
"""Reads that are refused, that name the credential's own limits, or that tell the member's streak."""

TABLES = re.compile("|".join(rf'"{data.model._meta.db_table}"' for data in member_data() if data.is_study_data))


def open_statements(send: Callable[[], Any], course_id: str) -> list[str]:
    """The statements sent that name study data, but not the allowed course."""
    found = []

    def ask(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if TABLES.search(sql) and not any(course_id in str(value) for value in params or ()):
            found.append(sql)
        return execute(sql, params, many, context)

    with connection.execute_wrapper(ask):
        send()
    return found


def test_every_statement_of_a_read_has_the_allowed_course(half: HalfSeen, owner_member: Any, make_key: Any) -> None:
    course_id = half.seen["course_id"]
    limited = Patient(make_key(owner_member, limits=Limits((course_id,)).stored())[0])
    read = 0
    for operation_id in OPERATIONS:
        route = routes()[operation_id]
        if route.method == "GET" and operation_id not in OF_THE_MEMBER:
            send = partial(limited.request, "GET", route.path.format(**half.seen))
            assert open_statements(send, course_id.replace("-", "")) == [], operation_id
            read += 1
    assert read > 12


def test_a_statement_without_it_is_found(half: HalfSeen, owner: RestEntryPoint) -> None:
    found = open_statements(lambda: owner.made("list_items"), half.seen["course_id"].replace("-", ""))
    assert any("courses_item" in sql for sql in found)
