"""Setting, changing and removing a member's own password.

Whoever has one proves to be its owner, by that password or by a code to the member's address; a browser that was left
signed in is not enough to lock the member out.
"""

from uuid import UUID

from django.contrib.auth.hashers import make_password

from accounts.members.models import Member
from accounts.signing_in.codes import PASSWORD, Refusal, send_code, try_code
from accounts.text.notices import notify
from studyservice.operations.errors import NotFound

PENDING_PASSWORD = "password_code"  # noqa: S105  # the name of a session entry
"""Session entry of the code that was sent for changing the password: its id."""


def send_password_code(member: Member) -> UUID:
    """E-mail a code that stands for the password; gives its id."""
    return send_code(member.email, PASSWORD)


def try_password_code(member: Member, code_id: UUID, code: str) -> Refusal | None:
    """Why the code does not stand for the member's password, or None if it does."""
    outcome = try_code(code_id, code)
    if isinstance(outcome, Refusal):
        return outcome
    return None if outcome.id == member.id else Refusal.GONE


def set_password(member: Member, password: str | None) -> None:
    """Store the password, or none, and tell the member; the password was validated.

    Raises:
        HashingBusy: enough passwords are being hashed; nothing was changed.
        NotFound: the member is gone, or may not sign in any more.
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
