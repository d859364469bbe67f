"""The cursors of list_items."""

from datetime import date, datetime
from typing import NamedTuple
from uuid import UUID

from studyservice.operations.cursors import CursorCodec

_POSITION = (int, date, int, int, datetime, UUID)
# Another layout needs other salts, or an older cursor would be misread.
_CODEC = CursorCodec("courses.timed_cursors", *_POSITION, *[datetime] * 3)
_FOLLOWING = CursorCodec("courses.timed_following_cursors", *_POSITION, *[datetime] * 5)


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
        due_time: its time in that order, `END_OF_DAY` without one.
        instant: its `created_at` or `updated_at`, depending on the order of the section.
        pins: None for a walk without pins.
    """

    section: int
    due_on: date | None
    due_time: str
    instant: datetime
    id: UUID
    pins: Pins | None


def encode_cursor(position: Position, binding: str, *, followed: bool) -> str:
    """Return an opaque text of 100 or 120 characters, bound to `binding`, the member and the filters.

    Args:
        followed: whether the pins have `again` and `told`, as in a walk with `updated_after`.
    """
    section, due_on, due_time, *row, pins = position
    place = (section, due_on, *map(int, due_time.split(":")), *row)
    held = pins or (None,) * 5
    if followed:
        return _FOLLOWING.encode((*place, *held), binding)
    return _CODEC.encode((*place, *held[:3]), binding)


def decode_cursor(text: str, binding: str, *, followed: bool) -> Position:
    """Return the position of a cursor.

    Raises:
        InvalidRequest: `text` is not a cursor, or belongs to another member or other filters.
    """
    codec = _FOLLOWING if followed else _CODEC
    section, due_on, hour, minute, instant, id_, *pins = codec.decode(text, binding)
    return Position(section, due_on, f"{hour:02}:{minute:02}", instant, id_, Pins(*pins) if pins[0] else None)
