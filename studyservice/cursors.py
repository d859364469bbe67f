"""Opaque keyset cursors: where a page ended, bound to the member and the filters it was made with."""

import base64
import hmac
import re
import struct
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from django.utils.crypto import salted_hmac

from studyservice.errors import InvalidRequest

_LAYOUT = struct.Struct(">BIq16sq")
_VERSION = 1
_MAC_BYTES = 17
"""With the layout's 37 bytes a multiple of three, so that one position has one text and no padding."""

_TEXT = re.compile(r"[A-Za-z0-9_-]{72}", re.ASCII)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


class Position(NamedTuple):
    """The last row of a page in the order `due_on` (undated last), `created_at`, `id`.

    `newest` is the upper bound of `created_at` that a polling walk was pinned to, if any.
    """

    due_on: date | None
    created_at: datetime
    id: UUID
    newest: datetime | None


def encode_cursor(position: Position, binding: str) -> str:
    """An opaque text of 72 characters. `binding` names the member and the filters."""
    packed = _LAYOUT.pack(
        _VERSION,
        position.due_on.toordinal() if position.due_on else 0,
        _micros(position.created_at),
        position.id.bytes,
        _micros(position.newest) if position.newest else 0,
    )
    return base64.urlsafe_b64encode(packed + _mac(packed, binding)).decode()


def decode_cursor(text: str, binding: str) -> Position:
    """The position that `text` was made from.

    Raises:
        InvalidRequest: `text` is no cursor, or belongs to another member or other filters.
    """
    refused = InvalidRequest(
        "This cursor is not valid here. Use the next_cursor of the previous page, with the same filters."
    )
    if not _TEXT.fullmatch(text):
        raise refused
    raw = base64.urlsafe_b64decode(text)
    packed, mac = raw[: _LAYOUT.size], raw[_LAYOUT.size :]
    if not hmac.compare_digest(mac, _mac(packed, binding)):
        raise refused
    version, ordinal, created, id_bytes, newest = _LAYOUT.unpack(packed)
    if version != _VERSION:
        raise refused
    return Position(
        due_on=date.fromordinal(ordinal) if ordinal else None,
        created_at=_EPOCH + created * _MICROSECOND,
        id=UUID(bytes=id_bytes),
        newest=_EPOCH + newest * _MICROSECOND if newest else None,
    )


def _micros(instant: datetime) -> int:
    return (instant - _EPOCH) // _MICROSECOND


def _mac(packed: bytes, binding: str) -> bytes:
    digest = salted_hmac("studyservice.cursors", packed + binding.encode(), algorithm="sha256")
    return digest.digest()[:_MAC_BYTES]
