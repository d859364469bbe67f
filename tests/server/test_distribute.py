"""The placement of each table when members are distributed over servers, and the statements for it.

The drill `citus` executes them on Citus (`python -m tools.bench.drills --only citus`). Here the statements that change
keys run on plain PostgreSQL: the result must be valid on each server with some of the members.
"""

from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection

from accounts.models import Member
from studyservice.citus import tables
from studyservice.citus.catalogue import foreign_keys, unique_indexes
from studyservice.citus.layout import check_places, layout
from studyservice.citus.plan import can_hold, plan
from tests.server.test_database_rules import changed, owned_rows
from tests.support.cases import each
from tests.support.factories import CourseFactory, ItemFactory, MemberFactory

about_models = pytest.mark.database("sqlite", "the models")

OF_CITUS = ("SELECT create_", "SELECT truncate_local_data_after")


def messages() -> list[str]:
    return [str(error.msg) for error in check_places()]


@about_models
def test_every_model_has_one_place() -> None:
    assert check_places() == []
    where = layout()
    assert next(iter(where.by_member)) == where.members == "accounts_member"
    assert where.by_member["accounts_member"] == "id"
    assert where.by_member["courses_item"] == where.by_member["accounts_member_groups"] == "member_id"
    assert where.by_member["oauthserver_refreshtoken"] == "user_id"
    assert {"oauthserver_application", "auth_permission", "auth_group_permissions"} <= {*where.everywhere}
    assert {"accounts_browsersession", "accounts_signincode", "django_admin_log"} <= where.coordinator


@about_models
def test_a_model_without_a_place_stops_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(tables.ON_COORDINATOR, "accounts.LastRun")
    [text] = messages()
    assert text.startswith("accounts.LastRun has no place when members are spread over servers: ")


@about_models
def test_unused_and_duplicate_places_stop_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    for label in ("courses.Gone", "oauthserver.Application"):
        monkeypatch.setitem(tables.ON_COORDINATOR, label, "a slip")
    assert messages() == [
        "ON_COORDINATOR: courses.Gone is not a model with a table.",
        "ON_COORDINATOR: oauthserver.Application is on every server too.",
    ]


@about_models
def test_global_unique_constraints_declare_their_replacement(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as without:
        without.delitem(tables.UNIQUE_AMONG_MEMBERS, "accounts.Member.email")
        [text] = messages()
    assert text.startswith("accounts.Member.email would be unique only within each member")
    monkeypatch.setitem(tables.UNIQUE_AMONG_MEMBERS, "courses.Course.name", "a slip")
    [text] = messages()
    assert text.startswith("UNIQUE_AMONG_MEMBERS: courses.Course.name is not")


@pytest.fixture
def rekeyed(owner_member: Member) -> Any:
    """A database with rows and the keys of a distributed one."""
    rows = owned_rows(owner_member)
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")  # a table with deferred checks cannot be altered
        for statement in plan(cursor, layout(), 32):
            if not statement.startswith(OF_CITUS):
                cursor.execute(statement)
        cursor.execute("SET CONSTRAINTS ALL DEFERRED")
    return rows


@pytest.mark.database("postgresql")
def test_each_key_includes_the_member(rekeyed: Any) -> None:
    where = layout()
    with connection.cursor() as cursor:
        for index in unique_indexes(cursor):
            if index.table in where.by_member:
                assert where.by_member[index.table] in index.keys, index
        keys = foreign_keys(cursor)
    assert [key for key in keys if not can_hold(key, where)] == []
    held = {(key.table, key.columns, key.target) for key in keys}
    assert ("courses_item", ("member_id", "course_id"), "courses_course") in held
    assert ("courses_item", ("member_id",), "accounts_member") in held
    assert ("vocab_deck", ("member_id", "course_id"), "courses_course") in held
    assert not [key for key in keys if "SET NULL" in key.definition]
    assert not [key for key in keys if key.table == "accounts_browsersession"]


@pytest.mark.database("postgresql")
def test_the_new_keys_reject_the_same_rows(rekeyed: Any) -> None:
    others = CourseFactory.create(member=MemberFactory.create())
    item = ItemFactory.create(member=rekeyed[Member], course=CourseFactory.create(member=rekeyed[Member]))
    with pytest.raises(IntegrityError):
        changed(item, "course_id", others.id)


@pytest.mark.database("postgresql")
@pytest.mark.django_db
def test_a_dry_run_prints_and_changes_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):
        call_command("distribute", "--dry-run", "--shards", "8")
    first, second = capsys.readouterr().out.split("SET LOCAL")[1:]
    assert first == second
    assert "SELECT create_distributed_table('accounts_member', 'id', shard_count => 8);\n" in first
    assert "SELECT create_distributed_table('vocab_card', 'member_id', colocate_with => 'accounts_member');\n" in first
    assert "SELECT create_reference_table('oauthserver_application');\n" in first


@each("shards", ["0", "-1", "x", "64001"])
def test_an_invalid_number_of_shards_is_rejected(shards: str) -> None:
    with pytest.raises(CommandError, match="a number from 1 to 64000"):
        call_command("distribute", f"--shards={shards}")


@pytest.mark.django_db
def test_nothing_happens_without_citus() -> None:
    said = "has no Citus" if connection.vendor == "postgresql" else "does not name a PostgreSQL"
    with pytest.raises(CommandError, match=said):
        call_command("distribute")
