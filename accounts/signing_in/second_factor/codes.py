"""Codes of an authenticator app, six digits, new every 30 seconds (RFC 6238), and recovery codes: ten, on paper.

A recovery code replaces the lost app or passkey once. It has 99 random bits, so a plain hash is safe and a slow one
would add nothing.
"""

import secrets

import pyotp
import segno
from django.conf import settings
from django.utils import timezone
from django.utils.safestring import SafeString, mark_safe
from pyotp.exceptions import OTPVerificationError

from accounts.members.models import Member
from accounts.signing_in.models import AuthenticatorApp, RecoveryCode
from studyservice.changes.writing import writing
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


def qr_code(text: str) -> SafeString:
    """Return `text` as an `<svg>` without styles, which a strict policy allows. Black on white in dark mode too."""
    drawn = segno.make_qr(text).svg_inline(omitsize=True, light="#fff")
    return mark_safe(drawn)  # noqa: S308  # nosec B308 B703  # only lines and squares, none of the encoded text


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
