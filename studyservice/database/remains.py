"""Remove deleted rows from SQLite's files.

`secure_delete` (`studyservice.environment`) overwrites them in the database. The write-ahead log still has the old
pages until it is truncated.
"""

from django.db import connection

PATIENCE_MS = 1000
"""How long to wait for readers of the log. Nobody writes meanwhile."""


def empty_log() -> None:
    """Move SQLite's write-ahead log into the database and truncate it, unless a reader still needs it.

    `purgeexpired` tries again. On PostgreSQL, autovacuum removes deleted rows.
    """
    if connection.vendor != "sqlite":
        return
    with connection.cursor() as cursor:
        patience = cursor.execute("PRAGMA busy_timeout").fetchone()[0]
        cursor.execute(f"PRAGMA busy_timeout = {PATIENCE_MS}")
        try:
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        finally:
            cursor.execute(f"PRAGMA busy_timeout = {patience}")
