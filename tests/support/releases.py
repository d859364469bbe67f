"""Which migrations the last release has: those after them must let its code go on while they run.

With a release, its last migrations are written here. No version has been tagged yet; what stands for one is the schema
before its foreign keys had the member in them.
"""

import sys
from pathlib import Path

from django.db.migrations import Migration
from django.db.migrations.loader import MigrationLoader

from tests import ROOT

RELEASED = {
    "accounts": "0014_calendar_feed",
    "courses": "0012_validate_syllabus_files",
    "grades": "0003_validate_database_rules",
    "oauthserver": "0009_validate_last_calls",
    "planning": "0007_validate_imported_events",
    "practice": "0006_ids_by_time",
    "vocab": "0009_retention_to_member",
}
"""The last migration of each app; an app that is not here is new."""


def migrations_since(loader: MigrationLoader) -> list[tuple[str, str]]:
    """App and name of the later migrations of the project."""
    released = {node for last in RELEASED.items() for node in loader.graph.forwards_plan(last)}
    ours = {node for node, migration in loader.disk_migrations.items() if _is_ours(type(migration))}
    return sorted(ours - released)


def _is_ours(migration: type[Migration]) -> bool:
    source = sys.modules[migration.__module__].__file__
    return source is not None and Path(source).parent.parent.parent == ROOT
