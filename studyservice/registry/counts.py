"""Counters of rows, and the maxima of rows that an undo inserts. An import computes them again."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple
from uuid import UUID

from django.db import models
from django.db.models import Count, F, Model, OuterRef, QuerySet

from studyservice.database.executing import Ahead, batches
from studyservice.database.statements import Param, Update, aggregated
from studyservice.registry.data import Columns, Maximum, columns_of, data_of, member_data


class Counted(NamedTuple):
    """A maximum that inserted rows count toward.

    Attributes:
        over: a queued query of the objects that exceed it.
    """

    maximum: Maximum
    over: Ahead[Any]


def count(
    member_id: UUID,
    model: type[Model],
    rows: Iterable[Mapping[str, Any]],
    each: int,
    moved: Iterable[str] | None = None,
) -> None:
    """Add `each` for every row to the numbers of rows that other objects store (`Maximum.counter`).

    Args:
        moved: changed columns of existing rows; None for new or deleted ones.
    """
    data = data_of(model)
    for maximum in () if data is None else data.maxima:
        key = f"{maximum.per}_id"
        if maximum.counter and (moved is None or key in moved):
            for parent_id, number in Counter(row[key] for row in rows).items():
                _counting(model, maximum).later(member_id=member_id, pk=parent_id, more=each * number)


@cache
def _counting(model: type[Model], maximum: Maximum) -> Update:
    parents = counted_objects(model, maximum)
    more = Param("more", columns_of(parents.model)[maximum.counter])
    mine = parents.filter(member_id=Param("member_id"), pk=Param("pk"))
    return Update(mine, {maximum.counter: F(maximum.counter) + more})


def count_restored(
    member_id: UUID,
    model: type[Model],
    inserted: Sequence[Columns],
    deleted: Sequence[Columns],
    updated: Collection[str],
) -> list[Counted]:
    """Count rows that an undo inserts and deletes. Return checks of the limits, for `require_within`.

    Args:
        updated: the columns that it restores in existing rows.
    """
    count(member_id, model, inserted, 1)
    count(member_id, model, deleted, -1)
    mine: QuerySet[Model] = QuerySet(model).filter(member_id=member_id).order_by()
    data = data_of(model)
    return [
        Counted(maximum, over)
        for maximum in (() if data is None else data.maxima)
        if inserted or not maximum.where.keys().isdisjoint(updated)
        for over in _over(member_id, mine.filter(**maximum.where), maximum, inserted)
    ]


def require_within(counted: Iterable[Counted]) -> None:
    """Raise Conflict if a maximum is exceeded."""
    for maximum, over in counted:
        if [*over]:
            raise maximum.refusal()


def _over(
    member_id: UUID, mine: QuerySet[Model], maximum: Maximum, inserted: Sequence[Columns]
) -> Iterator[Ahead[Any]]:
    """Queue the queries of the objects that have too many rows, among those that got some."""
    first, _, rest = maximum.per.partition("__")
    if not first:
        yield _too_many(mine, "member_id", maximum)
        return
    if rest:  # the statement must name the member for each table
        mine = mine.filter(**{f"{first}__member_id": member_id})
    for batch in batches({row[f"{first}_id"] for row in inserted} - {None}):
        touched = mine.filter(**{f"{first}__in": batch}).values(maximum.per) if rest else batch
        yield _too_many(mine.filter(**{f"{maximum.per}__in": touched}), maximum.per, maximum)


def _too_many(rows: QuerySet[Model], per: str, maximum: Maximum) -> Ahead[Any]:
    counted = rows.values(per).annotate(number=Count("pk")).filter(number__gt=maximum.most)
    return Ahead(counted.values_list(per, "number"))


def recount(member_id: UUID) -> int:
    """Compute every value that is stored beside a member's rows, after an import. Return how many were wrong.

    Call inside a write of the member. Other writes keep the values right.
    """
    wrong = 0
    for data in member_data():
        for maximum in data.maxima:
            if maximum.counter:
                wrong += _recount(member_id, data.model, maximum)
        if data.computed.recompute is not None:
            wrong += data.computed.recompute(member_id)
    return wrong


def _recount(member_id: UUID, model: type[Model], maximum: Maximum) -> int:
    """Recompute the counters of `maximum` for each object."""
    rows: QuerySet[Model] = QuerySet(model).filter(member_id=member_id, **{maximum.per: OuterRef("pk")})
    objects = counted_objects(model, maximum).filter(member_id=member_id)
    counted = objects.order_by().annotate(there=aggregated(rows, "COUNT", "pk"))
    wrong = dict(counted.exclude(**{maximum.counter: F("there")}).values_list("pk", "there"))
    for object_id, there in wrong.items():
        objects.filter(pk=object_id).update(**{maximum.counter: there})
    return len(wrong)


def counted_objects(model: type[Model], maximum: Maximum) -> QuerySet[Model]:
    """Return the objects that have the counter of `maximum`, one of `model`."""
    field = model._meta.get_field(maximum.per)
    assert isinstance(field, models.ForeignKey)  # noqa: S101  # a system check rejects other models
    return QuerySet(field.related_model)
