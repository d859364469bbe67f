"""Encrypt and authenticate texts that must be read again (Fernet, with keys derived from `SECRET_KEY`).

A copy of only the database is not enough to decrypt them. Keys in `SECRET_KEY_FALLBACKS` still decrypt.
"""

import logging
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings
from django.db.models import Model, QuerySet

from studyservice.hooks import HookTable

logger = logging.getLogger(__name__)

_BATCH = 500


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


@dataclass(frozen=True, slots=True)
class Sealed:
    """A column with encrypted texts.

    Attributes:
        owner: the column with the member, which locates a row; `pk` if the rows have none.
    """

    seal: Seal
    model: type[Model]
    column: str
    owner: str = "member_id"

    def unreadable(self) -> int:
        """Return the number of texts that no key decrypts."""
        return sum(self.seal.unseal(stored) is None for _, stored in self._rows())

    def reseal(self) -> tuple[int, int]:
        """Encrypt every text under the current key. Return the numbers of encrypted and of unreadable ones."""
        sealed = unreadable = 0
        for row, stored in self._rows():
            text = self.seal.unseal(stored)
            if text is None:
                unreadable += 1
            else:
                sealed += row.filter(**{self.column: stored}).update(**{self.column: self.seal.seal(text)})
        return sealed, unreadable

    def _rows(self) -> Iterator[tuple[QuerySet[Model], str]]:
        """Yield each row, as a queryset, with its text. Reads all members' rows, in batches."""
        rows: QuerySet[Model] = QuerySet(self.model)
        following = rows
        while batch := list(following.order_by("pk").values_list("pk", self.owner, self.column)[:_BATCH]):
            for key, owner, stored in batch:
                yield rows.filter(**{"pk": key, self.owner: owner}), stored
            following = rows.filter(pk__gt=batch[-1][0])


SEALED = HookTable[Sealed]("SEALED")
"""Every column with encrypted texts, by the name of its kind."""


def unreadable_secrets() -> dict[str, int]:
    """Return the number of texts of each kind that no key decrypts."""
    return {name: sealed.unreadable() for name, sealed in SEALED.items()}


def in_words(unreadable: dict[str, int]) -> str:
    """Return the kinds with unreadable texts, like `1 second factor, 2 queued mails`; empty if all can be read."""
    kinds = ((name.replace("_", " ").removesuffix("s"), number) for name, number in unreadable.items() if number)
    return ", ".join(f"{number} {kind}" if number == 1 else f"{number} {kind}s" for kind, number in kinds)


def log_unreadable() -> None:
    """Log how many texts no key decrypts, if there are any."""
    if found := in_words(unreadable_secrets()):
        logger.error("SECRET_KEY and SECRET_KEY_FALLBACKS cannot decrypt: %s", found)


@cache
def _fernet(secret_key: str, use: str) -> Fernet:
    """Return the key for one purpose (HKDF, RFC 5869, with the purpose as `info`)."""
    derived = HKDF(SHA256(), length=32, salt=None, info=use.encode()).derive(secret_key.encode())
    return Fernet(urlsafe_b64encode(derived))
