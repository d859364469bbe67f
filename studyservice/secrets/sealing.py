"""Texts that must be read again, sealed: encrypted and authenticated (Fernet) under keys derived from `SECRET_KEY`.

Who has a copy of the database alone cannot open them. What was sealed under one of `SECRET_KEY_FALLBACKS` still opens.
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
"""Seals what is stored of a member under the present key; returns how much that was. What no key opens stays."""

RESEALS = HookList[Reseal]("RESEALS")


@dataclass(frozen=True, slots=True)
class Seal:
    """Seals for one use.

    Attributes:
        use: its name, which keeps what is sealed for another use shut.
    """

    use: str

    def seal(self, text: str) -> str:
        """`text` under the present key; never twice the same."""
        return _fernet(settings.SECRET_KEY, self.use).encrypt(text.encode()).decode()

    def unseal(self, sealed: str) -> str | None:
        """The text, or None if the key that sealed it is gone."""
        keys = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
        try:
            return MultiFernet([_fernet(key, self.use) for key in keys]).decrypt(sealed).decode()
        except InvalidToken:
            return None


@cache
def _fernet(secret_key: str, use: str) -> Fernet:
    """A key for one purpose (HKDF, RFC 5869, with the purpose as `info`)."""
    derived = HKDF(SHA256(), length=32, salt=None, info=use.encode()).derive(secret_key.encode())
    return Fernet(urlsafe_b64encode(derived))
