"""Lists of the admin cost the same with ten rows as with a million: few statements, and only members are counted."""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.apps import apps
from django.contrib.admin.models import LogEntry
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from studyservice.rates import limiter
from studyservice.registry.data import member_data
from tests.support.cases import each
from tests.support.factories import (
    AccountEventFactory,
    ApiKeyFactory,
    ApplicationFactory,
    AttemptFactory,
    CalendarFeedFactory,
    CardFactory,
    ChangeFactory,
    CourseFactory,
    DeckFactory,
    GradeCategoryFactory,
    GradeScoreFactory,
    ItemFactory,
    MemberFactory,
    MilestoneFactory,
    RefreshTokenFactory,
    SchoolCalendarFactory,
    SyllabusFileFactory,
    stored,
    stored_for_each,
)
from tests.support.run import is_thorough

pytestmark = pytest.mark.same_statements

OF_MEMBERS = [
    f"{data.model._meta.app_label}/{data.model._meta.model_name}" for data in member_data() if not data.no_admin
]
LISTS = [
    "accounts/member",
    *OF_MEMBERS,
    "accounts/invitation",
    "accounts/waitingmembership",
    "oauthserver/application",
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
    "oauthserver/application": ["?refused=day", "?use=never", "?use=used", "?verified__exact=0"],
}


def _fill(start: int, number: int) -> None:
    """Create `number` members with one row of everything each."""
    numbers, until = range(start, start + number), timezone.now().date() + timedelta(days=5)
    members = stored_for_each(
        MemberFactory,
        {
            "email": [f"member-{n}@example.org" for n in numbers],
            "name": [f"Name {n}" for n in numbers],
            "membership_until": [until] * number,
        },
    )

    def each(factory_class: Any, text: dict[str, str], **columns: list[Any]) -> list[Any]:
        return stored_for_each(factory_class, columns | {name: [value] * number for name, value in text.items()})

    each(ApiKeyFactory, {"name": "Key a"}, member=members)
    each(CalendarFeedFactory, {}, member=members)
    syllabus = "text that no list needs"
    courses = each(CourseFactory, {"name": "Course a", "syllabus_text": syllabus}, member=members)
    items = each(ItemFactory, {"title": "Item a", "kind": "exam"}, member=members, course=courses)
    each(SyllabusFileFactory, {"filename": "File a"}, member=members, course=courses)
    each(MilestoneFactory, {"title": "Step a"}, member=members, item=items)
    categories = each(GradeCategoryFactory, {"name": "Category a"}, member=members, course=courses)
    each(GradeScoreFactory, {"label": "Score a"}, member=members, category=categories)
    decks = each(DeckFactory, {"name": "Deck a"}, member=members, course=courses)
    each(CardFactory, {"term": "Term a", "definition": "What a is."}, member=members, deck=decks)
    each(AttemptFactory, {"topic": "Deck a"}, member=members)
    each(SchoolCalendarFactory, {"host": "Host a"}, member=members)
    each(AccountEventFactory, {}, member=members)
    each(ChangeFactory, {}, member=members)
    LogEntry.objects.bulk_create(LogEntry(user=member, action_flag=1, object_repr="a") for member in members)
    applications = stored(ApplicationFactory, number, name="App a")
    each(RefreshTokenFactory, {}, user=members, application=applications)


Statements = Callable[[str], list[str]]


@pytest.fixture
def statements(admin: Client) -> Statements:
    """The statements of an admin page. A list must not show more than one page."""

    def read(address: str) -> list[str]:
        limiter.clear()
        with CaptureQueriesContext(connection) as context:
            response = admin.get(f"/admin/{address}")
        assert response.status_code in {200, 302}, address
        if response.context and "cl" in response.context:
            assert len(response.context["cl"].result_list) <= 50
        return [query["sql"] for query in context.captured_queries]

    return read


@pytest.mark.database("postgresql", "PostgreSQL checks types strictly")
def test_the_cost_of_a_list_is_independent_of_its_length(statements: Statements) -> None:
    """Session and operator, one limited count, one page of rows, and no syllabus text. The lists share the rows."""
    queries = QUERIES if is_thorough() else QUERIES[:2]
    addresses = [f"{path}/{query}" for path in LISTS for query in queries + FILTERS.get(path, [])]
    _fill(0, 1)
    few = {address: len(statements(address)) for address in addresses}
    _fill(1, 52)
    for path in OF_MEMBERS:
        rows = apps.get_model(path.replace("/", ".")).objects.count()
        assert rows > 50, f"Make a row of {path} for each member in _fill."
    for address in addresses:
        many = statements(address)
        assert len(many) <= min(few[address], 4), address
        counts = [sql for sql in many if "COUNT(" in sql and "LIMIT 1000)" not in sql]
        assert counts == [] or address.startswith("accounts/member/"), address  # all members are counted
        assert [sql for sql in many if "syllabus_text" in sql] == [], address


@each(
    "address",
    [
        "courses/course/add/",
        "courses/item/add/",
        "accounts/member/add/",
        "autocomplete/?app_label=courses&model_name=course&field_name=member&term=",
        "autocomplete/?app_label=courses&model_name=course&field_name=member&term=a",
    ],
)
def test_no_form_loads_all_rows(address: str, statements: Statements) -> None:
    _fill(0, 1)
    few = statements(address)
    _fill(1, 30)
    assert len(statements(address)) <= len(few)
    read = [sql for sql in few if "LIMIT" not in sql and not re.search(_ONE, sql)]
    assert [sql for sql in read if not sql.startswith('SELECT COUNT(*) AS "__count" FROM "accounts_member"')] == []


def test_a_list_of_anything_but_members_counts_to_a_thousand_at_most(admin: Client) -> None:
    stored_for_each(ApiKeyFactory, {"member": stored(MemberFactory, 1050)})
    changelist: Any = admin.get("/admin/accounts/apikey/").context["cl"]
    assert (changelist.result_count, len(changelist.result_list)) == (1000, 50)
