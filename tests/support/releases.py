"""The last migrations of the latest release. Its code must keep working while later migrations run.

Each release updates this list. These are the migrations of 0.5.0. `0001_initial` of each app replaces them
(CONTRIBUTING.md, Migrations).
"""

import sys
from pathlib import Path

from django.db.migrations import Migration
from django.db.migrations.loader import MigrationLoader

from tests import ROOT

RELEASED = {
    "accounts": "0021_outgoing_mail",
    "courses": "0014_validate_member_foreign_keys",
    "grades": "0006_indexes_with_the_member",
    "oauthserver": "0013_indexes_with_the_member",
    "planning": "0010_indexes_with_the_member",
    "practice": "0006_ids_by_time",
    "vocab": "0012_indexes_with_the_member",
}
"""The last migration of each app. Apps missing here are new."""


def released(loader: MigrationLoader) -> list[tuple[str, str]]:
    """App and name of the last migrations of the release."""
    replacing = {old: node for node, migration in loader.replacements.items() for old in migration.replaces}
    return [replacing.get(last, last) for last in RELEASED.items()]


def migrations_since(loader: MigrationLoader) -> list[tuple[str, str]]:
    """App and name of the later migrations of the project."""
    before = {node for last in released(loader) for node in loader.graph.forwards_plan(last)}
    ours = {node for node, migration in loader.disk_migrations.items() if _is_ours(type(migration))}
    return sorted(ours - before)


def _is_ours(migration: type[Migration]) -> bool:
    source = sys.modules[migration.__module__].__file__
    return source is not None and Path(source).parent.parent.parent == ROOT
