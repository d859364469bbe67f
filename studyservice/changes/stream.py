"""The stream of a change: what became of each row, for undo.

Lines of JSON, compressed as they are written, so that a hundred thousand rows are never in memory. A line with a table
begins a group; the lines after it are its rows:

    {"table": ["vocab.Card", "id", …]}                        deleted rows, whole
    {"table": ["practice.Attempt.deck_id"], "to": "0192…"}    ids of rows whose reference to an object was emptied
    {"table": ["+courses.Item"], "columns": ["id", …]}        created rows, whole
    {"table": ["~courses.Item"], "columns": ["due_on", …]}    changed rows: the id, the values before, those after
    {"table": ["#planning.Milestone"], "to": "0192…"}         ids of an object's rows in their order after the change

Version 0.6 wrote only the first two, the second without `"to"`: there the object is the last row before. It can skip
the others.
"""

import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple
from uuid import UUID

import orjson
from django.db.models import Model

from studyservice.changes.contents import dumps
from studyservice.registry.data import columns_of, data_of

DELETED, EMPTIED, MADE, CHANGED, ORDERED = "", ".", "+", "~", "#"
"""Kinds of tables. The last three begin the label."""


def is_object(model: type[Model]) -> bool:
    """Return whether list_changes finds changes by the ids of the model's rows."""
    data = data_of(model)
    return data is None or not data.log.not_listed


class StreamTable(NamedTuple):
    """A group of rows.

    Attributes:
        kind: one of `DELETED`, `EMPTIED`, `MADE`, `CHANGED` and `ORDERED`.
        label: the model's.
        columns: names of the values; for an emptied reference, its column.
        rows: lists of values; ids for `EMPTIED` and `ORDERED`.
        to: the object of `EMPTIED` and `ORDERED`; None of a reference in an older stream.
    """

    kind: str
    label: str
    columns: list[str]
    rows: list[Any]
    to: UUID | None


class Stream:
    """Collects what becomes of rows.

    Attributes:
        objects: ids of the rows (`is_object`).
    """

    def __init__(self) -> None:
        self.objects: set[UUID] = set()
        self._packer: Any = None
        self._pieces: list[bytes] = []
        self._table: Mapping[str, Any] = {}

    def deleted(self, model: type[Model], found: Iterable[Sequence[Any]]) -> int:
        """Keep whole rows, the id first. Return their number."""
        columns = [*columns_of(model)]
        return self._rows(model, {"table": [model._meta.label, *columns]}, found)

    def made(self, model: type[Model], rows: Iterable[Mapping[str, Any]]) -> None:
        """Keep rows by column: whole, or the columns of `Logged.columns`."""
        data = data_of(model)
        only = () if data is None else data.log.columns
        columns = ["id", *only] if only else [*columns_of(model)]
        head = {"table": [f"{MADE}{model._meta.label}"], "columns": columns}
        self._rows(model, head, ([row[name] for name in columns] for row in rows))

    def changed(self, model: type[Model], id_: UUID, before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
        """Keep changed columns of a row."""
        head = {"table": [f"{CHANGED}{model._meta.label}"], "columns": [*after]}
        self._rows(model, head, [[id_, *(before[name] for name in after), *after.values()]])

    def ordered(self, model: type[Model], parent_id: UUID, ids: Iterable[UUID]) -> None:
        """Keep the order of an object's rows."""
        self._start({"table": [f"{ORDERED}{model._meta.label}"], "to": parent_id})
        for id_ in ids:
            self._write(id_)

    def emptied(self, model: type[Model], attname: str, found: Iterable[tuple[UUID, UUID]]) -> int:
        """Keep the ids of rows whose column `attname` is about to be emptied. Return their number.

        Args:
            found: id and column of each, in the order of the column.
        """
        number, objects = 0, is_object(model)
        for id_, to in found:
            self._start({"table": [f"{model._meta.label}.{attname}"], "to": to})
            self._write(id_)
            if objects:
                self.objects.add(id_)
            number += 1
        return number

    def packed(self) -> bytes | None:
        """Return everything kept, or None if nothing was."""
        if self._packer is None:
            return None
        return b"".join((*self._pieces, self._packer.flush()))

    def _rows(self, model: type[Model], head: Mapping[str, Any], found: Iterable[Sequence[Any]]) -> int:
        number, objects = 0, is_object(model)
        for values in found:
            self._start(head)
            self._write(values)
            if objects:
                self.objects.add(values[0])
            number += 1
        return number

    def _start(self, head: Mapping[str, Any]) -> None:
        """Begin a table, unless it goes on."""
        if head is not self._table and head != self._table:
            self._write(head)
            self._table = head

    def _write(self, line: object) -> None:
        if self._packer is None:
            self._packer = zlib.compressobj()
        piece = self._packer.compress(dumps(line) + b"\n")
        if piece:
            self._pieces.append(piece)


def stream_tables(stored: bytes) -> Iterator[StreamTable]:
    """Read the output of `Stream.packed`. Each deleted row follows the rows it refers to."""
    table: StreamTable | None = None
    for text in zlib.decompress(stored).splitlines():
        line = orjson.loads(text)
        if isinstance(line, dict):
            if table is not None:
                yield table
            table = _table(line)
        elif table is not None:
            table.rows.append(line)
    if table is not None:
        yield table


def _table(line: Mapping[str, Any]) -> StreamTable:
    label, *columns = line["table"]
    to = UUID(line["to"]) if "to" in line else None
    if label[0] in {MADE, CHANGED, ORDERED}:
        return StreamTable(label[0], label[1:], line.get("columns", []), [], to)
    if columns:
        return StreamTable(DELETED, label, columns, [], None)
    label, _, attname = label.rpartition(".")
    return StreamTable(EMPTIED, label, [attname], [], to)


def with_reference(stored: bytes, label: str, ids: Iterable[UUID], to: UUID) -> bytes:
    """Return `stored` with one more emptied reference, from the rows `ids`."""
    lines = b"\n".join(map(dumps, ({"table": [label], "to": to}, *ids)))
    return zlib.compress(zlib.decompress(stored) + lines + b"\n")
