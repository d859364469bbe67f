"""The lines of an archive held to their rules, and laid down as rows with new ids; the database is not touched."""

import secrets
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import IO, Any
from uuid import UUID

import orjson

from accounts.archive.profile import PROFILE, ProfileLine
from accounts.archive.tables import FILES, TABLES, ArchiveTable, Limit
from accounts.archive.unpacking import Archive, Line, NoArchive
from accounts.change_contents import dumps
from studyservice.database.ids import uuid7
from studyservice.operations.errors import MAX_DETAILS, Detail, ValidationFailed

FIELD = "file"
"""What a refusal of a line names: the part of the form that has the archive."""

_LOW = (1 << 62) - 1
_PROFILE_LINE = 4096


def wrong_line(path: str, number: int, message: str) -> Detail:
    """What is told of a line that breaks a rule."""
    return {"field": FIELD, "message": f"{path}, line {number}: {message}"}


@dataclass(slots=True)
class Laid:
    """The rows of a table, as JSON arrays in a temporary file."""

    table: ArchiveTable
    file: IO[bytes]
    number: int = 0

    def batches(self, size: int) -> Iterator[tuple[int, list[list[Any]]]]:
        """The rows, some at a time, each time with the number of the first, from 1."""
        self.file.seek(0)
        first, batch = 1, []
        for raw in self.file:
            batch.append(orjson.loads(raw))
            if len(batch) == size:
                yield first, batch
                first, batch = first + size, []
        if batch:
            yield first, batch


@dataclass(frozen=True, slots=True)
class _Known:
    """A line that others refer to: the id of its row, and what it refers to."""

    id: UUID
    references: dict[str, Any]


@dataclass(slots=True)
class _Seen:
    """What was seen of a table."""

    ids: set[UUID] = field(default_factory=set)
    once: set[tuple[Any, ...]] = field(default_factory=set)
    counted: Counter[tuple[Limit, Any]] = field(default_factory=Counter)


class Checker:
    """Reads an archive to its end.

    Attributes:
        laid: the rows, table by table; their files live as long as `files`.
        profile: what the profile becomes.
    """

    def __init__(self, archive: Archive, files: ExitStack) -> None:
        self._archive = archive
        self._known: dict[str, dict[UUID, _Known]] = {}
        self._wanted = {name for table in TABLES for name in (*table.references.values(), *table.loose.values())}
        self._secret = secrets.token_bytes(16)
        self._newest = UUID(int=0)
        self._unused = set(archive.files)
        self.profile = self._read_profile()
        self.laid: list[Laid] = []
        for table in TABLES:
            file: IO[bytes] = files.enter_context(tempfile.TemporaryFile())  # noqa: SIM115  # it is one
            laid = Laid(table, file)
            self._lay(laid)
            self.laid.append(laid)
        if self._unused:
            raise NoArchive(f"no line names {min(self._unused)}.")

    def _read_profile(self) -> Any:
        lines = list(self._archive.lines(PROFILE, _PROFILE_LINE))
        if len(lines) != 1:
            raise NoArchive(f"{PROFILE} has not one line.")
        try:
            return ProfileLine.parse(lines[0].value)
        except ValidationFailed as error:
            raise ValidationFailed(_in_line(PROFILE, 1, error)) from None

    def _lay(self, laid: Laid) -> None:
        """Check the lines of a table and lay them down.

        Raises:
            ValidationFailed: lines break rules.
            NoArchive: there are not as many as the manifest tells.
        """
        table, seen, details = laid.table, _Seen(), list[Detail]()
        known = self._known.setdefault(table.name, {})
        for line in self._archive.lines(table.path(), table.long_line):
            laid.number = line.number
            try:
                row = self._row(table, line, seen, known)
            except ValidationFailed as error:
                details += _in_line(table.path(), line.number, error)
                if len(details) >= MAX_DETAILS:
                    break
            else:
                laid.file.write(dumps(list(row.values())) + b"\n")
        if details:
            raise ValidationFailed(details)
        if laid.number != self._archive.counts.get(table.name):
            raise NoArchive(f"{table.path()} has not as many lines as the manifest tells.")

    def _row(self, table: ArchiveTable, line: Line, seen: _Seen, known: dict[UUID, _Known]) -> dict[str, Any]:
        """The row of a line, by its columns.

        Raises:
            ValidationFailed: the line breaks a rule.
        """
        fields = _parsed(table, line)
        old_id: UUID = fields["id"]
        if not table.keeps_time:
            if old_id in seen.ids:
                raise ValidationFailed.of("id", "Is the id of another line, too.")
            seen.ids.add(old_id)
        references = {name: fields[name] for name in table.references if fields[name] is not None}
        for name, value in references.items():
            fields[name] = self._found(table.references[name], value, name).id
        for name, other in table.loose.items():
            there = self._known[other].get(fields[name])
            fields[name] = uuid7() if there is None else there.id
        self._require_once(table, fields, seen)
        self._require_room(table, references, seen)
        self._require_file(table, fields)
        fields["id"] = self._new_id(table, old_id)
        if table.name in self._wanted:
            known[old_id] = _Known(fields["id"], references)
        return {name: fields[name] for name in table.columns()}

    def _found(self, name: str, value: UUID, of: str) -> _Known:
        found = self._known[name].get(value)
        if found is None:
            raise ValidationFailed.of(of, f"Is the id of no line of {name}.")
        return found

    def _require_once(self, table: ArchiveTable, fields: dict[str, Any], seen: _Seen) -> None:
        if not table.once:
            return
        key = tuple(fields[name] for name in table.once)
        if key in seen.once:
            raise ValidationFailed.of(table.once[-1], "Is in another line, too.")
        seen.once.add(key)

    def _require_room(self, table: ArchiveTable, references: dict[str, UUID], seen: _Seen) -> None:
        """Let there be no more lines than there can be."""
        for limit in table.limits:
            group = self._group(table, limit, references)
            seen.counted[limit, group] += 1
            if seen.counted[limit, group] > limit.most:
                raise ValidationFailed.of("id", f"There would be more than {limit.most} {limit.what}.")

    def _group(self, table: ArchiveTable, limit: Limit, references: dict[str, Any]) -> Any:
        """What the lines that are counted together with one have in common."""
        value: Any = None
        tables = {one.name: one for one in TABLES}
        for name in limit.per:
            value = references.get(name)
            if value is None:
                return None
            table = tables[table.references[name]]
            references = self._known[table.name][value].references
        return value

    def _require_file(self, table: ArchiveTable, fields: dict[str, Any]) -> None:
        """Let a line that names a stored file name one that is there and whole, and that no other line names."""
        column = table.stored_file()
        if column is None:
            return
        name = fields[column]
        if name not in self._unused:
            raise ValidationFailed.of(column, f"Names no file below {FILES}, or one that another line names.")
        self._unused.remove(name)
        self._archive.require_whole(name)

    def _new_id(self, table: ArchiveTable, old_id: UUID) -> UUID:
        """An id that nobody has; later lines have greater ones."""
        if table.keeps_time:
            random = blake2b(old_id.bytes, digest_size=8, key=self._secret).digest()
            high = old_id.int >> 64 << 64
            return UUID(int=high | 0b10 << 62 | int.from_bytes(random) & _LOW)
        self._newest = max(uuid7(), UUID(int=self._newest.int + 1))
        return self._newest


def _parsed(table: ArchiveTable, line: Line) -> dict[str, Any]:
    """The fields of a line by its own rules."""
    if not isinstance(line.value, dict):
        raise ValidationFailed.of("", "Must be a JSON object, and not too long.")
    missing = [name for name in table.columns() if name not in line.value]
    if missing:
        raise ValidationFailed([{"field": name, "message": "This field is required."} for name in missing])
    return table.line.parse(line.value)


def _in_line(path: str, number: int, error: ValidationFailed) -> list[Detail]:
    return [
        wrong_line(path, number, f"{detail['field']}: {detail['message']}" if detail["field"] else detail["message"])
        for detail in error.details or []
    ]
