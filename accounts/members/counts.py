"""Recompute drifted counters."""

from uuid import UUID

from django.db import models, transaction
from django.db.models import F, Model, OuterRef, QuerySet

from accounts.members.data import member_data
from accounts.members.limits import Limit
from accounts.members.models import Member
from studyservice.database.statements import aggregated


def repair_counts(member_id: UUID, *, dry_run: bool = False) -> int:
    """Compare every number kept about the member's rows with the rows. Return how many were wrong.

    Writes through the service keep them right. They miss rows that were written past it, for example by an earlier
    version while a migration runs.

    Args:
        dry_run: leaves everything as it is.
    """
    with transaction.atomic():
        Member.objects.select_for_update(no_key=True).filter(id=member_id).first()
        wrong = recount(member_id)
        transaction.set_rollback(dry_run)
        return wrong


def recount(member_id: UUID) -> int:
    """Do the same in a write of the member that has begun."""
    wrong = 0
    for data in member_data():
        for limit in data.limits:
            if limit.counter:
                wrong += _repair_counter(member_id, data.model, limit)
        if data.repair_counts is not None:
            wrong += data.repair_counts(member_id)
    return wrong


def _repair_counter(member_id: UUID, model: type[Model], limit: Limit) -> int:
    """Count the rows again that `limit` counts below each object."""
    rows: QuerySet[Model] = QuerySet(model).filter(member_id=member_id, **{limit.per: OuterRef("pk")})
    objects = counted_objects(model, limit).filter(member_id=member_id)
    counted = objects.order_by().annotate(there=aggregated(rows, "COUNT", "pk"))
    wrong = dict(counted.exclude(**{limit.counter: F("there")}).values_list("pk", "there"))
    for object_id, there in wrong.items():
        objects.filter(pk=object_id).update(**{limit.counter: there})
    return len(wrong)


def counted_objects(model: type[Model], limit: Limit) -> QuerySet[Model]:
    """The objects that keep the counter of `limit`, a limit of `model`."""
    field = model._meta.get_field(limit.per)
    assert isinstance(field, models.ForeignKey)  # noqa: S101  # a check refuses others
    return QuerySet(field.related_model)
