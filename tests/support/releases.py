"""The latest release: its commit and its last migrations. Its code must keep working while later migrations run.

Each release updates this file. This is 0.6.0. `migrate` also upgrades the release before it, whose migrations
`0001_initial` of each app replaces (CONTRIBUTING.md, Migrations).
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


def replaced(loader: MigrationLoader) -> dict[str, str]:
    """The last migration of each app that `0001_initial` replaces: the oldest database that `migrate` upgrades."""
    return {app: name for migration in loader.replacements.values() for app, name in migration.replaces}


def released(loader: MigrationLoader) -> list[tuple[str, str]]:
    """App and name of the last migrations of the release."""
    return _on_disk(loader, RELEASED)


def oldest(loader: MigrationLoader) -> list[tuple[str, str]]:
    """App and name of the migrations that have the schema of the oldest database."""
    return _on_disk(loader, replaced(loader))


def _on_disk(loader: MigrationLoader, last: dict[str, str]) -> list[tuple[str, str]]:
    replacing = {old: node for node, migration in loader.replacements.items() for old in migration.replaces}
    return [replacing.get(node, node) for node in last.items()]


def migrations_since(loader: MigrationLoader) -> list[tuple[str, str]]:
    """App and name of the later migrations of the project."""
    before = {node for last in released(loader) for node in loader.graph.forwards_plan(last)}
    ours = {node for node, migration in loader.disk_migrations.items() if _is_ours(type(migration))}
    return sorted(ours - before)


def _is_ours(migration: type[Migration]) -> bool:
    source = sys.modules[migration.__module__].__file__
    return source is not None and Path(source).parent.parent.parent == ROOT
