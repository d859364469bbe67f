"""The morning e-mail: who gets it now, which one was the last, and the link that turns it off."""

import re
import zoneinfo
from collections import defaultdict
from datetime import date, datetime, time, timedelta
from uuid import UUID

from django.conf import settings
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone

from accounts.members.models import Member, time_zones
from studyservice.secrets.generated import kind_of
from studyservice.secrets.sealing import Seal

SEVEN, NOON = time(7), time(12)
"""The e-mail is sent from the first and before the second, on the member's clock."""

_KEPT = timedelta(days=1, hours=12)
"""Time for which a dropped e-mail is counted."""

_SEAL = Seal("accounts.morning_email")
_KIND = "off"
_SEALED_ID = re.compile(r"[A-Za-z0-9_-]{140}")
"""An encrypted id. Each character has six bits of it, so none can change unnoticed."""


def morning_in(time_zone: str, now: datetime) -> date | None:
    """Return the date in that time zone if it is morning there, else None."""
    local = now.astimezone(zoneinfo.ZoneInfo(time_zone))
    return local.date() if SEVEN <= local.time() < NOON else None


def due(now: datetime) -> list[UUID]:
    """Return the members with a morning e-mail to send, in no order. Two queries, by the index of their time zones."""
    wanting = Member.objects.filter(morning_email=True)
    mornings: defaultdict[date, list[str]] = defaultdict(list)
    for name in wanting.order_by().values_list("time_zone", flat=True).distinct():
        if name in time_zones() and (day := morning_in(name, now)):
            mornings[day].append(name)
    waiting = Q(pk__in=[])
    for day, zones in mornings.items():
        waiting |= Q(time_zone__in=zones) & _waits(day)
    return list(wanting.filter(waiting).order_by().values_list("id", flat=True))


def claim(member: Member, day: date, *, put_off: bool = False) -> bool:
    """Record the e-mail of that day, before it is sent. False if another run did, or the member has changed meanwhile.

    The date only grows, so a new time zone brings no second e-mail for a date. Atomic: of two runs one succeeds.

    Args:
        put_off: whether it may be tried again, because the mail server does not answer.
    """
    same = {name: getattr(member, name) for name in ("id", "email", "time_zone")}
    return bool(
        Member.objects.filter(_waits(day), morning_email=True, **same).update(
            morning_sent_on=day, morning_put_off=put_off
        )
    )


def put_off(member: Member, day: date) -> None:
    """Record that the mail server put off the claimed e-mail of that day, so that it may be tried again until noon."""
    Member.objects.filter(id=member.id, morning_sent_on=day).update(morning_put_off=True)


def dropped_mornings() -> int:
    """Return how many members' last e-mail was put off until their noon, today or yesterday. One query."""
    now = timezone.now()
    rows = Member.objects.filter(
        morning_email=True, morning_put_off=True, morning_sent_on__gte=(now - timedelta(days=3)).date()
    )
    return sum(_is_over(day, name, now) for name, day in rows.values_list("time_zone", "morning_sent_on"))


def _is_over(day: date | None, time_zone: str, now: datetime) -> bool:
    """Return whether noon of that day has passed there, no more than a day and a half ago."""
    local = now.astimezone(zoneinfo.ZoneInfo(time_zone)).replace(tzinfo=None)
    return day is not None and timedelta() <= local - datetime.combine(day, NOON) < _KEPT


def off_link(member_id: UUID) -> str:
    """Return a new link that turns the e-mail off, as long as the member exists. It names nobody."""
    token = f"{settings.CREDENTIAL_PREFIX}_{_KIND}_{_SEAL.seal(str(member_id))}"
    return settings.BASE_URL + reverse("morning-email-off", args=[token])


def member_of_link(token: str) -> UUID | None:
    """Return the member of a link's token. None if it was altered."""
    if kind_of(token) != _KIND:
        return None
    sealed = token.split("_", 2)[2]
    member_id = _SEAL.unseal(sealed) if _SEALED_ID.fullmatch(sealed) else None
    return None if member_id is None else UUID(member_id)


def _waits(day: date) -> Q:
    """Condition for members who may get the e-mail of that day: it was put off, or is newer than the last."""
    may = Q(is_active=True, membership_active=True) & (Q(membership_until=None) | Q(membership_until__gte=day))
    unsent = Q(morning_sent_on=None) | Q(morning_sent_on__lt=day) | Q(morning_sent_on=day, morning_put_off=True)
    return may & unsent
