"""Join without an operator, as `SIGN_UP` allows, or by an invitation: a link that works once, within seven days.

There is one invitation for each address; a new one replaces it. Only the hash of its link's secret is stored. It is
deleted when its address becomes a member.
"""

import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import ClassVar

from django.conf import settings
from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import models, transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.http import urlencode

from accounts.members import outbox
from accounts.members.addresses import MemberAddress
from accounts.members.models import Member
from accounts.members.outbox import MailKind
from studyservice.database.constraints import characters
from studyservice.operations.errors import Conflict
from studyservice.secrets.generated import new_secret, sha256


class Invitation(models.Model):
    """An invited address and the end of its invitation."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    email = models.EmailField(unique=True)
    secret_hash = models.CharField(max_length=64, editable=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    expires_at = models.DateTimeField(db_index=True, editable=False)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["secret_hash"], name="invitation_secret_hash"),
            characters("email", 1, 254),
        ]

    def __str__(self) -> str:
        return self.email


def add_member(email: str) -> Member | None:
    """Create the member with this verified address, or return an existing one. None if that one may not sign in."""
    return new_member(email) or Member.objects.at(email).filter(is_active=True).first()


def new_member(email: str) -> Member | None:
    """Create a member with this address; None if it is already a member's.

    The membership is active for `SIGN_UP_MEMBERSHIP_DAYS` days after today. It has no end if that is not set, and is
    inactive if that is 0.
    """
    days = settings.SIGN_UP_MEMBERSHIP_DAYS
    until = timezone.now().date() + timedelta(days=days) if days else None
    try:
        return Member.objects.create_user(email, membership_active=days != 0, membership_until=until)
    except ValidationError:
        return None


LIFETIME = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Invited:
    """An invitation with its link, which is not stored.

    Attributes:
        mail_id: its e-mail in the outbox.
    """

    id: uuid.UUID
    mail_id: uuid.UUID
    email: str
    url: str
    expires_at: datetime


def invite(email: str) -> Invited:
    """Create an invitation, replacing an earlier one of the address, and store its e-mail. The caller sends it.

    Raises:
        Conflict: joining is disabled (`SIGN_UP`), or the address is a member's.
        ValidationError: `email` is not an e-mail address.
    """
    email = email.strip().lower()
    validate_email(email)
    if len(email) > 254:
        raise ValidationError("An e-mail address has at most 254 characters.")
    if settings.SIGN_UP == "closed":
        raise Conflict("Nobody can join: SIGN_UP is closed.")
    if Member.objects.at(email).exists():
        raise Conflict(f"{email} is a member already.")
    secret, now = new_secret("inv"), timezone.now()
    fields = {"secret_hash": sha256(secret), "created_at": now, "expires_at": now + LIFETIME}
    url = f"{settings.BASE_URL}/join?{urlencode({'invitation': secret})}"
    context = {"url": url, "days": LIFETIME.days, "base_url": settings.BASE_URL}
    body = render_to_string("accounts/email/invitation.txt", context)
    with transaction.atomic():
        row, _ = Invitation.objects.update_or_create(email=email, defaults=fields)
        outbox.forget(email, MailKind.INVITATION)
        [mail_id] = outbox.store(MailKind.INVITATION, "Your invitation to Study Data Service", body, [email])
    return Invited(row.id, mail_id, email, url, now + LIFETIME)


def withdraw(invitations: QuerySet[Invitation]) -> None:
    """Delete invitations, with their unsent e-mails."""
    with transaction.atomic():
        for email in invitations.values_list("email", flat=True):
            outbox.forget(email, MailKind.INVITATION)
        invitations.delete()


def live_invitation(secret_hash: str) -> Invitation | None:
    """Return the invitation behind a link, or None if it has ended."""
    if settings.SIGN_UP == "closed":
        return None
    return Invitation.objects.filter(secret_hash=secret_hash, expires_at__gt=timezone.now()).first()


def accept(secret_hash: str) -> Member | None:
    """Create the invited member. None if the link no longer works; of two simultaneous calls one succeeds.

    An existing account is never opened, because the operator who invited saw the link too.
    """
    with transaction.atomic():
        invitation = live_invitation(secret_hash)
        if invitation is None or not Invitation.objects.filter(id=invitation.id, secret_hash=secret_hash).delete()[0]:
            return None
        outbox.forget(invitation.email, MailKind.INVITATION)
        return new_member(invitation.email)


def forget_invitation(member: Member) -> None:
    """Delete the invitation of the member's address, and its unsent e-mail."""
    Invitation.objects.filter(email=member.email).delete()
    outbox.forget(member.email)


def forget_those_who_did_not_come() -> int:
    """Remove addresses of expired invitations from the operators' log. Return the number of its lines.

    Members' addresses stay until the member is deleted (`accounts.erasure.erasing.forget_in_log`).
    """
    invited = Invitation.objects.filter(email=OuterRef("object_repr"))
    of_member = MemberAddress.objects.filter(email=OuterRef("object_repr"))
    told = LogEntry.objects.filter(~Exists(invited), ~Exists(of_member), object_repr__contains="@")
    of_invitations = told.filter(content_type=ContentType.objects.get_for_model(Invitation))
    return of_invitations.update(object_repr="an invitation that ended")
