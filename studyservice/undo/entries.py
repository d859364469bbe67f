"""What a change did, from its row in the log of changes: one entry for each row of a table."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from django.apps import apps
from django.db.models import Model, Q

from studyservice.changes.contents import reader, value_of
from studyservice.changes.stream import (
    CHANGED,
    DELETED,
    EMPTIED,
    MADE,
    ORDERED,
    StreamTable,
    stream_tables,
    with_reference,
)
from studyservice.database.executing import batches, update_later
from studyservice.models import Change, ChangeObject
from studyservice.registry import Member
from studyservice.registry.data import Columns, columns_of, counters, data_of, target_of

NEVER_COMPARED = frozenset({"created_at", "updated_at", "sequence", "graded", "marked_at", "folded"})
"""Columns of a created row that the service writes, so that its undo does not compare them."""


@dataclass(slots=True)
class Entry:
    """What a change did to one row.

    Attributes:
        name: the row's, before the change; empty if unknown.
        before: the changed columns before; None if the row was created; the whole row, with values of columns instead
            of JSON, if it was deleted.
        after: the changed columns after; None if it was deleted.
    """

    name: str
    before: Columns | None
    after: Columns | None


class Emptied(NamedTuple):
    """A reference that a deletion emptied.

    Attributes:
        label: of the model with the reference.
        attname: its column.
        to: the id that it held.
    """

    label: str
    attname: str
    to: UUID


@dataclass(slots=True)
class Effects:
    """Everything that a change did.

    Attributes:
        rows: the entries, by label and id.
        emptied: the ids of the rows with each emptied reference.
        orders: by label and parent, the ids of its rows in their order after the change, if it ordered them.
    """

    rows: defaultdict[str, dict[UUID, Entry]] = field(default_factory=lambda: defaultdict(dict))
    emptied: defaultdict[Emptied, list[UUID]] = field(default_factory=lambda: defaultdict(list))
    orders: dict[tuple[str, UUID], list[UUID]] = field(default_factory=dict)

    def delete(self, label: str, row: Columns) -> None:
        """Add that a row was deleted, whatever the change did to it before."""
        first = self.rows[label].pop(row["id"], None)
        if first is None:
            self.rows[label][row["id"]] = Entry("", row, None)
        elif first.before is not None:
            model: type[Model] = apps.get_model(label)
            known = columns_of(model)
            before = {name: value_of(known[name], value) for name, value in first.before.items()}
            self.rows[label][row["id"]] = Entry("", row | before, None)

    def add(self, label: str, id_: UUID, name: str, before: Columns | None, after: Columns | None) -> None:
        """Add a later entry. A row has one entry, with what was first and what is last."""
        first = self.rows[label].get(id_)
        if first is None:
            self.rows[label][id_] = Entry(name, before, after)
        elif before is not None and after is not None:
            if first.before is not None:
                first.before |= {column: value for column, value in before.items() if column not in first.before}
            if first.after is not None:
                first.after |= after


def effects_of(member: Member, change: Mapping[str, Any], now: datetime) -> Effects:
    """Return what a change did.

    Args:
        change: its row of the log.
        now: the stamp for restored rows.

    """
    effects, last = Effects(), dict[str, UUID]()
    for table in stream_tables(bytes(change["taken"])) if change["taken"] is not None else ():
        if table.kind == DELETED:
            read = _deleted(member, table, now)
            last[table.label] = read[-1]["id"]
            for row in read:
                effects.delete(table.label, row)
        elif table.kind == EMPTIED:
            [attname] = table.columns
            to = table.to or last[target_of(table.label, attname)]
            effects.emptied[Emptied(table.label, attname, to)] += map(UUID, table.rows)
        elif table.kind == ORDERED and table.to is not None:
            effects.orders[table.label, table.to] = [*map(UUID, table.rows)]
        else:
            _add_rows(effects, table)
    for rows in effects.rows.values():
        if (head := rows.get(change["object_id"])) is not None:
            head.name = head.name or change["object_name"]
    return effects


def _add_rows(effects: Effects, table: StreamTable) -> None:
    """Add created or changed rows. Columns that an undo does not compare, or that are gone, are left out."""
    model: type[Model] = apps.get_model(table.label)
    known = columns_of(model)
    if table.kind == CHANGED:
        half = len(table.columns)
        for id_, *values in table.rows:
            old, new = (dict(zip(table.columns, side, strict=True)) for side in (values[:half], values[half:]))
            effects.add(table.label, UUID(id_), "", _known(old, known), _known(new, known))
    if table.kind == MADE:
        compared = known.keys() - NEVER_COMPARED - counters()
        for values in table.rows:
            row = dict(zip(table.columns, values, strict=True))
            name = str(model(**_known(row, known)))
            effects.add(table.label, UUID(row["id"]), name, None, _known(row, compared))


def _known(fields: Columns, names: Collection[str]) -> Columns:
    return {name: value for name, value in fields.items() if name in names}


def _deleted(member: Member, table: StreamTable, now: datetime) -> list[Columns]:
    """Return the rows with values of columns. Columns that the table no longer has are left out."""
    model: type[Model] = apps.get_model(table.label)
    known, data = columns_of(model), data_of(model)
    fresh = {name: one.get_default() for name, one in known.items() if name not in table.columns}
    if data is not None and data.log.defaults is not None and fresh:
        fresh |= {name: value for name, value in data.log.defaults(member).items() if name in fresh}
    fresh |= dict.fromkeys(() if data is None else data.log.restamped, now) | dict.fromkeys(
        counters() & known.keys(), 0
    )
    kept = [
        (place, name, reader(known[name]))
        for place, name in enumerate(table.columns)
        if name in known and name not in fresh
    ]
    rows = []
    for values in table.rows:
        row = fresh | {
            name: values[place] if read is None or values[place] is None else read(values[place])
            for place, name, read in kept
        }
        rows.append(row if data is None or data.computed.derived is None else row | data.computed.derived(row))
    return rows


Waiting = Mapping[UUID, Iterable[tuple[Emptied, list[UUID]]]]
"""By deleted object: references to fill when its deletion is undone, with the ids of their rows."""


def wait(member_id: UUID, waiting: Waiting) -> None:
    """Add references to the deletion of one of their ends, if it can still be undone. The other end is restored."""
    mine = Change.objects.filter(member_id=member_id)
    left = dict(waiting)
    for batch in batches(waiting):
        further = ChangeObject.objects.filter(member_id=member_id, object_id__in=batch).values("change_id")
        deletions = mine.filter(Q(object_id__in=batch) | Q(id__in=further), taken__isnull=False, undone_at=None)
        for change in deletions.order_by("-created_at"):
            taken = bytes(change.taken or b"")
            for id_ in left.keys() & _deleted_ids(taken):
                for one, ids in left.pop(id_):
                    taken = with_reference(taken, f"{one.label}.{one.attname}", ids, one.to)
                update_later(mine.filter(id=change.id), taken=taken)


def _deleted_ids(stream: bytes) -> set[UUID]:
    tables = (table for table in stream_tables(stream) if table.kind == DELETED)
    return {UUID(row[table.columns.index("id")]) for table in tables for row in table.rows}
