"""Delete rows with everything below them, and keep them for undo.

What is below follows from the models: foreign keys with `CASCADE` from rows that have a member. Every statement names
the member. Those of Django's own collector do not.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple, cast
from uuid import UUID

from django.apps import apps
from django.db import models
from django.db.models import Model, QuerySet

from studyservice.changes.recording import Write
from studyservice.database.deleting import delete_alone_later
from studyservice.database.executing import Ahead, update_later
from studyservice.registry.data import columns_of, data_of, member_data


class Reference(NamedTuple):
    """A foreign key to a model, from rows that have a member."""

    model: type[Model]
    attname: str
    cascades: bool


def delete_with_below(write: Write, model: type[Model], found: Sequence[Mapping[str, Any]]) -> None:
    """Delete rows that were read whole. References to them from other rows are emptied.

    PostgreSQL reads everything below in one round trip and deletes it in another. Rows of models with a file, and those
    that declare `Logged.not_kept`, cannot be restored.
    """
    rows: QuerySet[Model] = QuerySet(model).filter(member_id=write.member_id, pk__in=[row["id"] for row in found])
    levels = [*_levels(write.member_id, rows)]
    below = [_rows_to_keep(level) for level in levels[1:]]
    references = [reference for level in levels for reference in _references(write.member_id, level)]
    data = data_of(model)
    if _is_not_kept(model._meta.label):
        write.cannot_be_undone()
    elif data is None or not data.log.left_out:
        write.stream.deleted(model, ([*row.values()] for row in found))
    gone = [rows]
    for level, kept in zip(levels[1:], below, strict=True):
        if _is_not_kept(level.model._meta.label):
            ids = [pk for (pk,) in kept]
            write.touched(level.model, ids)
            number = len(ids)
        else:
            number = write.stream.deleted(level.model, kept)
        if number:
            write.deleted_below(level.model, number)
            gone.append(level)
    for reference in references:
        reference.empty(write)
    instances: list[Model] = [model(**row) for row in found]
    for level in reversed(gone):
        delete_alone_later(level, read=instances if level is rows else None)


def _levels(member_id: UUID, rows: QuerySet[Model]) -> Iterator[QuerySet[Model]]:
    """Yield `rows` and everything below, from the top down."""
    yield rows
    for reference in references_to(rows.model._meta.label):
        if reference.cascades:
            yield from _levels(member_id, referring_to(reference, member_id, rows))


def _rows_to_keep(level: QuerySet[Model]) -> Iterable[Sequence[Any]]:
    """Return the whole rows of a level, or only their ids if they are not kept."""
    fields = level.model._meta.concrete_fields
    columns = ["pk"] if _is_not_kept(level.model._meta.label) else [field.attname for field in fields]
    return Ahead(level.order_by().values_list(*columns))


class _EmptiedReference(NamedTuple):
    """Rows with a reference to an object about to be deleted.

    Attributes:
        ahead: id and reference of each row; None of rows that an undo computes again.
    """

    rows: QuerySet[Model]
    attname: str
    ahead: Ahead[Any] | None

    def empty(self, write: Write) -> None:
        """Empty the reference, and keep it for an undo."""
        if self.ahead is None or write.stream.emptied(self.rows.model, self.attname, self.ahead):
            update_later(self.rows, **{self.attname: None})


def _references(member_id: UUID, gone: QuerySet[Model]) -> Iterator[_EmptiedReference]:
    """Yield the references to rows about to be deleted, except those from rows that are deleted with them."""
    label = gone.model._meta.label
    keys = [reference for reference in references_to(label) if not reference.cascades]
    for reference in (*keys, *plain_references_to(label)):
        rows = referring_to(reference, member_id, gone)
        data = data_of(reference.model)
        is_computed = reference not in keys and data is not None and data.log.remembered
        kept = rows.order_by(reference.attname).values_list("pk", reference.attname)
        yield _EmptiedReference(rows, reference.attname, None if is_computed else Ahead(kept))


def referring_to(reference: Reference, member_id: UUID, rows: QuerySet[Model]) -> QuerySet[Model]:
    """Return the member's rows that refer to one of `rows` by this reference."""
    ids = rows.order_by().values("pk")
    return QuerySet(reference.model).filter(member_id=member_id, **{f"{reference.attname}__in": ids})


@cache
def references_to(label: str) -> tuple[Reference, ...]:
    """The foreign keys to the model from rows that have a member."""
    found = []
    for relation in apps.get_model(label)._meta.related_objects:
        referring = relation.related_model
        if "member_id" in columns_of(referring):
            field = cast("models.ForeignKey[Any, Any]", relation.field)
            found.append(Reference(referring, field.attname, relation.on_delete is models.CASCADE))
    return tuple(found)


@cache
def plain_references_to(label: str) -> tuple[Reference, ...]:
    """The references to the model that are not foreign keys."""
    return tuple(
        Reference(data.model, column, cascades=False)
        for data in member_data()
        for column, target in data.log.plain_references.items()
        if target == label
    )


@cache
def _is_not_kept(label: str) -> bool:
    """Return whether deleted rows are not kept: they have a file, or declare `Logged.not_kept`."""
    model = apps.get_model(label)
    data = data_of(model)
    has_file = any(isinstance(field, models.FileField) for field in model._meta.concrete_fields)
    return has_file or (data is not None and bool(data.log.not_kept))
