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
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from psycopg.errors import DeadlockDetected

from studyservice.database.lock_waits import ended_waiting
from studyservice.database.migration_states import rendered_sparingly

TRIES = 30
"""Maximum number of tries of the same migration."""

PAUSE_SECONDS = 1.0
"""Pause between tries, in which the requests blocked by the migration run."""


class Command(migrate.Command):
    """Django's `migrate`. On PostgreSQL it uses `MIGRATE_LOCK_TIMEOUT_MS` and continues where it stopped.

    A migration that did not get its locks is rolled back; those before it stay. One that is not atomic has repeatable
    operations (`studyservice.database.postgresql.operations.AddIndexAside`).
    """

    def handle(self, *args: Any, **options: Any) -> None:
        """Migrate.

        Raises:
            CommandError: the database is older than the migrations of this version, or other transactions held the
                locks at each attempt.
        """
        _refuse_older(options["database"])
        applied, left = 0, TRIES
        while True:
            try:
                with lock_timeout(options["database"]), rendered_sparingly():
                    super().handle(*args, **options)
            except OperationalError as error:
                if not _waited_for_lock(error):
                    raise
                before, applied = applied, _applied(options["database"])
                left = (left if applied == before else TRIES) - 1
                if not left:
                    raise CommandError(_GIVEN_UP) from error
                self.stderr.write(
                    f"\nOther transactions hold locks that the migration needs: tried again, {left} tries left"
                )
                time.sleep(PAUSE_SECONDS)
            else:
                return


def _refuse_older(alias: str) -> None:
    """Refuse a database without the last of the migrations that `0001_initial` replaces.

    The first of them had the same name, so every older database has recorded it. `replaces` names only the last, and
    Django considers `0001_initial` applied if the last is.
    """
    connection = connections[alias]
    recorded = MigrationRecorder(connection).applied_migrations()
    loader = MigrationLoader(connection)
    older = sorted(app for app, _ in loader.replacements.keys() & recorded.keys() - loader.applied_migrations.keys())
    if older:
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
def lock_timeout(alias: str) -> Iterator[None]:
    """Set the lock timeout of statements on PostgreSQL, unless the connection uses a pooler."""
    connection = connections[alias]
    if connection.vendor != "postgresql" or connection.settings_dict.get("DISABLE_SERVER_SIDE_CURSORS"):
        yield
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('lock_timeout', %s, false)", [f"{settings.MIGRATE_LOCK_TIMEOUT_MS}ms"])
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("RESET lock_timeout")


def _applied(alias: str) -> int:
    """Return the number of applied migrations."""
    return len(MigrationRecorder(connections[alias]).applied_migrations())


def _waited_for_lock(error: OperationalError) -> bool:
    return ended_waiting(error) or isinstance(error.__cause__, DeadlockDetected)
