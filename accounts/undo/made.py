"""Undo a creation: delete the objects if unmodified and unreferenced."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple
from uuid import UUID

from django.db.models import Count, Model, QuerySet

from accounts.changes.contents import Fields, Part, as_words, plural_of, type_of
from accounts.changes.deleting import Reference, delete_rows, plain_references_to, references_to, referring_to
from accounts.changes.recording import Write
from accounts.changes.values import as_kept, changed_since, columns, model_of
from accounts.members.data import data_of
from accounts.members.models import Member
from accounts.undo.limits import count_deleted
from studyservice.database.ahead import Ahead
from studyservice.database.batches import batches
from studyservice.operations.errors import Conflict


def delete_again(member: Member, write: Write, type_: str, parts: Sequence[Part]) -> None:
    """Delete the objects that a call created, all of one type, with those below it that the log shows as a count.

    Raises:
        Conflict: one is gone or was changed, or another row now depends on it.
    """
    model = model_of(type_)
    if model is None:
        raise RuntimeError(f"No model: {type_}")
    for batch in batches(parts):
        rows: QuerySet[Model] = QuerySet(model).filter(member_id=write.member_id, pk__in=[part.id for part in batch])
        names = [*columns(model)]
        present = Ahead(rows.order_by().values_list(*names))
        below = _below(write.member_id, rows)
        found = {row["id"]: row for row in (dict(zip(names, values, strict=True)) for values in present)}
        for part in batch:
            _require_as_made(model, part, found.get(part.id))
        _require_nothing_below(write.member_id, below, batch)
        count_deleted(write.member_id, model, found.values())
        delete_rows(write, rows)


def _require_as_made(model: type[Model], part: Part, row: Fields | None) -> None:
    if row is None:
        raise Conflict(f"“{part.name}” is gone already. Undo its deletion first, then this.")
    data = data_of(model)
    compared = columns(model).keys() - {*(() if data is None else data.moved)}
    after = {**({} if data is None else data.made_with), **(part.after or {})}
    made = {name: value for name, value in after.items() if name in compared}
    present = as_kept({name: row[name] for name in made})
    if others := [name for name in made if present[name] != made[name]]:
        raise Conflict(f"{changed_since(others, part.name)}. Undo that first, or delete it yourself.")


class _Below(NamedTuple):
    """The rows that refer to objects through one field.

    Attributes:
        numbers: a queued query of their number for each object.
    """

    reference: Reference
    rows: QuerySet[Model]
    numbers: Ahead[Any]


def _below(member_id: UUID, rows: QuerySet[Model]) -> list[_Below]:
    """Queue the queries of everything below the objects."""
    found = []
    for reference in _all_references(rows):
        referring = referring_to(reference, member_id, rows)
        numbers = referring.order_by().values_list(reference.attname).annotate(number=Count("pk"))
        found.append(_Below(reference, referring, Ahead(numbers)))
    return found


def _require_nothing_below(member_id: UUID, below: Sequence[_Below], parts: Sequence[Part]) -> None:
    """Raise unless everything below the objects was created in the same call and has nothing below it."""
    by_id = {part.id: part for part in parts}
    for reference, referring, numbers in below:
        type_, counted = type_of(reference.model), dict(numbers)
        for id_, part in by_id.items():
            made = (part.after or {}).get(plural_of(type_), 0) if reference.cascades else 0
            number = counted.get(id_, 0)
            if number > (made if isinstance(made, int) else 0):
                raise Conflict(_hanging(part.name, number, type_))
        if counted and reference.cascades:
            for deeper in _all_references(referring):
                if number := referring_to(deeper, member_id, referring).count():
                    of_whom = parts[0].name if len(parts) == 1 else "What was made"
                    raise Conflict(_hanging(of_whom, number, type_of(deeper.model)))


def _hanging(name: str, number: int, type_: str) -> str:
    words = as_words(type_ if number == 1 else plural_of(type_))
    one_many = "that" if number == 1 else "those"
    return f"“{name}” has {number} {words} by now. Undo or delete {one_many} first, then undo this."


def _all_references(rows: QuerySet[Model]) -> Iterator[Reference]:
    """Return the references to the rows from rows that are the member's work."""
    label = rows.model._meta.label
    for reference in (*references_to(label), *plain_references_to(label)):
        data = data_of(reference.model)
        if data is None or not data.remembered:
            yield reference
