"""Recompute drifted counters."""

from uuid import UUID

from django.db import models, transaction
from django.db.models import F, Model, OuterRef, QuerySet

from accounts.members.data import member_data
from accounts.members.limits import Limit
from accounts.members.models import Member
from studyservice.database.statements import aggregated


def repair_counts(member_id: UUID, *, dry_run: bool = False) -> int:
    """Compare every stored counter of the member's rows with the rows. Return how many were wrong.

    Writes through the service keep counters right. Rows that bypass it are missed, for example those that an earlier
    version writes during a migration.

    Args:
        dry_run: change nothing.
    """
    with transaction.atomic():
        Member.objects.select_for_update(no_key=True).filter(id=member_id).first()
        wrong = recount(member_id)
        transaction.set_rollback(dry_run)
        return wrong


def recount(member_id: UUID) -> int:
    """Do the same within a write of the member."""
    wrong = 0
    for data in member_data():
        for limit in data.limits:
            if limit.counter:
                wrong += _repair_counter(member_id, data.model, limit)
        if data.repair_counts is not None:
            wrong += data.repair_counts(member_id)
    return wrong


def _repair_counter(member_id: UUID, model: type[Model], limit: Limit) -> int:
    """Recompute the counters of `limit` for each object."""
    rows: QuerySet[Model] = QuerySet(model).filter(member_id=member_id, **{limit.per: OuterRef("pk")})
    objects = counted_objects(model, limit).filter(member_id=member_id)
    counted = objects.order_by().annotate(there=aggregated(rows, "COUNT", "pk"))
    wrong = dict(counted.exclude(**{limit.counter: F("there")}).values_list("pk", "there"))
    for object_id, there in wrong.items():
        objects.filter(pk=object_id).update(**{limit.counter: there})
    return len(wrong)


def counted_objects(model: type[Model], limit: Limit) -> QuerySet[Model]:
    """Return the objects that have the counter of `limit`, a limit of `model`."""
    field = model._meta.get_field(limit.per)
    assert isinstance(field, models.ForeignKey)  # noqa: S101  # a system check rejects other models
    return QuerySet(field.related_model)
