"""Join without an operator, as `SIGN_UP` allows, or by an invitation: a link that works once, within seven days.

There is one invitation for each address; a new one replaces it. Only the hash of its link's secret is stored. It is
deleted when its address becomes a member.
"""

import re
import uuid
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import ClassVar, TypedDict, Unpack

from django.conf import settings
from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.core.exceptions import ValidationError
from django.db import models, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.http import urlencode

from accounts.members import outbox, waiting
from accounts.members.addresses import MemberAddress, address_from
from accounts.members.models import Member, validate_time_zone
from accounts.members.outbox import MailKind
from accounts.members.waiting import MembershipFields, WaitingMembership
from studyservice.database.constraints import characters
from studyservice.operations.errors import Conflict
from studyservice.secrets.generated import new_secret, sha256


class Given(TypedDict, total=False):
    """Fields of the new member from an invitation: name, time zone, and last day of the membership."""

    name: str
    time_zone: str
    until: date | None


class Invitation(models.Model):
    """An invited address, the end of its invitation, and what the new member gets."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    email = models.EmailField(unique=True)
    secret_hash = models.CharField(max_length=64, editable=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    expires_at = models.DateTimeField(db_index=True, editable=False)
    name = models.CharField(max_length=150, blank=True, default="", db_default="", editable=False)
    time_zone = models.CharField(
        max_length=64, default="UTC", db_default="UTC", editable=False, validators=[validate_time_zone]
    )
    until = models.DateField(
        null=True, blank=True, editable=False, help_text="Last day of the membership; empty for the usual one."
    )

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["secret_hash"], name="invitation_secret_hash"),
            characters("email", 1, 254),
            characters("name", 0, 150),
            characters("time_zone", 1, 64),
        ]

    def __str__(self) -> str:
        return self.email


def add_member(email: str) -> Member | None:
    """Create the member with this verified address, or return an existing one. None if that one may not sign in."""
    return new_member(email) or Member.objects.at(email).filter(is_active=True).first()


def new_member(email: str, *, days: int | None = None, **given: Unpack[Given]) -> Member | None:
    """Create a member with this address; None if it is already a member's.

    The membership is what waits for the address (`accounts.members.waiting`), else active up to and including `until`.
    Without either it is active for `days`, or else `SIGN_UP_MEMBERSHIP_DAYS`, after today: it has no end if neither is
    set, and is inactive if that is 0.
    """
    days, until = settings.SIGN_UP_MEMBERSHIP_DAYS if days is None else days, given.get("until")
    if until is None and days:
        until = timezone.now().date() + timedelta(days=days)
    usual: MembershipFields = {"membership_active": until is not None or days is None, "membership_until": until}
    with transaction.atomic():
        membership: MembershipFields = {**usual, **waiting.take(email)}
        try:
            name, time_zone = given.get("name", ""), given.get("time_zone", "UTC")
            return Member.objects.create_user(email, name=name, time_zone=time_zone, **membership)
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


class AlreadyInvited(Conflict):
    """The address is a member's, or has a valid invitation that is to stay."""


def require_open() -> None:
    """Check that people with an invitation can join.

    Raises:
        Conflict: `SIGN_UP` is closed.
    """
    if settings.SIGN_UP == "closed":
        raise Conflict("Nobody can join: SIGN_UP is closed.")


def invite(email: str, *, replace: bool = True, **given: Unpack[Given]) -> Invited:
    """Create an invitation, and store its e-mail. The caller sends it.

    Args:
        email: the address.
        replace: whether a valid invitation of the address stops working. Of two simultaneous calls without this, one
            succeeds.
        given: for the new member. What is missing stays as an earlier invitation said.

    Raises:
        AlreadyInvited: the address is a member's, or has a valid invitation and `replace` is false.
        Conflict: joining is disabled (`SIGN_UP`).
        ValidationError: `email` is not an e-mail address, or a field is wrong.
    """
    email, secret, now = address_from(email), new_secret("inv"), timezone.now()
    fields = {"secret_hash": sha256(secret), "created_at": now, "expires_at": now + LIFETIME, **given}
    Invitation(email=email, **fields).clean_fields()
    require_open()
    url = f"{settings.BASE_URL}/join?{urlencode({'invitation': secret})}"
    with transaction.atomic():
        row, created = Invitation.objects.select_for_update().get_or_create(email=email, defaults=fields)
        if Member.objects.at(email).exists():  # after waiting for a transaction in which the invited member joins
            raise AlreadyInvited(f"{email} is a member already.")
        if not created:
            if row.expires_at > now and not replace:
                raise AlreadyInvited(f"{email} has a valid invitation.")
            Invitation.objects.filter(id=row.id).update(**fields)
        outbox.forget(email, MailKind.INVITATION)
        body = _letter(url, given.get("name", row.name))
        [mail_id] = outbox.store(MailKind.INVITATION, "Your invitation to Study Data Service", body, [email])
    return Invited(row.id, mail_id, email, url, now + LIFETIME)


_NO_NAME = re.compile(r"[<>/:@\\]|\w\.\w\w")
"""Markup, and what mail programs turn into links."""

_MAX_GREETED = 80


def _letter(url: str, name: str) -> str:
    """Return the text of the e-mail. It greets by a name of one short line that cannot be mistaken for a link."""
    words, provider = " ".join(name.split()), settings.IDENTITY_PROVIDER
    is_plain = words.isprintable() and len(words) <= _MAX_GREETED and not _NO_NAME.search(words)
    context = {
        "name": words if is_plain else "",
        "url": url,
        "days": LIFETIME.days,
        "base_url": settings.BASE_URL,
        "contact": settings.CONTACT_URL.removeprefix("mailto:"),
        "provider": "" if provider is None else provider.name,
    }
    return render_to_string("accounts/email/invitation.txt", context)


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
        return new_member(invitation.email, **_given_by(invitation))


def given_to(email: str) -> Given | None:
    """Return what a valid invitation of the address gives, to somebody who joins without its link. None without one.

    Locks the invitation, so call it in the transaction that creates the member.
    """
    invitations = Invitation.objects.select_for_update().filter(email=email, expires_at__gt=timezone.now())
    invitation = invitations.first()
    return None if invitation is None else _given_by(invitation)


def _given_by(invitation: Invitation) -> Given:
    return {"name": invitation.name, "time_zone": invitation.time_zone, "until": invitation.until}


def forget_invitation(member: Member) -> None:
    """Delete the invitation of the member's address, its unsent e-mail, and a membership that waits for the address."""
    Invitation.objects.filter(email=member.email).delete()
    outbox.forget(member.email)
    waiting.forget([member.email])


def forget_those_who_did_not_come() -> int:
    """Remove addresses of ended invitations and waiting memberships from the operators' log. Return its lines' number.

    Members' addresses stay until the member is deleted (`accounts.erasure.erasing.forget_in_log`).
    """
    invited = Invitation.objects.filter(email=OuterRef("object_repr"))
    waits = WaitingMembership.objects.filter(email=OuterRef("object_repr"))
    of_member = MemberAddress.objects.filter(email=OuterRef("object_repr"))
    told = LogEntry.objects.filter(~Exists(invited), ~Exists(waits), ~Exists(of_member), object_repr__contains="@")
    return told.filter(of_newcomers()).update(object_repr="an invitation that ended")


def of_newcomers() -> Q:
    """Condition for lines of the operators' log about addresses that had not joined."""
    return Q(content_type__in=ContentType.objects.get_for_models(Invitation, WaitingMembership).values())
