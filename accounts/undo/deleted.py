"""Undo a deletion: restore the rows with their ids and everything below them."""

from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from typing import Any
from uuid import UUID

from django.apps import apps
from django.db import models
from django.db.models import Model, Q, QuerySet

from accounts.changes.contents import as_words, type_of
from accounts.changes.models import Change, ChangeObject
from accounts.changes.recording import Write
from accounts.changes.snapshots import SnapshotTable, snapshot_tables, with_reference
from accounts.changes.values import columns, reader
from accounts.members.data import Columns, counters, data_of, is_only, member_data
from accounts.members.models import Member
from accounts.undo.limits import count_restored
from studyservice.database.batches import batches
from studyservice.database.statements import Insert
from studyservice.operations.errors import Conflict


class Return:
    """The undo of a deletion."""

    def __init__(self, member: Member, write: Write) -> None:
        self._member = member
        self._write = write
        self._back: defaultdict[str, set[UUID]] = defaultdict(set)
        self._last: dict[str, list[Columns]] = {}
        """By label, the rows of its last table, which older snapshots' references belong to."""
        self._waiting: defaultdict[tuple[str, UUID], list[UUID]] = defaultdict(list)
        """By reference and deleted object: the rows restored without the reference."""

    def of(self, snapshots: bytes) -> None:
        """Restore the output of `accounts.changes.snapshots.Snapshots.packed`.

        Raises:
            Conflict: the parent of the rows is gone, equal rows already exist, or a limit is reached.
        """
        references = []
        for table in snapshot_tables(snapshots):
            if table.columns:
                self._restore(table)
            elif table.to is None:
                self._references(table)
            else:
                references.append(table)
        for table in sorted(references, key=_order):
            self._references(table)
        for (label, target_id), ids in self._waiting.items():
            self._defer_reference(target_id, label, ids, target_id)

    def _restore(self, table: SnapshotTable) -> None:
        model: type[Model] = apps.get_model(table.label)
        rows = self._read(model, table)
        self._require_absent(model, [row["id"] for row in rows])
        for field in model._meta.concrete_fields:
            if isinstance(field, models.ForeignKey) and field.attname != "member_id":
                self._find_parents(model, field, rows)
        _insert(model).run_all(rows)
        self._back[table.label].update(row["id"] for row in rows)
        self._write.touched(model, (row["id"] for row in rows))
        self._last[table.label] = rows
        count_restored(self._member.id, model, rows)
        data = data_of(model)
        if data is not None and data.on_restore is not None:
            data.on_restore(self._member, rows)

    def _read(self, model: type[Model], table: SnapshotTable) -> list[Columns]:
        """The rows with column values. Columns that the table no longer has are left out."""
        known = columns(model)
        data = data_of(model)
        stamps = dict.fromkeys(() if data is None else data.restamped, self._write.now)
        new = {name: field.get_default() for name, field in known.items() if name not in table.columns}
        if data is not None and data.defaults is not None and new:
            new |= {name: value for name, value in data.defaults(self._member).items() if name in new}
        fresh = new | stamps | dict.fromkeys(counters() & known.keys(), 0)
        kept = [
            (place, name, reader(known[name]))
            for place, name in enumerate(table.columns)
            if name in known and name not in fresh
        ]
        rows = [
            fresh
            | {
                name: values[place] if read is None or values[place] is None else read(values[place])
                for place, name, read in kept
            }
            for values in table.rows
        ]
        if data is not None and data.derived is not None:
            rows = [row | data.derived(row) for row in rows]
        return rows

    def _require_absent(self, model: type[Model], ids: Iterable[UUID]) -> None:
        for batch in batches(ids):
            if QuerySet(model).filter(member_id=self._member.id, pk__in=batch).exists():
                raise Conflict(f"The {as_words(type_of(model))} already exists again.")

    def _find_parents(self, model: type[Model], field: "models.ForeignKey[Any, Any]", rows: list[Columns]) -> None:
        """Check that referenced rows exist or were restored. Optional references are emptied otherwise."""
        target = field.related_model
        wanted = {row[field.attname] for row in rows} - {None} - self._back[target._meta.label]
        there: set[UUID] = set()
        self._require_only(model, field.attname, {row[field.attname] for row in rows} - {None})
        for batch in batches(wanted):
            found: QuerySet[Model] = QuerySet(target).filter(member_id=self._member.id, pk__in=batch)
            there.update(found.order_by().values_list("pk", flat=True))
        for row in rows if wanted - there else ():
            if row[field.attname] in wanted - there:
                if not field.null:
                    name = model(**row)
                    words = as_words(type_of(target))
                    raise Conflict(f"The {words} of “{name}” was deleted. Undo that deletion first.")
                self._waiting[f"{model._meta.label}.{field.attname}", row[field.attname]].append(row["id"])
                row[field.attname] = None

    def _require_only(self, model: type[Model], attname: str, wanted: Iterable[UUID]) -> None:
        """Raise if another row already refers to the same object where only one may.

        Raises:
            Conflict: another row does.
        """
        for batch in batches(wanted) if is_only(model, attname) else ():
            mine: QuerySet[Model] = QuerySet(model).filter(member_id=self._member.id)
            other = mine.filter(**{f"{attname}__in": batch}).first()
            if other is not None:
                words = as_words(attname.removesuffix("_id"))
                raise Conflict(f"“{other}” has the {words} by now. Undo or delete that first.")

    def _references(self, table: SnapshotTable) -> None:
        """Fill references that the deletion emptied, if they are still empty."""
        label, _, attname = table.label.rpartition(".")
        model: type[Model] = apps.get_model(label)
        ids = list(map(UUID, table.rows))
        if table.to is None:
            [target] = self._last[_target(model, attname)]
            target_id: UUID = target["id"]
        else:
            target_id = table.to
            targets: QuerySet[Model] = QuerySet(apps.get_model(_target(model, attname)))
            if not targets.filter(member_id=self._member.id, pk=target_id).exists():
                self._waiting[table.label, target_id] += ids
                return
        data = data_of(model)
        refills = None if data is None else data.refills.get(attname)
        filled = 0
        for batch in batches(ids):
            there: QuerySet[Model] = QuerySet(model).filter(member_id=self._member.id, pk__in=batch)
            fitting = there.filter(**{f"{attname}__isnull": True})
            if refills is not None:
                fitting = fitting.filter(refills(target_id))
            if is_only(model, attname) and fitting.exists():
                self._require_only(model, attname, [target_id])
            number = fitting.update(**{attname: target_id})
            filled += number
            if number < len(batch):
                for gone_id in {*batch}.difference(there.values_list("pk", flat=True)):
                    self._defer_reference(gone_id, table.label, [gone_id], target_id)
        self._write.touched(model, ids if filled else ())
        if filled and data is not None and data.on_reference is not None:
            data.on_reference(self._member, ids)

    def _defer_reference(self, gone_id: UUID, label: str, ids: list[UUID], target_id: UUID) -> None:
        """Add a reference to the snapshot of the deletion of `gone_id`, if that can still be undone.

        One end of the reference is restored, the other is not. Restoring the second end fills the reference.
        """
        mine = Change.objects.filter(member_id=self._member.id)
        further = ChangeObject.objects.filter(member_id=self._member.id, object_id=gone_id).values("change_id")
        found = mine.filter(Q(object_id=gone_id) | Q(id__in=further), taken__isnull=False, undone_at=None)
        for change in found.order_by("-created_at"):
            if change.taken is not None and _has_deleted(bytes(change.taken), gone_id):
                taken = with_reference(bytes(change.taken), label, ids, target_id)
                mine.filter(id=change.id).update(taken=taken)
                return


def _has_deleted(snapshots: bytes, gone_id: UUID) -> bool:
    """Return whether the deletion removed the object, rather than emptied its reference."""
    return any(
        str(gone_id) == row[table.columns.index("id")]
        for table in snapshot_tables(snapshots)
        if table.columns
        for row in table.rows
    )


def _order(references: SnapshotTable) -> int:
    """Return the order of filling references: the category of an item before the item of a score."""
    label = references.label.rpartition(".")[0]
    return next(place for place, data in enumerate(member_data()) if data.label == label)


@cache
def _insert(model: type[Model]) -> Insert:
    return Insert(model)


def _target(model: type[Model], attname: str) -> str:
    """Return the label of the model that a reference refers to."""
    field = columns(model)[attname]
    if isinstance(field, models.ForeignKey):
        return field.related_model._meta.label
    data = data_of(model)
    if data is None:
        raise LookupError(model._meta.label)
    return data.plain_references[attname]
