"""Repair addresses after writes that bypassed `Member.save`."""

from uuid import UUID

from accounts.members.addresses import MemberAddress
from accounts.members.models import Member


def repair_address(member_id: UUID) -> int:
    """Make the row say what the member has; returns 1 if it did not. Called under the member's lock.

    An earlier version, which goes on beside a migration, knows of no such row. A row that keeps the address for a
    member who has another one by now is in the way, and goes; an address that two members have stays with the one
    whose row it is.
    """
    email = Member.objects.filter(id=member_id, erasure_began_at=None).values_list("email", flat=True).first()
    if email is None or MemberAddress.objects.filter(member_id=member_id, email=email).exists():
        return 0
    in_the_way = MemberAddress.objects.filter(email=email).first()
    if in_the_way is not None:
        if Member.objects.filter(id=in_the_way.member_id, email=email).exists():
            return 0
        MemberAddress.objects.filter(member_id=in_the_way.member_id, email=email).delete()
    MemberAddress.claim(member_id, email)
    return 1
