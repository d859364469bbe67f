"""Delete rows in one statement, expired rows in batches, and what SQLite keeps of them."""

from typing import Any

from django.db import DEFAULT_DB_ALIAS, connection, transaction
from django.db.models import Model, QuerySet
from django.db.models.signals import post_delete

from studyservice.database.executing import delete_later


def delete_alone(rows: QuerySet[Any]) -> int:
    """Delete `rows`, which have no dependents, in one statement. Return their number.

    Receivers of deletion signals, like file storage, are called for each row.
    """
    gone = _listened_for(rows)
    number: int = rows._raw_delete(DEFAULT_DB_ALIAS)  # noqa: SLF001  # `delete` would look for what is below, by ids
    _tell(gone)
    return number


def delete_alone_later(rows: QuerySet[Any], *, read: list[Model] | None = None) -> None:
    """Delete `rows` likewise, with the next statement that needs its result.

    Args:
        read: the rows, if they were read.
    """
    gone = _listened_for(rows) if read is None else read
    delete_later(rows)
    _tell(gone)


def _listened_for(rows: QuerySet[Any]) -> list[Model]:
    return list(rows) if post_delete.has_listeners(rows.model) else []


def _tell(gone: list[Model]) -> None:
    for one in gone:
        post_delete.send(sender=type(one), instance=one, using=DEFAULT_DB_ALIAS, origin=one)


BATCH = 1000
"""Rows per transaction."""


def purge(expired: QuerySet[Model], *, owner: str | None = "member_id") -> int:
    """Delete the rows of `expired`, `BATCH` at a time. Return their number.

    Args:
        owner: the column with the member, to name in each DELETE; None for rows without a member.
    """
    removed = 0
    while batch := list(expired.values_list("pk", owner or "pk")[:BATCH]):
        rows = expired.filter(pk__in=[pk for pk, _ in batch])
        if owner is not None:
            rows = rows.filter(**{f"{owner}__in": {member_id for _, member_id in batch}})
        with transaction.atomic():
            removed += delete_alone(rows)
    return removed


PATIENCE_MS = 1000
"""How long to wait for readers of the log. Nobody writes meanwhile."""


def empty_log() -> None:
    """Move SQLite's write-ahead log into the database and truncate it, unless a reader still needs it.

    `secure_delete` (`studyservice.environment`) overwrites deleted rows in the database, but the log still has the old
    pages. `purgeexpired` tries again. On PostgreSQL, autovacuum removes deleted rows.
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
