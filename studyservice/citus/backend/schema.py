"""A schema editor whose migrations run before and after members are spread over servers."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db.backends.postgresql import schema
from django.db.models import Field, Model

from studyservice.citus.catalogue import places


class DatabaseSchemaEditor(schema.DatabaseSchemaEditor):
    """Omits foreign keys that Citus cannot hold.

    The primary key of a table that is spread by member is no longer `id`, so a foreign key to it must name the member.
    Django's foreign keys do not, and are omitted; `MemberForeignKey` stays. `manage.py distribute` brings new tables to
    their places.
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
        """Return whether `field` refers to rows that are spread by another column than the one that it names."""
        if not field.remote_field or not getattr(field, "db_constraint", False):
            return False
        with self.connection.cursor() as cursor:
            place = places(cursor).get(field.related_model._meta.db_table)
        return place is not None and place.column not in {None, field.target_field.column}
