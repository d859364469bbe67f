"""Cursors of list_changes: where a page ended, bound to the member and the filter it was made with."""

import struct
from datetime import UTC, datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from studyservice.operations.sealing import seal, unseal

_LAYOUT = struct.Struct(">q16s")
"""With its code a multiple of three bytes."""

_SALT = "accounts.change_cursors"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


class Position(NamedTuple):
    """The last row of a page: its moment and its id."""

    instant: datetime
    id: UUID


def encode_cursor(position: Position, binding: str) -> str:
    """An opaque text of 56 characters. `binding` names the member and the filter."""
    return seal(_LAYOUT.pack((position.instant - _EPOCH) // _MICROSECOND, position.id.bytes), _SALT, binding)


def decode_cursor(text: str, binding: str) -> Position:
    """The position that `text` was made from.

    Raises:
        InvalidRequest: `text` is no cursor, or belongs to another member or another filter.
    """
    micros, id_bytes = _LAYOUT.unpack(unseal(text, _LAYOUT.size, _SALT, binding))
    return Position(_EPOCH + micros * _MICROSECOND, UUID(bytes=id_bytes))
