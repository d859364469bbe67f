"""What one write changes, gathered while it runs and stored as one row of the log of changes."""

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
    """A write of one member's data, under way.

    What changes study data says so here; the row is stored at the end of `accounts.changes.writing.writing`, in its
    transaction. The first object that is named is the one that the row is about.

    Attributes:
        member_id: whose data it is.
        operation: what is done; None of what leaves no row, as credentials and the profile do.
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
        """The stamp of the write, on the member's clock. It is there once a statement of the write has given a result.

        Raises:
            NotFound: the member is gone, or is being deleted.
        """
        if self._now is None:
            wait_for_statements()
        if self._now is None:
            raise RuntimeError("The write has no stamp, as nothing holds the member's lock.")
        return self._now

    def stamp(self, now: datetime) -> None:
        """Set the stamp, now that the write holds the member's lock."""
        self._now = now

    def later(self, statement: Insert | Update, **values: Any) -> None:
        """Have `statement` executed at the end of the write, or before, when `rows_of` is asked.

        Nothing in between may read what it writes, or learn from how many rows it changed.
        """
        self._later.append(Bound(statement, values))

    def rows_of(self, statement: RawStatement, **values: Any) -> list[tuple[Any, ...]]:
        """The rows that `statement` returns, executed together with what was left for later."""
        later, self._later = self._later, []
        return rows_together(later, Bound(statement, values))

    def flush(self) -> None:
        """Execute what was left for later, so that it can be read."""
        if self._later:
            run_together(self._later)
            self._later = []

    def made(self, model: type[Model], object_id: UUID, name: str, fields: Fields) -> None:
        """An object was made, with these fields."""
        self._parts.append(Part(type_of(model), object_id, name, None, fields))

    def changed(self, model: type[Model], object_id: UUID, name: str, before: Fields, after: Fields) -> None:
        """Fields of an object were changed; nothing is noted if they are as they were."""
        if before != after:
            self._parts.append(Part(type_of(model), object_id, name, before, after))

    def differing(
        self, model: type[Model], object_id: UUID, name: str, stored: Fields, changes: Fields
    ) -> dict[str, object]:
        """Those of `changes` that differ from what is `stored`, noted as the change that the caller now makes."""
        after = {field: value for field, value in changes.items() if stored[field] != value}
        self.changed(model, object_id, name, {field: stored[field] for field in after}, after)
        return after

    def deleted(self, model: type[Model], object_id: UUID, name: str, fields: Fields) -> None:
        """An object was deleted, which had these fields."""
        self._parts.append(Part(type_of(model), object_id, name, fields, None))

    def within(self, model: type[Model], object_id: UUID, name: str) -> None:
        """What is told next is below this object, which the row is about; it is told in numbers."""
        self._parts.append(Part(type_of(model), object_id, name, {}, {}))

    def belongs(self, course_id: UUID | None) -> None:
        """The object that the row is about belongs to this course; its fields need not say so."""
        if course_id is not None:
            self._touches.course_id = course_id

    def touched(self, model: type[Model], ids: Iterable[UUID]) -> None:
        """Objects were made or changed that the row tells in numbers; list_changes finds it by their ids."""
        if is_object(model):
            self._touched.update(ids)

    def looked_at(self, model: type[Model], object_id: UUID, name: str) -> None:
        """An operator read an object; nothing was changed."""
        self._parts.append(Part(type_of(model), object_id, name, None, None))
        self.cannot_be_undone()

    def cannot_be_undone(self) -> None:
        """The row will not have all that taking the change back needs."""
        self._undoable = False

    def took_back(self, parts: Iterable[Part], of: Change) -> None:
        """The change `of` these objects was taken back; that is no change to be taken back in turn."""
        self._touches.take_from(of)
        self._parts += [Part(part.type, part.id, part.name, part.after, part.before) for part in parts]
        self.cannot_be_undone()

    def logged_as(self, row_id: UUID) -> None:
        """The change stands in a log of its own, as reviews do; it needs no row here."""
        self._logged_as = row_id

    def store(self) -> None:
        """Execute what was left for later and store the row, if anything was changed, and tell the call its id.

        Raises:
            NoActor: nobody said who acts.
            NotFound: the member is gone, or is being deleted.
        """
        if self._now is None:
            wait_for_statements()
        self._log()
        self.flush()

    def _log(self) -> None:
        if all(part.before == part.after == {} for part in self._parts):  # below an object, and then nothing
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
    """Store a row of the log, in the transaction that is open.

    Raises:
        NoActor: nobody said who acts.
    """
    _INSERT.run(**change_row(member_id, now, operation, parts, row_id=uuid7(), taken=None, undoable=undoable))


def store_rows(rows: Sequence[Mapping[str, Any]]) -> None:
    """Store rows of the log that were told by another log before."""
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
    """The columns of a row of the log.

    Raises:
        NoActor: nobody said who acts.
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
