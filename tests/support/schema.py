"""Describes the schema of the migrated database from its catalog."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.apps import apps
from django.db import connection

from tests import ROOT

Schema = dict[str, dict[str, Any]]
"""By table: its columns in order, and its constraints, indexes and extended statistics by name."""

_COLUMNS = """
    SELECT relname, concat_ws(' ', quote_ident(attname), format_type(atttypid, atttypmod),
        CASE WHEN attnotnull THEN 'NOT NULL' END, 'DEFAULT ' || pg_get_expr(adbin, adrelid),
        CASE attidentity WHEN '' THEN NULL ELSE 'IDENTITY ' || attidentity::text END)
    FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
    LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
    WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND attnum > 0 AND NOT attisdropped
    ORDER BY relname, attnum
"""
_NAMED = {
    "constraints": """
        SELECT relname, conname, pg_get_constraintdef(pg_constraint.oid)
        FROM pg_constraint JOIN pg_class ON pg_class.oid = conrelid
        WHERE connamespace = 'public'::regnamespace AND contype IN ('p', 'u', 'f', 'c', 'x')
    """,
    "indexes": """
        SELECT on_table.relname, named.relname, pg_get_indexdef(indexrelid) FROM pg_index
        JOIN pg_class AS named ON named.oid = indexrelid JOIN pg_class AS on_table ON on_table.oid = indrelid
        WHERE named.relnamespace = 'public'::regnamespace AND indisvalid
    """,
    "statistics": """
        SELECT relname, stxname, pg_get_statisticsobjdef(pg_statistic_ext.oid)
        FROM pg_statistic_ext JOIN pg_class ON pg_class.oid = stxrelid
        WHERE stxnamespace = 'public'::regnamespace
    """,
}
_CONSTRAINT = re.compile(r'CONSTRAINT "(\w+)" ')


def described() -> Schema:
    """Describe the tables of the project's apps."""
    ours = tuple(f"{app.label}_" for app in apps.get_app_configs() if Path(app.path).parent == ROOT)
    found = _of_postgresql() if connection.vendor == "postgresql" else _of_sqlite()
    return {table: found[table] for table in sorted(found) if table.startswith(ours)}


def _of_postgresql() -> Schema:
    found: Schema = {}
    with connection.cursor() as cursor:
        cursor.execute(_COLUMNS)
        for table, column in cursor.fetchall():
            found.setdefault(table, {"columns": []} | {kind: {} for kind in _NAMED})["columns"].append(column)
        for kind, sql in _NAMED.items():
            cursor.execute(sql)
            for table, name, definition in cursor.fetchall():
                found[table][kind][name] = definition
    return found


def _of_sqlite() -> Schema:
    with connection.cursor() as cursor:
        cursor.execute("SELECT tbl_name, name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY type DESC")
        rows = cursor.fetchall()
    found: Schema = {}
    for table, name, sql in rows:
        if name == table:
            parts = list(_parts(sql))
            found[table] = {
                "columns": [part for part in parts if not _CONSTRAINT.match(part)],
                "constraints": {match[1]: part for part in parts if (match := _CONSTRAINT.match(part))},
                "indexes": {},
            }
        else:
            found[table]["indexes"][name] = sql
    return found


def _parts(sql: str) -> Iterator[str]:
    """The columns and constraints of a CREATE TABLE statement, which SQLite stores as text."""
    depth, part = 0, ""
    for character in sql[sql.index("(") + 1 : sql.rindex(")")]:
        depth += (character == "(") - (character == ")")
        if character == "," and not depth:
            yield part.strip()
            part = ""
        else:
            part += character
    yield part.strip()
