"""Online migrations: add constraints NOT VALID, validate later.

An `ALTER TABLE` that checks every row blocks all access meanwhile. With `NOT VALID` it applies to new rows at once.
`VALIDATE CONSTRAINT`, in a separate migration, checks existing rows while others read and write.

In an existing table, a foreign key that includes the member (`studyservice.database.member_keys`) replaces Django's to
`id`: `AddMemberForeignKey` in one migration, `ValidateChecks` and `DropForeignKey` in the next. A new table is created
without Django's.

A migration with such operations on several tables is not atomic. Otherwise it would hold the lock of one table while it
waits for the next, and could deadlock with a call that locks them in reverse order. The operations are repeatable, so
that an interrupted migration can continue.
"""

from collections.abc import Iterator
from typing import Any, cast

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.backends.ddl_references import Statement
from django.db.migrations.operations import AddConstraint, AddField, AddIndex, RemoveConstraint, RemoveIndex
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState
from django.db.models import CheckConstraint, ForeignKey, Model

from studyservice.database.member_keys import MemberForeignKey
from studyservice.database.postgresql.repeatable import add_unvalidated, build_index, drop_index, without_lock_timeout


class AddCheck(AddConstraint):
    """Add a check constraint. On PostgreSQL it applies only to new rows until a `ValidateChecks`."""

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        if schema_editor.connection.vendor != "postgresql":
            super().database_forwards(app_label, schema_editor, from_state, to_state)
            return
        add_unvalidated(schema_editor, to_state.apps.get_model(app_label, self.model_name), self.constraint)


class AddMemberForeignKey(AddConstraint):
    """Add a `MemberForeignKey`. On PostgreSQL it applies only to new rows until a `ValidateChecks`."""

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        if schema_editor.connection.vendor == "postgresql":
            add_unvalidated(schema_editor, to_state.apps.get_model(app_label, self.model_name), self.constraint)

    def database_backwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        if schema_editor.connection.vendor == "postgresql":
            super().database_backwards(app_label, schema_editor, from_state, to_state)


class AddIndexAside(AddIndex):
    """Add an index, on PostgreSQL while others write, in a migration that is not atomic. Repeatable.

    Django's `AddIndexConcurrently` supports only PostgreSQL.
    """

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        if schema_editor.connection.vendor != "postgresql":
            super().database_forwards(app_label, schema_editor, from_state, to_state)
            return
        model = to_state.apps.get_model(app_label, self.model_name)
        editor: Any = schema_editor
        build_index(editor, self.index.name, lambda: editor.add_index(model, self.index, concurrently=True))


class DropIndexAside(RemoveIndex):
    """Drop an index, on PostgreSQL while others write, like `AddIndexAside`. Repeatable."""

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        if schema_editor.connection.vendor != "postgresql":
            super().database_forwards(app_label, schema_editor, from_state, to_state)
            return
        drop_index(schema_editor, self.name)


class AddUniqueAside(AddConstraint):
    """Add a conditional unique constraint, which is an index. On PostgreSQL works like `AddIndexAside`."""

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        if schema_editor.connection.vendor != "postgresql":
            super().database_forwards(app_label, schema_editor, from_state, to_state)
            return
        sql = str(self.constraint.create_sql(to_state.apps.get_model(app_label, self.model_name), schema_editor))
        aside = sql.replace("UNIQUE INDEX", "UNIQUE INDEX CONCURRENTLY", 1)
        build_index(schema_editor, self.constraint.name, lambda: schema_editor.execute(aside, params=None))


class DropUniqueAside(RemoveConstraint):
    """Remove a conditional unique constraint. On PostgreSQL works while others write, like `AddUniqueAside`."""

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        if schema_editor.connection.vendor != "postgresql":
            super().database_forwards(app_label, schema_editor, from_state, to_state)
            return
        drop_index(schema_editor, self.name)


class AddReference(AddField):
    """Add a nullable foreign key. On PostgreSQL adds only the column.

    Django's key would also lock the referenced table, and its index is not needed if another begins with the member.
    `AddMemberForeignKey` follows in the next migration.
    """

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        if schema_editor.connection.vendor != "postgresql":
            super().database_forwards(app_label, schema_editor, from_state, to_state)
            return
        model = to_state.apps.get_model(app_label, self.model_name)
        field = _foreign_key(model, self.name)
        table, name = schema_editor.quote_name(model._meta.db_table), schema_editor.quote_name(field.column)
        schema_editor.execute(f"ALTER TABLE {table} ADD COLUMN {name} {field.db_type(schema_editor.connection)} NULL")


class _OnPostgresql(Operation):
    """Statements for one table on PostgreSQL. Does nothing on other databases or to the models' state."""

    def __init__(self, model_name: str, **options: Any) -> None:
        self.model_name = model_name
        self.options = options

    def deconstruct(self) -> tuple[str, list[Any], dict[str, Any]]:
        return type(self).__name__, [self.model_name], self.options

    def describe(self) -> str:
        return f"{type(self).__name__} of {self.model_name} {self.options or ''} (PostgreSQL)"

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        """Do nothing: the models stay the same."""

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        if schema_editor.connection.vendor == "postgresql":
            model = to_state.apps.get_model(app_label, self.model_name)
            for sql in self.forwards(model, schema_editor):
                schema_editor.execute(sql, params=None)

    def database_backwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        if schema_editor.connection.vendor == "postgresql":
            model = to_state.apps.get_model(app_label, self.model_name)
            for sql in self.backwards(model, schema_editor):
                schema_editor.execute(sql, params=None)

    def forwards(self, model: type[Model], editor: BaseDatabaseSchemaEditor) -> Iterator[str]:
        raise NotImplementedError

    def backwards(self, model: type[Model], editor: BaseDatabaseSchemaEditor) -> Iterator[str]:
        raise NotImplementedError


class ValidateChecks(_OnPostgresql):
    """Validate the model's check constraints and member foreign keys for existing rows."""

    def forwards(self, model: type[Model], editor: BaseDatabaseSchemaEditor) -> Iterator[str]:
        for constraint in model._meta.constraints:
            if isinstance(constraint, CheckConstraint | MemberForeignKey):
                yield f"ALTER TABLE {model._meta.db_table} VALIDATE CONSTRAINT {editor.quote_name(constraint.name)}"

    def backwards(self, model: type[Model], editor: BaseDatabaseSchemaEditor) -> Iterator[str]:
        """Do nothing: a constraint stays validated."""
        yield from ()


class DropForeignKey(_OnPostgresql):
    """Drop Django's foreign key `field` to `id`, which a `MemberForeignKey` has replaced."""

    def __init__(self, model_name: str, field: str) -> None:
        super().__init__(model_name, field=field)

    def forwards(self, model: type[Model], editor: BaseDatabaseSchemaEditor) -> Iterator[str]:
        yield from dropped_keys(model, self.options["field"], editor)

    def backwards(self, model: type[Model], editor: BaseDatabaseSchemaEditor) -> Iterator[str]:
        yield key_to_id(model, self.options["field"])


class DropForeignKeyIndex(_OnPostgresql):
    """Drop Django's index of the foreign key `field`, if an index that begins with the member serves instead.

    Others can write meanwhile, as with `AddIndexAside`. The migration is not atomic, and repeatable. SQLite keeps the
    index, because there a deletion looks up references only by id.
    """

    def __init__(self, model_name: str, field: str) -> None:
        super().__init__(model_name, field=field)

    def forwards(self, model: type[Model], editor: BaseDatabaseSchemaEditor) -> Iterator[str]:
        with without_lock_timeout(editor):  # off until the yielded statement has been executed
            yield f"DROP INDEX CONCURRENTLY IF EXISTS {index_name(model, self.options['field'], editor)}"

    def backwards(self, model: type[Model], editor: BaseDatabaseSchemaEditor) -> Iterator[str]:
        own, name = column(model, self.options["field"]), index_name(model, self.options["field"], editor)
        with without_lock_timeout(editor):
            yield f"CREATE INDEX CONCURRENTLY IF NOT EXISTS {name} ON {model._meta.db_table} ({own})"


class OmitForeignKeyIndex(_OnPostgresql):
    """Do not create Django's index of the foreign key `field`, in the migration that creates the table.

    SQLite gets the index, as with `DropForeignKeyIndex`.
    """

    def __init__(self, model_name: str, field: str) -> None:
        super().__init__(model_name, field=field)

    def forwards(self, model: type[Model], editor: BaseDatabaseSchemaEditor) -> Iterator[str]:
        """Remove it from the statements that Django executes at the end of the migration."""
        name = editor.quote_name(index_name(model, self.options["field"], editor))
        editor.deferred_sql = [
            one for one in editor.deferred_sql if not isinstance(one, Statement) or str(one.parts.get("name")) != name
        ]
        yield from ()

    def backwards(self, model: type[Model], editor: BaseDatabaseSchemaEditor) -> Iterator[str]:
        """Do nothing: the table is deleted."""
        yield from ()


class MemberStatistics(_OnPostgresql):
    """Tell the planner that a condition on `field` implies one on the member.

    Otherwise it considers the two independent, expects hardly a row, and sorts instead of reading an index in order.
    `ANALYZE`, at the latest by autovacuum, fills the statistics.

    Args:
        expression: the form of the column in the condition: SQL in brackets, with `{}` for the column.
    """

    def __init__(self, model_name: str, field: str, *, owner: str = "member", expression: str = "{}") -> None:
        super().__init__(model_name, field=field, owner=owner, expression=expression)

    def forwards(self, model: type[Model], editor: BaseDatabaseSchemaEditor) -> Iterator[str]:
        owner, own = column(model, self.options["owner"]), column(model, self.options["field"])
        columns = f"{owner}, {self.options['expression'].format(own)}"
        name = f"IF NOT EXISTS {self._name(model)}"
        yield f"CREATE STATISTICS {name} (dependencies) ON {columns} FROM {model._meta.db_table}"

    def backwards(self, model: type[Model], editor: BaseDatabaseSchemaEditor) -> Iterator[str]:
        yield f"DROP STATISTICS {self._name(model)}"

    def _name(self, model: type[Model]) -> str:
        end = "known" if self.options["expression"] == "{}" else "expression_known"
        return f"{model._meta.db_table}_{column(model, self.options['field'])}_{end}"


def dropped_keys(model: type[Model], field: str, editor: BaseDatabaseSchemaEditor) -> Iterator[str]:
    """Yield the statements that drop Django's foreign keys of the field. Their names contain a hash."""
    table = model._meta.db_table
    with editor.connection.cursor() as cursor:
        constraints = editor.connection.introspection.get_constraints(cursor, table)
    for name, constraint in constraints.items():
        if constraint["foreign_key"] and constraint["columns"] == [column(model, field)]:
            yield f"ALTER TABLE {table} DROP CONSTRAINT {editor.quote_name(name)}"


def index_name(model: type[Model], field: str, editor: BaseDatabaseSchemaEditor) -> str:
    """Return Django's name for the index of a foreign key."""
    return str(cast("Any", editor)._create_index_name(model._meta.db_table, [column(model, field)]))  # noqa: SLF001


def key_to_id(model: type[Model], field: str) -> str:
    """Return the statement that adds Django's foreign key."""
    table, own = model._meta.db_table, column(model, field)
    return (
        f"ALTER TABLE {table} ADD CONSTRAINT {table}_{own}_fk FOREIGN KEY ({own}) "
        f"REFERENCES {referred(model, field)._meta.db_table} (id) DEFERRABLE INITIALLY DEFERRED"
    )


def column(model: type[Model], field: str) -> str:
    """Return the column of the foreign key `field`."""
    return _foreign_key(model, field).column


def referred(model: type[Model], field: str) -> type[Model]:
    """Return the model that the foreign key `field` refers to."""
    return _foreign_key(model, field).related_model


def _foreign_key(model: type[Model], field: str) -> "ForeignKey[Any, Any]":
    return cast("ForeignKey[Any, Any]", model._meta.get_field(field))
