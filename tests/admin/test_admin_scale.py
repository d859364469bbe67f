"""Lists of the admin cost the same with ten rows and with a million: few statements, none of which counts them all."""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from tests.support.factories import (
    ApiKeyFactory,
    ApplicationFactory,
    AttemptFactory,
    CalendarFeedFactory,
    CardFactory,
    CourseFactory,
    DeckFactory,
    GradeCategoryFactory,
    GradeScoreFactory,
    ItemFactory,
    MemberFactory,
    MilestoneFactory,
    RefreshTokenFactory,
    SyllabusFileFactory,
    stored,
)

LISTS = [
    "accounts/member",
    "accounts/apikey",
    "accounts/calendarfeed",
    "courses/course",
    "courses/item",
    "courses/syllabusfile",
    "planning/milestone",
    "grades/gradecategory",
    "grades/gradescore",
    "practice/attempt",
    "vocab/deck",
    "vocab/card",
    "accounts/invitation",
    "oauthserver/application",
    "oauthserver/refreshtoken",
    "oauthserver/connectedmember",
]
QUERIES = ["", "?q=a", "?q=member-1@", "?q=11111111-1111-1111-1111-111111111111", "?p=2", "?all=1", "?_facets=True"]
_ONE = r'WHERE "\w+"\."(session_key|id|course_id)" = '
"""Statements for one object, or for the files of one course."""

FILTERS = {
    "accounts/member": ["?membership=active", "?membership=ending", "?membership=lapsed", "?is_staff__exact=0"],
    "accounts/apikey": ["?state=active", "?state=expired", "?state=revoked"],
    "courses/syllabusfile": ["?text_status__exact=read"],
    "courses/item": ["?kind__exact=exam"],
    "practice/attempt": ["?source__exact=vocab", "?correct__exact=1"],
    "vocab/card": ["?state__exact=new"],
    "oauthserver/application": ["?use=never", "?use=used", "?verified__exact=0"],
}


def _fill(start: int, number: int) -> None:
    """`number` members with one row each of everything."""
    until = timezone.now().date() + timedelta(days=5)
    for n in range(start, start + number):
        member = MemberFactory.create(email=f"member-{n}@example.org", name=f"Name {n}", membership_until=until)
        ApiKeyFactory.create(member=member, name="Key a")
        CalendarFeedFactory.create(member=member)
        course = CourseFactory.create(member=member, name="Course a", syllabus_text="text that no list needs")
        SyllabusFileFactory.create(member=member, course=course, filename="File a")
        item = ItemFactory.create(member=member, course=course, title="Item a", kind="exam")
        MilestoneFactory.create(member=member, item=item, title="Step a")
        category = GradeCategoryFactory.create(member=member, course=course, name="Category a")
        GradeScoreFactory.create(member=member, category=category, label="Score a")
        deck = DeckFactory.create(member=member, course=course, name="Deck a")
        CardFactory.create(member=member, deck=deck, term="Term a", definition="What a is.")
        AttemptFactory.create(member=member, topic="Deck a")
        RefreshTokenFactory.create(user=member, application=ApplicationFactory.create(name="App a"))


Statements = Callable[[str], list[str]]


@pytest.fixture
def statements(admin: Client) -> Statements:
    """The statements that a page of the admin sends; a list must not show more than a page."""

    def read(address: str) -> list[str]:
        with CaptureQueriesContext(connection) as context:
            response = admin.get(f"/admin/{address}")
        assert response.status_code in {200, 302}, address
        if response.context and "cl" in response.context:
            assert len(response.context["cl"].result_list) <= 50
        return [query["sql"] for query in context.captured_queries]

    return read


@pytest.mark.parametrize("path", LISTS)
def test_a_list_costs_the_same_however_long_it_is(path: str, statements: Statements) -> None:
    """Session and operator, one bounded count, one page of rows; no syllabus."""
    addresses = [f"{path}/{query}" for query in QUERIES + FILTERS.get(path, [])]
    _fill(0, 1)
    few = {address: len(statements(address)) for address in addresses}
    _fill(1, 55)
    for address in addresses:
        many = statements(address)
        assert len(many) <= min(few[address], 4), address
        assert [sql for sql in many if "COUNT(" in sql and "LIMIT 1000)" not in sql] == []
        assert [sql for sql in many if "syllabus_text" in sql] == []


@pytest.mark.parametrize(
    "address",
    [
        "courses/course/add/",
        "courses/item/add/",
        "accounts/member/add/",
        "autocomplete/?app_label=courses&model_name=course&field_name=member&term=",
        "autocomplete/?app_label=courses&model_name=course&field_name=member&term=a",
    ],
)
def test_no_form_selects_every_row(address: str, statements: Statements) -> None:
    _fill(0, 1)
    few = statements(address)
    _fill(1, 30)
    assert len(statements(address)) <= len(few)
    assert [sql for sql in few if "LIMIT" not in sql and not re.search(_ONE, sql)] == []


def test_a_list_says_at_most_a_thousand(admin: Client) -> None:
    stored(MemberFactory, 1050)
    changelist: Any = admin.get("/admin/accounts/member/").context["cl"]
    assert (changelist.result_count, len(changelist.result_list)) == (1000, 50)
