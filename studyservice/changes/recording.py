"""Collect what one change does to rows, and store it as one row of the log of changes."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Model

from studyservice.changes.calls import Call, writing_call
from studyservice.changes.contents import INTERNAL, Contents, Fields, packed, short, told, type_of
from studyservice.changes.stream import Stream, is_object
from studyservice.database.executing import wait_for_statements
from studyservice.database.ids import uuid7
from studyservice.database.statements import Insert
from studyservice.models import MAX_NAME, Change, ChangeObject
from studyservice.registry.data import columns_of, counters, data_of

NO_COURSE = "-"
"""In `Change.courses`, stands for objects without a course."""

GRADE_TYPES = frozenset({"grade_score", "grade_category"})
"""Types of objects that are grades."""

_COURSE = "course"
_CATEGORIES = "categories"
"""The field of a course that holds its list of categories."""

_UPLOAD = "syllabus_file"
"""The type of uploads, which have no course at first."""

_HIDDEN = frozenset({"id", "member_id", "created_at", "updated_at", *INTERNAL})
"""Columns that answers do not show."""

_INSERT = Insert(Change)
_INSERT_OBJECT = Insert(ChangeObject)


class _Head:
    """The object that a row is about, with the fields that answers show."""

    def __init__(self, type_: str, id_: UUID, name: str, before: Fields | None, after: Fields | None) -> None:
        self.type, self.id, self.name = type_, id_, name
        self.before, self.after = _copy(before), _copy(after)

    def tell(self, before: Fields | None, after: Fields | None) -> None:
        """Add later fields. None ends a side: the object was created, or deleted."""
        self.before = None if before is None or self.before is None else {**before, **self.before}
        self.after = None if after is None or self.after is None else {**self.after, **after}


def _copy(fields: Fields | None) -> dict[str, Any] | None:
    return None if fields is None else dict(fields)


def _shown(model: type[Model], fields: Fields | None, *, is_whole: bool) -> dict[str, Any] | None:
    """Return the fields that answers show, texts shortened. Of a whole row, without the usual values."""
    if fields is None:
        return None
    data = data_of(model)
    usual = data.log.made_with if is_whole and data is not None else {}
    hidden = _HIDDEN | counters()
    only = () if data is None else data.log.columns
    return {
        name: short(value)  # type: ignore[arg-type]
        for name, value in fields.items()
        if name not in hidden and (not only or name in only) and not (name in usual and value == usual[name])
    }


def _name(model: type[Model], row: Mapping[str, Any]) -> str:
    """Return the name of the object in a row, as long as the log takes it."""
    known = row.keys() & columns_of(model).keys()
    return str(model(**{name: row[name] for name in known}))[:MAX_NAME]


class Write:
    """A change of one member's data, in progress. The verbs of `studyservice.rows` report to it what they do.

    `studyservice.changes.writing.writing` stores its row of the log at the end, in the same transaction. The row is
    about the first object that changed, unless `about` names another.

    Attributes:
        member_id: the member whose data changes.
        operation: the name of the change; None for credentials and the profile, which leave no row.
        stream: what became of each row, for undo.
    """

    def __init__(self, member_id: UUID, operation: str | None) -> None:
        self.member_id = member_id
        self.operation = operation
        self.stream = Stream()
        self._now: datetime | None = None
        self._undoable = True
        self._logged_as: UUID | None = None
        self._head: _Head | None = None
        self._course_id: UUID | None = None
        self._courses: set[str] = set()
        self._grades = False
        self._touched: set[UUID] = set()
        self._sides: defaultdict[str, tuple[set[UUID], set[UUID]]] = defaultdict(lambda: (set(), set()))
        self._gone_below: Counter[str] = Counter()
        self._named: set[str] = set()
        self._counts: dict[str, Sequence[int]] = {}

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

    def about(self, model: type[Model], object_id: UUID, name: str, course_id: UUID | None) -> None:
        """Let the row be about this object, not about the first changed row. Answers show other rows as counts.

        A further object is counted with them.
        """
        if self._head is None:
            self._head = _Head(type_of(model), object_id, name, {}, {})
            self._course_id = course_id
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
            self._named.add(type_of(instead_of))

    def inserted(self, model: type[Model], rows: Sequence[Mapping[str, Any]], course_id: UUID | None) -> None:
        """Log rows that were inserted. All are of the course; None for no course."""
        if self._undoable:
            self.stream.made(model, rows)
        for row in rows:
            self._row(model, row, None, row, course_id)

    def updated(
        self, model: type[Model], stored: Mapping[str, Any], after: Fields, courses: Iterable[UUID | None]
    ) -> None:
        """Log changed columns of a row, which is as it was before. `courses` are those of the row, the newer first.

        Answers do not show its place in an order (`Logged.moved`).
        """
        data = data_of(model)
        if data is not None and data.log.columns:
            after = {name: value for name, value in after.items() if name in data.log.columns}
        if not after:
            return
        before = {name: stored[name] for name in after}
        if self._undoable:
            self.stream.changed(model, stored["id"], before, after)
        moved = () if data is None else data.log.moved
        if shown := {name: value for name, value in after.items() if name not in moved}:
            for course_id in courses:
                self._row(model, stored, {name: before[name] for name in shown}, shown, course_id)

    def deleted(self, model: type[Model], row: Mapping[str, Any], course_id: UUID | None) -> None:
        """Log that a row was deleted. The stream has it already."""
        self._row(model, row, row, None, course_id)

    def deleted_below(self, model: type[Model], number: int) -> None:
        """Log that rows were deleted with another. The stream has them already."""
        self._gone_below[type_of(model)] += number

    def touched(self, model: type[Model], ids: Iterable[UUID]) -> None:
        """Let list_changes find the row by these ids, which the stream does not have."""
        if is_object(model):
            self._touched.update(ids)

    def looked_at(self, model: type[Model], object_id: UUID, name: str) -> None:
        """Log that an operator read an object. Nothing was changed."""
        self._head = _Head(type_of(model), object_id, name, None, None)
        self._course_id = object_id if self._head.type == _COURSE else None
        self.cannot_be_undone()

    def cannot_be_undone(self) -> None:
        """Mark the row as impossible to undo, because it will lack data. Rows that change from now on are counted."""
        self._undoable = False

    def took_back(self, contents: Contents, of: Mapping[str, Any]) -> None:
        """Log that the change with these contents, and this row `of` the log, was undone.

        An undo cannot itself be undone.
        """
        before, after = (None if fields is None else told(fields) for fields in (contents.before, contents.after))
        self._head = _Head(of["object_type"], of["object_id"], of["object_name"], after, before)
        self._course_id, self._grades = of["course_id"], of["grades"]
        self._courses.update(of["courses"].split())
        self._counts = {type_: [*reversed(numbers)] for type_, numbers in contents.counts.items()}
        self.cannot_be_undone()

    def logged_as(self, row_id: UUID) -> None:
        """Report that another log, like that of reviews, holds the change. No row is stored here."""
        self._logged_as = row_id

    def store(self) -> None:
        """If anything changed, store the row and add its id to the call.

        Raises:
            NoActor: the call has no actor.
            NotFound: the member is gone, or is being deleted.
        """
        if self._now is None:
            wait_for_statements()
        head = self._head
        if head is not None and (self._sides or self._gone_below or (head.before, head.after) != ({}, {})):
            call = writing_call()
            change_id = uuid7()
            call.change_ids.append(change_id)
            row = self._columns(call, head, change_id)
            call.change = row
            _INSERT.later(**row)
            self._store_objects(head.id, change_id)
        elif self._logged_as is not None:
            writing_call().change_ids.append(self._logged_as)

    def _row(
        self,
        model: type[Model],
        row: Mapping[str, Any],
        before: Fields | None,
        after: Fields | None,
        course_id: UUID | None,
    ) -> None:
        """Note what became of a row, for lists."""
        type_, is_whole = type_of(model), before is None or after is None
        if self._head is None:
            shown = (_shown(model, side, is_whole=is_whole) for side in (before, after))
            self._head = _Head(type_, row["id"], _name(model, row), *shown)
            self._course_id = course_id
        elif self._head.id == row["id"]:
            self._head.tell(*(_shown(model, side, is_whole=False) for side in (before, after)))
            self._course_id = self._course_id or course_id
        if course_id is not None or type_ != _UPLOAD:
            self._courses.add(NO_COURSE if course_id is None else course_id.hex)
        for ids, side in zip(self._sides[type_], (before, after), strict=True):
            if side is not None:
                ids.add(row["id"])

    def _columns(self, call: Call, head: _Head, row_id: UUID) -> dict[str, Any]:
        if self.operation is None:
            raise RuntimeError("Study data was changed by a write without the name of its operation.")
        actor = call.who()
        taken = self.stream.packed() if self._undoable else None
        is_logged = self._undoable and bool(self._sides or self._gone_below or taken)
        return {
            "id": row_id,
            "member_id": self.member_id,
            "created_at": self.now,
            "operation": self.operation,
            "by_kind": actor.kind.value,
            "by_id": actor.id,
            "by_name": actor.name,
            "object_type": head.type,
            "object_id": head.id,
            "object_name": head.name,
            "contents": packed(head.before, head.after, self._counted(head), has_stream=is_logged),
            "taken": taken,
            "undoable": False,  # for version 0.6, which cannot undo it
            "undone_at": None,
            "course_id": self._course_id,
            "courses": " ".join(sorted(self._courses - {self._course_id.hex if self._course_id else ""})),
            "grades": self._grades or head.type in GRADE_TYPES or _CATEGORIES in (head.after or {}),
        }

    def _counted(self, head: _Head) -> dict[str, Sequence[int]]:
        """Return how many other objects there were before and after, by type."""
        counts = dict(self._counts)
        for type_ in {**self._sides, **self._gone_below}:
            before, after = (len(ids - {head.id}) for ids in self._sides[type_])
            before += self._gone_below[type_]
            if (before or after) and type_ not in self._named:
                counts[type_] = (before, after)
        return counts

    def _store_objects(self, head_id: UUID, change_id: UUID) -> None:
        further = (self._touched | self.stream.objects) - {head_id}
        _INSERT_OBJECT.run_all(
            [
                {"id": uuid7(), "member_id": self.member_id, "object_id": object_id, "change_id": change_id}
                for object_id in sorted(further)
            ]
        )
