"""Every statement of the API on members' rows, and every join in it, names the member."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.apps import apps
from django.conf import settings
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.counts import repair_counts
from accounts.models import Member
from tests.support.doors import RestDoor
from tests.support.tools import mcp_of
from tests.support.world import INTO_NOTHING, OPERATIONS, TOOLS, World, bearer

pytestmark = [pytest.mark.django_db, pytest.mark.rest]

TABLES = {
    model._meta.db_table
    for model in apps.get_models()
    if model._meta.app_label in {*settings.STUDY_DATA_APPS, "accounts"}
    and any(field.attname == "member_id" for field in model._meta.concrete_fields)
} - {"accounts_apikey", "accounts_signincode"}
"""With members' rows. A credential is found by its secret, before it is known whose it is."""

_REFERENCE = re.compile(r'(FROM|JOIN|UPDATE|INTO) "(\w+)"(?: (?!SET|WHERE|INNER|LEFT|ON)"?(\w+)"?)?')


def unnamed(sql: str) -> Iterator[str]:
    """The tables of members' rows that `sql` reads or writes without the member."""
    for match in _REFERENCE.finditer(sql):
        verb, table, alias = match.groups()
        if table not in TABLES:
            continue
        if verb == "INTO":
            named = '"member_id"' in sql[match.end() :].partition(" VALUES ")[0].partition(" SELECT ")[0]
        else:
            # What is only selected names nobody.
            rest = sql[match.start() :]
            named = re.search(rf'(?<!\w)"?{alias or table}"?\."member_id"', rest) is not None
        if not named:
            yield f"{table}: {sql}"


FAULTY = [
    'SELECT "courses_item"."member_id" FROM "courses_item" WHERE "courses_item"."id" = 1',
    'SELECT 1 FROM "courses_item" INNER JOIN "courses_course" ON (1 = 1) WHERE "courses_item"."member_id" = 1',
    'DELETE FROM "courses_item" WHERE ("courses_item"."member_id" = 1 AND 1 IN (SELECT 1 FROM "courses_course" U0))',
    'INSERT INTO "courses_item" ("id") VALUES (1)',
]
SOUND = [
    'INSERT INTO "courses_item" ("id", "member_id") VALUES (1, 2)',
    'UPDATE "courses_item" SET "title" = 1 WHERE "courses_item"."member_id" = 1',
    (
        'SELECT 1 FROM "courses_course" INNER JOIN "courses_item" T3 ON (1 = 1) WHERE "courses_course"."member_id" = 1'
        ' AND T3."member_id" = 1'
    ),
]


def test_the_look_at_statements_can_fail() -> None:
    assert [len(list(unnamed(sql))) for sql in FAULTY] == [1] * len(FAULTY)
    assert [list(unnamed(sql)) for sql in SOUND] == [[]] * len(SOUND)


@pytest.fixture
def world(owner: RestDoor) -> World:
    """With something below everything that can be deleted."""
    world = World(owner)
    world.fill()
    owner.made("review_vocab_card", card_id=world.id("card_id"), rating="good")
    return world


def checked(context: CaptureQueriesContext) -> None:
    assert len(context) > 0
    assert [one for query in context.captured_queries for one in unnamed(query["sql"])] == []


@pytest.mark.parametrize("operation_id", OPERATIONS)
def test_over_rest(world: World, operation_id: str) -> None:
    if operation_id in INTO_NOTHING:
        world.empty()
    call = world.call(operation_id)
    with CaptureQueriesContext(connection) as context:
        assert call.send(**bearer(world.door.secret)).status_code < 300
    checked(context)


@pytest.mark.parametrize("operation_id", TOOLS)
def test_over_the_tools(world: World, operation_id: str) -> None:
    from tests.support.tools import arguments

    given: dict[str, Any] = arguments(world, operation_id)
    door = mcp_of(world.door)
    with CaptureQueriesContext(connection) as context:
        door.made(operation_id, **given)
    checked(context)


@pytest.mark.parametrize(
    ("operation_id", "query"),
    [
        ("list_items", {"created_after": "2020-01-01T00:00:00Z", "limit": 1}),
        ("get_course", {"include_syllabus": True}),
        ("list_vocab_decks", {"include_cards": True, "due_only": True}),
        ("list_changes", {"limit": 1}),
    ],
)
def test_with_a_query(world: World, owner: RestDoor, operation_id: str, query: dict[str, Any]) -> None:
    ids = {"get_course": "course_id", "list_vocab_decks": "deck_id"}
    if operation_id in ids:
        query = query | {ids[operation_id]: world.id(ids[operation_id])}
    with CaptureQueriesContext(connection) as context:
        page = owner.made(operation_id, **query)
        if page.get("next_cursor"):
            owner.made(operation_id, **query, cursor=page["next_cursor"])
    checked(context)


def test_with_readiness(world: World, owner: RestDoor) -> None:
    with_readiness(world, owner)


@pytest.mark.postgresql
def test_no_group_leans_on_a_primary_key(world: World, owner: RestDoor, owner_member: Member) -> None:
    """Where a table is spread by member its primary key is another, which leaves no column of a group to be guessed."""
    connection.check_constraints()  # nothing may wait for the commit
    with connection.cursor() as cursor:
        for table in sorted(TABLES - {"accounts_browsersession"}):  # which has no id
            cursor.execute(f"ALTER TABLE {table} DROP CONSTRAINT {table}_pkey CASCADE")
            cursor.execute(f"ALTER TABLE {table} ADD PRIMARY KEY (member_id, id)")
    with_readiness(world, owner)
    assert repair_counts(owner_member.id) == 0
    owner.made("get_practice_stats")


def with_readiness(world: World, owner: RestDoor) -> None:
    """What sums over the cards of items and decks."""
    today = owner.made("get_me")["today"]
    owner.made("update_vocab_deck", deck_id=world.id("deck_id"), course_id=world.id("course_id"))
    owner.made("update_item", item_id=world.id("item_id"), kind="exam", due_on=today)
    other = owner.made("create_item", course_id=world.id("course_id"), title="Quiz", kind="quiz", due_on=today)
    with CaptureQueriesContext(connection) as context:
        assert len(owner.made("get_agenda")["readiness"]) == 2
        assert owner.made("get_item", item_id=other["id"])["readiness"]["expected_recall"] is not None
        for query in ({}, {"deck_id": world.id("deck_id")}):
            owner.made("list_vocab_decks", on=today, **query)
    checked(context)
