"""Opaque keyset cursors: the position where a page ended, bound to the member and the filters of the list."""

import base64
import hmac
import re
import struct
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from hashlib import sha256
from typing import Any, NamedTuple
from uuid import UUID

from django.conf import settings

from studyservice.operations.errors import InvalidRequest

_MAC_BYTES = 18
_TEXT = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


class _Kind(NamedTuple):
    """The packed form of one kind of value (`struct`)."""

    format: str
    pack: Callable[[Any], Any]
    unpack: Callable[[Any], Any]


_KINDS: dict[type, _Kind] = {
    int: _Kind("B", int, int),
    UUID: _Kind("16s", lambda value: value.bytes, lambda packed: UUID(bytes=packed)),
    date: _Kind(
        "I",
        lambda value: value.toordinal() if value else 0,
        lambda packed: date.fromordinal(packed) if packed else None,
    ),
    datetime: _Kind(
        "q",
        lambda value: (value - _EPOCH) // _MICROSECOND if value else 0,
        lambda packed: _EPOCH + packed * _MICROSECOND if packed else None,
    ),
}


class CursorCodec:
    """Encodes and decodes the cursors of one list.

    Args:
        salt: separates these cursors from those of other lists.
        kinds: the types of a position's values in order: `int` from 0 to 255, `UUID`, `date` or `datetime`. A date or a
            datetime may be None. Zero bytes pad the position to a multiple of three, so that each position has one text
            without padding.
    """

    def __init__(self, salt: str, *kinds: type) -> None:
        self._salt = salt
        self._kinds = [_KINDS[kind] for kind in kinds]
        layout = ">" + "".join(kind.format for kind in self._kinds)
        self._layout = struct.Struct(layout + "x" * (-struct.calcsize(layout) % 3))

    def encode(self, values: Sequence[Any], binding: str) -> str:
        """Return the cursor of a position. `binding` names the member and the filters."""
        packed = self._layout.pack(*(kind.pack(value) for kind, value in zip(self._kinds, values, strict=True)))
        return base64.urlsafe_b64encode(packed + self._mac(packed, binding, settings.SECRET_KEY)).decode()

    def decode(self, text: str, binding: str) -> tuple[Any, ...]:
        """Return the position of a cursor.

        Raises:
            InvalidRequest: `text` is not a cursor of this list, or belongs to another member or other filters.
        """
        size = self._layout.size
        if len(text) != (size + _MAC_BYTES) // 3 * 4 or not _TEXT.fullmatch(text):
            raise invalid_cursor()
        raw = base64.urlsafe_b64decode(text)
        packed, mac = raw[:size], raw[size:]
        for secret in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS):
            if hmac.compare_digest(mac, self._mac(packed, binding, secret)):
                return tuple(
                    kind.unpack(one) for kind, one in zip(self._kinds, self._layout.unpack(packed), strict=True)
                )
        raise invalid_cursor()

    def _mac(self, packed: bytes, binding: str, secret: str) -> bytes:
        return hmac.digest(_key(self._salt, secret), packed + binding.encode(), "sha256")[:_MAC_BYTES]


def invalid_cursor() -> InvalidRequest:
    """Return the error for a cursor that does not belong to this list, member and filters."""
    return InvalidRequest(
        "This cursor is not valid here. Use the next_cursor of the previous page, with the same filters."
    )


@lru_cache(maxsize=16)
def _key(salt: str, secret: str) -> bytes:
    """Derive the key for `salt`, like Django's `salted_hmac`. Cached."""
    return sha256(f"{salt}{secret}".encode()).digest()
