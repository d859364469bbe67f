"""A schema editor for migrations before and after members are distributed."""

from collections.abc import Iterable, Iterator
from typing import Any

from django.db.models import Field, Model

from studyservice.citus.catalogue import places
from studyservice.database.postgresql import schema


class DatabaseSchemaEditor(schema.DatabaseSchemaEditor):
    """Omits foreign keys that Citus does not support.

    The primary key of a table distributed by member is no longer `id`, so a foreign key to it must include the member.
    Django's foreign keys do not, and are omitted; `MemberForeignKey` stays. `manage.py distribute` moves new tables to
    their places.
    """

    def create_model(self, model: type[Model]) -> None:
        with schema.without_foreign_keys(self._to_id(model._meta.local_concrete_fields)):
            super().create_model(model)

    def add_field(self, model: type[Model], field: "Field[Any, Any]") -> None:
        with schema.without_foreign_keys(self._to_id([field])):
            super().add_field(model, field)

    def _to_id(self, fields: "Iterable[Any]") -> "Iterator[Field[Any, Any]]":
        """Yield the foreign keys to tables distributed by a column other than the referenced one."""
        with self.connection.cursor() as cursor:
            placed = places(cursor)
        for field in fields:
            place = placed.get(field.related_model._meta.db_table) if field.remote_field else None
            if place is not None and place.column not in {None, field.target_field.column}:
                yield field
