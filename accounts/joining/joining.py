"""Becoming a member without an operator, as `SIGN_UP` allows."""

from datetime import timedelta

from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils import timezone

from accounts.members.models import Member


def add_member(email: str) -> Member | None:
    """The new member with this address, which was proved to be theirs; the one there is, if they have joined meanwhile.

    None if the member that there is may not sign in.
    """
    return new_member(email) or Member.objects.at(email).filter(is_active=True).first()


def new_member(email: str) -> Member | None:
    """A new member with this address; None if it is a member's.

    The membership is active for `SIGN_UP_MEMBERSHIP_DAYS` days after today, without an end if that is not set, and not
    active at 0.
    """
    days = settings.SIGN_UP_MEMBERSHIP_DAYS
    until = timezone.now().date() + timedelta(days=days) if days else None
    try:
        return Member.objects.create_user(email, membership_active=days != 0, membership_until=until)
    except ValidationError:
        return None
