"""Sign-ins that are under way at the identity provider.

Each begins with a secret in a cookie of its own, so that several tabs can sign in at once. `state` and `nonce` are
hashes of the secret, so neither reveals it or the other. The database has only a hash too. Its row is deleted when the
sign-in returns, so each sign-in ends once.
"""

from dataclasses import dataclass
from datetime import timedelta
from secrets import token_urlsafe
from typing import Final
from uuid import UUID

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from accounts.members.models import Member
from accounts.signing_in.models import ProviderSignIn
from studyservice.secrets.generated import sha256

LIFETIME: Final = timedelta(minutes=10)
_SHOWN: Final = 16


@dataclass(frozen=True, slots=True)
class Flow:
    """One sign-in. Its secret is also the verifier of PKCE (RFC 7636 4.1)."""

    secret: str

    @property
    def state(self) -> str:
        """The `state` of the request and its return (RFC 6749 10.12)."""
        return sha256(f"state:{self.secret}")

    @property
    def nonce(self) -> str:
        """The `nonce` of the request and the ID token (OpenID Connect Core 1.0, 3.1.2.1)."""
        return sha256(f"nonce:{self.secret}")

    @property
    def id(self) -> UUID:
        """The key of its row."""
        return UUID(hex=sha256(self.secret)[:32])


@dataclass(frozen=True, slots=True)
class Ended:
    """A sign-in that returned to its browser.

    Attributes:
        member_id: who connects the account; None to sign in.
        target: where to continue.
    """

    flow: Flow
    member_id: UUID | None
    target: str


def begin(target: str, member: Member | None = None) -> Flow:
    """Begin a sign-in, or connecting the account of `member`, to continue at the address `target`."""
    flow = Flow(token_urlsafe(32))
    expires_at = timezone.now() + LIFETIME
    ProviderSignIn.objects.create(id=flow.id, member=member, target=target, expires_at=expires_at)
    return flow


def remember(response: HttpResponseBase, flow: Flow) -> None:
    """Store the secret in the browser."""
    response.set_cookie(
        _cookie(flow.state),
        flow.secret,
        max_age=LIFETIME,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def end(request: HttpRequest) -> Ended | None:
    """End the sign-in of this return. None if this browser did not begin it, it is over, or it took too long.

    Of two returns at once, one deletes the row.
    """
    state = request.GET.get("state", "")
    flow = Flow(request.COOKIES.get(_cookie(state), ""))
    if not constant_time_compare(flow.state, state):
        return None
    row = ProviderSignIn.objects.filter(id=flow.id).first()
    if row is None or not ProviderSignIn.objects.filter(id=flow.id).delete()[0] or row.expires_at <= timezone.now():
        return None
    return Ended(flow, row.member_id, row.target)


def forget(request: HttpRequest, response: HttpResponseBase) -> None:
    """Remove the secret of this return from the browser."""
    name = _cookie(request.GET.get("state", ""))
    if name in request.COOKIES:
        response.delete_cookie(name, samesite="Lax")


def _cookie(state: str) -> str:
    prefix = "__Host-" if settings.SESSION_COOKIE_SECURE else ""
    return f"{prefix}provider-{state[:_SHOWN]}"
