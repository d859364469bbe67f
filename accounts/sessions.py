"""Beginning and ending a member's sessions in the browser."""

from django.contrib.auth import SESSION_KEY, login
from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models import F
from django.http import HttpRequest

from accounts.models import Member

PENDING_SIGN_IN = "sign_in"
"""Session entry of the code that a browser asked for: its id, and the address as typed."""

_BATCH = 1000


def begin_session(request: HttpRequest, member: Member) -> bool:
    """Sign in, under a new session key; False if the member is gone by now, or may not sign in any more.

    Under the member's lock, so that nobody is deleted meanwhile: Django writes when a member last signed in.
    """
    with transaction.atomic():
        if not Member.objects.select_for_update(no_key=True).filter(id=member.id, is_active=True).exists():
            return False
        login(request, member)
    return True


def end_sessions(member: Member) -> None:
    """Sign the member out of every browser at once; API keys and connected apps go on working."""
    Member.objects.filter(id=member.id).update(session_epoch=F("session_epoch") + 1)


def delete_sessions(member: Member) -> None:
    """Delete the rows of the member's sessions, and of those that wait for a code sent to the member's address.

    What a session holds is signed and has no column: all are read, in batches.
    """
    after = ""
    while batch := list(Session.objects.filter(session_key__gt=after).order_by("session_key")[:_BATCH]):
        theirs = [session.session_key for session in batch if _belongs_to(member, session)]
        Session.objects.filter(session_key__in=theirs).delete()
        after = batch[-1].session_key


def _belongs_to(member: Member, session: Session) -> bool:
    held = session.get_decoded()
    pending = held.get(PENDING_SIGN_IN, {})
    return str(member.id) == held.get(SESSION_KEY) or member.email == pending.get("email")
