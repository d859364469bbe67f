"""The cursors of list_items."""

from datetime import date, datetime
from typing import NamedTuple
from uuid import UUID

from studyservice.operations.cursors import CursorCodec, invalid_cursor

_VERSION = 2
_CODEC = CursorCodec("courses.cursors", int, int, date, datetime, UUID, datetime, datetime, datetime)


class Pins(NamedTuple):
    """Instants of the member's clock to which a walk over several pages is pinned.

    Attributes:
        newest: the newest `created_at` that was visible when the walk began.
        began: the newest write when the walk began.
        turned: the newest write when the walk reached the rows changed since; None before.
    """

    newest: datetime
    began: datetime
    turned: datetime | None = None


class Position(NamedTuple):
    """The last row of a page.

    Attributes:
        section: the section of the walk that listed the row, 0 to 255.
        due_on: its due date, if the section is in that order.
        instant: its `created_at` or `updated_at`, depending on the order of the section.
        pins: None for a walk without pins.
    """

    section: int
    due_on: date | None
    instant: datetime
    id: UUID
    pins: Pins | None


def encode_cursor(position: Position, binding: str) -> str:
    """Return an opaque text of 96 characters. `binding` names the member and the filters."""
    *row, pins = position
    return _CODEC.encode((_VERSION, *row, *(pins or (None, None, None))), binding)


def decode_cursor(text: str, binding: str) -> Position:
    """Return the position of a cursor.

    Raises:
        InvalidRequest: `text` is not a cursor, or belongs to another member or other filters.
    """
    version, section, due_on, instant, id_, newest, began, turned = _CODEC.decode(text, binding)
    if version != _VERSION:
        raise invalid_cursor()
    return Position(section, due_on, instant, id_, Pins(newest, began, turned) if newest else None)
