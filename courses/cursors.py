"""The cursors of list_items."""

from datetime import date, datetime
from typing import NamedTuple
from uuid import UUID

from studyservice.operations.cursors import CursorCodec, invalid_cursor

_VERSION = 2
_POSITION = (int, int, date, datetime, UUID)
_CODEC = CursorCodec("courses.cursors", *_POSITION, *[datetime] * 3)
_FOLLOWING = CursorCodec("courses.following_cursors", *_POSITION, *[datetime] * 5)


class Pins(NamedTuple):
    """Times of the member's clock that fix the set of a walk over several pages.

    Attributes:
        newest: the newest `created_at` visible when the walk began.
        began: the newest write when the walk began.
        turned: the newest write when the walk reached the section of changed rows; None before.
        again: the newest write before the walk reached the rows changed again; None if unknown.
        told: the newest `updated_at` among returned rows that changed since the walk began; None before.
    """

    newest: datetime
    began: datetime
    turned: datetime | None = None
    again: datetime | None = None
    told: datetime | None = None


class Position(NamedTuple):
    """The last row of a page.

    Attributes:
        section: the section of the walk that returned the row, 0 to 255.
        due_on: its due date, if the section is sorted by it.
        instant: its `created_at` or `updated_at`, depending on the order of the section.
        pins: None for a walk without pins.
    """

    section: int
    due_on: date | None
    instant: datetime
    id: UUID
    pins: Pins | None


def encode_cursor(position: Position, binding: str, *, followed: bool) -> str:
    """Return an opaque text of 96 or 120 characters, bound to `binding`, the member and the filters.

    Args:
        followed: whether the pins have `again` and `told`, as in a walk with `updated_after`.
    """
    *row, pins = position
    held = pins or (None,) * 5
    if followed:
        return _FOLLOWING.encode((_VERSION, *row, *held), binding)
    return _CODEC.encode((_VERSION, *row, *held[:3]), binding)


def decode_cursor(text: str, binding: str, *, followed: bool) -> Position:
    """Return the position of a cursor.

    Raises:
        InvalidRequest: `text` is not a cursor, or belongs to another member or other filters.
    """
    version, section, due_on, instant, id_, *pins = (_FOLLOWING if followed else _CODEC).decode(text, binding)
    if version != _VERSION:
        raise invalid_cursor()
    return Position(section, due_on, instant, id_, Pins(*pins) if pins[0] else None)
