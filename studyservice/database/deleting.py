"""Delete rows in one statement, and expired rows in batches."""

from typing import Any

from django.db import DEFAULT_DB_ALIAS, transaction
from django.db.models import Model, QuerySet
from django.db.models.signals import post_delete

from studyservice.database.ahead import delete_later


def delete_alone(rows: QuerySet[Any]) -> int:
    """Delete `rows`, which have no dependents, in one statement. Return their number.

    Receivers of deletion signals, like file storage, are called for each row.
    """
    gone = _listened_for(rows)
    number: int = rows._raw_delete(DEFAULT_DB_ALIAS)  # noqa: SLF001  # `delete` would look for what is below, by ids
    _tell(gone)
    return number


def delete_alone_later(rows: QuerySet[Any], *, read: list[Model] | None = None) -> None:
    """Delete `rows` likewise, with the next statement that needs its result (`studyservice.database.ahead`).

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
