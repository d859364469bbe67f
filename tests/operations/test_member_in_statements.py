"""Every API statement on members' rows, and every join in it, names the member."""

from datetime import date, timedelta
from typing import Any

import pytest
from django.db import connection

from accounts.models import Member
from studyservice.registry.counts import recount
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.statements import TABLES, named, unnamed
from tests.support.tools import mcp_of
from tests.support.world import INTO_NOTHING, OPERATIONS, TOOLS, World, bearer

pytestmark = [pytest.mark.django_db, pytest.mark.rest, pytest.mark.same_statements]

spread = pytest.mark.database(
    "postgresql", "members are spread over servers there, by the member that a statement names"
)

FAULTY = [
    'SELECT "courses_item"."member_id" FROM "courses_item" WHERE "courses_item"."id" = 1',
    'SELECT 1 FROM "courses_item" INNER JOIN "courses_course" ON (1 = 1) WHERE "courses_item"."member_id" = 1',
    'DELETE FROM "courses_item" WHERE ("courses_item"."member_id" = 1 AND 1 IN (SELECT 1 FROM "courses_course" U0))',
    'INSERT INTO "courses_item" ("id") VALUES (1)',
    'SELECT 1 FROM "courses_item" WHERE "courses_item"."id" = 1 ORDER BY "courses_item"."member_id"',
    'DELETE FROM "oauthserver_grant" WHERE "oauthserver_grant"."id" IN (1)',
    'SELECT 1 FROM "accounts_member" WHERE "accounts_member"."email" = 1',
]
SOUND = [
    'INSERT INTO "courses_item" ("id", "member_id") VALUES (1, 2)',
    'UPDATE "courses_item" SET "title" = 1 WHERE "courses_item"."member_id" = 1',
    (
        'SELECT 1 FROM "courses_course" INNER JOIN "courses_item" T3 ON (1 = 1) WHERE "courses_course"."member_id" = 1'
        ' AND T3."member_id" = 1'
    ),
]


def test_the_check_of_statements_can_fail() -> None:
    assert [len(list(unnamed(sql))) for sql in FAULTY] == [1] * len(FAULTY)
    assert [list(unnamed(sql)) for sql in SOUND] == [[]] * len(SOUND)


@pytest.fixture
def world(owner: RestEntryPoint) -> World:
    """An account with dependents of everything that can be deleted."""
    world = World(owner)
    world.fill()
    owner.made("review_vocab_card", card_id=world.id("card_id"), rating="good")
    return world


@spread
@each("operation_id", OPERATIONS)
def test_rest_statements_name_the_member(world: World, operation_id: str) -> None:
    if operation_id in INTO_NOTHING:
        world.empty()
    call = world.call(operation_id)
    with named():
        assert call.send(**bearer(world.entry_point.secret)).status_code < 300
    undo_newest(world.entry_point)


def undo_newest(owner: RestEntryPoint) -> None:
    """Undo the last change if possible."""
    for change in owner.made("list_changes", limit=1)["data"]:
        if change["undoable"]:
            with named():
                assert owner.call("undo_change", change_id=change["id"]).status in (200, 409)


@pytest.mark.thorough("both entry points call one action, which test_rest_statements_name_the_member checks")
@spread
@each("operation_id", TOOLS)
def test_tool_statements_name_the_member(world: World, operation_id: str) -> None:
    from tests.support.tools import arguments

    given: dict[str, Any] = arguments(world, operation_id)
    entry_point = mcp_of(world.entry_point)
    with named():
        entry_point.made(operation_id, **given)


@each(
    ("operation_id", "query"),
    [
        ("list_items", {"created_after": "2020-01-01T00:00:00Z", "limit": 1}),
        ("list_items", {"updated_after": "2020-01-01T00:00:00Z", "limit": 1}),
        ("get_course", {"include_syllabus": True}),
        ("list_vocab_decks", {"include_cards": True, "due_only": True}),
        ("list_changes", {"limit": 1}),
    ],
)
def test_statements_with_a_query_name_the_member(
    world: World, owner: RestEntryPoint, operation_id: str, query: dict[str, Any]
) -> None:
    ids = {"get_course": "course_id", "list_vocab_decks": "deck_id"}
    if operation_id in ids:
        query = query | {ids[operation_id]: world.id(ids[operation_id])}
    with named():
        page = owner.made(operation_id, **query)
        if page.get("next_cursor"):
            owner.made(operation_id, **query, cursor=page["next_cursor"])


def test_statements_with_readiness_name_the_member(world: World, owner: RestEntryPoint) -> None:
    with_readiness(world, owner)


@pytest.mark.database("postgresql")
def test_no_grouping_relies_on_a_primary_key(world: World, owner: RestEntryPoint, owner_member: Member) -> None:
    """A partitioned table has another primary key, so no grouped column may be inferred."""
    connection.check_constraints()  # nothing may wait for the commit
    with connection.cursor() as cursor:
        for table in sorted(TABLES):
            cursor.execute(f"ALTER TABLE {table} DROP CONSTRAINT {table}_pkey CASCADE")
            cursor.execute(f"ALTER TABLE {table} ADD PRIMARY KEY (member_id, id)")
    with_readiness(world, owner)
    assert recount(owner_member.id) == 0
    owner.made("get_practice_stats")


def with_readiness(world: World, owner: RestEntryPoint) -> None:
    """Statements that aggregate the cards of items and decks."""
    today = owner.made("get_me")["today"]
    owner.made("update_vocab_deck", deck_id=world.id("deck_id"), course_id=world.id("course_id"))
    owner.made("update_item", item_id=world.id("item_id"), kind="exam", due_on=today)
    other = owner.made("create_item", course_id=world.id("course_id"), title="Quiz", kind="quiz", due_on=today)
    tomorrow = str(date.fromisoformat(today) + timedelta(days=1))
    exam = owner.made("create_item", course_id=world.id("course_id"), title="Final", kind="exam", due_on=tomorrow)
    with named():
        agenda = owner.made("get_agenda")
        assert len(agenda["readiness"]) == 3
        assert agenda.items() <= owner.made("get_agenda", minutes=30).items()
        assert owner.made("get_item", item_id=other["id"])["readiness"]["expected_recall"] is not None
        for query in ({}, {"deck_id": world.id("deck_id")}):
            owner.made("list_vocab_decks", on=today, **query)
        assert owner.made("get_item", item_id=exam["id"], minutes_a_day=10)["study_plan"]["cards"] > 0
        assert owner.made("list_vocab_decks", for_item=exam["id"], minutes_a_day=10)["data"][0]["cards"]
