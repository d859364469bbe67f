"""A member's second factors: codes of an authenticator app, recovery codes, and the list of all, with passkeys.

An app shows six digits, new every 30 seconds (RFC 6238). Ten recovery codes are on paper; one replaces the lost app or
passkey once. It has 99 random bits, so a plain hash is safe and a slow one would add nothing. None of this needs the
WebAuthn library.
"""

import secrets
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

import pyotp
from django.conf import settings
from django.contrib.admin.models import CHANGE, LogEntry
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.encoding import punycode
from pyotp.exceptions import OTPVerificationError

from accounts.events import EventKind, holding, record_event
from accounts.mail import notify
from accounts.members.models import Member
from accounts.signing_in.models import AuthenticatorApp, Passkey, RecoveryCode
from accounts.signing_in.second_factor.gate import has_one
from accounts.signing_in.sessions import end_sessions
from studyservice.changes.writing import writing
from studyservice.operations.errors import NotFound
from studyservice.secrets.generated import sha256
from studyservice.secrets.sealing import Seal, Sealed

_SEAL = Seal("accounts.second_factor.sealing")

seal = _SEAL.seal
unseal = _SEAL.unseal

SECOND_FACTORS = Sealed(_SEAL, AuthenticatorApp, "sealed_secret")


TOLERANCE = 1
"""Steps of 30 seconds by which a phone's clock may be off, either way (RFC 6238 section 6)."""


def new_secret() -> str:
    """Return 160 random bits in base32, the format of apps."""
    return pyotp.random_base32()


def enrolment_uri(member: Member, secret: str) -> str:
    """Return the `otpauth:` URI of the secret, with the names that the app shows."""
    return pyotp.TOTP(secret).provisioning_uri(name=member.email, issuer_name=settings.SERVICE_NAME)


def enrol_app(member: Member, secret: str, code: str) -> bool:
    """Replace the app by this one if the code is right. The code does not work again.

    Raises:
        NotFound: the member was deleted meanwhile.
    """
    step = _step_of(secret, code)
    if step is None:
        return False
    now = timezone.now()
    with writing(member.id):
        AuthenticatorApp.objects.filter(member_id=member.id).delete()
        AuthenticatorApp.objects.create(
            member_id=member.id, sealed_secret=seal(secret), last_step=step, created_at=now, last_used_at=now
        )
    return True


def use_code(member: Member, code: str) -> bool:
    """Return whether `code` is the app's current code. Each code works once (RFC 6238 5.2).

    If a code is sent twice at once, only one succeeds, because the update rechecks the step. It also re-encrypts the
    secret under the current key, in case only `SECRET_KEY_FALLBACKS` could decrypt it.
    """
    app = AuthenticatorApp.objects.filter(member_id=member.id).first()
    secret = unseal(app.sealed_secret) if app is not None else None
    step = _step_of(secret, code) if secret is not None else None
    if app is None or secret is None or step is None:
        return False
    unused = AuthenticatorApp.objects.filter(
        id=app.id, member_id=member.id, sealed_secret=app.sealed_secret, last_step__lt=step
    )
    return bool(unused.update(last_step=step, last_used_at=timezone.now(), sealed_secret=seal(secret)))


def _step_of(secret: str, code: str) -> int | None:
    """Return the step of the code, in units of 30 seconds since 1970; None if it is not a current code."""
    now = timezone.now().timestamp()
    try:
        return pyotp.TOTP(secret).verify_and_get_timecode(code, for_time=now, valid_window=TOLERANCE)
    except OTPVerificationError:
        return None


RECOVERY_CODES = 10
"""Number of codes in a set."""

_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
"""Characters that are not easily confused."""
_GROUPS, _GROUP = 4, 5


def new_recovery_codes(member: Member) -> list[str]:
    """Return new codes, which are not stored. Earlier ones stop working.

    Raises:
        NotFound: the member was deleted meanwhile.
    """
    codes = [_new_recovery_code() for _ in range(RECOVERY_CODES)]
    with writing(member.id):
        RecoveryCode.objects.filter(member_id=member.id).delete()
        RecoveryCode.objects.bulk_create(
            RecoveryCode(member_id=member.id, secret_hash=_recovery_hash(member, code)) for code in codes
        )
    return codes


def use_recovery_code(member: Member, typed: str) -> bool:
    """Return whether it is one of the member's codes, in any spacing. A code works once."""
    used = RecoveryCode.objects.filter(member_id=member.id, secret_hash=_recovery_hash(member, typed))
    return bool(used.delete()[0])


def recovery_codes_left(member: Member) -> int:
    """Return the number of unused codes."""
    return RecoveryCode.objects.filter(member_id=member.id).count()


def _new_recovery_code() -> str:
    return "-".join("".join(secrets.choice(_LETTERS) for _ in range(_GROUP)) for _ in range(_GROUPS))


def _recovery_hash(member: Member, code: str) -> str:
    """Hash the letters and digits with the member's id, so that equal codes have different hashes."""
    letters = "".join(letter for letter in code.lower() if letter.isalnum())
    return sha256(f"recovery:{member.id}:{letters}")


MOST_PASSKEYS = 10
"""Maximum number of passkeys per member."""


def passkeys_possible() -> bool:
    """Return whether passkeys work for this service: they need a domain, not an IP address."""
    try:
        ip_address(relying_party())
    except ValueError:
        return True
    return False


def relying_party() -> str:
    """Return the domain that passkeys belong to, in lower-case ASCII as browsers write it."""
    return punycode(urlsplit(settings.BASE_URL).hostname or "")


@dataclass(frozen=True, slots=True)
class Kept:
    """A member's second factors.

    Attributes:
        passkeys: the oldest first.
        codes_left: recovery codes that still work.
    """

    app: AuthenticatorApp | None
    passkeys: Sequence[Passkey]
    codes_left: int

    def __bool__(self) -> bool:
        """Return whether the member has a second factor."""
        return self.app is not None or bool(self.passkeys)


class LastOne(Exception):
    """Raised when removing an operator's only second factor. Another must be added first."""


def kept_of(member: Member) -> Kept:
    """Return the member's second factors. Costs three queries."""
    return Kept(
        app=AuthenticatorApp.objects.filter(member_id=member.id).first(),
        passkeys=list(Passkey.objects.filter(member_id=member.id).order_by("created_at", "id")),
        codes_left=recovery_codes_left(member),
    )


def remove(member: Member, factors: QuerySet[Any]) -> bool:
    """Remove those of `factors` that are the member's. Return whether there were any. The last one takes the codes.

    Raises:
        LastOne: it is the last one, and the admin requires one.
        NotFound: the member was deleted meanwhile.
    """
    with writing(member.id):
        removed = factors.filter(member_id=member.id).delete()[0]
        if not has_one(member):
            if settings.ADMIN_SECOND_FACTOR == "required":
                raise LastOne
            RecoveryCode.objects.filter(member_id=member.id).delete()
    return bool(removed)


def reset(member: Member, *, by: UUID | None) -> dict[str, int]:
    """Remove all second factors and sign the member out of every browser. Return the number of rows by kind.

    The next sign-in to the admin sets up a new one, after an e-mailed code.

    Args:
        by: the id of the operator; None for a command, which the operators' log records as the member's own action.
    """
    with transaction.atomic():
        removed = {
            name: model.objects.filter(member_id=member.id).delete()[0]
            for name, model in (("apps", AuthenticatorApp), ("passkeys", Passkey), ("recovery_codes", RecoveryCode))
        }
        end_sessions(member)
        how = "by an operator" if by else "by the command resetsecondfactor"
        note(member, f"Second factor reset {how}.", by=by)
    tell(member, "was reset", "It has to be set up anew before the next sign-in to the admin.")
    return removed


def note(member: Member, what: str, *, by: UUID | None = None) -> None:
    """Add a line about the member to the operators' log (Django's), and an account event.

    Does nothing if the member is being deleted.
    """
    with suppress(NotFound), holding(member.id):
        LogEntry.objects.log_actions(
            user_id=by or member.id, queryset=[member], action_flag=CHANGE, change_message=what, single_object=True
        )
        record_event(member.id, EventKind.OPERATOR_ACTION, detail=what)


def tell(member: Member, what: str, then: str = "") -> None:
    """E-mail the member: “Your second factor `what`”."""
    notify(
        member.email,
        f"Your second factor {what}",
        f"The second factor of your account at Study Data Service {what}. {then}".strip(),
    )
