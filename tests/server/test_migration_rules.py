"""Migrations after the last release can run while its code goes on serving."""

import pytest
from django.db import connection
from django.db.migrations.loader import MigrationLoader

from tests.support.migration_rules import INSTEAD, broken_rules
from tests.support.releases import migrations_since

pytestmark = [pytest.mark.database("postgresql"), pytest.mark.django_db]

EXCUSED: dict[tuple[str, str], set[str]] = {}
"""App and name of a migration, and the codes that it may have; with the reason, and a changelog that says to stop the
old version first."""


def test_new_migrations_let_the_old_code_go_on() -> None:
    since = migrations_since(MigrationLoader(connection))
    assert ("accounts", "0016_member_addresses") in since
    broken = {node: broken_rules(*node) - EXCUSED.get(node, set()) for node in since}
    assert not {node: [INSTEAD[code] for code in sorted(codes)] for node, codes in broken.items() if codes}


@pytest.mark.parametrize(
    ("app", "name", "codes"),
    [
        ("accounts", "0002_sign_in_codes", {"NOT_NULL"}),
        ("accounts", "0004_member_erasure", {"CREATE_INDEX", "CREATE_INDEX_EXCLUSIVE", "LOOKS_AT_ROWS"}),
        ("accounts", "0009_desired_retention", set()),
        ("accounts", "0011_browser_sessions", set()),
        ("courses", "0002_database_rules", {"ADD_UNIQUE", "SEVERAL_TABLES"}),
        ("courses", "0005_items_by_course", {"NOT_AGAIN"}),
        ("courses", "0010_syllabus_files", {"NOT_NULL", "ADD_UNIQUE", "CREATE_INDEX", "CREATE_INDEX_EXCLUSIVE"}),
        ("vocab", "0007_review_actors", {"DROP_INDEX", "CREATE_INDEX", "CREATE_INDEX_EXCLUSIVE"}),
        ("vocab", "0009_retention_to_member", {"DROP_TABLE"}),
    ],
)
def test_what_earlier_ones_did_is_seen(app: str, name: str, codes: set[str]) -> None:
    assert broken_rules(app, name) == codes
