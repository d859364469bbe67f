"""The placement of each table when members are distributed over servers, and the statements for it.

The drill `citus` executes them on Citus (`python -m tools.bench.drills --only citus`). Here the statements that change
keys run on plain PostgreSQL: the result must be valid on each server with some of the members.
"""

from collections.abc import Iterator
from typing import Any

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection
from django.db.models import F, Model, UniqueConstraint

from accounts.models import Member
from studyservice.citus.plan import ON_COORDINATOR, by_member, everywhere, plan
from tests.server.test_database_rules import changed, owned_rows
from tests.support.cases import each
from tests.support.factories import CourseFactory, ItemFactory, MemberFactory

about_models = pytest.mark.database("sqlite", "the models")

OF_CITUS = ("SELECT create_", "SELECT truncate_local_data_after")

OF_NO_MEMBER = {
    "accounts.Invitation": "sent to addresses that do not belong to a member yet",
    "accounts.LastRun": "written by commands",
    "accounts.OutgoingMail": "also sent to addresses that do not belong to a member yet",
    "accounts.WaitingMembership": "of addresses that do not belong to a member yet",
}
"""Models without a foreign key to the member whose tables are only on the coordinator, with the reason."""

UNIQUE_AMONG_MEMBERS = {
    "accounts.Member.email": "accounts.MemberAddress",
    "accounts.ApiKey.secret_hash": "a hash of random bits",
    "accounts.CalendarFeed.secret_hash": "a hash of random bits",
    "oauthserver.AccessToken.token_checksum": "a hash of random bits",
    "oauthserver.Grant.code": "a hash of random bits",
    "oauthserver.Grant.token_family": "random bits",
    "oauthserver.RefreshToken.access_token": "a foreign key that names the member",
    "oauthserver.RefreshToken.token_checksum": "a hash of random bits",
}
"""Unique fields of members' rows that do not include the member, with what keeps them unique on all servers."""


def stored() -> list[type[Model]]:
    """Every model that has a table of its own."""
    return [model for model in apps.get_models(include_auto_created=True) if not model._meta.proxy]


@about_models
def test_every_model_has_one_place() -> None:
    """Give a new one a foreign key to the member, or name it in `ON_COORDINATOR`, `ON_EVERY_SERVER` or above."""
    assert next(iter(by_member())) == Member._meta.db_table
    assert by_member()["courses_item"] == by_member()["accounts_member_groups"] == "member_id"
    assert by_member()["oauthserver_refreshtoken"] == "user_id"
    assert {"oauthserver_application", "auth_permission", "auth_group_permissions"} <= everywhere()
    assert not everywhere() & by_member().keys()
    others = {one._meta.label for one in stored() if one._meta.db_table not in everywhere() | by_member().keys()}
    assert others == ON_COORDINATOR.keys() | OF_NO_MEMBER.keys()


@about_models
def test_what_is_unique_without_the_member_stays_so() -> None:
    """Add the member to a new unique field, or say above what keeps it unique on all servers."""
    found = {
        f"{model._meta.label}.{'+'.join(columns)}"
        for model in stored()
        if (owner := by_member().get(model._meta.db_table))
        for columns in unique_columns(model)
        if owner not in {model._meta.get_field(name).column for name in columns}  # type: ignore[union-attr]
    }
    assert found == UNIQUE_AMONG_MEMBERS.keys()


def unique_columns(model: type[Model]) -> Iterator[tuple[str, ...]]:
    """The fields that are unique together in the table, except the random primary key."""
    fields = model._meta.local_concrete_fields
    yield from ((field.name,) for field in fields if field.unique and not field.primary_key)
    yield from (tuple(names) for names in model._meta.unique_together)
    for one in model._meta.constraints:
        if isinstance(one, UniqueConstraint):
            yield (*one.fields, *(part.name for part in one.expressions if isinstance(part, F)))  # type: ignore[attr-defined]


@pytest.fixture
def rekeyed(owner_member: Member) -> Any:
    """A database with rows and the keys of a distributed one."""
    rows = owned_rows(owner_member)
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")  # a table with deferred checks cannot be altered
        for statement in plan(cursor, 32):
            if not statement.startswith(OF_CITUS):
                cursor.execute(statement)
        cursor.execute("SET CONSTRAINTS ALL DEFERRED")
    return rows


@pytest.mark.database("postgresql")
def test_each_key_includes_the_member(rekeyed: Any) -> None:
    with connection.cursor() as cursor:
        found = {table: connection.introspection.get_constraints(cursor, table) for table in by_member()}
        assert "accounts_member" not in referred_to(cursor, "accounts_browsersession")
        assert "courses_course" in referred_to(cursor, "courses_item") & referred_to(cursor, "vocab_deck")
        cursor.execute("SELECT count(*) FROM pg_constraint WHERE contype = 'f' AND confdeltype = 'n'")
        assert cursor.fetchone() == (0,)
    for table, constraints in found.items():
        for name, one in constraints.items():
            if one["unique"] and one["columns"] != [None]:
                assert by_member()[table] in one["columns"], name
            if one["foreign_key"] and one["foreign_key"][0] in by_member():
                target, column = one["foreign_key"]
                assert (by_member()[table], by_member()[target]) == (one["columns"][0], column), name


def referred_to(cursor: Any, table: str) -> set[str]:
    """The tables that the foreign keys of a table refer to."""
    constraints = connection.introspection.get_constraints(cursor, table).values()
    return {one["foreign_key"][0] for one in constraints if one["foreign_key"]}


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
