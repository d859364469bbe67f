"""Change a member's own password, and the e-mail address: a code to the new one, a notice to the old one.

Nobody learns whether an address has an account: one in use gets a notice instead of a code, and the page is the same.
"""

from uuid import UUID

from django.contrib.auth.hashers import make_password
from django.db import IntegrityError, transaction

from accounts.mail import notify
from accounts.members import outbox
from accounts.members.addresses import MemberAddress
from accounts.members.models import Member
from accounts.signing_in.codes import NEW_ADDRESS, CodeRefusal, issue, try_proof
from accounts.signing_in.models import SignInCode
from studyservice.operations.errors import NotFound


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
    notify(
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
        notify(
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
    notify(
        old,
        "Your address was changed",
        f"Your account at Study Data Service is now signed in to with {email}, and no longer with this address.",
    )
    return None
