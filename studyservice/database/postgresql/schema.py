"""Django's schema editor for PostgreSQL, for models whose keys include the member."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from django.db.backends.postgresql import schema
from django.db.models import Field, Model

from studyservice.database.member_keys import MemberKey


class DatabaseSchemaEditor(schema.DatabaseSchemaEditor):
    """Omits what keys that include the member replace (`studyservice.database.member_keys`).

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
