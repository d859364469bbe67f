"""Undo a change: delete what it created, insert what it deleted, and restore the columns it changed. All or nothing.

On PostgreSQL one round trip reads everything that can be in the way, and another writes everything. Foreign keys are
checked at the commit, and cascade, so parents of restored rows and rows below deleted ones are read. Only duplicates
are left to the unique keys.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from typing import Any
from uuid import UUID

from django.apps import apps
from django.db import IntegrityError
from django.db.models import F, FileField, Model
from django.utils import timezone

from studyservice.changes.calls import required_call
from studyservice.changes.contents import INTERNAL, ChangeRow, as_kept, as_words, plural_of, type_of, unpacked, value_of
from studyservice.changes.recording import Write
from studyservice.database.constraints import breaks_a_rule, is_duplicate
from studyservice.database.deleting import delete_alone_later
from studyservice.database.executing import batches, update_later, wait_for_statements
from studyservice.database.statements import Insert
from studyservice.operations.errors import Conflict, NotFound
from studyservice.registry import Member
from studyservice.registry.counts import Counted, count_restored, require_within
from studyservice.registry.data import Columns, columns_of, data_of, member_data, target_of
from studyservice.rows.access import Access, change
from studyservice.rows.deleting import plain_references_to, references_to, referring_to
from studyservice.rows.rows import Row
from studyservice.undo.entries import Effects, Emptied, Entry, effects_of, wait
from studyservice.undo.log import CHANGES, REVIEW_LOG, ask_for_change
from studyservice.undo.seen import FILES, NOT_KEPT, require_wholly_seen, why_not
from studyservice.undo.stored import Stored, is_remembered, keys_of, moved, order_of, place_of
from studyservice.undo.version_0_6 import add_stored_fields

_CONFLICT = "Something that happened since stands in the way, so nothing was changed."
_NO_LONGER_FITS = "What was there before no longer fits what was changed since. Undo the later change first."
_DUPLICATE = "Something added or uploaded again since is in the way. Undo or delete that first, then undo this."


def undo_change(access: Access, change_id: UUID) -> ChangeRow:
    """Undo a change. Return it as answers show it from then on.

    Raises:
        NotFound: the call sees no such change.
        PartHidden: the call sees only a part of it.
        GradesHidden: it is about hidden grades.
        Conflict: it cannot be undone, was already undone, or conflicts with a later change. Nothing was changed.
    """
    with_grades = replace(access, limits=replace(access.limits, grades=True))
    with change(access, "undo_change"):
        row, effects = CHANGES.of(with_grades).find(id=change_id), None
        if row is None:
            logged = REVIEW_LOG.get().find(access, change_id)
            if logged is None:
                raise NotFound("No such change. list_changes gives the ids.")
            row, effects = logged
        require_wholly_seen(access.limits, row)
        _undo_row(access, row, effects)
        asked = ask_for_change(access, change_id)
    told = asked()
    if told is None:
        raise NotFound("The change was deleted meanwhile.")
    return told


def undo_changes(access: Access, change_ids: Iterable[UUID]) -> list[ChangeRow]:
    """Undo changes in this order, all or none, and return them like `undo_change`, which names the errors."""
    with required_call().one_transaction(lambda: None):
        return [undo_change(access, change_id) for change_id in change_ids]


def _undo_row(access: Access, row: Row, effects: Effects | None) -> None:
    """Undo the change, and mark it. A review moves to the log of changes, where it remains visible."""
    contents = unpacked(row["contents"])
    reason = why_not(row, contents, timezone.now())
    if reason is None and contents.has_stream and effects is None and row["taken"] is None:
        reason = NOT_KEPT  # purged
    if reason is not None:
        raise Conflict(reason)
    write = access.open_write
    try:
        found = effects or effects_of(access.member, row, write.now)
        if effects is None and not contents.has_stream:
            add_stored_fields(found, row)
        _undo_effects(access.member, write, found, row["object_id"])
    except Conflict as error:
        if access.limits.keep_back:  # the message may name objects that the credential does not see
            raise Conflict(_CONFLICT) from error
        raise
    if effects is not None:
        CHANGES.of(access).insert(row | {"undone_at": write.now})
    else:
        CHANGES.of(access).update(row, {"undone_at": write.now})
    write.took_back(contents, row)


def _undo_effects(member: Member, write: Write, effects: Effects, head_id: UUID) -> None:
    """Undo what a change did to rows, under the lock of `write`.

    Args:
        head_id: the object that the change is about.

    Raises:
        Conflict: something that happened since is in the way. The caller rolls back.
    """
    try:
        _Undo(member, write, effects, head_id).run()
        wait_for_statements()
    except IntegrityError as error:
        if is_duplicate(error):
            raise Conflict(_DUPLICATE) from error
        if breaks_a_rule(error):
            raise Conflict(_NO_LONGER_FITS) from error
        raise


class _Undo:
    """One undo."""

    def __init__(self, member: Member, write: Write, effects: Effects, head_id: UUID) -> None:
        self._member, self._write, self._effects, self._head_id = member, write, effects, head_id
        self._stored = Stored(member.id, effects)
        self._touched: defaultdict[type[Model], list[Columns]] = defaultdict(list)
        self._waiting: defaultdict[UUID, list[tuple[Emptied, list[UUID]]]] = defaultdict(list)

    def run(self) -> None:
        """Check everything that was read, and queue all statements. Raises Conflict."""
        labels = [*self._stored.made]
        for label in reversed(labels):
            self._require_as_made(label)
        self._restore_orders()
        for label in labels:
            self._insert(label)
        for label in labels:
            for id_, one in self._stored.changed[label].items():
                self._update(label, id_, one)
        for emptied in sorted(self._effects.emptied, key=lambda one: place_of(one.label)):
            self._fill(emptied)
        for label in reversed(labels):
            self._delete(label)
        self._settle()

    def _require_as_made(self, label: str) -> None:
        """Raise Conflict unless created rows are unchanged and nothing else refers to them."""
        for id_, one in self._stored.made[label].items():
            if id_ not in self._stored.rows[label]:
                instead = FILES if _is_file(label) else "Undo its deletion first, then this."
                raise Conflict(f"“{one.name}” is gone already. {instead}")
        for reference, numbers in self._stored.below[label]:
            for to, number in numbers.items():
                type_ = type_of(reference.model)
                words = as_words(type_ if number == 1 else plural_of(type_))
                told = f"“{self._stored.made[label][to].name}” has {number} {words} by now"
                raise Conflict(f"{told}. Undo or delete {'that' if number == 1 else 'those'} first, then undo this.")
        for id_, one in self._stored.made[label].items():
            if changed := _differing(label, self._stored.rows[label][id_], one):
                raise Conflict(f"{_changed_since(changed, one.name)}. Undo that first, or delete it yourself.")

    def _restore_orders(self) -> None:
        """Check each order, and move restored rows to the end if their place is taken.

        Raises:
            Conflict: there are other rows now, or another order.
        """
        for (label, parent_id), ids in self._effects.orders.items():
            if [*self._stored.orders[label][parent_id]] != ids:
                words = as_words(plural_of(type_of(apps.get_model(label))))
                told = f"There are other {words} by now, or in another order, and an undo overwrites nothing"
                raise Conflict(f"{told}. Undo that first.")
        for label, back in self._stored.back.items():
            for id_, one in back.items() if moved(label) else ():
                row = one.before or {}
                taken = self._stored.orders[label][row[order_of(label)[0]]]
                if row["position"] in taken.values():
                    row["position"] = max(taken.values()) + 1
                taken[id_] = row["position"]

    def _insert(self, label: str) -> None:
        """Insert deleted rows, without optional references to deleted objects, whose own undo fills them.

        Raises:
            Conflict: the parent of a row is deleted.
        """
        model: type[Model] = apps.get_model(label)
        rows = [one.before for one in self._stored.back[label].values() if one.before is not None]
        for key in keys_of(label):
            for row in rows:
                to = row[key.attname]
                if to is None or self._stored.has(key.related_model._meta.label, to):
                    continue
                if not key.null:
                    words = as_words(type_of(key.related_model))
                    raise Conflict(f"The {words} of “{model(**row)}” was deleted. Undo that deletion first.")
                self._waiting[to].append((Emptied(label, key.attname, to), [row["id"]]))
                row[key.attname] = None
        _statement(label).run_all(rows)
        self._touch(model, rows)

    def _update(self, label: str, id_: UUID, one: Entry) -> None:
        """Restore columns that are as the change left them.

        Raises:
            Conflict: the row is gone, a column was changed since, or an object that it referred to is gone.
        """
        model: type[Model] = apps.get_model(label)
        now, data, known = self._stored.rows[label].get(id_), data_of(model), columns_of(model)
        if now is None:
            if _is_file(label):
                return  # deleted files stay deleted
            gone = f"“{one.name}”" if one.name else f"One of the {as_words(plural_of(type_of(model)))} that it changed"
            raise Conflict(f"{gone} is gone. Undo its deletion first.")
        if changed := _differing(label, now, one):
            told = _changed_since(changed, model(**now))
            raise Conflict(f"{told}, and an undo overwrites nothing. Undo the later change first.")
        values = {name: value_of(known[name], value) for name, value in (one.before or {}).items()}
        for key in keys_of(label):
            to: Any = values.get(key.attname)
            if to is not None and not self._stored.has(key.related_model._meta.label, to):
                told = f"The {key.verbose_name} that “{model(**now)}” had is gone"
                raise Conflict(f"{told}. Undo the deletion of that first.")
        own = values.keys() - moved(label)
        if own and (id_ == self._head_id or data is None or not own <= {*data.log.unstamped}):
            # without a higher sequence, calendars would consider the older version newer
            stamps = {"updated_at": self._write.now, "sequence": F("sequence") + 1}
            values |= {name: stamp for name, stamp in stamps.items() if name in known}
        if data is not None and data.computed.derived is not None:
            values |= data.computed.derived(now | values)
        update_later(self._stored.mine(label).filter(pk=id_), **values)
        self._touch(model, [now])

    def _fill(self, one: Emptied) -> None:
        """Fill a reference where it is still empty. If one end is still deleted, the undo of its deletion does."""
        ids, back = self._effects.emptied[one], self._stored.back.get(one.label, {})
        if not self._stored.has(target_of(one.label, one.attname), one.to):
            self._waiting[one.to].append((one, ids))
            return
        model: type[Model] = apps.get_model(one.label)
        data = data_of(model)
        values = self._stored.emptied[one] | {id_: (back[id_].before or {})[one.attname] for id_ in ids if id_ in back}
        for id_ in ids:
            if id_ not in values:
                self._waiting[id_].append((one, [id_]))
        empty = [id_ for id_ in ids if id_ in values and values[id_] is None]
        refills = None if data is None else data.log.refills.get(one.attname)
        for batch in batches(empty):
            rows = self._stored.mine(one.label).filter(pk__in=batch, **{f"{one.attname}__isnull": True})
            update_later(rows if refills is None else rows.filter(refills(one.to)), **{one.attname: one.to})
        self._touch(model, [{"id": id_, one.attname: None} for id_ in empty])

    def _delete(self, label: str) -> None:
        """Delete created rows, and what the service remembers below them. Practice outlives them."""
        for ids in batches(self._stored.made[label]):
            rows = self._stored.mine(label).filter(pk__in=ids)
            for reference in plain_references_to(label):
                update_later(referring_to(reference, self._member.id, rows), **{reference.attname: None})
            for reference in references_to(label):
                if reference.cascades and is_remembered(reference):
                    delete_alone_later(referring_to(reference, self._member.id, rows))
            delete_alone_later(rows)
        self._touch(apps.get_model(label), self._deleted(label))

    def _deleted(self, label: str) -> list[Columns]:
        return [self._stored.rows[label][id_] for id_ in self._stored.made[label]]

    def _touch(self, model: type[Model], rows: list[Columns]) -> None:
        self._write.touched(model, (row["id"] for row in rows))
        if rows:
            self._touched[model] += rows

    def _settle(self) -> None:
        """Update counters and what depends on the rows. Raises Conflict if a limit is exceeded."""
        counted: list[Counted] = []
        for label, back in self._stored.back.items():
            inserted = [one.before for one in back.values() if one.before is not None]
            updated = {name for one in self._stored.changed[label].values() for name in one.before or ()}
            deleted = self._deleted(label)
            counted += count_restored(self._member.id, apps.get_model(label), inserted, deleted, updated)
        for data in member_data():
            if data.log.settle is not None:
                data.log.settle(self._member, self._write, self._touched)
        require_within(counted)
        wait(self._member.id, self._waiting)


def _differing(label: str, now: Columns, one: Entry) -> list[str]:
    """Return the columns that are no longer as the change left them."""
    after = {name: value for name, value in (one.after or {}).items() if name not in moved(label)}
    present = as_kept({name: now[name] for name in after})
    return [name for name, value in after.items() if present[name] != value]


def _changed_since(fields: Iterable[str], of: object) -> str:
    """Name the fields that have changed since: `The title and the kind of “Midterm” were changed since`."""
    fields = [*fields]
    told = [name for name in fields if name not in INTERNAL] or fields
    words = [f"the {as_words(name.removesuffix('_id'))}" for name in told]
    was_were = "was" if len(words) == 1 else "were"
    return f"T{' and '.join(words)[1:]} of “{of}” {was_were} changed since"


@cache
def _is_file(label: str) -> bool:
    """Return whether deleted rows of a model cannot be restored, because their files are gone."""
    model: type[Model] = apps.get_model(label)
    return any(isinstance(field, FileField) for field in columns_of(model).values())


@cache
def _statement(label: str) -> Insert:
    return Insert(apps.get_model(label))
