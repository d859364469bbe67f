"""Join without an operator, as `SIGN_UP` allows."""

from datetime import timedelta

from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils import timezone

from accounts.members.models import Member


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
