"""Migrations after the last release can run while its code still serves."""

from typing import Any

import pytest
from django.db import connection, models
from django.db.migrations import (
    AddConstraint,
    AddField,
    AddIndex,
    AlterField,
    CreateModel,
    DeleteModel,
    Migration,
    RemoveIndex,
)
from django.db.migrations.autodetector import MigrationAutodetector
from django.db.migrations.loader import MigrationLoader
from django.db.models import CheckConstraint, Index, Q, UniqueConstraint

from studyservice.database.member_keys import MemberForeignKey
from studyservice.database.online import (
    AddConstraintNotValid,
    AddIndexConcurrently,
    AddUniqueConcurrently,
    RemoveIndexConcurrently,
    RemoveUniqueConcurrently,
    RunOnPostgresql,
    ValidateConstraint,
)
from tests.support.cases import each
from tests.support.migration_rules import INSTEAD, broken_by, broken_rules
from tests.support.releases import RELEASED, migrations_since

pytestmark = [pytest.mark.database("postgresql"), pytest.mark.django_db]

EXCUSED: dict[tuple[str, str], set[str]] = {}
"""App and name of a migration, and the allowed codes, with the reason and a changelog entry that says to stop the old
version first.
"""


@pytest.mark.django_db(transaction=True)
def test_new_migrations_keep_the_old_code_working() -> None:
    since = migrations_since(MigrationLoader(connection))
    broken = {node: broken_rules(*node) - EXCUSED.get(node, set()) for node in since}
    assert not {node: [INSTEAD[code] for code in sorted(codes)] for node, codes in broken.items() if codes}


def test_no_new_migration_reuses_a_released_name() -> None:
    """Django would treat it as applied."""
    for app, name in migrations_since(MigrationLoader(connection)):
        number = MigrationAutodetector.parse_number(name)
        assert number is not None, f"Begin the name of {app}.{name} with a number."
        last = MigrationAutodetector.parse_number(RELEASED.get(app, "0000_none"))
        assert number > last, f"Name {app}.{name} anew: number {last} is the last of the release."


@pytest.mark.database("both")
def test_an_added_check_is_validated_by_a_later_migration() -> None:
    """Otherwise PostgreSQL never checks the rows that existed before."""
    loader = MigrationLoader(None)
    later = [(app, loader.disk_migrations[app, name].operations) for app, name in migrations_since(loader)]
    assert unvalidated(later) == set(), (
        "End with a migration of ValidateConstraint for these (studyservice/database/online.py)."
    )


def unvalidated(migrations: list[tuple[str, Any]]) -> set[tuple[str, str]]:
    """App and name of constraints that are added without checking rows.

    Args:
        migrations: the app and the operations of each, in order.
    """
    found: set[tuple[str, str]] = set()
    for app, operations in migrations:
        found -= {(app, one.name) for one in operations if isinstance(one, ValidateConstraint)}
        found |= {(app, one.constraint.name) for one in operations if isinstance(one, AddConstraintNotValid)}
    return found


@pytest.mark.database("both")
def test_an_unvalidated_check_is_found() -> None:
    adding = ("courses", [AddConstraintNotValid("Item", POSITIVE), ValidateConstraint("item", "item_positive")])
    assert unvalidated([adding]) == {("courses", "item_positive")}
    assert unvalidated([adding, ("courses", [ValidateConstraint("Item", "item_positive")])]) == set()


ROOM = models.TextField(default="", db_default="")
POSITIVE = CheckConstraint(condition=Q(sequence__gte=1), name="item_positive")
TITLES = Index(fields=["title"], name="item_titles")
ONCE = UniqueConstraint(fields=["title"], name="item_once", condition=Q(title__gt=""))
HINT = CreateModel(
    "Hint",
    [("id", models.UUIDField(primary_key=True)), ("course", models.ForeignKey("courses.Course", models.CASCADE))],
)
OF_MEMBER = MemberForeignKey(field="course", name="item_course_again")


@each(
    ("operations", "codes"),
    [
        ([AddField("item", "room", ROOM)], set()),
        ([AddField("item", "room", models.TextField(default=""))], {"NOT_NULL"}),
        ([AlterField("item", "title", models.CharField(max_length=9))], {"ALTER_COLUMN"}),
        ([AddField("item", "room", ROOM), AddField("course", "room", ROOM)], {"SEVERAL_TABLES"}),
        ([AddConstraintNotValid("item", POSITIVE)], set()),
        ([AddConstraint("item", POSITIVE)], {"LOOKS_AT_ROWS"}),
        ([AddConstraintNotValid("item", OF_MEMBER)], set()),
        ([AddConstraint("item", OF_MEMBER)], {"LOOKS_AT_ROWS"}),
        ([ValidateConstraint("item", "item_title"), ValidateConstraint("course", "course_name")], set()),
        ([AddConstraint("item", UniqueConstraint(fields=["title"], name="item_once"))], {"ADD_UNIQUE"}),
        ([AddIndex("item", TITLES)], {"CREATE_INDEX"}),
        ([AddField("item", "room", ROOM), AddIndex("item", TITLES)], {"CREATE_INDEX", "CREATE_INDEX_EXCLUSIVE"}),
        ([RemoveIndex("item", "item_member_age")], {"DROP_INDEX"}),
        ([DeleteModel("syllabusfile")], {"DROP_TABLE"}),
        ([HINT], set()),
    ],
)
def test_the_effect_of_a_migration_is_detected(operations: list[Any], codes: set[str]) -> None:
    assert broken_by(["BEGIN;", *collected(operations), "COMMIT;"]) == codes


@pytest.mark.django_db(transaction=True)
@each(
    ("operation", "codes"),
    [
        (AddIndexConcurrently("item", TITLES), set()),
        (RemoveIndexConcurrently("item", "item_member_age"), set()),
        (AddUniqueConcurrently("item", ONCE), set()),
        (RemoveUniqueConcurrently("syllabusfile", "syllabusfile_sent"), set()),
        (RunOnPostgresql("CREATE STATISTICS IF NOT EXISTS known ON member_id, title FROM courses_item"), set()),
        (AddConstraintNotValid("item", POSITIVE), {"NOT_AGAIN"}),
        (AddField("item", "room", ROOM), {"NOT_AGAIN"}),
    ],
)
def test_the_effect_of_a_non_atomic_migration_is_detected(operation: Any, codes: set[str]) -> None:
    assert broken_by(collected([operation])) == codes


def collected(operations: list[Any]) -> list[str]:
    """The SQL of a migration of courses."""

    class Later(Migration):
        pass

    Later.operations = operations
    with connection.schema_editor(collect_sql=True, atomic=False) as editor:
        Later("later", "courses").apply(MigrationLoader(None).project_state(), editor, collect_sql=True)
    return [line for statement in editor.collected_sql for line in statement.splitlines()]
