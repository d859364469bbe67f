"""Limits and counters of rows that an undo restores or deletes."""

from collections import Counter
from collections.abc import Iterable
from uuid import UUID

from django.db.models import Count, F, Model, QuerySet

from accounts.members.counts import counted_objects
from accounts.members.data import Columns, data_of
from accounts.members.limits import Limit
from studyservice.database.ahead import update_later
from studyservice.database.batches import batches


def count_restored(member_id: UUID, model: type[Model], rows: list[Columns]) -> None:
    """Count restored rows.

    Raises:
        Conflict: a limit is exceeded.
    """
    for limit in _limits(model):
        if limit.counter:
            _add_to_counters(member_id, model, limit, rows)
        elif limit.per:
            _require_within(member_id, model, limit, rows)
        else:
            limit.require_room(QuerySet(model).filter(member_id=member_id), more=0)


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


def _add_to_counters(member_id: UUID, model: type[Model], limit: Limit, rows: list[Columns]) -> None:
    for object_id, more in _per_object(limit, rows).items():
        mine = counted_objects(model, limit).filter(member_id=member_id, pk=object_id)
        with_room = mine.filter(**{f"{limit.counter}__lte": limit.most - more})
        if not with_room.update(**{limit.counter: F(limit.counter) + more}):
            raise limit.refusal()


def _require_within(member_id: UUID, model: type[Model], limit: Limit, rows: list[Columns]) -> None:
    """Check the number of rows of each object that got rows back."""
    mine: QuerySet[Model] = QuerySet(model).filter(member_id=member_id)
    first, _, rest = limit.per.partition("__")
    if rest:  # the statement must name the member for each table
        mine = mine.filter(**{f"{first}__member_id": member_id})
    for batch in batches({row[f"{first}_id"] for row in rows} - {None}):
        touched = mine.filter(**{f"{first}__in": batch}).order_by().values(limit.per)
        counted = mine.filter(**{f"{limit.per}__in": touched}).order_by().values(limit.per)
        if counted.annotate(number=Count("pk")).filter(number__gt=limit.most).exists():
            raise limit.refusal()
