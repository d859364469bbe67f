"""Validate the lines of an archive and convert them to rows with new ids. Does not touch the database."""

import pickle
import secrets
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from hashlib import blake2b
from itertools import islice
from typing import IO, Any
from uuid import UUID

from studyservice.archive.tables import FILES, MEMBER_PROFILE, PROFILE, ArchiveTable, archive_tables
from studyservice.archive.unpacking import Archive, NoArchive
from studyservice.database.ids import uuid7
from studyservice.operations.errors import MAX_DETAILS, Conflict, Detail, ValidationFailed
from studyservice.registry import Member
from studyservice.registry.archived import Tally
from studyservice.registry.data import Columns, Maximum, columns_of

FIELD = "file"
"""The form field with the archive, which errors in lines name."""

TWICE = "Is also the id of another line."

BATCH = 500
"""The number of rows that are in memory at a time."""

_LOW = (1 << 62) - 1
_PROFILE_LINE = 4096


def wrong_line(path: str, number: int, message: str) -> Detail:
    """Return the error for an invalid line."""
    return {"field": FIELD, "message": f"{path}, line {number}: {message}"}


def _in_line(path: str, number: int, error: ValidationFailed) -> Iterator[Detail]:
    for detail in error.details or []:
        named = f"{detail['field']}: {detail['message']}" if detail["field"] else detail["message"]
        yield wrong_line(path, number, named)


class Laid:
    """The whole rows of a table, in a temporary file.

    Attributes:
        number: number of rows.
        file_bytes: total size of the files that the rows name.
    """

    def __init__(self, table: ArchiveTable, file: IO[bytes]) -> None:
        self.table, self.number, self.file_bytes = table, 0, 0
        self._file, self._batch = file, list[Columns]()

    def add(self, row: Columns) -> None:
        """Append a row."""
        self.number += 1
        self._batch.append(row)
        if len(self._batch) == BATCH:
            pickle.dump(self._batch, self._file)
            self._batch = []

    def batches(self) -> Iterator[list[Columns]]:
        """Yield the rows in batches."""
        self._file.seek(0)
        for _ in range(self.number // BATCH):
            yield pickle.load(self._file)  # noqa: S301  # written above, to a file without a name  # nosec
        if self._batch:
            yield self._batch


@dataclass(frozen=True, slots=True)
class _Known:
    """A line that other lines refer to.

    Attributes:
        id: of its row.
        references: ids that the line refers to.
        number: of the line.
        counters: its counters, by column.
    """

    id: UUID
    references: Columns
    number: int
    counters: dict[str, int]


class Checker:
    """Reads a whole archive.

    Attributes:
        archive: being read.
        known: the lines that others refer to, by table and old id.
        tables: by name.
        unused: names of stored files that no line has named yet.
        laid: the rows, table by table. Their files live as long as `files`.
        profile: the new values of the profile.
    """

    def __init__(self, member: Member, archive: Archive, files: ExitStack) -> None:
        self.archive = archive
        self.known: defaultdict[str, dict[UUID, _Known]] = defaultdict(dict)
        self.tables = {table.name: table for table in archive_tables()}
        self.unused = set(archive.files)
        self._secret = secrets.token_bytes(16)
        self._newest = UUID(int=0)
        self.profile = self._read_profile()
        self.laid: list[Laid] = []
        for table in archive_tables():
            laid = Laid(table, files.enter_context(tempfile.TemporaryFile()))  # noqa: SIM115  # closed by the exit stack
            self.laid.append(laid)
            if table.exists_in(archive.version):
                _Lines(self, member, laid).read()
        if self.unused:
            raise NoArchive(f"no line names {min(self.unused)}.")

    def _read_profile(self) -> Any:
        lines = list(self.archive.lines(PROFILE, _PROFILE_LINE))
        if len(lines) != 1:
            raise NoArchive(f"{PROFILE} must have exactly one line.")
        try:
            return MEMBER_PROFILE.get().rules.parse(lines[0])
        except ValidationFailed as error:
            raise ValidationFailed([*_in_line(PROFILE, 1, error)]) from None

    def new_id(self, old_id: UUID, *, keeps_time: bool) -> UUID:
        """Return a new id: greater than all before, or with the old id's time (`Archived.keeps_time`)."""
        if keeps_time:
            random = blake2b(old_id.bytes, digest_size=8, key=self._secret).digest()
            high = old_id.int >> 64 << 64
            return UUID(int=high | 0b10 << 62 | int.from_bytes(random) & _LOW)
        self._newest = max(uuid7(), UUID(int=self._newest.int + 1))
        return self._newest


class _Lines:
    """The lines of one table."""

    def __init__(self, checker: Checker, member: Member, laid: Laid) -> None:
        self._checker, self._laid, self._table = checker, laid, laid.table
        table, columns = laid.table, columns_of(laid.table.model)
        self._path, self._how, self._derive = table.path, table.how, table.data.computed.derived
        self._left_out = {name: columns[name].get_default() for name in table.how.left_out} | {"member_id": member.id}
        self._defaults = table.defaults(checker.archive.version, member)
        others = checker.tables.values()
        self._is_wanted = any(table.name in (*one.references.values(), *one.loose.values()) for one in others)
        self._counters = [
            tally.column for one in others for tally in one.how.tallies if one.references[tally.per] == table.name
        ]
        unique = (() if table.how.keeps_time else ("id",), table.how.once)
        self._once = [columns for columns in unique if columns]
        self._seen: set[tuple[Any, ...]] = set()
        self._counted: Counter[tuple[Maximum | Tally, Any]] = Counter()

    def read(self) -> None:
        """Check the lines, and write their rows.

        Raises:
            ValidationFailed: lines are invalid.
            NoArchive: the number of lines differs from the manifest.
        """
        details, number = list[Detail](), 0
        for number, value in enumerate(self._checker.archive.lines(self._path, self._table.long_line), start=1):
            try:
                self._laid.add(self._row(value, number))
            except ValidationFailed as error:
                details += _in_line(self._path, number, error)
                if len(details) >= MAX_DETAILS:
                    break
        if details := details or [*islice(self._wrong_counters(), MAX_DETAILS)]:
            raise ValidationFailed(details)
        if number != self._checker.archive.counts.get(self._table.name):
            raise NoArchive(f"the number of lines in {self._path} differs from the manifest.")

    def _row(self, value: Any, number: int) -> Columns:
        """Return the whole row of a line. Raises ValidationFailed if it is invalid."""
        if not isinstance(value, dict):
            raise ValidationFailed.of("", "Must be a JSON object, and not too long.")
        row = self._left_out | self._table.line.parse(self._defaults | value)
        old_id = row["id"]
        self._require_once(row)
        references = {name: row[name] for name in self._table.references if row[name] is not None}
        for name, old in references.items():
            row[name] = self._found(name, old, references).id
        for name, other in self._table.loose.items():
            there = self._checker.known[other].get(row[name])
            row[name] = uuid7() if there is None else there.id
        self._require_room(row, references)
        for tally in self._how.tallies:
            self._counted[tally, references[tally.per]] += tally.counts(row)
        if self._table.stored_file is not None:
            self._require_file(row, self._table.stored_file)
        row["id"] = self._checker.new_id(old_id, keeps_time=self._how.keeps_time)
        if self._is_wanted:
            counters = {name: row[name] for name in self._counters}
            self._checker.known[self._table.name][old_id] = _Known(row["id"], references, number, counters)
        return row if self._derive is None else row | self._derive(row)

    def _require_once(self, row: Columns) -> None:
        for columns in self._once:
            key = (columns, *(row[name] for name in columns))
            if key in self._seen:
                raise ValidationFailed.of(columns[-1], TWICE if columns == ("id",) else "Is also in another line.")
            if key[-1] is not None:
                self._seen.add(key)

    def _found(self, name: str, old: UUID, references: Columns) -> _Known:
        """Return the line that a reference refers to."""
        other, shared = self._table.references[name], self._how.shares.get(name)
        found = self._checker.known[other].get(old)
        if found is None:
            raise ValidationFailed.of(name, f"Is not the id of a line of {other}.")
        if shared is not None and found.references.get(shared) != references.get(shared):
            raise ValidationFailed.of(name, f"Is the id of a line with a different {shared}.")
        return found

    def _require_room(self, row: Columns, references: Columns) -> None:
        """Refuse a line beyond a maximum.

        Raises:
            Conflict: the maximum is one of the account (`Maximum.is_conflict`).
        """
        for maximum in self._table.data.maxima:
            group = self._group(maximum, references)
            self._counted[maximum, group] += maximum.counts(row)
            if self._counted[maximum, group] > maximum.most:
                refused = f"There would be more than {maximum.most} {maximum.what}."
                if maximum.is_conflict:
                    raise Conflict(f"{refused} Nothing was changed.")
                raise ValidationFailed.of("id", refused)

    def _group(self, maximum: Maximum, references: Columns) -> Any:
        """The key of lines that count toward the same maximum."""
        value, table = None, self._table
        for path in filter(None, maximum.per.split("__")):
            value = references.get(f"{path}_id")
            if value is None:
                return None
            table = self._checker.tables[table.references[f"{path}_id"]]
            references = self._checker.known[table.name][value].references
        return value

    def _require_file(self, row: Columns, column: str) -> None:
        """Check that the stored file of a line exists, is whole, and belongs to no other line."""
        name = row[column]
        if name not in self._checker.unused:
            raise ValidationFailed.of(column, f"Does not name a file below {FILES}, or names that of another line.")
        self._checker.unused.remove(name)
        size, digest = self._checker.archive.require_whole(name)
        for known, value in (("size", size), ("sha256", digest)):
            if row.get(known, value) != value:
                raise ValidationFailed.of(known, f"Does not match {name}.")
        self._laid.file_bytes += size

    def _wrong_counters(self) -> Iterator[Detail]:
        """Yield an error for each counter in earlier tables that does not fit the number of lines in this one."""
        for tally in self._how.tallies:
            target = self._checker.tables[self._table.references[tally.per]]
            for old_id, known in self._checker.known[target.name].items():
                least = self._counted[tally, old_id]
                most, stored = least + tally.uncounted, known.counters[tally.column]
                if not least <= stored <= most:
                    bound = f"at least {least}" if stored < least else f"at most {most}"
                    message = f"{tally.column}: Must be {bound}, as {self._path} has {least}."
                    yield wrong_line(target.path, known.number, message)
