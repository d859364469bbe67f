"""Repair addresses after writes that bypassed `Member.save`."""

from uuid import UUID

from accounts.members.addresses import MemberAddress
from accounts.members.models import Member


def repair_address(member_id: UUID) -> int:
    """Store the member's address in the table of addresses; return 1 if it was missing or wrong, else 0.

    Call under the member's lock. An earlier version that runs beside a migration does not write this table. A row that
    reserves the address for a member who has since changed to another is deleted. If two members have the address, the
    one with the row keeps it.
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
