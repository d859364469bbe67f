"""Lists of the admin cost the same with ten rows and with a million: few statements, none of which counts them all."""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import ApiKey, Member
from courses.models import Course, Item
from grades.models import GradeCategory, GradeScore
from oauthserver.models import Application, RefreshToken
from planning.models import Milestone
from practice.models import Attempt
from vocab.models import Card, Deck, RetentionGoal

LISTS = [
    "accounts/member",
    "accounts/apikey",
    "courses/course",
    "courses/item",
    "planning/milestone",
    "grades/gradecategory",
    "grades/gradescore",
    "practice/attempt",
    "vocab/deck",
    "vocab/card",
    "vocab/retentiongoal",
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
    "courses/item": ["?kind__exact=exam"],
    "practice/attempt": ["?source__exact=vocab", "?correct__exact=1"],
    "vocab/card": ["?state__exact=new"],
    "oauthserver/application": ["?use=never", "?use=used", "?verified__exact=0"],
}


def _fill(start: int, number: int) -> None:
    """`number` members with one row each of everything."""
    soon = timezone.now().date() + timedelta(days=5)
    for n in range(start, start + number):
        member = Member(email=f"member-{n}@example.org", name=f"Name {n}", membership_until=soon, password="!")
        member.save(force_insert=True)
        ApiKey.objects.create(member=member, name="Key a", secret_hash=f"{n:064}", hint="svc_sk_a…b")
        course = Course.objects.create(member=member, name="Course a", syllabus_text="text that no list needs")
        item = Item.objects.create(member=member, course=course, title="Item a", kind="exam")
        Milestone.objects.create(member=member, item=item, title="Step a", position=1)
        category = GradeCategory.objects.create(member=member, course=course, name="Category a", weight=50, position=1)
        GradeScore.objects.create(member=member, category=category, label="Score a", score=90)
        deck = Deck.objects.create(member=member, course=course, name="Deck a")
        Card.objects.create(member=member, deck=deck, position=1, term="Term a", definition="What a is.")
        RetentionGoal.objects.create(member=member)
        Attempt.objects.create(
            member=member, source="vocab", topic="Deck a", correct=True, attempted_at=timezone.now(), day=soon
        )
        app = Application.objects.create(
            name="App a",
            redirect_uris="https://a.example/",
            client_id=f"svcclient_{n}",
            client_type=Application.CLIENT_CONFIDENTIAL,
            authorization_grant_type=Application.GRANT_AUTHORIZATION_CODE,
        )
        RefreshToken.objects.create(
            user=member,
            application=app,
            token_checksum=f"{n:064}",
            token_family=uuid4(),
            scope="read",
            expires=timezone.now() + timedelta(days=1),
        )


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
    Member.objects.bulk_create(Member(email=f"m{n}@example.org", password="!") for n in range(1050))
    changelist: Any = admin.get("/admin/accounts/member/").context["cl"]
    assert (changelist.result_count, len(changelist.result_list)) == (1000, 50)
