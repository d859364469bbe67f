"""Migration operations that spare a table in use: added without looking at its rows, which are looked at later.

An `ALTER TABLE` that looks at every row stops everybody meanwhile. One that says `NOT VALID` holds for new rows at
once; `VALIDATE CONSTRAINT`, in a migration of its own, lets others read and write while it looks at the old ones.

A foreign key with the member in it (`studyservice.database.member_keys`) takes the place of Django's, to `id` alone:
`AddMemberForeignKey` in one migration, `ValidateChecks` and `DropForeignKey` in the next. `MemberKey` and
`MemberReference` are how earlier migrations made such keys, before models told of them.

Where such operations touch several tables, their migration is not atomic: it would hold the lock of one table while it
waits for the next, and a call that has the second and wants the first would be ended with a deadlock. They can be done
again, so that a migration that was ended in between goes on.
"""

from collections.abc import Iterator
from typing import Any, cast

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations import AddConstraint, AddIndex
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState
from django.db.models import CheckConstraint, ForeignKey, Model

from studyservice.database.member_keys import MemberForeignKey
from studyservice.database.postgresql.repeatable import add_unvalidated, is_valid_index, without_lock_timeout


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
    """Add an index; on PostgreSQL while others write, in a migration that is not atomic.

    Django's `AddIndexConcurrently` knows PostgreSQL alone. Waiting for the transactions that are open stops nobody, so
    it waits without `lock_timeout`. It can be done again: an index that is there stays, and what an attempt that was
    ended left behind, which PostgreSQL marks as invalid, is dropped first.
    """

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        if schema_editor.connection.vendor != "postgresql":
            super().database_forwards(app_label, schema_editor, from_state, to_state)
            return
        model = to_state.apps.get_model(app_label, self.model_name)
        with without_lock_timeout(schema_editor):
            valid = is_valid_index(schema_editor, self.index.name)
            if valid is False:
                name = schema_editor.quote_name(self.index.name)
                schema_editor.execute(f"DROP INDEX CONCURRENTLY {name}")
            if not valid:
                cast("Any", schema_editor).add_index(model, self.index, concurrently=True)


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


class MemberKey(_OnPostgresql):
    """Let rows be referred to together with their member: a unique key on `(member_id, id)`.

    Building it waits for writes of the table, and they for it. `owner` names the member's field.
    """

    def __init__(self, model_name: str, *, owner: str = "member") -> None:
        super().__init__(model_name, owner=owner)

    def forwards(self, model: type[Model], editor: BaseDatabaseSchemaEditor) -> Iterator[str]:
        table, owner = model._meta.db_table, column(model, self.options["owner"])
        yield f"ALTER TABLE {table} ADD CONSTRAINT {table}_of_member UNIQUE ({owner}, id)"

    def backwards(self, model: type[Model], editor: BaseDatabaseSchemaEditor) -> Iterator[str]:
        table = model._meta.db_table
        yield f"ALTER TABLE {table} DROP CONSTRAINT {table}_of_member"


class MemberReference(_OnPostgresql):
    """Hold the foreign key `field` to rows of the same member; old rows only with `ValidateMemberReference`.

    `owner` names the member's field, in the model and in the one that it refers to.
    """

    def __init__(self, model_name: str, field: str, *, owner: str = "member") -> None:
        super().__init__(model_name, field=field, owner=owner)

    def forwards(self, model: type[Model], editor: BaseDatabaseSchemaEditor) -> Iterator[str]:
        table, field, owner = model._meta.db_table, self.options["field"], self.options["owner"]
        target = referred(model, field)
        columns = f"{column(model, owner)}, {column(model, field)}"
        yield (
            f"ALTER TABLE {table} ADD CONSTRAINT {reference_name(model, field)} FOREIGN KEY ({columns}) "
            f"REFERENCES {target._meta.db_table} ({column(target, owner)}, id) DEFERRABLE INITIALLY DEFERRED NOT VALID"
        )

    def backwards(self, model: type[Model], editor: BaseDatabaseSchemaEditor) -> Iterator[str]:
        yield f"ALTER TABLE {model._meta.db_table} DROP CONSTRAINT {reference_name(model, self.options['field'])}"


class ValidateMemberReference(_OnPostgresql):
    """Look at the rows that were there before a `MemberReference`, and drop Django's foreign key, which it replaces."""

    def __init__(self, model_name: str, field: str) -> None:
        super().__init__(model_name, field=field)

    def forwards(self, model: type[Model], editor: BaseDatabaseSchemaEditor) -> Iterator[str]:
        """Validate the one, drop the other."""
        table, field = model._meta.db_table, self.options["field"]
        yield f"ALTER TABLE {table} VALIDATE CONSTRAINT {reference_name(model, field)}"
        yield from dropped_keys(model, field, editor)

    def backwards(self, model: type[Model], editor: BaseDatabaseSchemaEditor) -> Iterator[str]:
        yield key_to_id(model, self.options["field"])


class DropMemberReference(_OnPostgresql):
    """Drop a `MemberReference`, whose place a `MemberForeignKey` has taken."""

    def __init__(self, model_name: str, field: str, *, owner: str = "member") -> None:
        super().__init__(model_name, field=field, owner=owner)

    def forwards(self, model: type[Model], editor: BaseDatabaseSchemaEditor) -> Iterator[str]:
        name = reference_name(model, self.options["field"])
        yield f"ALTER TABLE {model._meta.db_table} DROP CONSTRAINT IF EXISTS {name}"

    def backwards(self, model: type[Model], editor: BaseDatabaseSchemaEditor) -> Iterator[str]:
        reference = MemberReference(self.model_name, self.options["field"], owner=self.options["owner"])
        yield from reference.forwards(model, editor)
        name = reference_name(model, self.options["field"])
        yield f"ALTER TABLE {model._meta.db_table} VALIDATE CONSTRAINT {name}"


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
            yield f"DROP INDEX CONCURRENTLY IF EXISTS {self._name(model, editor)}"

    def backwards(self, model: type[Model], editor: BaseDatabaseSchemaEditor) -> Iterator[str]:
        own, name = column(model, self.options["field"]), self._name(model, editor)
        with without_lock_timeout(editor):
            yield f"CREATE INDEX CONCURRENTLY IF NOT EXISTS {name} ON {model._meta.db_table} ({own})"

    def _name(self, model: type[Model], editor: BaseDatabaseSchemaEditor) -> str:
        names = [column(model, self.options["field"])]
        return str(cast("Any", editor)._create_index_name(model._meta.db_table, names))  # noqa: SLF001  # Django names it


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


def key_to_id(model: type[Model], field: str) -> str:
    """What adds a foreign key as Django has it."""
    table, own = model._meta.db_table, column(model, field)
    return (
        f"ALTER TABLE {table} ADD CONSTRAINT {table}_{own}_fk FOREIGN KEY ({own}) "
        f"REFERENCES {referred(model, field)._meta.db_table} (id) DEFERRABLE INITIALLY DEFERRED"
    )


def reference_name(model: type[Model], field: str) -> str:
    """The name of the member reference of a foreign key."""
    return f"{model._meta.db_table}_{column(model, field)}_of_member"


def column(model: type[Model], field: str) -> str:
    """The column of the foreign key `field`."""
    return _foreign_key(model, field).column


def referred(model: type[Model], field: str) -> type[Model]:
    """The model that the foreign key `field` refers to."""
    return _foreign_key(model, field).related_model


def _foreign_key(model: type[Model], field: str) -> "ForeignKey[Any, Any]":
    return cast("ForeignKey[Any, Any]", model._meta.get_field(field))
