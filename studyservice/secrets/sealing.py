"""Encrypt and authenticate texts that must be read again (Fernet, with keys derived from `SECRET_KEY`).

A copy of only the database is not enough to decrypt them. Keys in `SECRET_KEY_FALLBACKS` still decrypt.
"""

from base64 import urlsafe_b64encode
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from uuid import UUID

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings

from studyservice.hooks import HookList

Reseal = Callable[[UUID], int]
"""Re-encrypts a member's secrets under the current key. Returns their number. Those that no key decrypts stay."""

RESEALS = HookList[Reseal]("RESEALS")


@dataclass(frozen=True, slots=True)
class Seal:
    """Encryption for one purpose.

    Attributes:
        use: the purpose; texts encrypted for another cannot be decrypted.
    """

    use: str

    def seal(self, text: str) -> str:
        """Encrypt `text` under the current key. The result differs each time."""
        return _fernet(settings.SECRET_KEY, self.use).encrypt(text.encode()).decode()

    def unseal(self, sealed: str) -> str | None:
        """Decrypt. None if the key is gone."""
        keys = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
        try:
            return MultiFernet([_fernet(key, self.use) for key in keys]).decrypt(sealed).decode()
        except InvalidToken:
            return None


@cache
def _fernet(secret_key: str, use: str) -> Fernet:
    """Return the key for one purpose (HKDF, RFC 5869, with the purpose as `info`)."""
    derived = HKDF(SHA256(), length=32, salt=None, info=use.encode()).derive(secret_key.encode())
    return Fernet(urlsafe_b64encode(derived))
