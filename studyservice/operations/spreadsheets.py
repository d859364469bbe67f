"""Tables for spreadsheets, which would execute a text that begins like a formula."""

import csv
import io
import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from decimal import Decimal

Cell = str | int | float | Decimal | datetime | None
"""A cell of a table. None is an empty cell."""

_FORMULA = re.compile("'*[=+@\uff1d\uff0b\uff0d\uff20-]")
_PIECE = 64 * 1024


def as_text(cell: str) -> str:
    """Escape `cell` with a leading apostrophe if it begins like a formula.

    A formula with leading apostrophes gets one more, so that a reader can remove exactly one (OWASP, CSV injection).
    """
    return f"'{cell}" if _FORMULA.match(cell) else cell


def csv_lines(heading: Iterable[str], rows: Iterable[Iterable[Cell]]) -> Iterator[bytes]:
    """Yield a table in RFC 4180, in pieces, as UTF-8 with the byte-order mark that spreadsheets need."""
    piece = io.StringIO(newline="")
    piece.write("\ufeff")
    writer = csv.writer(piece)
    writer.writerow(heading)
    for row in rows:
        writer.writerow([_written(cell) for cell in row])
        if piece.tell() >= _PIECE:
            yield piece.getvalue().encode()
            piece.seek(0)
            piece.truncate()
    yield piece.getvalue().encode()


def _written(cell: Cell) -> str:
    if isinstance(cell, str):
        return as_text(cell)
    if isinstance(cell, datetime):
        return f"{cell:%Y-%m-%d %H:%M:%S}"
    if isinstance(cell, Decimal):
        return f"{cell.normalize():f}"
    return "" if cell is None else str(cell)
