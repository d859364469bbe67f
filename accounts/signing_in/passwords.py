"""Set, change and remove a member's own password."""

from django.contrib.auth.hashers import make_password

from accounts.members.models import Member
from accounts.text.notices import notify
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
