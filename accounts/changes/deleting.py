"""Delete a member's object with everything below it, and keep the deleted rows for undo.

The dependent rows follow from the models: foreign keys with `CASCADE` from rows that have a member. Every statement
names the member. Those of Django's own collector do not.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple, TypeVar, cast
from uuid import UUID

from django.apps import apps
from django.db import models
from django.db.models import F, Model, QuerySet

from accounts.changes.contents import INTERNAL, plural_of, short, type_of
from accounts.changes.recording import Write
from accounts.members.data import counters, data_of, member_data
from studyservice.database.ahead import Ahead, update_later
from studyservice.database.deleting import delete_alone_later
from studyservice.database.limiting import WholeMember, current_limiter

_ModelT = TypeVar("_ModelT", bound=Model)

_ITS_COURSE = "its_course_id"
_NOT_REPORTED = frozenset({"id", "member_id", "created_at", "updated_at", *INTERNAL})

_BELOW = WholeMember("what is below a deleted object goes with it, and so do references to it")


class Reference(NamedTuple):
    """A foreign key to a model, from rows that have a member."""

    model: type[Model]
    attname: str
    cascades: bool


def delete_object(write: Write, model: type[_ModelT], object_id: UUID) -> _ModelT | None:
    """Delete the member's object with everything below it. Return it as it was, or None if it does not exist.

    The write keeps the rows, except those of stored files, which are deleted with the commit, and rows that name them
    (`MemberData.not_kept`).
    """
    rows: QuerySet[_ModelT] = QuerySet(model).filter(member_id=write.member_id, pk=object_id)
    found = _with_course(rows, write.member_id).first()
    if found is None:
        return None
    write.belongs(getattr(found, _ITS_COURSE, None))
    with _BELOW.rows():
        if _is_not_kept(model._meta.label):
            write.cannot_be_undone()
        below = delete_rows(write, rows, one=found)
        told = {name: short(value) for name, value in _fields(found).items() if name not in _NOT_REPORTED | counters()}
        write.deleted(model, object_id, str(found), {**without_usual(model, told), **below})
    return found


def _with_course(rows: QuerySet[_ModelT], member_id: UUID) -> QuerySet[_ModelT]:
    """Add its course to each of `rows`, if that is stored in the row of another object."""
    data = data_of(rows.model)
    path = "" if data is None else data.course
    *above, _ = path.split("__")
    if not above:
        return rows
    owners = {f"{'__'.join(above[: place + 1])}__member_id": member_id for place in range(len(above))}
    found: QuerySet[_ModelT] = rows.filter(**owners).annotate(**{_ITS_COURSE: F(f"{path}_id")})
    return found


def without_usual(model: type[Model], fields: dict[str, Any]) -> dict[str, Any]:
    """Return `fields` without the values that the log leaves out (`MemberData.made_with`)."""
    data = data_of(model)
    usual = {} if data is None else data.made_with
    return {name: value for name, value in fields.items() if name not in usual or value != usual[name]}


def delete_rows(write: Write, rows: QuerySet[Model], *, one: Model | None = None) -> dict[str, int]:
    """Delete `rows`, whose filter names the member, with everything below. Return the numbers of rows below, by type.

    Args:
        one: the only row, if it was read.

    PostgreSQL reads all of them in one round trip and deletes them in another.
    """
    if current_limiter() is not None:
        rows = QuerySet(rows.model).filter(member_id=write.member_id, pk__in=list(rows.values_list("pk", flat=True)))
    with _BELOW.rows():
        levels = list(_levels(write.member_id, rows))
        kept = [_columns_of(one) if level is rows and one is not None else _rows_to_keep(level) for level in levels]
        references = [reference for level in levels for reference in _references(write.member_id, level)]
        numbers = [_keep(write, level, found) for level, found in zip(levels, kept, strict=True)]
        for reference in references:
            reference.empty(write)
        for level, number in zip(reversed(levels), reversed(numbers), strict=True):
            if number:
                delete_alone_later(level, read=[one] if level is rows and one is not None else None)
    return {
        plural_of(type_of(level.model)): number for level, number in zip(levels[1:], numbers[1:], strict=True) if number
    }


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


def _columns_of(one: Model) -> list[list[Any]]:
    """Like `_rows_to_keep`, for a row that was read."""
    fields = one._meta.concrete_fields
    return [[one.pk] if _is_not_kept(one._meta.label) else [getattr(one, field.attname) for field in fields]]


def _keep(write: Write, level: QuerySet[Model], found: Iterable[Sequence[Any]]) -> int:
    """Keep the rows of a level. Return their number."""
    if not _is_not_kept(level.model._meta.label):
        return write.stream.deleted(level.model, found)
    ids = [pk for (pk,) in found]
    write.touched(level.model, ids)
    return len(ids)


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
        is_computed = reference not in keys and data is not None and data.remembered
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
        if any(field.attname == "member_id" for field in referring._meta.concrete_fields):
            field = cast("models.ForeignKey[Any, Any]", relation.field)
            found.append(Reference(referring, field.attname, relation.on_delete is models.CASCADE))
    return tuple(found)


@cache
def plain_references_to(label: str) -> tuple[Reference, ...]:
    """The references to the model that are not foreign keys."""
    return tuple(
        Reference(data.model, column, cascades=False)
        for data in member_data()
        for column, target in data.plain_references.items()
        if target == label
    )


@cache
def _is_not_kept(label: str) -> bool:
    """Return whether deleted rows are not kept: they have a file, or declare `MemberData.not_kept`."""
    model = apps.get_model(label)
    data = data_of(model)
    has_file = any(isinstance(field, models.FileField) for field in model._meta.concrete_fields)
    return has_file or (data is not None and bool(data.not_kept))


def _fields(row: Model) -> dict[str, Any]:
    """Return the row's meaningful columns by attribute name, without the path of a stored file."""
    return {
        field.attname: getattr(row, field.attname)
        for field in row._meta.concrete_fields
        if not isinstance(field, models.FileField)
    }
