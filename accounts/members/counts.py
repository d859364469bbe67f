"""Numbers that are kept beside the rows they count, made anew where they are wrong."""

from collections.abc import Callable
from uuid import UUID

from django.db import transaction

from accounts.members.models import Member
from studyservice.hooks import HookList

CountRepair = Callable[[UUID], int]
"""Sets right, under the member's lock, what the app keeps in numbers; gives how many of them were wrong."""

COUNT_REPAIRS = HookList[CountRepair]("COUNT_REPAIRS")


def repair_counts(member_id: UUID, *, dry_run: bool = False) -> int:
    """Compare every number kept about the member's rows with the rows; gives how many were wrong.

    They are right as long as rows come and go through the service. Rows that came past it, as those that an earlier
    version writes while a migration runs, are not in them.

    Args:
        dry_run: leaves everything as it is.
    """
    with transaction.atomic():
        Member.objects.select_for_update(no_key=True).filter(id=member_id).first()
        wrong = sum(repair(member_id) for repair in COUNT_REPAIRS)
        transaction.set_rollback(dry_run)
        return wrong
