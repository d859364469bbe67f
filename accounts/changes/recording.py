"""Collect the changes of one write, and store them as one row of the log of changes."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Model

from accounts.changes.calls import writing_call
from accounts.changes.contents import Fields, Part, is_untold, packed, type_of
from accounts.changes.models import Change, ChangeObject
from accounts.changes.snapshots import Snapshots, is_object
from accounts.changes.touched import Touches
from studyservice.database.executing import wait_for_statements
from studyservice.database.ids import uuid7
from studyservice.database.statements import Insert, RawStatement, Update
from studyservice.database.together import Bound, rows_together, run_together

_INSERT = Insert(Change)
_INSERT_OBJECT = Insert(ChangeObject)


class Write:
    """A write of one member's data, in progress.

    Code that changes study data reports it here. `accounts.changes.writing.writing` stores the row at its end, in the
    same transaction. The row is about the first object reported.

    Attributes:
        member_id: the member whose data changes.
        operation: the name of the change; None for credentials and the profile, which leave no row.
        snapshots: collects the deleted rows.
    """

    def __init__(self, member_id: UUID, operation: str | None) -> None:
        self.member_id = member_id
        self._now: datetime | None = None
        self.operation = operation
        self.snapshots = Snapshots()
        self._parts: list[Part] = []
        self._touched: set[UUID] = set()
        self._undoable = True
        self._logged_as: UUID | None = None
        self._later: list[Bound] = []
        self._touches = Touches()

    @property
    def now(self) -> datetime:
        """The stamp of the write, on the member's clock. Available once a statement of the write has returned a result.

        Raises:
            NotFound: the member is gone, or is being deleted.
        """
        if self._now is None:
            wait_for_statements()
        if self._now is None:
            raise RuntimeError("The write has no stamp, as nothing holds the member's lock.")
        return self._now

    def stamp(self, now: datetime) -> None:
        """Set the stamp. The write holds the member's lock."""
        self._now = now

    def later(self, statement: Insert | Update, **values: Any) -> None:
        """Execute `statement` at the end of the write, or earlier with the next `rows_of`.

        Nothing in between may read its rows or need its row count.
        """
        self._later.append(Bound(statement, values))

    def rows_of(self, statement: RawStatement, **values: Any) -> list[tuple[Any, ...]]:
        """Execute `statement` together with the deferred ones. Return its rows."""
        later, self._later = self._later, []
        return rows_together(later, Bound(statement, values))

    def flush(self) -> None:
        """Execute the deferred statements, so that their rows can be read."""
        if self._later:
            run_together(self._later)
            self._later = []

    def made(self, model: type[Model], object_id: UUID, name: str, fields: Fields) -> None:
        """Report that an object was created with these fields."""
        self._parts.append(Part(type_of(model), object_id, name, None, fields))

    def changed(self, model: type[Model], object_id: UUID, name: str, before: Fields, after: Fields) -> None:
        """Report changed fields of an object. Does nothing if they are equal."""
        if before != after:
            self._parts.append(Part(type_of(model), object_id, name, before, after))

    def differing(
        self, model: type[Model], object_id: UUID, name: str, stored: Fields, changes: Fields
    ) -> dict[str, object]:
        """Return those of `changes` that differ from `stored`, and report them as changed. The caller stores them."""
        after = {field: value for field, value in changes.items() if stored[field] != value}
        self.changed(model, object_id, name, {field: stored[field] for field in after}, after)
        return after

    def deleted(self, model: type[Model], object_id: UUID, name: str, fields: Fields) -> None:
        """Report that an object with these fields was deleted."""
        self._parts.append(Part(type_of(model), object_id, name, fields, None))

    def within(self, model: type[Model], object_id: UUID, name: str) -> None:
        """Report the next objects as below this one: the row is about it, and answers show the others as counts."""
        self._parts.append(Part(type_of(model), object_id, name, {}, {}))

    def belongs(self, course_id: UUID | None) -> None:
        """Set the course of the row's object, if its fields do not name the course."""
        if course_id is not None:
            self._touches.course_id = course_id

    def touched(self, model: type[Model], ids: Iterable[UUID]) -> None:
        """Report objects that the row shows as a count, so that list_changes finds it by their ids."""
        if is_object(model):
            self._touched.update(ids)

    def looked_at(self, model: type[Model], object_id: UUID, name: str) -> None:
        """Report that an operator read an object. Nothing was changed."""
        self._parts.append(Part(type_of(model), object_id, name, None, None))
        self.cannot_be_undone()

    def cannot_be_undone(self) -> None:
        """Mark the row as impossible to undo, because it will lack data."""
        self._undoable = False

    def took_back(self, parts: Iterable[Part], of: Change) -> None:
        """Report that the change `of` these objects was undone. An undo cannot itself be undone."""
        self._touches.take_from(of)
        self._parts += [Part(part.type, part.id, part.name, part.after, part.before) for part in parts]
        self.cannot_be_undone()

    def logged_as(self, row_id: UUID) -> None:
        """Report that another log, like that of reviews, holds the change. No row is stored here."""
        self._logged_as = row_id

    def store(self) -> None:
        """Execute the deferred statements. If anything changed, store the row and set its id on the call.

        Raises:
            NoActor: the call has no actor.
            NotFound: the member is gone, or is being deleted.
        """
        if self._now is None:
            wait_for_statements()
        self._log()
        self.flush()

    def _log(self) -> None:
        # reported below an object, then nothing changed
        if all(part.before == part.after == {} for part in self._parts):
            self._parts.clear()
        if not self._parts and self._logged_as is None:
            return
        call = writing_call()
        if not self._parts:
            call.change_id = self._logged_as
            return
        call.change_id = uuid7()
        row = change_row(
            self.member_id,
            self.now,
            self._required_operation(),
            self._parts,
            row_id=call.change_id,
            taken=self.snapshots.packed() if self._undoable else None,
            undoable=self._undoable,
            touches=self._touches,
        )
        call.change = row
        self.later(_INSERT, **row)
        told = {part.id for part in self._parts if not is_untold(part)}
        further = (told | self._touched | self.snapshots.objects) - {row["object_id"]}
        _INSERT_OBJECT.run_all(
            [
                {"id": uuid7(), "member_id": self.member_id, "object_id": object_id, "change_id": call.change_id}
                for object_id in sorted(further)
            ]
        )

    def _required_operation(self) -> str:
        if self.operation is None:
            raise RuntimeError("Study data was changed by a write without the name of its operation.")
        return self.operation


def record(member_id: UUID, now: datetime, operation: str, parts: Iterable[Part], *, undoable: bool) -> None:
    """Store a row of the log in the open transaction.

    Raises:
        NoActor: the call has no actor.
    """
    _INSERT.run(**change_row(member_id, now, operation, parts, row_id=uuid7(), taken=None, undoable=undoable))


def store_rows(rows: Sequence[Mapping[str, Any]]) -> None:
    """Store rows that another log held before."""
    _INSERT.run_all(rows)


def change_row(
    member_id: UUID,
    now: datetime,
    operation: str,
    parts: Iterable[Part],
    *,
    row_id: UUID,
    taken: bytes | None,
    undoable: bool,
    touches: Touches | None = None,
) -> dict[str, Any]:
    """Return the columns of a row of the log.

    Raises:
        NoActor: the call has no actor.
    """
    actor = writing_call().who()
    parts = list(parts)
    return {
        "id": row_id,
        "member_id": member_id,
        "created_at": now,
        "operation": operation,
        "by_kind": actor.kind.value,
        "by_id": actor.id,
        "by_name": actor.name,
        "object_type": parts[0].type,
        "object_id": parts[0].id,
        "object_name": parts[0].name,
        "contents": packed(parts),
        "taken": taken,
        "undoable": undoable,
        "undone_at": None,
        **(touches or Touches()).columns(operation, parts),
    }
