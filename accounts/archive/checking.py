"""Validate the lines of an archive and convert them to rows with new ids. Does not touch the database."""

import secrets
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from decimal import Decimal
from hashlib import blake2b
from itertools import islice
from typing import IO, Any
from uuid import UUID

import orjson
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import Model

from accounts.archive.profile import PROFILE, ProfileLine
from accounts.archive.tables import FILES, ArchiveTable, archive_tables
from accounts.archive.unpacking import Archive, Line, NoArchive
from accounts.changes.contents import dumps
from accounts.members.archived import Tally
from accounts.members.limits import Limit
from accounts.members.models import Member
from studyservice.database.ids import uuid7
from studyservice.operations.errors import MAX_DETAILS, Detail, ValidationFailed

FIELD = "file"
"""The form field with the archive, which errors in lines name."""

_LOW = (1 << 62) - 1
_PROFILE_LINE = 4096


def wrong_line(path: str, number: int, message: str) -> Detail:
    """Return the error for an invalid line."""
    return {"field": FIELD, "message": f"{path}, line {number}: {message}"}


@dataclass(slots=True)
class Laid:
    """The rows of a table, as JSON arrays in a temporary file, with values in the database's form.

    Attributes:
        columns: of the values, in order.
        number: number of rows.
        file_bytes: total size of the files that the rows name.
    """

    table: ArchiveTable
    file: IO[bytes]
    columns: list[str] = field(init=False)
    number: int = 0
    file_bytes: int = 0
    _prepared: list[tuple[str, Callable[[Any], Any]]] = field(init=False)

    def __post_init__(self) -> None:
        self.columns = self.table.columns()
        self._prepared = [(name, prepared(self.table.model, name)) for name in self.columns]

    def add(self, row: Mapping[str, Any]) -> None:
        """Append a row."""
        self.file.write(dumps([prepare(row[name]) for name, prepare in self._prepared]) + b"\n")

    def batches(self, size: int) -> Iterator[tuple[int, list[list[Any]]]]:
        """Yield the rows in batches, each with the number of its first row, from 1."""
        self.file.seek(0)
        first, batch = 1, []
        for raw in self.file:
            batch.append(orjson.loads(raw))
            if len(batch) == size:
                yield first, batch
                first, batch = first + size, []
        if batch:
            yield first, batch


def prepared(model: type[Model], column: str) -> Callable[[Any], Any]:
    """Return a function that converts values of a column to the database's form, leaving JSON values as they are."""
    concrete = next(one for one in model._meta.concrete_fields if one.attname == column)
    database = connections[DEFAULT_DB_ALIAS]

    def prepare(value: Any) -> Any:
        if value is None or isinstance(value, str | int | float):
            return value  # all databases store it the same way, and a check would take longer than everything else
        made = concrete.get_db_prep_save(value, database)
        return str(made) if isinstance(made, Decimal) else made

    return prepare


@dataclass(frozen=True, slots=True)
class _Known:
    """A line that other lines refer to.

    Attributes:
        id: of its row.
        references: ids that the line refers to.
        number: of the line.
        tallied: its counters, by column.
    """

    id: UUID
    references: dict[str, Any]
    number: int
    tallied: dict[str, int]


@dataclass(slots=True)
class _Seen:
    """The checked rows of a table.

    Attributes:
        columns: required in each line.
        defaults: values of columns that archives of this version lack.
        stored_file: the column that names a stored file; None if there is none.
        file_bytes: total size of the files.
    """

    columns: list[str]
    defaults: dict[str, Any]
    stored_file: str | None
    file_bytes: int = 0
    ids: set[UUID] = field(default_factory=set)
    once: set[tuple[Any, ...]] = field(default_factory=set)
    counted: Counter[tuple[Limit | Tally, Any]] = field(default_factory=Counter)


class Checker:
    """Reads a whole archive.

    Attributes:
        laid: the rows, table by table. Their files live as long as `files`.
        profile: the new values of the profile.
    """

    def __init__(self, member: Member, archive: Archive, files: ExitStack) -> None:
        self._member = member
        self._archive = archive
        self._known: defaultdict[str, dict[UUID, _Known]] = defaultdict(dict)
        tables = archive_tables()
        self._tables = {table.name: table for table in tables}
        self._wanted = {name for table in tables for name in (*table.references.values(), *table.loose.values())}
        self._tallied: dict[str, list[str]] = {name: [] for name in self._wanted}
        for table in tables:
            for tally in table.how.tallies:
                self._tallied[table.references[tally.per]].append(tally.column)
        self._secret = secrets.token_bytes(16)
        self._newest = UUID(int=0)
        self._unused = set(archive.files)
        self.profile = self._read_profile()
        self.laid: list[Laid] = []
        for table in tables:
            file: IO[bytes] = files.enter_context(tempfile.TemporaryFile())  # noqa: SIM115  # closed by the exit stack
            laid = Laid(table, file)
            if table.how.since <= archive.version:
                self._lay(laid)
            self.laid.append(laid)
        if self._unused:
            raise NoArchive(f"no line names {min(self._unused)}.")

    def _read_profile(self) -> Any:
        lines = list(self._archive.lines(PROFILE, _PROFILE_LINE))
        if len(lines) != 1:
            raise NoArchive(f"{PROFILE} must have exactly one line.")
        try:
            return ProfileLine.parse(lines[0].value)
        except ValidationFailed as error:
            raise ValidationFailed(_in_line(PROFILE, 1, error)) from None

    def _lay(self, laid: Laid) -> None:
        """Check the lines of a table and write its rows.

        Raises:
            ValidationFailed: lines are invalid.
            NoArchive: the number of lines differs from the manifest.
        """
        table, details = laid.table, list[Detail]()
        seen = _Seen(laid.columns, table.defaults(self._archive.version, self._member), table.stored_file())
        known = self._known[table.name]
        for line in self._archive.lines(table.path(), table.how.long_line):
            laid.number = line.number
            try:
                row = self._row(table, line, seen, known)
            except ValidationFailed as error:
                details += _in_line(table.path(), line.number, error)
                if len(details) >= MAX_DETAILS:
                    break
            else:
                laid.add(row)
        if not details:
            details = list(islice(self._wrong_counters(table, seen), MAX_DETAILS))
        if details:
            raise ValidationFailed(details)
        laid.file_bytes = seen.file_bytes
        if laid.number != self._archive.counts.get(table.name):
            raise NoArchive(f"the number of lines in {table.path()} differs from the manifest.")

    def _row(self, table: ArchiveTable, line: Line, seen: _Seen, known: dict[UUID, _Known]) -> dict[str, Any]:
        """Return the row of a line, by column.

        Raises:
            ValidationFailed: the line is invalid.
        """
        fields = _parsed(table, line, seen)
        old_id: UUID = fields["id"]
        if not table.how.keeps_time:
            if old_id in seen.ids:
                raise ValidationFailed.of("id", "Is also the id of another line.")
            seen.ids.add(old_id)
        references = {name: fields[name] for name in table.references if fields[name] is not None}
        for name, value in references.items():
            found = self._found(table.references[name], value, name)
            shared = table.how.shares.get(name)
            if shared is not None and found.references.get(shared) != references.get(shared):
                raise ValidationFailed.of(name, f"Is the id of a line with a different {shared}.")
            fields[name] = found.id
        for name, other in table.loose.items():
            there = self._known[other].get(fields[name])
            fields[name] = uuid7() if there is None else there.id
        self._require_once(table, fields, seen)
        self._require_room(table, references, seen)
        for tally in table.how.tallies:
            seen.counted[tally, references[tally.per]] += tally.counts(fields)
        if seen.stored_file is not None:
            self._require_file(fields, seen)
        fields["id"] = self._new_id(table, old_id)
        if table.name in self._wanted:
            tallied = {name: fields[name] for name in self._tallied[table.name]}
            known[old_id] = _Known(fields["id"], references, line.number, tallied)
        return fields

    def _wrong_counters(self, table: ArchiveTable, seen: _Seen) -> Iterator[Detail]:
        """Yield an error for each counter in earlier tables that does not fit the number of lines in this one."""
        for tally in table.how.tallies:
            target = self._tables[table.references[tally.per]]
            for old_id, known in self._known[target.name].items():
                counted = seen.counted[tally, old_id]
                if counted <= known.tallied[tally.column] <= counted + tally.uncounted:
                    continue
                too_few = known.tallied[tally.column] < counted
                bound = f"at least {counted}" if too_few else f"at most {counted + tally.uncounted}"
                message = f"{tally.column}: Must be {bound}, as {table.path()} has {counted}."
                yield wrong_line(target.path(), known.number, message)

    def _found(self, name: str, value: UUID, of: str) -> _Known:
        found = self._known[name].get(value)
        if found is None:
            raise ValidationFailed.of(of, f"Is not the id of a line of {name}.")
        return found

    def _require_once(self, table: ArchiveTable, fields: dict[str, Any], seen: _Seen) -> None:
        key = tuple(fields[name] for name in table.how.once)
        if not key or key[-1] is None:
            return
        if key in seen.once:
            raise ValidationFailed.of(table.how.once[-1], "Is also in another line.")
        seen.once.add(key)

    def _require_room(self, table: ArchiveTable, references: dict[str, UUID], seen: _Seen) -> None:
        """Refuse a line beyond a limit on the number of rows."""
        for limit in table.data.limits:
            group = self._group(table, limit, references)
            seen.counted[limit, group] += 1
            if seen.counted[limit, group] > limit.most:
                raise ValidationFailed.of("id", f"There would be more than {limit.most} {limit.what}.")

    def _group(self, table: ArchiveTable, limit: Limit, references: dict[str, Any]) -> Any:
        """The key of lines that count toward the same limit."""
        value: Any = None
        for path in filter(None, limit.per.split("__")):
            name = f"{path}_id"
            value = references.get(name)
            if value is None:
                return None
            table = self._tables[table.references[name]]
            references = self._known[table.name][value].references
        return value

    def _require_file(self, fields: dict[str, Any], seen: _Seen) -> None:
        """Check that the stored file of a line exists, is whole, and belongs to no other line."""
        column = seen.stored_file or ""
        name = fields[column]
        if name not in self._unused:
            raise ValidationFailed.of(column, f"Does not name a file below {FILES}, or names that of another line.")
        self._unused.remove(name)
        size, digest = self._archive.require_whole(name)
        for known, value in (("size", size), ("sha256", digest)):
            if fields.get(known, value) != value:
                raise ValidationFailed.of(known, f"Does not match {name}.")
        seen.file_bytes += size

    def _new_id(self, table: ArchiveTable, old_id: UUID) -> UUID:
        """Return a new id: greater than all before, or with the old id's time (`Archived.keeps_time`)."""
        if table.how.keeps_time:
            random = blake2b(old_id.bytes, digest_size=8, key=self._secret).digest()
            high = old_id.int >> 64 << 64
            return UUID(int=high | 0b10 << 62 | int.from_bytes(random) & _LOW)
        self._newest = max(uuid7(), UUID(int=self._newest.int + 1))
        return self._newest


def _parsed(table: ArchiveTable, line: Line, seen: _Seen) -> dict[str, Any]:
    """Return the validated fields of a line."""
    if not isinstance(line.value, dict):
        raise ValidationFailed.of("", "Must be a JSON object, and not too long.")
    value = {**seen.defaults, **line.value}
    missing = [name for name in seen.columns if name not in value]
    if missing:
        raise ValidationFailed([{"field": name, "message": "This field is required."} for name in missing])
    return table.how.line.parse(value)


def _in_line(path: str, number: int, error: ValidationFailed) -> list[Detail]:
    return [
        wrong_line(path, number, f"{detail['field']}: {detail['message']}" if detail["field"] else detail["message"])
        for detail in error.details or []
    ]
