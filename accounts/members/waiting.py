"""Memberships that wait: what `setmembership --file` said of an address that has not joined.

It is used when the address joins, and kept for 400 days after the last file that names it.
"""

from collections.abc import Collection, Mapping
from datetime import date, timedelta
from typing import ClassVar, NamedTuple, TypedDict

from django.core.exceptions import ValidationError
from django.db import models
from django.utils import timezone

from accounts.members.addresses import address_from
from studyservice.database.constraints import characters
from studyservice.database.deleting import purge
from studyservice.database.executing import batches

KEPT_FOR = timedelta(days=400)


class WaitingMembership(models.Model):
    """The membership that an address gets when it joins. It belongs to no member yet, so there is no foreign key."""

    email = models.EmailField(primary_key=True)
    active = models.BooleanField(help_text="Whether the membership will be active.")
    until = models.DateField(
        null=True, help_text="Last day included, in the member's time zone; empty means open-ended."
    )
    told_at = models.DateTimeField(default=timezone.now, db_index=True, help_text="When a file last named the address.")

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [characters("email", 1, 254)]

    def __str__(self) -> str:
        return self.email


class Told(NamedTuple):
    """A membership as a file states it.

    Attributes:
        until: the last day included; None if open-ended or not active.
    """

    active: bool
    until: date | None


class MembershipFields(TypedDict, total=False):
    """Columns of a member."""

    membership_active: bool
    membership_until: date | None


def wait(told: Mapping[str, Told]) -> None:
    """Store the memberships of these addresses, replacing what was said before. Call it in a transaction.

    Waits for transactions in which one of the addresses joins (`take`). Look for their members afterwards.
    """
    rows = [WaitingMembership(email=email, active=one.active, until=one.until) for email, one in sorted(told.items())]
    WaitingMembership.objects.bulk_create(
        rows,
        batch_size=500,
        update_conflicts=True,
        unique_fields=["email"],
        update_fields=["active", "until", "told_at"],
    )


def take(email: str) -> MembershipFields:
    """Return what was said of an address that joins, and delete it. Call it in the transaction that creates the member.

    The row is created if it is missing, so that a `wait` for the same address waits for the transaction.
    """
    try:
        key = address_from(email)
    except ValidationError:
        return {}
    row, created = WaitingMembership.objects.select_for_update().get_or_create(email=key, defaults={"active": True})
    row.delete()
    if created or row.told_at <= timezone.now() - KEPT_FOR:
        return {}
    return {"membership_active": row.active, "membership_until": row.until}


def forget(emails: Collection[str]) -> None:
    """Delete what waits for these addresses."""
    for batch in batches(emails):
        WaitingMembership.objects.filter(email__in=batch).delete()


def purge_waiting() -> int:
    """Delete what has waited for `KEPT_FOR`. Return the number of addresses."""
    return purge(WaitingMembership.objects.filter(told_at__lte=timezone.now() - KEPT_FOR), owner=None)
