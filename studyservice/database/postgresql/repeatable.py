"""Repeatable steps of PostgreSQL migrations, for retries after an interruption."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models import BaseConstraint, Model


def add_unvalidated(editor: BaseDatabaseSchemaEditor, model: type[Model], constraint: BaseConstraint) -> None:
    """Add a constraint that applies only to new rows, unless it exists."""
    if not editor.collect_sql:  # otherwise the SQL is only shown
        with editor.connection.cursor() as cursor:
            cursor.execute(
                "SELECT 1 FROM pg_constraint WHERE conrelid = to_regclass(%s) AND conname = %s",
                [editor.quote_name(model._meta.db_table), constraint.name],
            )
            if cursor.fetchone():
                return
    # the values are already in the SQL
    editor.execute(f"{constraint.create_sql(model, editor)} NOT VALID", params=None)


@contextmanager
def without_lock_timeout(editor: BaseDatabaseSchemaEditor) -> Iterator[None]:
    """In the block, statements wait for locks as long as they may run."""
    with editor.connection.cursor() as cursor:
        cursor.execute("SHOW lock_timeout")
        row = cursor.fetchone()
        before = row[0] if row else "0"
        cursor.execute("SET lock_timeout = 0")
        try:
            yield
        finally:
            cursor.execute("SELECT set_config('lock_timeout', %s, false)", [before])


def build_index(editor: BaseDatabaseSchemaEditor, name: str, build: Callable[[], object]) -> None:
    """Build an index while others write, unless it exists. Drop an incomplete one first.

    It waits without `lock_timeout`, because waiting for open transactions blocks nobody.
    """
    with without_lock_timeout(editor):
        valid = _is_valid_index(editor, name)
        if valid is False:
            editor.execute(f"DROP INDEX CONCURRENTLY {editor.quote_name(name)}")
        if not valid:
            build()


def drop_index(editor: BaseDatabaseSchemaEditor, name: str) -> None:
    """Drop an index while others write, if it exists. It waits like `build_index`."""
    with without_lock_timeout(editor):
        editor.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {editor.quote_name(name)}", params=None)


def _is_valid_index(editor: BaseDatabaseSchemaEditor, name: str) -> bool | None:
    """Return whether the index is complete; None if it does not exist or SQL is only shown."""
    if editor.collect_sql:
        return None
    with editor.connection.cursor() as cursor:
        cursor.execute("SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(%s)", [editor.quote_name(name)])
        found = cursor.fetchone()
    return bool(found[0]) if found else None
