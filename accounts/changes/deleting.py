"""Deleting an object of a member's with everything below it, and keeping what it took.

What is below is read off the models: the foreign keys with `CASCADE` from rows that have a member. Every statement
names the member, as those of Django's own collector do not, which goes from id to id.
"""

from functools import cache
from typing import Any, NamedTuple, cast
from uuid import UUID

from django.apps import apps
from django.db import DEFAULT_DB_ALIAS, models
from django.db.models import F, Model, QuerySet
from django.db.models.signals import pre_delete

from accounts.changes.chains import end_chains
from accounts.changes.contents import INTERNAL, plural_of, short, type_of
from accounts.changes.recording import Write
from accounts.members.data import counters, data_of, member_data
from studyservice.database.deleting import delete_alone
from studyservice.database.limiting import WholeMember, current_limiter

_ITS_COURSE = "its_course_id"
_NOT_TOLD = frozenset({"id", "member_id", "created_at", "updated_at", *INTERNAL})

_BELOW = WholeMember("what is below a deleted object goes with it, and so do references to it")


class Reference(NamedTuple):
    """A foreign key to a model, from rows that have a member."""

    model: type[Model]
    attname: str
    cascades: bool


def delete_object(write: Write, model: type[Model], object_id: UUID) -> bool:
    """Delete the member's object with everything below it; False if there is no such object.

    The rows are kept with the write, but for those of stored files, whose bytes leave storage with the commit, and what
    says so (`MemberData.not_kept`).
    """
    rows: QuerySet[Model] = QuerySet(model).filter(member_id=write.member_id, pk=object_id)
    found = _with_course(rows, write.member_id).first()
    if found is None:
        return False
    write.belongs(getattr(found, _ITS_COURSE, None))
    with _BELOW.rows():
        if _is_let_go(model._meta.label):
            write.cannot_be_undone()
            end_chains(write.member_id, [object_id], _fields(found)["created_at"])
        below = delete_rows(write, rows, one=found)
        told = {name: short(value) for name, value in _fields(found).items() if name not in _NOT_TOLD | counters()}
        write.deleted(model, object_id, str(found), {**without_usual(model, told), **below})
    return True


def _with_course(rows: QuerySet[Model], member_id: UUID) -> QuerySet[Model]:
    """`rows`, each with its course, if that is in the row of another object."""
    data = data_of(rows.model)
    path = "" if data is None else data.course
    *above, _ = path.split("__")
    if not above:
        return rows
    owners = {f"{'__'.join(above[: place + 1])}__member_id": member_id for place in range(len(above))}
    found: QuerySet[Model] = rows.filter(**owners).annotate(**{_ITS_COURSE: F(f"{path}_id")})
    return found


def without_usual(model: type[Model], fields: dict[str, Any]) -> dict[str, Any]:
    """`fields` without those that the log leaves out (`MemberData.made_with`)."""
    data = data_of(model)
    usual = {} if data is None else data.made_with
    return {name: value for name, value in fields.items() if name not in usual or value != usual[name]}


def delete_rows(write: Write, rows: QuerySet[Model], *, one: Model | None = None) -> dict[str, int]:
    """Delete `rows`, whose filter names the member, with everything below; gives what was below, in numbers.

    Args:
        one: the only row, if it was read; who listens for its deletion is told, once all is kept.
    """
    if current_limiter() is not None:
        rows = QuerySet(rows.model).filter(member_id=write.member_id, pk__in=list(rows.values_list("pk", flat=True)))
    levels: list[tuple[QuerySet[Model], int]] = []
    with _BELOW.rows():
        if one is not None and not _is_let_go(rows.model._meta.label):
            write.snapshots.row(one)
            levels.append((rows, 1))
            _take_below(write, rows, levels)
        else:
            _take(write, rows, levels)
        for level, _ in levels:
            _let_go(write, level)
        if one is not None:
            pre_delete.send(sender=rows.model, instance=one, using=DEFAULT_DB_ALIAS, origin=one)
        for level, _ in reversed(levels):
            delete_alone(level)
    return {plural_of(type_of(level.model)): number for level, number in levels[1:]}


def _take(write: Write, rows: QuerySet[Model], levels: list[tuple[QuerySet[Model], int]]) -> None:
    """Keep `rows` and what is below each, from the top down, and list them; what is not there has nothing below."""
    if _is_let_go(rows.model._meta.label):
        ids = list(rows.values_list("pk", flat=True))
        write.touched(rows.model, ids)
        number = len(ids)
    else:
        number = write.snapshots.rows(rows)
    if number == 0:
        return
    levels.append((rows, number))
    _take_below(write, rows, levels)


def _take_below(write: Write, rows: QuerySet[Model], levels: list[tuple[QuerySet[Model], int]]) -> None:
    for reference in references_to(rows.model._meta.label):
        if reference.cascades:
            _take(write, referring_to(reference, write.member_id, rows), levels)


def _let_go(write: Write, gone: QuerySet[Model]) -> None:
    """Empty the references to rows that are about to go, where that is what becomes of them; keep whose they were."""
    for reference in references_to(gone.model._meta.label):
        if not reference.cascades:
            referring = referring_to(reference, write.member_id, gone)
            if write.snapshots.reference(referring, reference.attname):
                referring.update(**{reference.attname: None})
    for plain in plain_references_to(gone.model._meta.label):
        write.snapshots.reference(referring_to(plain, write.member_id, gone), plain.attname)


def referring_to(reference: Reference, member_id: UUID, rows: QuerySet[Model]) -> QuerySet[Model]:
    """The member's rows that refer to one of `rows` so."""
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
    """The references to the model that are no foreign keys."""
    return tuple(
        Reference(data.model, column, cascades=False)
        for data in member_data()
        for column, target in data.plain_references.items()
        if target == label
    )


@cache
def _is_let_go(label: str) -> bool:
    """Whether a deleted row is not kept: bytes leave storage with their file's, and others say so."""
    model = apps.get_model(label)
    data = data_of(model)
    has_file = any(isinstance(field, models.FileField) for field in model._meta.concrete_fields)
    return has_file or (data is not None and bool(data.not_kept))


def _fields(row: Model) -> dict[str, Any]:
    """The columns of a row that say something, by attribute name; a stored file is not named by its place."""
    return {
        field.attname: getattr(row, field.attname)
        for field in row._meta.concrete_fields
        if not isinstance(field, models.FileField)
    }
