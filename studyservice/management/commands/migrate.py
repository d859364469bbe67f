"""`migrate` next to a running service: wait briefly for a lock, give up, and retry.

A statement that waits for a table's lock blocks all later ones on the table. So a migration that waits for a long
transaction, like a backup, would stop the service.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError
from django.core.management.commands import migrate
from django.db import OperationalError, connections
from django.db.migrations import Migration
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from psycopg.errors import DeadlockDetected

from studyservice.database.waits import ended_waiting

TRIES = 30
"""Maximum number of tries of the same migration."""

PAUSE_SECONDS = 1.0
"""Pause between tries, in which the requests blocked by the migration run."""


class Command(migrate.Command):
    """Django's `migrate`. On PostgreSQL it uses `MIGRATE_LOCK_TIMEOUT_MS` and continues where it stopped.

    A migration that did not get its locks is rolled back; those before it stay. One that is not atomic waits without a
    timeout: its operations block nobody, and can be repeated (`studyservice.database.online`).
    """

    def handle(self, *args: Any, **options: Any) -> None:
        """Migrate.

        Raises:
            CommandError: the database does not answer or is older than the migrations of this version, or other
                transactions held the locks at each attempt.
        """
        self._alias = options["database"]
        _require_connection(self._alias)
        _refuse_older(self._alias)
        applied, left = 0, TRIES
        while True:
            try:
                with _lock_timeout(self._alias):
                    super().handle(*args, **options)
            except OperationalError as error:
                if not (ended_waiting(error) or isinstance(error.__cause__, DeadlockDetected)):
                    raise
                before, applied = applied, len(MigrationRecorder(connections[self._alias]).applied_migrations())
                left = (left if applied == before else TRIES) - 1
                if not left:
                    raise CommandError(_GIVEN_UP) from error
                self.stderr.write(
                    f"\nOther transactions hold locks that the migration needs: tried again, {left} tries left"
                )
                time.sleep(PAUSE_SECONDS)
            else:
                return

    def migration_progress_callback(self, action: str, migration: Migration | None = None, fake: bool = False) -> None:
        """Report the progress, and set the lock timeout for migrations that are not atomic."""
        super().migration_progress_callback(action, migration, fake)
        if migration is not None and not migration.atomic:
            waits = action.endswith("_start")
            _set_lock_timeout(self._alias, 0 if waits else settings.MIGRATE_LOCK_TIMEOUT_MS)


def _require_connection(alias: str) -> None:
    """Refuse a database that does not answer, in one line."""
    try:
        connections[alias].ensure_connection()
    except OperationalError as error:
        raise CommandError(
            "Not migrated: the database does not answer. Check that it runs, and that DATABASE_URL names its host, "
            f"user, password and database ({' '.join(str(error).split())})."
        ) from None


def _refuse_older(alias: str) -> None:
    """Refuse a database without the migrations that those named `initial` replace.

    Every database has recorded `0001_initial` once all of its migrations were applied, so an older one has it too.
    `replaces` names only the last of the replaced migrations, and Django considers the new one applied if that is.
    """
    connection = connections[alias]
    recorded = MigrationRecorder(connection).applied_migrations()
    loader = MigrationLoader(connection)
    missing = {app for app, _ in loader.replacements.keys() - loader.applied_migrations.keys()}
    if older := sorted(app for app in missing if (app, "0001_initial") in recorded):
        raise CommandError(
            f"Not migrated: the tables of {', '.join(older)} are older than the migrations of this version. Install the"
            " last version before this one that still has their migrations, run its migrate, then upgrade again"
            " (docs/operating.md, Upgrading)."
        )


_GIVEN_UP = (
    f"Not migrated: other transactions held a lock at each of {TRIES} tries. Applied migrations stay, and the service "
    "can keep running. pg_stat_activity shows which transactions have been open for long; end them, or wait, and run "
    "migrate again."
)


@contextmanager
def _lock_timeout(alias: str) -> Iterator[None]:
    """Set the lock timeout of statements in the block."""
    _set_lock_timeout(alias, settings.MIGRATE_LOCK_TIMEOUT_MS)
    try:
        yield
    finally:
        _set_lock_timeout(alias, None)


def _set_lock_timeout(alias: str, milliseconds: int | None) -> None:
    """Set the lock timeout, or reset it, on PostgreSQL, unless the connection uses a pooler."""
    connection = connections[alias]
    if connection.vendor == "postgresql" and not connection.settings_dict.get("DISABLE_SERVER_SIDE_CURSORS"):
        value = "DEFAULT" if milliseconds is None else f"{milliseconds:d}"
        with connection.cursor() as cursor:
            cursor.execute(f"SET lock_timeout = {value}")
