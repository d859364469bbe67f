"""E-mail addresses, each of one member."""

from uuid import UUID

from django.db import models

from accounts.members.models import Member


class MemberAddress(models.Model):
    """The address of a member, as the primary key of a separate table.

    So it is one member's wherever members are: tables that are spread by member cannot hold a column to be unique over
    all of them. `Member.save` writes it, and `MemberManager.at` finds the member by it. There is no key of the database
    to the member, who may be elsewhere.
    """

    email = models.EmailField(primary_key=True)
    member = models.OneToOneField(Member, models.CASCADE, related_name="+", db_constraint=False)

    class Meta:
        verbose_name_plural = "member addresses"

    def __str__(self) -> str:
        return self.email

    @classmethod
    def claim(cls, member_id: UUID, email: str) -> None:
        """Make the address the member's, instead of the one that the member had; in the transaction that stores it.

        Raises:
            IntegrityError: it is another member's.
        """
        if not cls.objects.filter(member_id=member_id).update(email=email):
            cls.objects.create(email=email, member_id=member_id)
