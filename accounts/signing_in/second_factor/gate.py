"""Check that a signed-in operator proved the second factor in this session, recently enough."""

import time
from datetime import timedelta

from django.conf import settings
from django.http import HttpRequest

from accounts.members.models import Member
from accounts.signing_in.models import AuthenticatorApp, Passkey

LASTS = timedelta(hours=12)
"""How long a proof opens the admin (NIST SP 800-63B section 4.2.3)."""

LASTS_FOR_CHANGES = timedelta(minutes=15)
"""How long a proof allows changing the second factor."""

PROVED_FOR = timedelta(minutes=30)
"""How long after an e-mailed code the first factor may be set up. Installing an app takes time."""

GIVEN = "second_factor"
"""Session entry: when the second factor was proved, in seconds since 1970."""

PROVED = "proved_by_code"
"""Session entry: when an e-mailed code was entered, in seconds since 1970."""


def may_enter(request: HttpRequest) -> bool:
    """Return whether the signed-in operator may open the admin. Called on each of its pages.

    Costs no query, except in a trial without a proof.
    """
    if settings.ADMIN_SECOND_FACTOR == "proxy" or _is_within(request, GIVEN, LASTS):
        return True
    member = request.user
    return settings.ADMIN_SECOND_FACTOR == "optional" and isinstance(member, Member) and not has_one(member)


def has_one(member: Member) -> bool:
    """Return whether the member has an authenticator app or a passkey. Recovery codes do not count."""
    return (
        AuthenticatorApp.objects.filter(member_id=member.id).exists()
        or Passkey.objects.filter(member_id=member.id).exists()
    )


def give(request: HttpRequest) -> None:
    """Record the proof under a new session key, so that a leaked old one opens nothing."""
    request.session.cycle_key()
    request.session[GIVEN] = int(time.time())


def may_change(request: HttpRequest) -> bool:
    """Return whether the proof is recent enough to change the second factor."""
    return _is_within(request, GIVEN, LASTS_FOR_CHANGES)


def note_code(request: HttpRequest) -> None:
    """Record that an e-mailed code was entered just now."""
    request.session[PROVED] = int(time.time())


def may_begin(request: HttpRequest) -> bool:
    """Return whether a first factor may be set up: only after an e-mailed code, since a password may have leaked."""
    return _is_within(request, PROVED, PROVED_FOR)


def forget(request: HttpRequest) -> None:
    """Forget the proof. Called at each sign-in."""
    for entry in (GIVEN, PROVED):
        request.session.pop(entry, None)


def _is_within(request: HttpRequest, entry: str, most: timedelta) -> bool:
    at = request.session.get(entry)
    return isinstance(at, int) and 0 <= time.time() - at < most.total_seconds()
