"""The tables of an archive: one file of lines for each model with `MemberData.archived`."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

import orjson
from django.db.models import FileField, Model, QuerySet

from accounts.changes.contents import Json, dumps
from accounts.members.archived import Archived
from accounts.members.data import MemberData, data_of, member_data
from accounts.members.models import Member
from studyservice.hooks import HookTable

FORMAT = "study-data-archive"
"""The name of the format in the manifest."""

MANIFEST = "manifest.json"
README = "README.txt"
FILES = "files/"
"""The directory of stored files."""

CHANGES = "data/changes.jsonl"
"""The log of changes, exported for reading. It belongs to one account, so imports skip it."""

EVENTS = "data/account_events.jsonl"
"""The log of account events, likewise. Archives that apps export do not contain it."""


@dataclass(frozen=True, slots=True, eq=False)
class ArchiveTable:
    """A table of the archive.

    Attributes:
        how: its declaration.
        references: columns with an id, and the earlier table that contains the id.
        loose: columns with an id that may not exist, and the table that contains it otherwise.
    """

    data: MemberData
    how: Archived
    references: Mapping[str, str]
    loose: Mapping[str, str]

    @property
    def name(self) -> str:
        return self.how.name

    @property
    def model(self) -> type[Model]:
        return self.data.model

    def path(self) -> str:
        """The name of the file in the archive."""
        return f"data/{self.name}.jsonl"

    def columns(self) -> list[str]:
        """The columns of a line, in order."""
        names = (one.attname for one in self.model._meta.concrete_fields)
        return [name for name in names if name != "member_id" and name not in self.how.left_out]

    def defaults(self, version: int, member: Member) -> dict[str, Json]:
        """Return the values of columns that lines of `version` lack or may lack, as a line would have them."""
        newer = [*self.how.optional, *(name for name, since in self.how.added.items() if since > version)]
        fields = {one.attname: one for one in self.model._meta.concrete_fields}
        own = self.data.log.defaults(member) if self.data.log.defaults is not None else {}
        values = {name: own[name] if name in own else fields[name].get_default() for name in newer}
        found: dict[str, Json] = orjson.loads(dumps(values))
        return found

    def stored_file(self) -> str | None:
        """The column that names a stored file, which is included in the archive; None if there is none."""
        found = (one.attname for one in self.model._meta.concrete_fields if isinstance(one, FileField))
        return next(found, None)

    def rows(self, member: Member) -> QuerySet[Model]:
        """Return the member's rows, in the order of the lines."""
        return QuerySet(self.model).filter(member_id=member.id, **self.how.only).order_by(*self.how.order)


@cache
def archive_tables() -> tuple[ArchiveTable, ...]:
    """Return every table, sorted so that references point to earlier tables."""
    names = {data.label: data.archive.name for data in member_data() if data.archive is not None}
    return tuple(_table(data, data.archive, names) for data in member_data() if data.archive is not None)


def archive_version() -> int:
    """Return the version of new archives: the newest `since` of all tables and columns."""
    return max(version for table in archive_tables() for version in (table.how.since, *table.how.added.values()))


def _table(data: MemberData, how: Archived, names: Mapping[str, str]) -> ArchiveTable:
    references = {
        column.attname: names[column.related_model._meta.label]
        for column in data.model._meta.concrete_fields
        if column.related_model is not None and data_of(column.related_model) and column.attname not in how.left_out
    }
    references |= {column: names[label] for column, label in data.log.plain_references.items()}
    loose = {column: names[label] for column, label in how.loose.items()}
    return ArchiveTable(data, how, references, loose)


ExtraFile = Callable[[Member], Iterator[bytes]]
"""Yields the member's data for other programs, in pieces. Called within the transaction of the export."""

EXTRAS = HookTable[ExtraFile]("EXTRAS")
"""Further files by name, which imports ignore."""
