"""Encrypt the secrets of authenticator apps."""

from uuid import UUID

from accounts.signing_in.second_factor.models import AuthenticatorApp
from studyservice.secrets.sealing import Seal

_SEAL = Seal("accounts.second_factor.sealing")

seal = _SEAL.seal
unseal = _SEAL.unseal


def reseal(member_id: UUID) -> int:
    """Re-encrypt the secret of a member's app under the current key, if it can be decrypted. Return 1 or 0."""
    mine = AuthenticatorApp.objects.filter(member_id=member_id)
    found = [(stored, unseal(stored)) for stored in mine.values_list("sealed_secret", flat=True)]
    return sum(
        mine.filter(sealed_secret=stored).update(sealed_secret=seal(secret))
        for stored, secret in found
        if secret is not None
    )
