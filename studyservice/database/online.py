"""Django's PostgreSQL operations for migrations that run while others read and write. On SQLite, the plain ones.

An `ALTER TABLE` that checks every row blocks all access meanwhile. `AddConstraintNotValid` checks only new rows, and
`ValidateConstraint`, in a later migration, the others, while everybody reads and writes.

Indexes are created and dropped concurrently, in migrations that are not atomic. An interrupted one runs again from its
start, so all of its operations can be repeated.
"""

from typing import Any

from django.contrib.postgres import operations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor as Editor
from django.db.migrations.operations import AddConstraint, AddIndex, RemoveConstraint, RemoveIndex, RunSQL
from django.db.migrations.operations.base import Operation
from django.db.models import BaseConstraint


class _OnPostgresql(Operation):
    """Apply the operation that this is mixed into on PostgreSQL, and `elsewhere`, if any, on other databases."""

    elsewhere: type[Operation] | None = None

    def database_forwards(self, app_label: str, schema_editor: Editor, from_state: Any, to_state: Any) -> None:
        if schema_editor.connection.vendor == "postgresql":
            super().database_forwards(app_label, schema_editor, from_state, to_state)
        elif self.elsewhere:
            self.elsewhere.database_forwards(self, app_label, schema_editor, from_state, to_state)

    def database_backwards(self, app_label: str, schema_editor: Editor, from_state: Any, to_state: Any) -> None:
        if schema_editor.connection.vendor == "postgresql":
            super().database_backwards(app_label, schema_editor, from_state, to_state)
        elif self.elsewhere:
            self.elsewhere.database_backwards(self, app_label, schema_editor, from_state, to_state)


class AddConstraintNotValid(_OnPostgresql, operations.AddConstraintNotValid):
    """Add a check or a `MemberForeignKey`. On PostgreSQL it applies only to new rows until a `ValidateConstraint`."""

    elsewhere = AddConstraint

    def __init__(self, model_name: str, constraint: BaseConstraint) -> None:
        AddConstraint.__init__(self, model_name, constraint)  # Django's own accepts only checks


class ValidateConstraint(_OnPostgresql, operations.ValidateConstraint):
    """Apply a constraint to the existing rows as well."""


class RunOnPostgresql(_OnPostgresql, RunSQL):
    """Execute SQL that only PostgreSQL needs."""


class RemoveIndexConcurrently(_OnPostgresql, operations.RemoveIndexConcurrently):
    """Drop an index."""

    elsewhere = RemoveIndex


class _CreateIndexConcurrently(operations.AddIndexConcurrently):
    """Drop what an interrupted migration has left of the index first."""

    def database_forwards(self, app_label: str, schema_editor: Editor, from_state: Any, to_state: Any) -> None:
        _drop(schema_editor, self.index.name)
        super().database_forwards(app_label, schema_editor, from_state, to_state)


class AddIndexConcurrently(_OnPostgresql, _CreateIndexConcurrently):
    """Create an index."""

    elsewhere = AddIndex


class _CreateUniqueConcurrently(AddConstraint):
    """Create the unique index of a constraint in the same way, which Django does not."""

    def database_forwards(self, app_label: str, schema_editor: Editor, from_state: Any, to_state: Any) -> None:
        _drop(schema_editor, self.constraint.name)
        sql = str(self.constraint.create_sql(to_state.apps.get_model(app_label, self.model_name), schema_editor))
        schema_editor.execute(sql.replace("UNIQUE INDEX", "UNIQUE INDEX CONCURRENTLY", 1), params=None)


class AddUniqueConcurrently(_OnPostgresql, _CreateUniqueConcurrently):
    """Add a unique constraint that has a condition or an expression."""

    elsewhere = AddConstraint


class _DropUniqueConcurrently(RemoveConstraint):
    """Drop the unique index of a constraint in the same way."""

    def database_forwards(self, app_label: str, schema_editor: Editor, from_state: Any, to_state: Any) -> None:
        _drop(schema_editor, self.name)


class RemoveUniqueConcurrently(_OnPostgresql, _DropUniqueConcurrently):
    """Remove a unique constraint that has a condition or an expression."""

    elsewhere = RemoveConstraint


def _drop(editor: Editor, name: str) -> None:
    """Drop an index if it exists."""
    editor.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {editor.quote_name(name)}", params=None)
