"""Opaque keyset cursors: where a page ended, bound to the member and the filters it was made with."""

import struct
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from studyservice.operations.errors import InvalidRequest
from studyservice.operations.sealing import CURSOR_REFUSED, seal, unseal

_LAYOUT = struct.Struct(">BBIq16sqqq")
_VERSION = 2
_SALT = "courses.cursors"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


class Pins(NamedTuple):
    """Instants of the member's clock that a walk of several pages is pinned to.

    Attributes:
        newest: the newest `created_at` that was visible when the walk began.
        began: the newest write when the walk began.
        turned: the newest write when the walk had begun to tell what was changed since; None before.
    """

    newest: datetime
    began: datetime
    turned: datetime | None = None


class Position(NamedTuple):
    """The last row of a page.

    Attributes:
        section: the part of the walk it was told in, 0 to 255.
        due_on: its due date, where the section is in that order.
        instant: its `created_at` or `updated_at`, whichever the section is in the order of.
        id: its id.
        pins: of a walk that has any.
    """

    section: int
    due_on: date | None
    instant: datetime
    id: UUID
    pins: Pins | None


def encode_cursor(position: Position, binding: str) -> str:
    """An opaque text of 96 characters. `binding` names the member and the filters."""
    newest, began, turned = position.pins or (None, None, None)
    packed = _LAYOUT.pack(
        _VERSION,
        position.section,
        position.due_on.toordinal() if position.due_on else 0,
        _micros(position.instant),
        position.id.bytes,
        _micros(newest),
        _micros(began),
        _micros(turned),
    )
    return seal(packed, _SALT, binding)


def decode_cursor(text: str, binding: str) -> Position:
    """The position that `text` was made from.

    Raises:
        InvalidRequest: `text` is no cursor, or belongs to another member or other filters.
    """
    packed = unseal(text, _LAYOUT.size, _SALT, binding)
    version, section, ordinal, instant, id_bytes, newest, began, turned = _LAYOUT.unpack(packed)
    if version != _VERSION:
        raise InvalidRequest(CURSOR_REFUSED)
    return Position(
        section=section,
        due_on=date.fromordinal(ordinal) if ordinal else None,
        instant=_instant(instant),
        id=UUID(bytes=id_bytes),
        pins=Pins(_instant(newest), _instant(began), _instant(turned) if turned else None) if newest else None,
    )


def _micros(instant: datetime | None) -> int:
    """Microseconds since 1970; 0 for None."""
    return 0 if instant is None else (instant - _EPOCH) // _MICROSECOND


def _instant(micros: int) -> datetime:
    return _EPOCH + micros * _MICROSECOND
