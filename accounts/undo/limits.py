"""Limits and counters of rows that an undo restores or deletes."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple
from uuid import UUID

from django.db.models import Count, F, Model, QuerySet

from accounts.members.counts import counted_objects
from accounts.members.data import Columns, data_of
from accounts.members.limits import Limit
from studyservice.database.ahead import Ahead, update_later
from studyservice.database.batches import batches


class Counted(NamedTuple):
    """A limit of restored rows.

    Attributes:
        over: a queued query of the objects that exceed it.
    """

    limit: Limit
    over: Ahead[Any]


def count_restored(member_id: UUID, model: type[Model], rows: list[Columns]) -> list[Counted]:
    """Count restored rows, and return queued checks of their limits for `require_within`."""
    counted = []
    mine: QuerySet[Model] = QuerySet(model).filter(member_id=member_id).order_by()
    for limit in _limits(model):
        if limit.counter:
            counted += [Counted(limit, over) for over in _add_to_counters(member_id, model, limit, rows)]
        elif limit.per:
            counted += [Counted(limit, over) for over in _over_per_object(member_id, mine, limit, rows)]
        else:
            counted.append(Counted(limit, _over(mine, "member_id", limit)))
    return counted


def require_within(counted: Iterable[Counted]) -> None:
    """Raise Conflict if a limit is exceeded."""
    for limit, over in counted:
        if [*over]:
            raise limit.refusal()


def count_deleted(member_id: UUID, model: type[Model], rows: Iterable[Columns]) -> None:
    """Subtract rows that are about to be deleted."""
    for limit in _limits(model):
        if limit.counter:
            for object_id, less in _per_object(limit, rows).items():
                mine = counted_objects(model, limit).filter(member_id=member_id, pk=object_id)
                update_later(mine, **{limit.counter: F(limit.counter) - less})


def _limits(model: type[Model]) -> tuple[Limit, ...]:
    data = data_of(model)
    return () if data is None else data.limits


def _per_object(limit: Limit, rows: Iterable[Columns]) -> Counter[UUID]:
    return Counter(row[f"{limit.per}_id"] for row in rows)


def _add_to_counters(member_id: UUID, model: type[Model], limit: Limit, rows: list[Columns]) -> Iterator[Ahead[Any]]:
    mine = counted_objects(model, limit).filter(member_id=member_id)
    for object_id, more in _per_object(limit, rows).items():
        update_later(mine.filter(pk=object_id), **{limit.counter: F(limit.counter) + more})
        over = mine.filter(pk=object_id, **{f"{limit.counter}__gt": limit.most})
        yield Ahead(over.values_list("pk", limit.counter))


def _over_per_object(member_id: UUID, mine: QuerySet[Model], limit: Limit, rows: list[Columns]) -> Iterator[Ahead[Any]]:
    """Check the number of rows of each object that got rows back."""
    first, _, rest = limit.per.partition("__")
    if rest:  # the statement must name the member for each table
        mine = mine.filter(**{f"{first}__member_id": member_id})
    for batch in batches({row[f"{first}_id"] for row in rows} - {None}):
        touched = mine.filter(**{f"{first}__in": batch}).values(limit.per)
        yield _over(mine.filter(**{f"{limit.per}__in": touched}), limit.per, limit)


def _over(rows: QuerySet[Model], per: str, limit: Limit) -> Ahead[Any]:
    counted = rows.values(per).annotate(number=Count("pk")).filter(number__gt=limit.most)
    return Ahead(counted.values_list(per, "number"))
