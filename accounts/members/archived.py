"""Declares how the rows of a model are archived and restored (`accounts.archive`)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from studyservice.operations.serializers import Body

MAX_POSITION = 1_000_000_000
"""The greatest position or revision in an archive. The database counts to twice as much, so the next one still fits."""

_LONG_LINE = 64 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """A number in a line that counts lines of a later table, which refer to it.

    Attributes:
        column: the number.
        per: the field of the later lines that refers to the line with the number.
        counts: tells whether a line is counted.
        uncounted: how much greater than the count the number may be.
    """

    column: str
    per: str
    counts: Callable[[Mapping[str, Any]], bool]
    uncounted: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Archived:
    """A file `data/NAME.jsonl` of the archive, with a line for each row.

    A line has the columns of the row by name, except the member and those left out.

    Attributes:
        name: of the file.
        line: the rules of a line.
        order: of the lines; rows get their new ids in this order.
        since: the first version of the archive with this file. Older archives are read without it.
        added: columns that later versions added, with the first version that has each. A line of an older archive gets
            the default of the column.
        left_out: columns that are in no line, with the reason.
        loose: columns with an id that may refer to nothing, and the label of the model that it otherwise refers to.
        tallies: numbers in lines of an earlier table that count lines of this one.
        keeps_time: whether a new id keeps the time of the old one, and is the same in every table with such ids. It
            depends on the old id only, so that any number of lines can be read.
        once: columns that together are unique, unless one is null.
        shares: by reference, a column that must be the same in the line that it refers to.
        long_line: bytes of the longest line.
        only: narrows the rows that are in an archive.
        require_room: raises unless the member may store so many more bytes of files; under the lock of a write.
        must_be_empty: whether an account with such rows refuses an archive.
        remove_present: of rows that outlive what must be empty, deletes those of the member that some lines restore,
            at most one for each line, and returns how many.
    """

    name: str
    line: type[Body]
    order: tuple[str, ...]
    since: int = 1
    added: Mapping[str, int] = field(default_factory=dict)
    left_out: Mapping[str, str] = field(default_factory=dict)
    loose: Mapping[str, str] = field(default_factory=dict)
    tallies: tuple[Tally, ...] = ()
    keeps_time: bool = False
    once: tuple[str, ...] = ()
    shares: Mapping[str, str] = field(default_factory=dict)
    long_line: int = _LONG_LINE
    only: Mapping[str, object] = field(default_factory=dict)
    require_room: Callable[[UUID, int], None] | None = None
    must_be_empty: bool = False
    remove_present: Callable[[UUID, Sequence[Mapping[str, Any]]], int] | None = None
