"""E-mail addresses, each used by one member, and the manager that creates members and finds them by address."""

from datetime import date, datetime
from typing import TYPE_CHECKING, TypedDict, Unpack
from uuid import UUID

from django.contrib.auth.base_user import BaseUserManager
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import IntegrityError, models, transaction

from studyservice.database.executing import member_known

if TYPE_CHECKING:
    from accounts.members.models import Member


_NOBODY = UUID(int=0)


def address_from(text: str) -> str:
    """Return the e-mail address in `text` as it is stored.

    Raises:
        ValidationError: `text` is not an e-mail address.
    """
    email = text.strip().lower()
    validate_email(email)
    if len(email) > 254:
        raise ValidationError("An e-mail address has at most 254 characters.")
    return email


class MemberAddress(models.Model):
    """The address of a member, as the primary key of a separate table.

    So it is unique wherever members are: tables distributed by member cannot have a unique column across all of them.
    `Member.save` writes it, and `MemberManager.at` finds the member by it. It has no foreign key to the member, who may
    be on another server.
    """

    email = models.EmailField(primary_key=True)
    member = models.OneToOneField("accounts.Member", models.CASCADE, related_name="+", db_constraint=False)

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


class MemberQuerySet(models.QuerySet["Member"]):
    """Members. Deletion erases each with all data."""

    def delete(self) -> tuple[int, dict[str, int]]:
        """Delete each with `Member.delete`."""
        members = list(self.all())  # a copy, because evaluating `self` would cache the deleted rows
        for member in members:
            member.delete()
        return len(members), {self.model._meta.label: len(members)}


class NewMemberFields(TypedDict, total=False):
    """Fields of a new member."""

    name: str
    time_zone: str
    desired_retention: float
    new_cards_a_day: int | None
    morning_email: bool
    membership_active: bool
    membership_until: date | None
    is_active: bool
    is_staff: bool
    is_superuser: bool
    created_at: datetime


class MemberManager(BaseUserManager["Member"]):
    """Creates members. An e-mail address is stored in lower case, so that it identifies one member."""

    def get_queryset(self) -> MemberQuerySet:
        """Return all members."""
        return MemberQuerySet(self.model, using=self._db)

    def create_user(self, email: str, password: str | None = None, **fields: Unpack[NewMemberFields]) -> "Member":
        """Create a validated member. Without a password, only sign-in by code works.

        Raises:
            ValidationError: a field is wrong, or the address is taken.
        """
        member = self.model(email=email.strip().lower(), **fields)
        member.set_password(password)
        member.full_clean()
        try:
            with transaction.atomic(using=self._db):
                member.save(using=self._db)
        except IntegrityError:
            member.validate_unique()  # raises if the address was taken meanwhile
            raise
        return member

    def create_superuser(self, email: str, password: str | None = None, **fields: Unpack[NewMemberFields]) -> "Member":
        """Create a member with all permissions in the admin."""
        privileged: NewMemberFields = {**fields, "is_staff": True, "is_superuser": True}
        return self.create_user(email, password, **privileged)

    def get_by_natural_key(self, username: str | None) -> "Member":
        """Return the member with this e-mail address, in any case."""
        return self.at((username or "").strip().lower()).get()

    def at(self, email: str) -> MemberQuerySet:
        """Return the member with this address, or none. One query finds the member's id, the next checks the member's
        row.

        Both outcomes take the same statements, so that timing does not reveal whether an address is known.
        """
        member_id = MemberAddress.objects.filter(email=email).values_list("member_id", flat=True).first()
        if member_id is not None:
            member_known.send(None, member_id=member_id)
        return self.get_queryset().filter(id=member_id or _NOBODY, email=email)
