"""E-mailed codes, and the changes of the password and the address, which need one or the password.

A code has six digits and is valid once, for ten minutes and five tries.
A code has an id that only the requesting browser knows (in its session, under its purpose); without it the digits are
useless. A request does the same work for every address: a row, two rendered texts and a queued e-mail, which has no
recipient if the address is unknown. Nobody learns whether an address has an account: for a change, one in use gets a
notice instead of a code, and the page is the same.
"""

import secrets
from dataclasses import dataclass
from datetime import timedelta
from enum import Enum
from uuid import UUID, uuid4

from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.db import IntegrityError, transaction
from django.db.models import F, Q
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.crypto import salted_hmac

from accounts import mail
from accounts.members import outbox
from accounts.members.addresses import MemberAddress
from accounts.members.models import Member
from accounts.signing_in.models import SignInCode
from studyservice.operations.errors import NotFound

LIFETIME = timedelta(minutes=10)
MAX_TRIES = 5
"""Number of wrong tries that invalidate a code (spec, Limits)."""


class CodeRefusal(Enum):
    """Why a code was refused, in words for the member. One that is gone expired, was used, or never existed."""

    WRONG = "Wrong code. Check the newest e-mail and try again."
    TOO_MANY_TRIES = "Too many wrong tries. This code no longer works. Request a new one below."
    GONE = "This code has expired or was already used. Request a new one below."


@dataclass(frozen=True, slots=True)
class Purpose:
    """The purpose of a code, named in its e-mail.

    Attributes:
        subject: follows the digits.
        heading: shown above them.
    """

    subject: str
    heading: str


SIGN_IN = Purpose("is your sign-in code", "Your sign-in code for Study Data Service:")
NEW_ADDRESS = Purpose(
    "confirms your new address", "To use this address for your account at Study Data Service, enter this code:"
)
JOIN = Purpose("is your code to join", "To join Study Data Service, enter this code where you asked for it:")
SECOND_FACTOR = Purpose(
    "is your code to set up the second factor",
    "To set up the second factor of your account at Study Data Service, enter this code:",
)
PASSWORD = Purpose(
    "is your code to set or change the password",
    "To set, change or remove your password at Study Data Service, enter this code:",
)
OLD_ADDRESS = Purpose(
    "is your code to change the address",
    "To use another address for your account at Study Data Service, enter this code:",
)

IDENTITY = Purpose(
    "is your code to connect or disconnect an account",
    "To connect your account at Study Data Service with another one, or to disconnect it, enter this code:",
)


def send_code(email: str, purpose: Purpose = SIGN_IN) -> UUID:
    """E-mail a new code to `email` if it belongs to a member who may sign in. Always returns an id.

    If everybody may join, an unknown address gets a code to join with.
    """
    owner = Member.objects.at(email).first()
    if owner is None and settings.SIGN_UP == "open":
        return issue(None, [email], JOIN, joins=True)
    member = owner if owner is not None and owner.is_active else None
    return issue(member, [email] if member else [], purpose)


def issue(member: Member | None, to: list[str], purpose: Purpose, *, joins: bool = False) -> UUID:
    """E-mail a new code to these addresses. Return its id. Without a member and `joins`, nobody can use it."""
    code_id, code = uuid4(), f"{secrets.randbelow(10**6):06}"
    code_hash, expires_at = _hash(code_id, code, settings.SECRET_KEY), timezone.now() + LIFETIME
    row = SignInCode(id=code_id, member=member, code_hash=code_hash, expires_at=expires_at, joins=joins)
    try:
        with transaction.atomic():
            row.save(force_insert=True)
    except IntegrityError:  # the member was deleted meanwhile
        row.member, to = None, []
        row.save(force_insert=True)
    context = {"code": code, "minutes": LIFETIME // timedelta(minutes=1), "heading": purpose.heading}
    body = render_to_string("accounts/email/sign_in_code.txt", context)
    html = render_to_string("accounts/email/sign_in_code.html", context)
    mail.post(mail.new_message(f"{code} {purpose.subject}", body, to, html=html))
    return code_id


def member_of(code: SignInCode) -> Member | None:
    """Return the code's member, if they may still sign in."""
    return Member.objects.filter(sign_in_codes=code, is_active=True).first()


def use_code(code_id: UUID, code: str) -> SignInCode | CodeRefusal:
    """Return the row of a correct code, of a member or for joining, or why it was refused.

    Each step is one conditional update. So of parallel tries at most `MAX_TRIES` are compared, and exactly one correct
    try succeeds. The conditions use only the code's own row, which PostgreSQL rechecks after waiting for another try.
    It does not recheck joined rows.
    """
    now = timezone.now()
    alive = SignInCode.objects.filter(id=code_id, used_at=None, tries__lt=MAX_TRIES, expires_at__gt=now)
    compared = alive.update(tries=F("tries") + 1)
    if compared:
        somebodys = Q(member__isnull=False) | Q(joins=True)
        hashes = [_hash(code_id, code, key) for key in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)]
        right = SignInCode.objects.filter(somebodys, id=code_id, used_at=None, code_hash__in=hashes)
        if right.update(used_at=now):
            return SignInCode.objects.filter(id=code_id).first() or CodeRefusal.GONE
    row = SignInCode.objects.filter(id=code_id, used_at=None).first()
    if row is None:
        return CodeRefusal.GONE
    if row.tries >= MAX_TRIES:
        return CodeRefusal.TOO_MANY_TRIES
    return CodeRefusal.WRONG if compared else CodeRefusal.GONE


def _hash(code_id: UUID, code: str, key: str) -> str:
    """Compute a keyed hash. Six digits behind a plain hash could be found by trying them all."""
    return salted_hmac("accounts.signin_codes", f"{code_id}:{code}", secret=key, algorithm="sha256").hexdigest()


def try_proof(member: Member, code_id: UUID, code: str) -> CodeRefusal | None:
    """Return why the code was refused, or None if it is right and the member's. Costs two or three statements."""
    used = use_code(code_id, code)
    if isinstance(used, CodeRefusal):
        return used
    return None if member_of(used) == member else CodeRefusal.GONE


def set_password(member: Member, password: str | None) -> None:
    """Store the validated password, or none, and notify the member.

    Raises:
        HashingBusy: too many passwords are being hashed. Nothing was changed.
        NotFound: the member is gone, or may no longer sign in.
    """
    had_one = member.has_usable_password()
    hashed = make_password(password)
    if not Member.objects.filter(id=member.id, is_active=True).update(password=hashed):
        raise NotFound
    member.password = hashed
    member.note_stored(["password"])
    done = "removed" if password is None else "changed" if had_one else "set"
    mail.notify(
        member.email,
        f"Your password was {done}",
        f"The password of your account at Study Data Service was {done}. Other browsers were signed out.",
    )


PENDING_ADDRESS = "new_address"
"""Session entry of a change that waits for its code: the code's id and the new address."""


def leave_address(member_id: UUID, old: str, new: str) -> None:
    """Invalidate codes sent to the old address, and redirect unsent e-mails. Call in the transaction of the change."""
    SignInCode.objects.filter(member_id=member_id).delete()
    outbox.move(old, new)


def begin_email_change(member: Member, email: str) -> UUID:
    """Send the code to `email`, or a notice if it is in use. Always returns an id."""
    owner = Member.objects.at(email).first()
    if owner is None:
        return issue(member, [email], NEW_ADDRESS)
    code_id = issue(None, [], NEW_ADDRESS)
    if owner.is_active:
        mail.notify(
            owner.email,
            "Somebody entered your address",
            "Somebody who is signed in to another account at Study Data Service wanted to use your address for it. "
            "It stays yours, and nothing was changed.",
        )
    return code_id


def complete_email_change(member: Member, email: str, code_id: UUID, code: str) -> CodeRefusal | None:
    """Set `email` as the member's address if the code is right, and notify the old one. None on success.

    An address that was taken meanwhile is refused like an expired code.
    """
    if refusal := try_proof(member, code_id, code):
        return refusal
    old = member.email
    try:
        with transaction.atomic():
            changed = Member.objects.filter(id=member.id).update(email=email)
            if changed:
                MemberAddress.claim(member.id, email)
                leave_address(member.id, old, email)
    except IntegrityError:
        return CodeRefusal.GONE
    if not changed:
        return CodeRefusal.GONE
    member.email = email
    member.note_stored(["email"])
    mail.notify(
        old,
        "Your address was changed",
        f"Your account at Study Data Service is now signed in to with {email}, and no longer with this address.",
    )
    return None
