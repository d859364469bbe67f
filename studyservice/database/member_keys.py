"""Keys that include the member, so that PostgreSQL itself prevents references between members.

A model that others refer to has a `MemberKey`. A foreign key to it has a `MemberForeignKey` beside it, which restricts
it to rows of the same member and handles deletion in the database too. Both are in `Meta.constraints`, so migrations
know them. `DatabaseSchemaEditor` creates neither Django's foreign key nor its index. An existing table gets a
`MemberForeignKey` with `AddConstraintNotValid` in one migration, and `ValidateConstraint` in the next
(`studyservice.database.online`). If no index begins with the member
and the key, and a member has many such rows, the migration creates one of the key with `RunOnPostgresql`.

SQLite has only Django's keys to `id`, with their indexes: a deletion looks up references only by `id`.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, cast

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.backends.postgresql import schema
from django.db.models import CASCADE, SET_NULL, BaseConstraint, Field, ForeignKey, Model

_IN_TABLE = "%(app_label)s_%(class)s"


class _OnPostgresql(BaseConstraint):
    """A PostgreSQL constraint without validation in Python."""

    def definition(self, model: type[Model], editor: BaseDatabaseSchemaEditor) -> str:
        """Return the SQL after the constraint's name."""
        raise NotImplementedError

    def constraint_sql(self, model: type[Model] | None, schema_editor: BaseDatabaseSchemaEditor | None) -> str:
        """Return its part of a `CREATE TABLE`."""
        return self._named(model, schema_editor)

    def create_sql(self, model: type[Model] | None, schema_editor: BaseDatabaseSchemaEditor | None) -> str:
        """Return the statement that adds it."""
        added = self._named(model, schema_editor)
        return f"ALTER TABLE {_table(model, schema_editor)} ADD {added}" if added else ""

    def remove_sql(self, model: type[Model] | None, schema_editor: BaseDatabaseSchemaEditor | None) -> str:
        """Return the statement that drops it."""
        if schema_editor is None or schema_editor.connection.vendor != "postgresql":
            return ""
        return f"ALTER TABLE {_table(model, schema_editor)} DROP CONSTRAINT {schema_editor.quote_name(self.name)}"

    def validate(self, *args: Any, **kwargs: Any) -> None:
        """Do nothing: forms and operations look up referenced rows among those of the member."""

    def _named(self, model: type[Model] | None, editor: BaseDatabaseSchemaEditor | None) -> str:
        if model is None or editor is None or editor.connection.vendor != "postgresql":
            return ""
        return f"CONSTRAINT {editor.quote_name(self.name)} {self.definition(model, editor)}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _OnPostgresql) and self.deconstruct() == other.deconstruct()

    def __hash__(self) -> int:
        return hash(self.name)


class MemberKey(_OnPostgresql):
    """A unique key on `(member_id, id)`, for foreign keys that include the member.

    Args:
        owner: the field with the member.
    """

    def __init__(self, *, owner: str = "member", name: str = f"{_IN_TABLE}_of_member") -> None:
        super().__init__(name=name)
        self.owner = owner

    def deconstruct(self) -> tuple[str, tuple[Any, ...], dict[str, Any]]:
        path, arguments, options = super().deconstruct()
        return path, tuple(arguments), {**options, "owner": self.owner}

    def definition(self, model: type[Model], editor: BaseDatabaseSchemaEditor) -> str:
        return f"UNIQUE ({_column(model, self.owner)}, id)"


class MemberForeignKey(_OnPostgresql):
    """A foreign key of `field` and the member: `(member_id, course_id)` to the course's `(member_id, id)`.

    It is checked at the commit, like Django's. PostgreSQL deletes the row or empties the reference, by the field's
    `on_delete`.

    Args:
        owner: the field with the member, in both models.
    """

    def __init__(self, *, field: str, owner: str = "member", name: str | None = None) -> None:
        super().__init__(name=name or f"{_IN_TABLE}_{field}_of_member")
        self.field = field
        self.owner = owner

    def deconstruct(self) -> tuple[str, tuple[Any, ...], dict[str, Any]]:
        path, arguments, options = super().deconstruct()
        return path, tuple(arguments), {**options, "field": self.field, "owner": self.owner}

    def constraint_sql(self, model: type[Model] | None, schema_editor: BaseDatabaseSchemaEditor | None) -> str:
        """Return nothing: like Django's foreign keys, it is added by a statement at the end of the migration."""
        if schema_editor is not None and (statement := self.create_sql(model, schema_editor)):
            schema_editor.deferred_sql.append(statement)
        return ""

    def definition(self, model: type[Model], editor: BaseDatabaseSchemaEditor) -> str:
        key = _foreign_key(model, self.field)
        target = key.related_model
        if key.remote_field.on_delete not in (CASCADE, SET_NULL):
            raise RuntimeError(f"Say what becomes of {self.field} in the database.")
        if key.remote_field.on_delete is CASCADE:
            ends = " ON DELETE CASCADE"
        elif getattr(editor.connection.features, "sets_null_by_column", True):  # Citus lacks it
            ends = f" ON DELETE SET NULL ({key.column})"
        else:
            ends = ""
        return (
            f"FOREIGN KEY ({_column(model, self.owner)}, {key.column}) "
            f"REFERENCES {editor.quote_name(target._meta.db_table)} ({_column(target, self.owner)}, id)"
            f"{ends} DEFERRABLE INITIALLY DEFERRED"
        )


def _table(model: type[Model] | None, editor: BaseDatabaseSchemaEditor | None) -> str:
    if model is None or editor is None:
        raise RuntimeError("A constraint stands in a table.")
    return editor.quote_name(model._meta.db_table)


def _column(model: type[Model], field: str) -> str:
    return _foreign_key(model, field).column


def _foreign_key(model: type[Model], field: str) -> "ForeignKey[Any, Any]":
    return cast("ForeignKey[Any, Any]", model._meta.get_field(field))


class DatabaseSchemaEditor(schema.DatabaseSchemaEditor):
    """PostgreSQL's, without what keys that include the member replace.

    These are the foreign keys to the `id` of a model with a `MemberKey`, and the indexes of single foreign keys: every
    statement names the member, so that an index that begins with the member serves.
    """

    def create_model(self, model: type[Model]) -> None:
        with _without_replaced_keys(model, model._meta.local_concrete_fields):
            super().create_model(model)

    def add_field(self, model: type[Model], field: "Field[Any, Any]") -> None:
        with _without_replaced_keys(model, [field]):
            super().add_field(model, field)


@contextmanager
def _without_replaced_keys(model: type[Model], fields: "Sequence[Field[Any, Any]]") -> Iterator[None]:
    """Do not create these keys and indexes in the block."""
    owners = {key.owner for key in _member_keys(model)}
    keys: list[Any] = [field for field in fields if getattr(field, "db_constraint", False)]
    referring = [field for field in keys if any(_member_keys(field.related_model))]
    indexed = [field for field in keys if field.db_index and (field in referring or field.name in owners)]
    for field in referring:
        field.db_constraint = False
    for field in indexed:
        field.db_index = False
    try:
        yield
    finally:
        for field in referring:
            field.db_constraint = True
        for field in indexed:
            field.db_index = True


def _member_keys(model: type[Model]) -> Iterator[MemberKey]:
    return (one for one in model._meta.constraints if isinstance(one, MemberKey))
