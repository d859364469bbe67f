"""What an archive has: a file of lines for each kind of row. The apps declare theirs, and settings name them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db.models import FileField, Model, QuerySet

from accounts.members.models import Member
from studyservice.hooks import HookList, HookTable
from studyservice.operations.serializers import Body

FORMAT = "study-data-archive"
"""What the manifest calls it."""

VERSION = 1
"""Of the format; counted up when names or fields change. Older ones are read."""

MANIFEST = "manifest.json"
README = "README.txt"
FILES = "files/"
"""What the names of stored files begin with."""

CHANGES = "data/changes.jsonl"
"""The log of changes, for reading: it tells what happened in one account, and is not taken into another."""

EVENTS = "data/account_events.jsonl"
"""The log of account events, likewise; archives that apps make do not have it."""

MAX_POSITION = 1_000_000_000
"""The greatest position or revision in an archive. The database counts to twice as much, so the next one still fits."""

_LONG_LINE = 64 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """How many lines there may be.

    Attributes:
        what: what there would be too many of: `items in a course`.
        per: the lines that are counted together are those with the same value of this field; of several names the
            later ones are fields of the lines that the ones before refer to. Without any, all lines count.
    """

    most: int
    what: str
    per: tuple[str, ...] = ()


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
class ArchiveTable:
    """A kind of row, which has a file `data/NAME.jsonl` in the archive.

    A line has the row's columns by their names, but for the member and what is left out.

    Attributes:
        name: of the file.
        model: whose rows these are.
        line: the rules of a line.
        order: of the lines; rows get their new ids in this order.
        left_out: columns that are in no line, with the reason.
        references: columns with an id, and the name of the table, which comes before, where that id must be.
        loose: columns with an id that may be of nothing any more, and the table where it else is.
        limits: how many there may be.
        tallies: numbers in lines of an earlier table that count lines of this one.
        keeps_time: whether a new id has the time of the old one, and is the same in every table that has such ids. It
            is made of the old id alone, so that any number of lines can be read.
        once: columns that no two lines have alike.
        long_line: bytes of the longest line.
        only: narrows the rows that are in an archive.
        require_room: raises unless the member may store so many bytes more of files, under the lock of a write.
        must_be_empty: whether an account that has such rows takes no archive in.
        remove_present: of rows that outlive what must be empty, deletes those of the member that some lines bring back,
            at most one for each line, and returns how many.
    """

    name: str
    model: type[Model]
    line: type[Body]
    order: tuple[str, ...]
    left_out: Mapping[str, str] = field(default_factory=dict)
    references: Mapping[str, str] = field(default_factory=dict)
    loose: Mapping[str, str] = field(default_factory=dict)
    limits: tuple[Limit, ...] = ()
    tallies: tuple[Tally, ...] = ()
    keeps_time: bool = False
    once: tuple[str, ...] = ()
    long_line: int = _LONG_LINE
    only: Mapping[str, object] = field(default_factory=dict)
    require_room: Callable[[UUID, int], None] | None = None
    must_be_empty: bool = False
    remove_present: Callable[[UUID, Sequence[Mapping[str, Any]]], int] | None = None

    def path(self) -> str:
        """The name of the file in the archive."""
        return f"data/{self.name}.jsonl"

    def columns(self) -> list[str]:
        """The names in a line, in the order of the columns."""
        names = (one.attname for one in self.model._meta.concrete_fields)
        return [name for name in names if name != "member_id" and name not in self.left_out]

    def stored_file(self) -> str | None:
        """The column that names a stored file, whose bytes are in the archive; None if there is none."""
        found = (one.attname for one in self.model._meta.concrete_fields if isinstance(one, FileField))
        return next(found, None)

    def rows(self, member: Member) -> QuerySet[Model]:
        """The member's rows, in the order of the lines."""
        return QuerySet(self.model).filter(member_id=member.id, **self.only).order_by(*self.order)


TABLES = HookList[ArchiveTable]("MEMBER_ARCHIVE", ArchiveTable)
"""A table stands after those that it refers to."""

ExtraFile = Callable[[Member], Iterator[bytes]]
"""Writes what other programs read of the member's data, in pieces; inside the transaction of the archive."""

EXTRAS = HookTable[ExtraFile]("MEMBER_ARCHIVE_EXTRAS", ExtraFile)
"""By the names of the files; they are not read again."""
