"""E-mail addresses, each used by one member."""

from uuid import UUID

from django.db import models

from accounts.members.models import Member


class MemberAddress(models.Model):
    """The address of a member, as the primary key of a separate table.

    So it is unique wherever members are: tables distributed by member cannot have a unique column across all of them.
    `Member.save` writes it, and `MemberManager.at` finds the member by it. It has no foreign key to the member, who may
    be on another server.
    """

    email = models.EmailField(primary_key=True)
    member = models.OneToOneField(Member, models.CASCADE, related_name="+", db_constraint=False)

    class Meta:
        verbose_name_plural = "member addresses"

    def __str__(self) -> str:
        return self.email

    @classmethod
    def claim(cls, member_id: UUID, email: str) -> None:
        """Replace the member's address, in the transaction that stores the member.

        Raises:
            IntegrityError: it is another member's.
        """
        if not cls.objects.filter(member_id=member_id).update(email=email):
            cls.objects.create(email=email, member_id=member_id)
