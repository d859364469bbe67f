"""Opaque texts that only this service can have made: what a cursor is written in."""

import base64
import hmac
import re
from functools import lru_cache
from hashlib import sha256

from django.conf import settings

from studyservice.operations.errors import InvalidRequest

MAC_BYTES = 18

CURSOR_REFUSED = "This cursor is not valid here. Use the next_cursor of the previous page, with the same filters."

_TEXT = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)


def seal(packed: bytes, salt: str, binding: str) -> str:
    """`packed` as text, bound to `binding`.

    With the 18 bytes of its code, `packed` must be a multiple of three bytes, so that one position has one text and no
    padding.
    """
    return base64.urlsafe_b64encode(packed + _mac(packed, salt, binding, settings.SECRET_KEY)).decode()


def unseal(text: str, size: int, salt: str, binding: str) -> bytes:
    """The `size` bytes that `text` was made from.

    Raises:
        InvalidRequest: `text` is no cursor, or belongs to another member or other filters.
    """
    if len(text) != (size + MAC_BYTES) // 3 * 4 or not _TEXT.fullmatch(text):
        raise InvalidRequest(CURSOR_REFUSED)
    raw = base64.urlsafe_b64decode(text)
    packed, mac = raw[:size], raw[size:]
    for secret in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS):
        if hmac.compare_digest(mac, _mac(packed, salt, binding, secret)):
            return packed
    raise InvalidRequest(CURSOR_REFUSED)


def _mac(packed: bytes, salt: str, binding: str, secret: str) -> bytes:
    return hmac.digest(_key(salt, secret), packed + binding.encode(), "sha256")[:MAC_BYTES]


@lru_cache(maxsize=16)
def _key(salt: str, secret: str) -> bytes:
    """The key for what has this salt, as Django derives it for its `salted_hmac`, once."""
    return sha256(f"{salt}{secret}".encode()).digest()
