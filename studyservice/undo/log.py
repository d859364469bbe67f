"""The log of changes for answers: newest first, merged with the log of reviews."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from heapq import merge
from itertools import islice
from typing import Any, NamedTuple, TypedDict, cast
from uuid import UUID

from django.db.models import Q, QuerySet
from django.utils import timezone

from studyservice.changes.contents import UNDOABLE_FOR, ChangeRow, unpacked
from studyservice.database.snapshots import in_pieces
from studyservice.database.statements import Param
from studyservice.hooks import Hook
from studyservice.models import KEPT_FOR, Change, ChangeObject
from studyservice.operations.cursors import CursorCodec
from studyservice.operations.errors import NotFound
from studyservice.operations.serializers import Page, page
from studyservice.registry import Member
from studyservice.rows.access import Access, MemberSelect
from studyservice.rows.limits import NO_LIMITS, Limits
from studyservice.rows.rows import Row, Rows
from studyservice.undo.entries import Effects
from studyservice.undo.seen import is_of_whole_account, is_wholly_seen, seen_fields, why_not

CHANGES = Rows(Change)
"""The rows of the log of changes."""

_CODEC = CursorCodec("accounts.change_cursors", datetime, UUID)


@dataclass(frozen=True, slots=True)
class Wanted:
    """The changes that a page asks for.

    Attributes:
        limit: most rows.
        since: the oldest moment.
        object_id: only changes of this object; None for all.
        after: moment and id of the last row of the page before; None for the first page.
    """

    limit: int
    since: datetime
    object_id: UUID | None
    after: tuple[datetime, UUID] | None

    def place(self) -> str:
        """Return the key of the statement for this page."""
        return f"{'one' if self.object_id else 'all'} {'later' if self.after else 'first'}"

    def values(self) -> dict[str, Any]:
        """Return the values of that statement's parameters."""
        values: dict[str, Any] = {"since": self.since, "limit": self.limit}
        if self.object_id:
            values["object_id"] = self.object_id
        if self.after:
            values |= dict(zip(("last_at", "last_id"), self.after, strict=True))
        return values


class Logged(NamedTuple):
    """A change in the log of reviews, as a row of the log of changes that is not stored yet."""

    row: Row
    effects: Effects


class ReviewLog(NamedTuple):
    """The log of reviews, which stores changes of cards separately.

    Attributes:
        newest: returns the changes that a call sees, newest first.
        find: returns a change that the call sees, or None. Raises `Conflict` if it cannot be undone.
    """

    newest: Callable[[Access, Wanted], list[ChangeRow]]
    find: Callable[[Access, UUID], Logged | None]


REVIEW_LOG = Hook[ReviewLog]("REVIEW_LOG")


class _ChangeColumns(TypedDict):
    id: UUID
    created_at: datetime
    operation: str
    by_kind: str | None
    by_id: UUID | None
    by_name: str
    object_type: str
    object_id: UUID
    object_name: str
    contents: bytes
    undoable: bool
    undone_at: datetime | None
    course_id: UUID | None
    courses: str


_ONE = MemberSelect(CHANGES.declared.filter(id=Param("change_id")), _ChangeColumns)
_BY_OBJECT = CHANGES.whole.filter(object_id=Param("object_id"))
_BY_FURTHER_OBJECT = Rows(ChangeObject).whole.filter(object_id=Param("object_id"))
_OF_OBJECT = Q(id__in=_BY_OBJECT.values("id").union(_BY_FURTHER_OBJECT.values("change_id"), all=True))


def list_changes(
    access: Access, *, limit: int, cursor: str | None = None, object_id: UUID | None = None
) -> Page[ChangeRow]:
    """Return one page of the changes that the call sees, newest first. One query for each of the two logs.

    Raises:
        InvalidRequest: `cursor` is invalid for this member and `object_id`.
    """
    binding = f"{access.member.id} {object_id}"
    after: Any = None if cursor is None else _CODEC.decode(cursor, binding)
    wanted = Wanted(limit + 1, timezone.now() - KEPT_FOR, object_id, after)
    logs = _changes(access, wanted), REVIEW_LOG.get().newest(access, wanted)
    found = list(islice(merge(*logs, key=_place, reverse=True), limit + 1))
    if len(found) <= limit:
        return page(found)
    return page(found[:limit], _CODEC.encode(_place(found[limit - 1]), binding))


def all_changes(member: Member) -> Iterator[ChangeRow]:
    """Yield every row of the log of changes, oldest first, without reviews. Call inside `snapshot`."""
    now = timezone.now()
    rows: Any = Change.objects.filter(member_id=member.id, created_at__gt=now - KEPT_FOR).order_by("created_at", "id")
    for row in in_pieces(rows.values(*_ChangeColumns.__annotations__)):
        yield _told(NO_LIMITS, row, now)


def ask_for_change(access: Access, change_id: UUID) -> Callable[[], ChangeRow | None]:
    """Queue the query of a change, and return a function that returns it for an answer (`Select.ahead`).

    That is None if the call sees no such change in the log of changes.
    """
    rows = _ONE.ahead(access, change_id=change_id)

    def told() -> ChangeRow | None:
        return next((_told(access.limits, row, timezone.now()) for row in rows()), None)

    return told


def change_still_seen(access: Access, answer: Mapping[str, Any]) -> ChangeRow:
    """Return the current form of a change in a stored answer. Raises NotFound unless the call still sees it."""
    change = ask_for_change(access, UUID(answer["id"]))()
    if change is None:
        raise NotFound("No such change. list_changes gives the ids.")
    return change


def told_change(limits: Limits, row: Mapping[str, Any]) -> ChangeRow:
    """Convert a stored row of the log to its current form for answers, as these limits show it."""
    return _told(limits, cast("_ChangeColumns", row), timezone.now())


def undoable(created_at: datetime, now: datetime) -> bool:
    """Return whether a change of that moment is recent enough to be undone."""
    return created_at > now - UNDOABLE_FOR


def keyset(rows: QuerySet[Any], at: str, wanted_object: Q, place: str) -> QuerySet[Any]:
    """Return `rows`, newest first by `at` and id, narrowed as `Wanted.place` says. Every value is a `Param`."""
    which, _, where = place.partition(" ")
    rows = rows.filter(**{f"{at}__gt": Param("since")}).order_by(f"-{at}", "-id")
    if which == "one":
        rows = rows.filter(wanted_object)
    if where == "later":
        earlier = Q(**{f"{at}__lt": Param("last_at")}) | Q(**{at: Param("last_at")}, id__lt=Param("last_id"))
        rows = rows.filter(earlier, **{f"{at}__lte": Param("last_at")})
    return rows


def _place(row: ChangeRow) -> tuple[datetime, UUID]:
    return row["created_at"], row["id"]


def _changes(access: Access, wanted: Wanted) -> list[ChangeRow]:
    now = timezone.now()
    rows = _statement(wanted.place()).all(access, **wanted.values())
    return [_told(access.limits, row, now) for row in rows]


@cache
def _statement(place: str) -> MemberSelect[_ChangeColumns]:
    rows = keyset(CHANGES.declared, "created_at", _OF_OBJECT, place)
    return MemberSelect(rows, _ChangeColumns, limited=True)


def _told(limits: Limits, row: _ChangeColumns, now: datetime) -> ChangeRow:
    contents = unpacked(row["contents"])
    is_whole = is_wholly_seen(limits, row["course_id"], row["courses"])
    before, after = seen_fields(limits, contents, row["object_type"], is_whole=is_whole)
    by_kind = row["by_kind"]
    is_hidden = not is_whole or is_of_whole_account(limits, row["operation"])
    return {
        "id": row["id"],
        "created_at": row["created_at"],
        "operation": row["operation"],
        "by": None if by_kind is None else {"kind": by_kind, "id": row["by_id"], "name": row["by_name"] or None},
        "object": {"type": row["object_type"], "id": row["object_id"], "name": row["object_name"]},
        "before": before,
        "after": after,
        "undoable": why_not(row, contents, now) is None and not is_hidden,
        "undone_at": row["undone_at"],
    }
