"""Django's schema editor for PostgreSQL, whose migrations also run where members are spread over servers."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db.backends.postgresql import schema
from django.db.models import Field, Model

from studyservice.database.citus.catalogue import places


class DatabaseSchemaEditor(schema.DatabaseSchemaEditor):
    """Django's, but for foreign keys that cannot be there.

    Once Citus has spread a table by member, `id` alone is no key of it. A foreign key to it that names no member is
    left out; the one with the member, `MemberForeignKey`, holds. `manage.py distribute` brings new tables to their
    places.
    """

    def create_model(self, model: type[Model]) -> None:
        with self._without_keys_to_id(model._meta.local_concrete_fields):
            super().create_model(model)

    def add_field(self, model: type[Model], field: "Field[Any, Any]") -> None:
        with self._without_keys_to_id([field]):
            super().add_field(model, field)

    @contextmanager
    def _without_keys_to_id(self, fields: "Iterable[Field[Any, Any]]") -> Iterator[None]:
        left_out: list[Any] = [field for field in fields if self._is_to_id(field)]
        for field in left_out:
            field.db_constraint = False
        try:
            yield
        finally:
            for field in left_out:
                field.db_constraint = True

    def _is_to_id(self, field: Any) -> bool:
        """Whether `field` is a foreign key to rows that are spread by another column than the one that it names."""
        if not field.remote_field or not getattr(field, "db_constraint", False):
            return False
        with self.connection.cursor() as cursor:
            place = places(cursor).get(field.related_model._meta.db_table)
        return place is not None and place.column not in {None, field.target_field.column}
