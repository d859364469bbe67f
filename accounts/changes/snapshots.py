"""Compressed snapshots of deleted rows, for undo.

A stream of JSON lines, compressed as they are read, so that a hundred thousand reviews are never in memory as rows.
`{"table": ["vocab.Card", "id", "member_id", …]}` begins a table, with its label and columns. Lines with the values of a
row follow. `{"table": ["practice.Attempt.deck_id"], "to": "0192…"}` is an emptied reference, with the object that it
referred to. Ids follow. Older snapshots have no `"to"`: there the object is the last row before.
"""

import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple
from uuid import UUID

import orjson
from django.db.models import Model

from accounts.changes.contents import dumps
from accounts.members.data import data_of


def is_object(model: type[Model]) -> bool:
    """Return whether list_changes finds changes by the ids of the model's rows."""
    data = data_of(model)
    return data is None or not data.not_listed


class SnapshotTable(NamedTuple):
    """Rows of one table, or an emptied reference.

    Attributes:
        label: the model's; for a reference, followed by the field.
        columns: names of the values; empty for a reference.
        rows: lists of values; ids for a reference.
        to: for a reference, the object that it referred to; None in an older snapshot, where it is the last row before.
    """

    label: str
    columns: list[str]
    rows: list[Any]
    to: UUID | None


class Snapshots:
    """The snapshots of the rows that a call deletes.

    Attributes:
        objects: ids of deleted objects (`is_object`), and of objects whose references are emptied.
    """

    def __init__(self) -> None:
        self.objects: set[UUID] = set()
        self._packer: Any = None
        self._pieces: list[bytes] = []

    def rows(self, model: type[Model], found: Iterable[Sequence[Any]]) -> int:
        """Keep whole rows, the id first. Return their number."""
        number, objects = 0, is_object(model)
        for values in found:
            if number == 0:
                self._write({"table": [model._meta.label, *(field.attname for field in model._meta.concrete_fields)]})
            self._write(values)
            if objects:
                self.objects.add(values[0])
            number += 1
        return number

    def reference(self, model: type[Model], attname: str, found: Iterable[tuple[UUID, UUID]]) -> int:
        """Keep the ids of rows whose column `attname` is about to be emptied. Return their number.

        Args:
            found: id and column of each, in the order of the column.
        """
        label, number, target = f"{model._meta.label}.{attname}", 0, None
        objects = is_object(model)
        for id_, to in found:
            if to != target:
                self._write({"table": [label], "to": to})
                target = to
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

    def _write(self, line: object) -> None:
        if self._packer is None:
            self._packer = zlib.compressobj()
        piece = self._packer.compress(dumps(line) + b"\n")
        if piece:
            self._pieces.append(piece)


def snapshot_tables(stored: bytes) -> Iterator[SnapshotTable]:
    """Read the output of `Snapshots.packed`. Each row follows the rows it refers to."""
    table: SnapshotTable | None = None
    for text in zlib.decompress(stored).splitlines():
        line = orjson.loads(text)
        if isinstance(line, dict):
            if table is not None:
                yield table
            label, *columns = line["table"]
            table = SnapshotTable(label, columns, [], UUID(line["to"]) if "to" in line else None)
        elif table is not None:
            table.rows.append(line)
    if table is not None:
        yield table


def with_reference(stored: bytes, label: str, ids: Iterable[UUID], to: UUID) -> bytes:
    """Return `stored` with one more emptied reference, from the rows `ids`."""
    lines = b"\n".join(map(dumps, ({"table": [label], "to": to}, *ids)))
    return zlib.compress(zlib.decompress(stored) + lines + b"\n")
