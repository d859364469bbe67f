"""Fill what the new columns of old rows hold, in batches, while others write."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from django.apps.registry import Apps
from django.db import connections, migrations, models, transaction
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models import QuerySet
from django.utils import timezone

import studyservice.database.postgresql.operations
from studyservice.database.folding import fold_all

BATCH = 1000


def fill(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    """Fold the texts that are searched, and let no old item be missed that was due before its member's today."""
    alias = editor.connection.alias
    courses = apps.get_model("courses", "Course")
    items = apps.get_model("courses", "Item")
    _fill(courses.objects.using(alias), ("name",), lambda row: {"folded": fold_all([row["name"]])})
    todays: dict[str, date] = {}

    def of_item(row: Mapping[str, Any]) -> dict[str, Any]:
        zone = row["member__time_zone"]
        today = todays.setdefault(zone, timezone.localdate(timezone=ZoneInfo(zone)))
        return {"folded": fold_all([row["title"], row["note"]]), "missable_from": today}

    _fill(items.objects.using(alias), ("title", "note", "member__time_zone"), of_item)


def _fill(rows: "QuerySet[Any]", read: Sequence[str], filled: Callable[[Mapping[str, Any]], dict[str, Any]]) -> None:
    """Fill rows, a batch in each transaction.

    What a call holds at that moment is skipped, so that neither waits for the other while it has rows of its own, and
    filled afterwards, row by row.
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
    """The ids of all rows, some at a time, in their order."""
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
    """One statement executed for each row, which takes a tenth of the time of the ORM's."""
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


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ('courses', '0018_course_folded'),
        ('accounts', '0023_reviews_in_changes'),
    ]

    operations = [
        studyservice.database.postgresql.operations.AddIndexAside(
            model_name='item',
            index=models.Index(condition=models.Q(('category__isnull', False)), fields=['member', 'category'], name='item_member_category'),
        ),
        studyservice.database.postgresql.operations.ValidateChecks('item'),
        migrations.RunPython(fill, migrations.RunPython.noop, elidable=True),
    ]
