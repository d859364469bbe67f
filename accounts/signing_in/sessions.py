"""Begin, list and end a member's sessions in the browser."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from django.contrib.auth import HASH_SESSION_KEY, SESSION_KEY, login, update_session_auth_hash
from django.db import transaction
from django.db.models import F
from django.http import HttpRequest
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from accounts.changes.calls import Actor
from accounts.changes.models import ActorKind
from accounts.events.log import record_event
from accounts.events.models import EventKind
from accounts.members.models import Member
from accounts.signing_in.browser_sessions import BrowserSession
from accounts.signing_in.second_factor import gate
from accounts.signing_in.session_store import BROWSER
from accounts.text.user_agents import browser_name
from studyservice.secrets.generated import sha256

PENDING_SIGN_IN = "sign_in"
"""Session entry of a requested code: its id, and the address as typed."""

MAX_LISTED = 50
"""Number of sessions that the account page lists, the last used first."""

Proof = Literal["password", "code", "invitation"]
"""The method that opened a session."""

_BATCH = 1000


@dataclass(frozen=True, slots=True)
class SignedIn:
    """A browser where the member is signed in.

    Attributes:
        id: identifies the session on pages; it does not reveal the session key.
        browser: its name; empty if unknown.
        is_this: whether it is the requesting browser.
    """

    id: str
    browser: str
    last_used_at: datetime
    is_this: bool


def begin_session(request: HttpRequest, member: Member, how: Proof) -> bool:
    """Sign in under a new session key. False if the member is gone, or may no longer sign in.

    Holds the member's lock, so that the member cannot be deleted meanwhile. Django stores the time of the sign-in, and
    the log of account events gets a row.

    Args:
        how: the proof of identity: a password, or an e-mailed code or invitation.
    """
    with transaction.atomic():
        if not Member.objects.select_for_update(no_key=True).filter(id=member.id, is_active=True).exists():
            return False
        login(request, member)
        browser = browser_name(request.headers.get("User-Agent", ""))
        detail = f"by {how}, {browser}" if browser else f"by {how}"
        record_event(member.id, EventKind.SIGNED_IN, detail=detail, who=Actor(ActorKind.PAGE))
    gate.forget(request)
    if how != "password":
        gate.note_code(request)
    request.session[BROWSER] = browser
    return True


def sessions_of(member: Member, current_key: str | None) -> Sequence[SignedIn]:
    """Return the member's live sessions, the latest used first, without those that a new password or address ended."""
    live = BrowserSession.objects.filter(member=member, expire_date__gt=timezone.now()).order_by("-last_used_at")
    hashes = [member.get_session_auth_hash(), *member.get_session_auth_fallback_hash()]
    return [
        SignedIn(
            id=_id_of(session.session_key),
            browser=session.browser,
            last_used_at=session.last_used_at,
            is_this=session.session_key == current_key,
        )
        for session in live[:MAX_LISTED]
        if any(constant_time_compare(session.get_decoded().get(HASH_SESSION_KEY, ""), known) for known in hashes)
    ]


def end_session(member: Member, session_id: str) -> bool:
    """Sign the member out of one browser, at once. False if it was not signed in."""
    keys = BrowserSession.objects.filter(member=member).values_list("session_key", flat=True)
    theirs = [key for key in keys if _id_of(key) == session_id]
    return bool(BrowserSession.objects.filter(session_key__in=theirs).delete()[0])


def end_sessions(member: Member) -> None:
    """Sign the member out of every browser at once. API keys and connected apps keep working."""
    with transaction.atomic():
        Member.objects.filter(id=member.id).update(session_epoch=F("session_epoch") + 1)
        BrowserSession.objects.filter(member=member).delete()


def end_other_sessions(request: HttpRequest, member: Member) -> None:
    """Sign the member out of every other browser. The session of `request` continues under a new key."""
    end_sessions(member)
    member.refresh_from_db(fields=["session_epoch", "password"])
    update_session_auth_hash(request, member)


def delete_sessions(member: Member) -> None:
    """Delete sessions that wait for a code sent to the member's address, and the member's sessions without the column.

    The content of a session is signed and not in columns, so all sessions without a member are read, in batches.
    Erasure deletes the others with the member's rows.
    """
    after = ""
    nobodys = BrowserSession.objects.filter(member=None).order_by("session_key")
    while batch := list(nobodys.filter(session_key__gt=after)[:_BATCH]):
        theirs = [session.session_key for session in batch if _belongs_to(member, session)]
        BrowserSession.objects.filter(session_key__in=theirs).delete()
        after = batch[-1].session_key


def _belongs_to(member: Member, session: BrowserSession) -> bool:
    held = session.get_decoded()
    pending = held.get(PENDING_SIGN_IN, {})
    return str(member.id) == held.get(SESSION_KEY) or member.email == pending.get("email")


def _id_of(key: str) -> str:
    return sha256(f"session:{key}")[:32]
