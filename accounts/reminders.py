"""Reminding members by e-mail that their membership ends soon: once for each end, however often it is run."""

from collections.abc import Iterator
from dataclasses import dataclass
from smtplib import SMTPException

from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.db.models import F, Q, QuerySet
from django.template.loader import render_to_string

from accounts.membership import ending_soon
from accounts.models import Member


@dataclass(frozen=True, slots=True)
class Reminded:
    """A member whose membership ends soon, and why no e-mail could be sent, if so."""

    email: str
    failure: str | None


def remind() -> Iterator[Reminded]:
    """Remind, one after the other, everybody whose membership ends within `membership.SOON` and who was not yet.

    Each is claimed by one statement, so of runs at the same moment one sends; a mail that could not be sent is to be
    tried again by the next run. One that is broken off between the two reminds one member less, and nobody twice.
    """
    with get_connection() as connection:
        for member in list(due()):
            if _claim(member):
                yield Reminded(member.email, _send(member, connection))


def due() -> QuerySet[Member]:
    """Whom to remind."""
    new_end = Q(reminded_until=None) | ~Q(reminded_until=F("membership_until"))
    return Member.objects.filter(ending_soon() & new_end, is_active=True).order_by("email")


def _claim(member: Member) -> bool:
    """Note the reminder; False if another run did, or the end is another one by now."""
    unclaimed = Q(reminded_until=None) | ~Q(reminded_until=member.membership_until)
    mine = Member.objects.filter(unclaimed, id=member.id, is_active=True, membership_until=member.membership_until)
    return bool(mine.update(reminded_until=member.membership_until))


def _send(member: Member, connection: BaseEmailBackend) -> str | None:
    """Why it could not be sent; None if it was."""
    context = {"until": member.membership_until, "renew_url": settings.MEMBERSHIP_URL, "base_url": settings.BASE_URL}
    body = render_to_string("email/membership_ends.txt", context)
    message = EmailMessage("Your membership ends soon", body, to=[member.email], connection=connection)
    try:
        message.send()
    except (SMTPException, OSError) as error:
        claimed = Member.objects.filter(id=member.id, reminded_until=member.membership_until)
        claimed.update(reminded_until=member.reminded_until)
        return str(error)
    return None
