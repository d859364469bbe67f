"""Migration operations that spare a table in use: added without looking at its rows, which are looked at later.

An `ALTER TABLE` that looks at every row stops everybody meanwhile. One that says `NOT VALID` holds for new rows at
once; `VALIDATE CONSTRAINT`, in a migration of its own, lets others read and write while it looks at the old ones.

In a table that exists, a foreign key with the member in it (`studyservice.database.member_keys`) replaces Django's, to
`id` alone: `AddMemberForeignKey` in one migration, `ValidateChecks` and `DropForeignKey` in the next. A new table is
created without Django's.

Where such operations touch several tables, their migration is not atomic: it would hold the lock of one table while it
waits for the next, and a call that has the second and wants the first would be ended with a deadlock. They can be done
again, so that a migration that was ended in between goes on.
"""

from collections.abc import Iterator
from typing import Any, cast

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.backends.ddl_references import Statement
from django.db.migrations.operations import AddConstraint, AddField, AddIndex, RemoveConstraint
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState
from django.db.models import CheckConstraint, ForeignKey, Model

from studyservice.database.member_keys import MemberForeignKey
from studyservice.database.postgresql.repeatable import add_unvalidated, build_index, without_lock_timeout


class AddCheck(AddConstraint):
    """Add a check constraint; on PostgreSQL it holds for new rows alone, up to a `ValidateChecks`."""

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        if schema_editor.connection.vendor != "postgresql":
            super().database_forwards(app_label, schema_editor, from_state, to_state)
            return
        add_unvalidated(schema_editor, to_state.apps.get_model(app_label, self.model_name), self.constraint)


class AddMemberForeignKey(AddConstraint):
    """Add a `MemberForeignKey`; on PostgreSQL it holds for new rows alone, up to a `ValidateChecks`."""

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
    """Add an index; on PostgreSQL while others write, in a migration that is not atomic. It can be done again.

    Django's `AddIndexConcurrently` knows PostgreSQL alone.
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


class AddUniqueAside(AddConstraint):
    """Add a unique constraint with a condition, which is an index; on PostgreSQL as `AddIndexAside` does."""

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
    """Remove a unique constraint with a condition; on PostgreSQL while others write, as `AddUniqueAside` adds it."""

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        if schema_editor.connection.vendor != "postgresql":
            super().database_forwards(app_label, schema_editor, from_state, to_state)
            return
        with without_lock_timeout(schema_editor):
            name = schema_editor.quote_name(self.name)
            schema_editor.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {name}", params=None)


class AddReference(AddField):
    """Add a foreign key that may be null; on PostgreSQL the column alone.

    Django's key would lock the table that it refers to as well, and its index is not needed where another begins with
    the member. `AddMemberForeignKey` follows in the next migration.
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
    """Statements for one table of a PostgreSQL; nothing elsewhere, and nothing that models would tell."""

    def __init__(self, model_name: str, **options: Any) -> None:
        self.model_name = model_name
        self.options = options

    def deconstruct(self) -> tuple[str, list[Any], dict[str, Any]]:
        return type(self).__name__, [self.model_name], self.options

    def describe(self) -> str:
        return f"{type(self).__name__} of {self.model_name} {self.options or ''} (PostgreSQL)"

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        """The models stay the same."""

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
    """Look at the rows that were there before the check constraints and the member foreign keys of the model."""

    def forwards(self, model: type[Model], editor: BaseDatabaseSchemaEditor) -> Iterator[str]:
        for constraint in model._meta.constraints:
            if isinstance(constraint, CheckConstraint | MemberForeignKey):
                yield f"ALTER TABLE {model._meta.db_table} VALIDATE CONSTRAINT {editor.quote_name(constraint.name)}"

    def backwards(self, model: type[Model], editor: BaseDatabaseSchemaEditor) -> Iterator[str]:
        """Nothing; a constraint stays validated."""
        yield from ()


class DropForeignKey(_OnPostgresql):
    """Drop Django's foreign key `field`, to `id` alone, whose place a `MemberForeignKey` has taken."""

    def __init__(self, model_name: str, field: str) -> None:
        super().__init__(model_name, field=field)

    def forwards(self, model: type[Model], editor: BaseDatabaseSchemaEditor) -> Iterator[str]:
        yield from dropped_keys(model, self.options["field"], editor)

    def backwards(self, model: type[Model], editor: BaseDatabaseSchemaEditor) -> Iterator[str]:
        yield key_to_id(model, self.options["field"])


class DropForeignKeyIndex(_OnPostgresql):
    """Drop Django's index of the foreign key `field` alone, where one with the member first finds those rows.

    Others write meanwhile, as with `AddIndexAside`; its migration is not atomic, and can be done again. SQLite keeps
    the index: there what refers to a row that is deleted is looked for by its id alone.
    """

    def __init__(self, model_name: str, field: str) -> None:
        super().__init__(model_name, field=field)

    def forwards(self, model: type[Model], editor: BaseDatabaseSchemaEditor) -> Iterator[str]:
        with without_lock_timeout(editor):  # up to the next step of the generator, when it has been executed
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
        """Take it off the statements that Django executes at the end of the migration."""
        name = editor.quote_name(index_name(model, self.options["field"], editor))
        editor.deferred_sql = [
            one for one in editor.deferred_sql if not isinstance(one, Statement) or str(one.parts.get("name")) != name
        ]
        yield from ()

    def backwards(self, model: type[Model], editor: BaseDatabaseSchemaEditor) -> Iterator[str]:
        """Nothing; the table is deleted."""
        yield from ()


class MemberStatistics(_OnPostgresql):
    """Let the planner know that whoever names `field` has named the member too.

    It takes the two for independent otherwise, expects hardly a row, and sorts what it finds instead of reading an
    index in order. `ANALYZE` fills the statistics, at the latest by autovacuum.
    """

    def __init__(self, model_name: str, field: str, *, owner: str = "member") -> None:
        super().__init__(model_name, field=field, owner=owner)

    def forwards(self, model: type[Model], editor: BaseDatabaseSchemaEditor) -> Iterator[str]:
        columns = f"{column(model, self.options['owner'])}, {column(model, self.options['field'])}"
        yield f"CREATE STATISTICS {self._name(model)} (dependencies) ON {columns} FROM {model._meta.db_table}"

    def backwards(self, model: type[Model], editor: BaseDatabaseSchemaEditor) -> Iterator[str]:
        yield f"DROP STATISTICS {self._name(model)}"

    def _name(self, model: type[Model]) -> str:
        return f"{model._meta.db_table}_{column(model, self.options['field'])}_known"


def dropped_keys(model: type[Model], field: str, editor: BaseDatabaseSchemaEditor) -> Iterator[str]:
    """What drops the foreign keys of the field alone: Django's, which names them by a hash."""
    table = model._meta.db_table
    with editor.connection.cursor() as cursor:
        constraints = editor.connection.introspection.get_constraints(cursor, table)
    for name, constraint in constraints.items():
        if constraint["foreign_key"] and constraint["columns"] == [column(model, field)]:
            yield f"ALTER TABLE {table} DROP CONSTRAINT {editor.quote_name(name)}"


def index_name(model: type[Model], field: str, editor: BaseDatabaseSchemaEditor) -> str:
    """The name that Django gives to the index of a foreign key."""
    return str(cast("Any", editor)._create_index_name(model._meta.db_table, [column(model, field)]))  # noqa: SLF001


def key_to_id(model: type[Model], field: str) -> str:
    """What adds a foreign key as Django has it."""
    table, own = model._meta.db_table, column(model, field)
    return (
        f"ALTER TABLE {table} ADD CONSTRAINT {table}_{own}_fk FOREIGN KEY ({own}) "
        f"REFERENCES {referred(model, field)._meta.db_table} (id) DEFERRABLE INITIALLY DEFERRED"
    )


def column(model: type[Model], field: str) -> str:
    """The column of the foreign key `field`."""
    return _foreign_key(model, field).column


def referred(model: type[Model], field: str) -> type[Model]:
    """The model that the foreign key `field` refers to."""
    return _foreign_key(model, field).related_model


def _foreign_key(model: type[Model], field: str) -> "ForeignKey[Any, Any]":
    return cast("ForeignKey[Any, Any]", model._meta.get_field(field))
