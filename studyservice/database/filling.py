"""Columns computed from other columns of their row."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any
from uuid import UUID

from django.db import connections, models, transaction
from django.db.models import QuerySet

BATCH = 1000


def fill_columns(
    rows: "QuerySet[Any]", read: Sequence[str], filled: Callable[[Mapping[str, Any]], dict[str, Any]]
) -> None:
    """Fill new columns of existing rows in a migration, while others write. Each batch is a transaction.

    Rows locked by a call are skipped, so that neither waits for the other while holding locks. They are filled
    afterwards, one by one.
    """
    skipped: list[UUID] = []
    for ids in _batches(rows):
        with transaction.atomic(using=rows.db):
            free = rows.filter(pk__in=ids)
            if connections[rows.db].features.has_select_for_update_skip_locked:
                locked = free.order_by("pk").select_for_update(skip_locked=True, no_key=True, of=("self",))
                ids_locked = list(locked.values_list("pk", flat=True))
                skipped += set(ids) - set(ids_locked)
                free = rows.filter(pk__in=ids_locked)
            _store(rows, free.values("pk", *read), filled)
    for pk in skipped:
        with transaction.atomic(using=rows.db):
            found = rows.filter(pk=pk)
            if connections[rows.db].features.has_select_for_update:
                found.select_for_update(no_key=True, of=("self",)).first()
            _store(rows, found.values("pk", *read), filled)


def _batches(rows: "QuerySet[Any]") -> Iterator[list[UUID]]:
    """Yield the ids of all rows in batches, in order."""
    after: UUID | None = None
    while True:
        left = rows.order_by("pk") if after is None else rows.order_by("pk").filter(pk__gt=after)
        ids = list(left.values_list("pk", flat=True)[:BATCH])
        if not ids:
            return
        yield ids
        after = ids[-1]


def _store(
    rows: "QuerySet[Any]", found: "QuerySet[Any, Any]", filled: Callable[[Mapping[str, Any]], dict[str, Any]]
) -> None:
    """Execute one UPDATE for each row, in a tenth of the ORM's time."""
    values = {row["pk"]: filled(row) for row in found}
    if not values:
        return
    database, model = connections[rows.db], rows.model
    names = list(next(iter(values.values())))
    quote = database.ops.quote_name
    places = ", ".join(f"{quote(name)} = %s" for name in names)
    sql = f"UPDATE {quote(model._meta.db_table)} SET {places} WHERE {quote('id')} = %s"  # noqa: S608  # nosec
    fields: list[models.Field[Any, Any]] = [model._meta.get_field(name) for name in (*names, "id")]
    with database.cursor() as cursor:
        cursor.executemany(
            sql,
            [
                [
                    field.get_db_prep_save(value, database)
                    for field, value in zip(fields, (*row.values(), pk), strict=True)
                ]
                for pk, row in values.items()
            ],
        )
