"""Recovery codes: ten, on paper. Each replaces the lost app or passkey once.

A code has 99 random bits, so a plain hash is safe and a slow one would add nothing.
"""

import secrets

from accounts.changes.writing import writing
from accounts.members.models import Member
from accounts.signing_in.second_factor.models import RecoveryCode
from studyservice.secrets.generated import sha256

NUMBER = 10
"""Number of codes in a set."""

_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
"""Characters that are not easily confused."""
_GROUPS, _GROUP = 4, 5


def new_codes(member: Member) -> list[str]:
    """Return new codes, which are not stored. Earlier ones stop working.

    Raises:
        NotFound: the member was deleted meanwhile.
    """
    codes = [_new_code() for _ in range(NUMBER)]
    with writing(member.id):
        RecoveryCode.objects.filter(member_id=member.id).delete()
        RecoveryCode.objects.bulk_create(
            RecoveryCode(member_id=member.id, secret_hash=_hash(member, code)) for code in codes
        )
    return codes


def use_code(member: Member, typed: str) -> bool:
    """Return whether it is one of the member's codes, in any spacing. A code works once."""
    used = RecoveryCode.objects.filter(member_id=member.id, secret_hash=_hash(member, typed))
    return bool(used.delete()[0])


def codes_left(member: Member) -> int:
    """Return the number of unused codes."""
    return RecoveryCode.objects.filter(member_id=member.id).count()


def _new_code() -> str:
    return "-".join("".join(secrets.choice(_LETTERS) for _ in range(_GROUP)) for _ in range(_GROUPS))


def _hash(member: Member, code: str) -> str:
    """Hash the letters and digits with the member's id, so that equal codes have different hashes."""
    letters = "".join(letter for letter in code.lower() if letter.isalnum())
    return sha256(f"recovery:{member.id}:{letters}")
