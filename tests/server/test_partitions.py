"""With partitions by member, a call reads one partition of each table."""

from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction

from accounts.models import Member
from courses.models import Item
from oauthserver.connections import connected_apps, disconnect
from studyservice.rates import limiter as rates
from tests.support.entry_points import RestEntryPoint
from tests.support.factories import CourseFactory, ItemFactory, MemberFactory
from tests.support.oauth import App, status_of
from tests.support.partitions import read_of_several, spread
from tests.support.world import INTO_NOTHING, OPERATIONS, World, bearer

pytestmark = [pytest.mark.database("postgresql"), pytest.mark.rest, pytest.mark.django_db]

_READ = """
    SELECT relname, coalesce(seq_scan, 0) + coalesce(idx_scan, 0) FROM pg_stat_xact_user_tables
    WHERE relname ~ '_p[0-9]$'
"""


def execute(sql: str, params: list[Any] | None = None) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        return cursor.fetchall() if cursor.description else []


def counted() -> dict[str, int]:
    """Reads of each partition in this transaction, which is the test."""
    return dict(execute(_READ))


class Reads:
    """Count reads from here on. Deferred key checks run first."""

    def __init__(self) -> None:
        self._before = counted()

    def of_several(self) -> dict[str, list[str]]:
        connection.check_constraints()
        now = counted()
        return read_of_several((name,) for name, times in now.items() if times > self._before.get(name, 0))


@pytest.fixture
def world(owner: RestEntryPoint) -> World:
    """All members' tables partitioned, and one object of each kind."""
    connection.check_constraints()
    spread(execute)
    world = World(owner)
    world.fill()
    owner.made("review_vocab_card", card_id=world.id("card_id"), rating="good")
    return world


def test_every_operation_and_its_undo_read_one_partition(world: World, owner: RestEntryPoint) -> None:
    found = {}
    for operation_id in sorted(set(OPERATIONS) - INTO_NOTHING, key=lambda name: (name.startswith("delete"), name)):
        rates.clear()
        call = world.call(operation_id)
        reads = Reads()
        assert call.send(**bearer(owner.secret)).status_code < 300, operation_id
        if several := reads.of_several():
            found[operation_id] = several
        newest = owner.made("list_changes", limit=1)["data"][0]
        if newest["undoable"]:
            assert owner.call("undo_change", change_id=newest["id"]).status in (200, 409), operation_id
            if several := reads.of_several():
                found[f"undo of {operation_id}"] = several
    assert found == {}


def test_statements_on_an_apps_tokens_read_one_partition(world: World, owner_member: Member) -> None:
    app = App.registered()
    code = app.code(owner_member)
    reads = Reads()
    tokens = app.exchange(code).json()
    again = app.refresh(tokens["refresh_token"]).json()
    assert status_of(again["access_token"]) == 200
    assert app.revoke(again["access_token"]).status_code == 200
    [connected] = connected_apps(owner_member)
    disconnect(owner_member, connected.id)
    assert reads.of_several() == {}


def test_the_check_of_partitions_can_fail(world: World) -> None:
    reads = Reads()
    list(Item.objects.filter(title="nowhere"))
    assert list(reads.of_several()) == ["courses_item"]


def test_an_item_in_another_members_course_is_rejected(world: World, owner_member: Member) -> None:
    theirs = CourseFactory.create(member=MemberFactory.create())

    def insert() -> None:
        with transaction.atomic():
            Item.objects.bulk_create([ItemFactory.build(member=owner_member, course=theirs)])
            connection.check_constraints()

    with pytest.raises(IntegrityError, match="courses_item_course_of_member"):
        insert()


def test_a_deletion_in_the_database_removes_dependents(world: World, owner_member: Member) -> None:
    assert Item.objects.filter(member=owner_member).exists()
    execute("DELETE FROM courses_course WHERE member_id = %s", [owner_member.id])
    connection.check_constraints()
    assert not Item.objects.filter(member=owner_member).exists()
