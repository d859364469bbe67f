"""Django's schema editor for PostgreSQL, for models whose foreign keys name the member."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db.backends.postgresql import schema
from django.db.models import Field, Model

from studyservice.database.member_keys import MemberForeignKey


class DatabaseSchemaEditor(schema.DatabaseSchemaEditor):
    """Creates tables without the foreign keys to `id` that a `MemberForeignKey` replaces."""

    def create_model(self, model: type[Model]) -> None:
        replaced = {one.field for one in model._meta.constraints if isinstance(one, MemberForeignKey)}
        with without_foreign_keys(field for field in model._meta.local_concrete_fields if field.name in replaced):
            super().create_model(model)


@contextmanager
def without_foreign_keys(fields: "Iterable[Field[Any, Any]]") -> Iterator[None]:
    """Do not create the foreign keys of these fields in the block."""
    omitted: list[Any] = [field for field in fields if getattr(field, "db_constraint", False)]
    for field in omitted:
        field.db_constraint = False
    try:
        yield
    finally:
        for field in omitted:
            field.db_constraint = True
