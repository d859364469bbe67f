"""Collect the changes of one write, and store them as one row of the log of changes."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Model

from accounts.changes.calls import writing_call
from accounts.changes.contents import INTERNAL, Contents, Fields, Part, is_untold, packed, short, type_of
from accounts.changes.models import Change, ChangeObject
from accounts.changes.stream import Stream, is_object
from accounts.changes.touched import Touches
from accounts.members.data import counters, data_of
from studyservice.database.executing import wait_for_statements
from studyservice.database.ids import uuid7
from studyservice.database.statements import Insert, RawStatement, Update
from studyservice.database.together import Bound, rows_together, run_together

_INSERT = Insert(Change)
_INSERT_OBJECT = Insert(ChangeObject)
_HIDDEN = frozenset({"id", "member_id", "created_at", "updated_at", *INTERNAL})
"""Columns that answers do not show."""


class _Head:
    """The object that a row is about.

    Attributes:
        named: types of objects that the fields name.
    """

    def __init__(  # noqa: PLR0917  # what a row tells
        self,
        type_: str,
        id_: UUID,
        name: str,
        before: Fields | None,
        after: Fields | None,
        course_id: UUID | None,
        *,
        model: type[Model] | None = None,
    ) -> None:
        self.type, self.id, self.name, self.course_id = type_, id_, name, course_id
        self.named: set[str] = set()
        self._before = None if before is None else _shown(before, model, is_whole=after is None)
        self._after = None if after is None else _shown(after, model, is_whole=before is None)

    def tell(self, before: Fields | None, after: Fields | None, *, model: type[Model] | None = None) -> None:
        """Add later fields."""
        if before is not None and self._before is not None:
            self._before = {**_shown(before, model, is_whole=False), **self._before}
        self._after = (
            None if after is None or self._after is None else {**self._after, **_shown(after, model, is_whole=False)}
        )

    def told(self) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
        """Return the fields before and after."""
        return self._before, self._after


def _shown(fields: Fields, model: type[Model] | None, *, is_whole: bool) -> dict[str, Any]:
    """Return the fields that answers show, texts shortened. Of a whole row, without the usual values."""
    if model is None:
        return dict(fields)
    data = data_of(model)
    usual = data.made_with if is_whole and data is not None else {}
    hidden = _HIDDEN | counters()
    only = () if data is None else data.logged
    return {
        name: short(value)  # type: ignore[arg-type]
        for name, value in fields.items()
        if name not in hidden and (not only or name in only) and not (name in usual and value == usual[name])
    }


def _name(model: type[Model], row: Mapping[str, Any]) -> str:
    """Return the name of the object in a row."""
    columns = {field.attname for field in model._meta.concrete_fields}
    return str(model(**{name: value for name, value in row.items() if name in columns}))


class Write:
    """A write of one member's data, in progress.

    Code that changes study data reports it here. `accounts.changes.writing.writing` stores the row at its end, in the
    same transaction. The row is about the first object reported.

    Attributes:
        member_id: the member whose data changes.
        operation: the name of the change; None for credentials and the profile, which leave no row.
        stream: collects what an undo needs: the deleted rows, and what the verbs of `accounts.rows` did.
    """

    def __init__(self, member_id: UUID, operation: str | None) -> None:
        self.member_id = member_id
        self._now: datetime | None = None
        self.operation = operation
        self.stream = Stream()
        self._parts: list[Part] = []
        self._touched: set[UUID] = set()
        self._undoable = True
        self._logged_as: UUID | None = None
        self._counts: dict[str, Sequence[int]] = {}
        self._later: list[Bound] = []
        self._touches = Touches()
        self._head: _Head | None = None
        self._sides: defaultdict[str, tuple[set[UUID], set[UUID]]] = defaultdict(lambda: (set(), set()))
        self._gone_below: Counter[str] = Counter()

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

    def about(self, model: type[Model], object_id: UUID, name: str, course_id: UUID | None) -> None:
        """Let the row be about this object, not about the first changed row. Answers show other rows as counts.

        A further object is counted with them.
        """
        if self._head is None:
            self._head = _Head(type_of(model), object_id, name, {}, {}, course_id)
        elif self._head.id != object_id:
            self._touched.add(object_id)
            for ids in self._sides[type_of(model)]:
                ids.add(object_id)

    def is_about(self, object_id: UUID) -> bool:
        """Return whether the row is about this object."""
        return self._head is not None and self._head.id == object_id

    def tell(self, before: Fields | None, after: Fields | None, *, instead_of: type[Model] | None = None) -> None:
        """Add fields that the rows do not have to those that answers show, for example a list.

        Args:
            instead_of: a model whose rows the fields name, so that answers do not count them.
        """
        if self._head is None:
            raise RuntimeError("Nothing was changed yet. Call `about` first.")
        self._head.tell(before, after)
        if instead_of is not None:
            self._head.named.add(type_of(instead_of))

    def inserted(self, model: type[Model], rows: Sequence[Mapping[str, Any]], course_id: UUID | None) -> None:
        """Log rows that were inserted. All are of the course; None for no course."""
        if self._undoable:
            self.stream.made(model, rows)
        for row in rows:
            self._row(model, row["id"], row, None, row, course_id)

    def updated(
        self, model: type[Model], stored: Mapping[str, Any], after: Fields, courses: Iterable[UUID | None]
    ) -> None:
        """Log changed columns of a row, which is as it was before. `courses` are those of the row, the newer first.

        Answers do not show its place in an order (`MemberData.moved`).
        """
        data = data_of(model)
        if data is not None and data.logged:
            after = {name: value for name, value in after.items() if name in data.logged}
        if not after:
            return
        moved = () if data is None else data.moved
        before = {name: stored[name] for name in after}
        if self._undoable:
            self.stream.changed(model, stored["id"], before, after)
        if shown := {name: value for name, value in after.items() if name not in moved}:
            for course_id in courses:
                self._row(model, stored["id"], stored, {name: before[name] for name in shown}, shown, course_id)

    def deleted_row(self, model: type[Model], row: Mapping[str, Any], course_id: UUID | None) -> None:
        """Log that a row was deleted. The stream has it already."""
        self._row(model, row["id"], row, row, None, course_id)

    def deleted_below(self, model: type[Model], number: int) -> None:
        """Log that rows were deleted with another. The stream has them already."""
        self._gone_below[type_of(model)] += number

    def _row(  # noqa: PLR0917  # what became of a row
        self,
        model: type[Model],
        id_: UUID,
        row: Mapping[str, Any],
        before: Fields | None,
        after: Fields | None,
        course_id: UUID | None,
    ) -> None:
        type_ = type_of(model)
        if self._head is None:
            self._head = _Head(type_, id_, _name(model, row), before, after, course_id, model=model)
        elif self._head.id == id_:
            self._head.tell(before, after, model=model)
            self._head.course_id = self._head.course_id or course_id
        self._touches.touch(type_, course_id)
        for ids, side in zip(self._sides[type_], (before, after), strict=True):
            if side is not None:
                ids.add(id_)

    def cannot_be_undone(self) -> None:
        """Mark the row as impossible to undo, because it will lack data. Rows that change from now on are counted."""
        self._undoable = False

    def took_back(self, contents: Contents, of: Mapping[str, Any]) -> None:
        """Report that the change with these contents, and this row `of` the log, was undone.

        An undo cannot itself be undone.
        """
        self._touches.take_from(of)
        parts = contents.parts(of["object_type"], of["object_id"], of["object_name"])
        self._counts = {type_: [*reversed(numbers)] for type_, numbers in contents.counts.items()}
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
        parts, stream = self._parts, 0
        if self._sides or self._gone_below or (self._head is not None and self._head.told() != ({}, {})):
            parts, stream = self._with_head()
        if not parts and self._logged_as is None:
            return
        call = writing_call()
        if not parts:
            call.change_id = self._logged_as
            return
        call.change_id = uuid7()
        row = change_row(
            self.member_id,
            self.now,
            self._required_operation(),
            parts,
            row_id=call.change_id,
            taken=self.stream.packed() if self._undoable else None,
            undoable=self._undoable and not stream,  # version 0.6 cannot undo it
            touches=self._touches,
            counts=self._counts,
            stream=stream if self._undoable else 0,
        )
        call.change = row
        self.later(_INSERT, **row)
        told = {part.id for part in self._parts if not is_untold(part)}
        further = (told | self._touched | self.stream.objects) - {row["object_id"]}
        _INSERT_OBJECT.run_all(
            [
                {"id": uuid7(), "member_id": self.member_id, "object_id": object_id, "change_id": call.change_id}
                for object_id in sorted(further)
            ]
        )

    def _with_head(self) -> tuple[list[Part], int]:
        """Return the objects to store beside a stream, and `Contents.stream`."""
        head = self._head
        if self._parts or head is None:  # its code reports the object itself
            self._counts = self._counted(None)
            return self._parts, 2
        self._touches.course_id = head.course_id
        self._counts = self._counted(head)
        return [Part(head.type, head.id, head.name, *head.told())], 1

    def _counted(self, head: "_Head | None") -> dict[str, Sequence[int]]:
        """Return how many other objects there were before and after, by type."""
        counts: dict[str, Sequence[int]] = {}
        for type_ in {**self._sides, **self._gone_below}:
            before, after = (len(ids - {head.id if head else None}) for ids in self._sides[type_])
            before += self._gone_below[type_]
            if (before or after) and (head is None or type_ not in head.named):
                counts[type_] = (before, after)
        return counts

    def _required_operation(self) -> str:
        if self.operation is None:
            raise RuntimeError("Study data was changed by a write without the name of its operation.")
        return self.operation


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
    counts: Mapping[str, Sequence[int]] | None = None,
    stream: int = 0,
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
        "contents": packed(parts, counts=counts, stream=stream),
        "taken": taken,
        "undoable": undoable,
        "undone_at": None,
        **(touches or Touches()).columns(operation, parts),
    }
