"""Remind members by e-mail that their membership ends soon. Each end is announced once, however often this runs."""

from collections.abc import Iterator

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.template.loader import render_to_string

from accounts.members import outbox
from accounts.members.membership import ending_soon
from accounts.members.models import Member
from accounts.members.outgoing_mail import MailKind


def remind() -> Iterator[outbox.Delivery]:
    """Remind everybody whose membership ends within `membership.SOON`, unless already reminded.

    Each reminder is recorded on the member and stored in one transaction, so that simultaneous runs send it once. Then
    all due reminders are sent, including those of earlier runs.
    """
    for member in list(due()):
        with transaction.atomic():
            if _claim(member):
                outbox.store(MailKind.REMINDER, "Your membership ends soon", _text(member), [member.email])
    yield from outbox.deliver(outbox.due(MailKind.REMINDER))


def due() -> QuerySet[Member]:
    """Return the members to remind."""
    new_end = Q(reminded_until=None) | ~Q(reminded_until=F("membership_until"))
    return Member.objects.filter(ending_soon() & new_end, is_active=True).order_by("email")


def _claim(member: Member) -> bool:
    """Record the reminder. False if another run did, or the end has changed."""
    unclaimed = Q(reminded_until=None) | ~Q(reminded_until=member.membership_until)
    mine = Member.objects.filter(unclaimed, id=member.id, is_active=True, membership_until=member.membership_until)
    return bool(mine.update(reminded_until=member.membership_until))


def _text(member: Member) -> str:
    context = {"until": member.membership_until, "renew_url": settings.MEMBERSHIP_URL, "base_url": settings.BASE_URL}
    return render_to_string("accounts/email/membership_ends.txt", context)
