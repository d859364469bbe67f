"""The latest release: its commit and its last migrations. Its code must keep working while later migrations run.

Each release updates this file. This is 0.6.0, whose migrations those named `initial` replace. `migrate` refuses older
databases (CONTRIBUTING.md, Migrations).
"""

import sys
from pathlib import Path

from django.db.migrations import Migration
from django.db.migrations.loader import MigrationLoader

from tests import ROOT

COMMIT = "dc64574c6f143ab6ca0adbefb72bdcef290331b6"
"""The last commit before work on the next release changed a model."""

RELEASED = {
    "accounts": "0025_validate_flashcard_settings",
    "courses": "0019_fill_items",
    "grades": "0012_category_drop_lowest_valid",
    "oauthserver": "0014_auth_method_named",
    "planning": "0013_fill_folded",
    "practice": "0009_validate_foretold",
    "vocab": "0017_fill_foretold",
}
"""The last migration of each app. Apps missing here are new."""


def released(loader: MigrationLoader) -> list[tuple[str, str]]:
    """App and name of the migrations on disk that have the schema of the release."""
    replacing = {old: node for node, migration in loader.replacements.items() for old in migration.replaces}
    return [replacing.get(node, node) for node in RELEASED.items()]


def migrations_since(loader: MigrationLoader) -> list[tuple[str, str]]:
    """App and name of the later migrations of the project."""
    before = {node for last in released(loader) for node in loader.graph.forwards_plan(last)}
    ours = {node for node, migration in loader.disk_migrations.items() if _is_ours(type(migration))}
    return sorted(ours - before)


def _is_ours(migration: type[Migration]) -> bool:
    source = sys.modules[migration.__module__].__file__
    return source is not None and Path(source).parent.parent.parent == ROOT
