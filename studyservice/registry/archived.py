"""Declares how the rows of a model are archived and restored (`studyservice.archive`)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from studyservice.operations.serializers import Body
from studyservice.registry import Member

MAX_POSITION = 1_000_000_000
"""The greatest position or revision in an archive. The database's limit is twice as high, so the next one fits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """A counter in a line of the archive. It counts lines of a later table that refer to the line.

    Attributes:
        column: the counter.
        per: the field of the later lines that refers to the line with the counter.
        counts: returns whether a line is counted.
        uncounted: how far the counter may exceed the number of lines.
    """

    column: str
    per: str
    counts: Callable[[Mapping[str, Any]], bool]
    uncounted: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Archived:
    """A file `data/NAME.jsonl` of the archive, with a line for each row.

    A line has the columns of the row by name, except the member and those left out. A column that is new is added to
    `studyservice.archive.tables.ADDED`.

    Attributes:
        name: of the file.
        rules: the body whose rules check a line (`studyservice.archive.tables`).
        order: of the lines; rows get their new ids in this order.
        left_out: columns that no line has, with the reason.
        loose: columns with an id that may not exist, and the label of the model that it otherwise refers to.
        tallies: counters in lines of an earlier table that count lines of this one.
        keeps_time: whether a new id keeps the time of the old one, and is the same in every table with such ids. It
            depends only on the old id, so that any number of lines can be read.
        once: columns that are unique together, unless the last one is null.
        shares: by reference, a column that must be equal in the line that it refers to.
        only: narrows the archived rows.
        require_room: raises unless the member may store so many more bytes of files. Takes an `Access`; call it inside
            a write.
        must_be_empty: whether an account with such rows refuses an import.
        remove_present: for rows that may remain in an empty account: deletes those that some lines restore, at most one
            for each line, and returns their number.
        also: further files with the same data for other programs, by name, which imports ignore. Each function yields
            the pieces of one, within the transaction of the export.
    """

    name: str
    rules: type[Body] = Body
    order: tuple[str, ...]
    left_out: Mapping[str, str] = field(default_factory=dict)
    loose: Mapping[str, str] = field(default_factory=dict)
    tallies: tuple[Tally, ...] = ()
    keeps_time: bool = False
    once: tuple[str, ...] = ()
    shares: Mapping[str, str] = field(default_factory=dict)
    only: Mapping[str, object] = field(default_factory=dict)
    require_room: Callable[[Any, int], None] | None = None
    must_be_empty: bool = False
    remove_present: Callable[[UUID, Sequence[Mapping[str, Any]]], int] | None = None
    also: Mapping[str, Callable[[Member], Iterator[bytes]]] = field(default_factory=dict)
