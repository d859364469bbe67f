"""Bulk inserts, for tests of the cost of a call with much data."""

from collections.abc import Iterable
from typing import Any

from django.db import connection
from django.db.models import Model


def insert(model: type[Model], rows: Iterable[dict[str, Any]]) -> None:
    """Insert `rows`, which all set the same fields, by attribute name. Fields that are not set get no default."""
    first, *others = rows
    known = {field.attname: field for field in model._meta.concrete_fields}
    fields = [known[name] for name in first]
    columns = ", ".join(connection.ops.quote_name(str(field.column)) for field in fields)
    places = ", ".join(["%s"] * len(fields))
    values = [
        [field.get_db_prep_save(value, connection) for field, value in zip(fields, row.values(), strict=True)]
        for row in (first, *others)
    ]
    with connection.cursor() as cursor:
        cursor.executemany(f"INSERT INTO {model._meta.db_table} ({columns}) VALUES ({places})", values)  # noqa: S608
