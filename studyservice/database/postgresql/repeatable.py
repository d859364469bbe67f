"""Steps of a migration on PostgreSQL that can be done again after an attempt that was ended between two of them."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models import BaseConstraint, Model


def add_unvalidated(editor: BaseDatabaseSchemaEditor, model: type[Model], constraint: BaseConstraint) -> None:
    """Add a constraint that holds for new rows alone, unless it is there."""
    if not editor.collect_sql:  # else SQL is only to be shown
        with editor.connection.cursor() as cursor:
            cursor.execute(
                "SELECT 1 FROM pg_constraint WHERE conrelid = to_regclass(%s) AND conname = %s",
                [editor.quote_name(model._meta.db_table), constraint.name],
            )
            if cursor.fetchone():
                return
    editor.execute(f"{constraint.create_sql(model, editor)} NOT VALID", params=None)  # the values are in it


@contextmanager
def without_lock_timeout(editor: BaseDatabaseSchemaEditor) -> Iterator[None]:
    """Statements wait for locks as long as they may run."""
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
    """Build an index while others write, unless it is there; one that was not built to its end is dropped first.

    Waiting for the transactions that are open stops nobody, so it waits without `lock_timeout`.
    """
    with without_lock_timeout(editor):
        valid = _is_valid_index(editor, name)
        if valid is False:
            editor.execute(f"DROP INDEX CONCURRENTLY {editor.quote_name(name)}")
        if not valid:
            build()


def _is_valid_index(editor: BaseDatabaseSchemaEditor, name: str) -> bool | None:
    """Whether the index was built to its end; None if there is none of that name, or if SQL is only to be shown."""
    if editor.collect_sql:
        return None
    with editor.connection.cursor() as cursor:
        cursor.execute("SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(%s)", [editor.quote_name(name)])
        found = cursor.fetchone()
    return bool(found[0]) if found else None
