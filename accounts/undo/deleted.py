"""Undo a deletion: restore the rows with their ids and everything below them."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple
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
from accounts.undo.limits import Counted, count_restored, require_within
from studyservice.database.ahead import Ahead, update_later
from studyservice.database.batches import batches
from studyservice.database.statements import Insert
from studyservice.operations.errors import Conflict


class _Coming(NamedTuple):
    """Rows to restore, with queued queries of what can conflict.

    Attributes:
        there: stored rows with the same ids.
        parents: by foreign key, the stored rows that it refers to, except those that are restored too.
        rivals: by unique foreign key, the stored rows with one of its values.
    """

    model: type[Model]
    rows: list[Columns]
    there: list[Ahead[Any]]
    parents: "dict[models.ForeignKey[Any, Any], list[Ahead[Any]]]"
    rivals: "dict[models.ForeignKey[Any, Any], list[Ahead[Any]]]"


class _Reference(NamedTuple):
    """References to an object that the deletion emptied.

    Attributes:
        label: the model and the column of the reference, like `vocab.Deck.course_id`.
        to: the id of the object.
        ids: the ids of the rows with the reference.
    """

    label: str
    to: UUID
    ids: list[UUID]


class _Emptied(NamedTuple):
    """A batch of the rows of a `_Reference`, with queued queries of them.

    Attributes:
        there: the ids of the stored rows.
        fitting: the stored rows whose reference can be filled again.
        empty: the ids of these.
    """

    to: UUID
    ids: list[UUID]
    there: Ahead[Any]
    fitting: QuerySet[Model]
    empty: Ahead[Any]


class Return:
    """The undo of a deletion.

    On PostgreSQL one round trip reads everything that can conflict, and another writes all rows.
    """

    def __init__(self, member: Member, write: Write) -> None:
        self._member = member
        self._write = write
        self._back: defaultdict[str, dict[UUID, Columns]] = defaultdict(dict)
        """By label, the restored rows."""
        self._waiting: defaultdict[tuple[str, UUID], list[UUID]] = defaultdict(list)
        """By reference and deleted object: the rows restored without the reference."""

    def of(self, snapshots: bytes) -> None:
        """Restore the output of `accounts.changes.snapshots.Snapshots.packed`.

        Raises:
            Conflict: the parent of the rows is gone, equal rows already exist, or a limit is reached.
        """
        tables: list[tuple[type[Model], list[Columns]]] = []
        references: list[_Reference] = []
        last: dict[str, list[Columns]] = {}
        for table in snapshot_tables(snapshots):
            if table.columns:
                model: type[Model] = apps.get_model(table.label)
                rows = last[table.label] = self._read(model, table)
                tables.append((model, rows))
                self._back[table.label] |= {row["id"]: row for row in rows}
            else:
                to = table.to or _only_target(table, last)
                references.append(_Reference(table.label, to, [*map(UUID, table.rows)]))
        coming = [self._asked(model, rows) for model, rows in tables]
        for one in coming:
            self._require_fitting(one)
        counted = [limit for one in coming for limit in self._restore(one.model, one.rows)]
        for label, of_label in groupby(sorted(references, key=_order), key=attrgetter("label")):
            self._references(label, list(of_label))
        require_within(counted)
        for (label, target_id), ids in self._waiting.items():
            self._defer_reference(target_id, label, ids, target_id)

    def _asked(self, model: type[Model], rows: list[Columns]) -> _Coming:
        coming = _Coming(model, rows, self._ahead(model, "pk", [row["id"] for row in rows]), {}, {})
        for field in model._meta.concrete_fields:
            if isinstance(field, models.ForeignKey) and field.attname != "member_id":
                wanted = {row[field.attname] for row in rows} - {None}
                back = self._back[field.related_model._meta.label].keys()
                coming.parents[field] = self._ahead(field.related_model, "pk", wanted - back)
                if is_only(model, field.attname):
                    coming.rivals[field] = self._ahead(model, field.attname, wanted)
        return coming

    def _ahead(self, model: type[Model], column: str, values: Iterable[UUID]) -> list[Ahead[Any]]:
        """Queue queries of the member's rows with one of the values."""
        mine: QuerySet[Model] = QuerySet(model).filter(member_id=self._member.id)
        return [
            Ahead(mine.filter(**{f"{column}__in": batch}).order_by().values_list("pk", "member_id"))
            for batch in batches(values)
        ]

    def _require_fitting(self, coming: _Coming) -> None:
        """Check that the rows can be stored. Empty optional references to missing rows.

        Raises:
            Conflict: a row is stored already, a parent is missing, or another row has a unique reference.
        """
        model, rows = coming.model, coming.rows
        if _ids(coming.there):
            raise Conflict(f"The {as_words(type_of(model))} already exists again.")
        for field, parents in coming.parents.items():
            if _ids(coming.rivals.get(field, [])):
                self._require_only(model, field.attname, {row[field.attname] for row in rows} - {None})
            there = _ids(parents) | self._back[field.related_model._meta.label].keys()
            for row in rows:
                if row[field.attname] is not None and row[field.attname] not in there:
                    self._do_without(model, field, row)

    def _do_without(self, model: type[Model], field: "models.ForeignKey[Any, Any]", row: Columns) -> None:
        """Empty a row's reference to a missing row. Raise Conflict if it is required."""
        if not field.null:
            words = as_words(type_of(field.related_model))
            raise Conflict(f"The {words} of “{model(**row)}” was deleted. Undo that deletion first.")
        self._waiting[f"{model._meta.label}.{field.attname}", row[field.attname]].append(row["id"])
        row[field.attname] = None

    def _restore(self, model: type[Model], rows: list[Columns]) -> list[Counted]:
        """Store the rows, and return the queued checks of their limits."""
        _insert(model).run_all(rows)
        self._write.touched(model, (row["id"] for row in rows))
        counted = count_restored(self._member.id, model, rows)
        data = data_of(model)
        if data is not None and data.on_restore is not None:
            data.on_restore(self._member, rows)
        return counted

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

    def _references(self, label: str, references: list[_Reference]) -> None:
        """Fill references of one field that the deletion emptied, if they are still empty."""
        name, _, attname = label.rpartition(".")
        model: type[Model] = apps.get_model(name)
        target: type[Model] = apps.get_model(_target(model, attname))
        data = data_of(model)
        back = self._back[target._meta.label].keys()
        targets = self._ahead(target, "pk", {one.to for one in references} - back)
        emptied = [part for one in references for part in self._emptied(model, attname, one)]
        there = _ids(targets) | back
        filled: list[UUID] = []
        for one in emptied:
            if one.to not in there:
                self._waiting[label, one.to] += one.ids
                continue
            if empty := _ids([one.empty]):
                self._require_only(model, attname, [one.to])
                update_later(one.fitting, **{attname: one.to})
                filled += empty
            for gone_id in {*one.ids} - _ids([one.there]):
                self._defer_reference(gone_id, label, [gone_id], one.to)
        self._write.touched(model, filled)
        if filled and data is not None and data.on_reference is not None:
            data.on_reference(self._member, filled)

    def _emptied(self, model: type[Model], attname: str, reference: _Reference) -> Iterator[_Emptied]:
        """Query the rows with an emptied reference, except those restored with it."""
        came_back, to = self._back[model._meta.label], reference.to
        ids = [id_ for id_ in reference.ids if came_back.get(id_, {}).get(attname) != to]
        data = data_of(model)
        refills = None if data is None else data.refills.get(attname)
        for batch in batches(ids):
            mine: QuerySet[Model] = QuerySet(model).filter(member_id=self._member.id, pk__in=batch)
            fitting = mine.filter(**{f"{attname}__isnull": True})
            if refills is not None:
                fitting = fitting.filter(refills(to))
            there, empty = (Ahead(rows.order_by().values_list("pk", "member_id")) for rows in (mine, fitting))
            yield _Emptied(to, batch, there, fitting, empty)

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


def _ids(asked: Iterable[Ahead[Any]]) -> set[UUID]:
    return {pk for rows in asked for pk, _ in rows}


def _order(reference: _Reference) -> tuple[int, str]:
    """Return the order of filling references: the category of an item before the item of a score."""
    label = reference.label.rpartition(".")[0]
    return next(place for place, data in enumerate(member_data()) if data.label == label), reference.label


def _only_target(references: SnapshotTable, last: dict[str, list[Columns]]) -> UUID:
    """Return the target of references in an older snapshot: the last row before them."""
    label, _, attname = references.label.rpartition(".")
    [target] = last[_target(apps.get_model(label), attname)]
    target_id: UUID = target["id"]
    return target_id


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
