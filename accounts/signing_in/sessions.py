"""Begin, list and end a member's sessions in the browser.

They are Django's database sessions, in rows that name their member (Django, How to use sessions: Extending
database-backed session engines).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from django.contrib.auth import HASH_SESSION_KEY, SESSION_KEY, login, update_session_auth_hash
from django.contrib.sessions.backends.base import CreateError
from django.contrib.sessions.backends.db import SessionStore as DatabaseStore
from django.contrib.sessions.exceptions import SessionInterrupted
from django.db import IntegrityError, transaction
from django.db.models import F
from django.http import HttpRequest
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from accounts.credentials.owners import note_use
from accounts.events import EventKind, record_event
from accounts.members.models import Member
from accounts.signing_in.models import BrowserSession
from accounts.signing_in.second_factor import gate
from studyservice.changes.calls import Actor
from studyservice.database.executing import member_known
from studyservice.models import ActorKind
from studyservice.secrets.generated import sha256

BROWSER = "browser"
"""Session entry: the browser's name."""


_BROWSERS = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("Chrome/", "Chrome"),
    ("CriOS/", "Chrome"),
    ("Safari/", "Safari"),
)
"""Token and name, the most specific first, since most browsers also claim to be Chrome and Safari."""

_SYSTEMS = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("CrOS", "ChromeOS"),
    ("Mac OS X", "macOS"),
    ("Linux", "Linux"),
)


class SessionStore(DatabaseStore):
    """A session. It keeps the name of Django's class, which is part of the signature."""

    @classmethod
    def get_model_class(cls) -> type[BrowserSession]:
        return BrowserSession

    def load(self) -> dict[str, Any]:
        """Return the data of the session, and record its use."""
        session = self._get_session_from_db()  # type: ignore[attr-defined]  # missing in the stubs
        if session is None:
            return {}
        held: dict[str, Any] = self.decode(session.session_data)
        if SESSION_KEY in held:
            member_id = UUID(held[SESSION_KEY])
            member_known.send(None, member_id=member_id)
            note_use(
                BrowserSession,
                session.last_used_at,
                also={"member_id": member_id},
                session_key=session.session_key,
            )
        return held

    def create_model_instance(self, data: Mapping[str, Any]) -> BrowserSession:
        """Return the row to store."""
        session: BrowserSession = super().create_model_instance(data)  # type: ignore[arg-type,assignment]  # as above
        session.member_id = data.get(SESSION_KEY)
        session.browser = data.get(BROWSER, "")
        return session

    def save(self, must_create: bool = False) -> None:
        """Store the session.

        Raises:
            SessionInterrupted: its member was deleted meanwhile. Django would treat that as a key in use, and try
                others without end.
        """
        try:
            super().save(must_create)
        except (CreateError, IntegrityError) as error:
            member_id = self.get(SESSION_KEY)
            if member_id is None or Member.objects.filter(id=member_id).exists():
                raise
            raise SessionInterrupted("The member was deleted while the request was answered.") from error


PENDING_SIGN_IN = "sign_in"
"""Session entry of a requested code: its id, and the address as typed."""

MAX_LISTED = 50
"""Number of sessions that the account page lists, the last used first."""

Proof = Literal["password", "code", "invitation", "provider"]
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


def begin_session(request: HttpRequest, member: Member, how: Proof, name: str = "") -> bool:
    """Sign in under a new session key. False if the member is gone, or may no longer sign in.

    Holds the member's lock, so that the member cannot be deleted meanwhile. Django stores the time of the sign-in, and
    the log of account events gets a row.

    Args:
        how: the proof of identity: a password, an e-mailed code or invitation, or the identity provider.
        name: of that provider.
    """
    with transaction.atomic():
        if not Member.objects.select_for_update(no_key=True).filter(id=member.id, is_active=True).exists():
            return False
        login(request, member)
        browser = browser_name(request.headers.get("User-Agent", ""))
        detail = f"by {name or how}, {browser}" if browser else f"by {name or how}"
        record_event(member.id, EventKind.SIGNED_IN, detail=detail, who=Actor(ActorKind.PAGE))
    gate.forget(request)
    if how in {"code", "invitation"}:
        gate.note_code(request)
    request.session[BROWSER] = browser
    return True


def browser_name(user_agent: str) -> str:
    """Return a name like `Firefox on Windows` for a `User-Agent` (RFC 9110 section 10.1.5). Empty if none is known."""
    browser = next((name for mark, name in _BROWSERS if mark in user_agent), "")
    system = next((name for mark, name in _SYSTEMS if mark in user_agent), "")
    if browser and system:
        return f"{browser} on {system}"
    return browser or system


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
