"""The credential of a call, what the call may see, its changes, and declared statements of the rows that it sees.

`Access` is the first argument of every domain function. `with change(access, "create_item"):` opens a transaction under
the member's lock that writes its row of the log.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Any, ClassVar, Literal
from uuid import UUID

import orjson
from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import QuerySet

from studyservice.changes.calls import Actor
from studyservice.changes.recording import Write
from studyservice.changes.writing import writing
from studyservice.database.statements import Compiled, RowT_co, Select
from studyservice.http.requests import RequestKey, is_below
from studyservice.operations.declaration import Scope
from studyservice.operations.errors import NotFound
from studyservice.registry import Member
from studyservice.rows.limits import NO_LIMITS, Form, Limits
from studyservice.rows.seen import SEEN_AS, courses_as_tokens, courses_as_value


@dataclass(frozen=True, slots=True)
class Connection:
    """A member's connection to an app, found through one of its access tokens.

    Attributes:
        member_id: the member whose data it accesses.
        client_id: the app's.
        last_call_at: the last recorded call (`accounts.credentials.uses`).
        refused_at: the last recorded refusal.
    """

    id: UUID
    member_id: UUID
    client_id: str
    last_call_at: datetime | None
    refused_at: datetime | None


@dataclass(frozen=True, slots=True)
class Credential:
    """A live credential.

    Attributes:
        kind: of the credential.
        id: identifies it in logs and in its rate limit; never the secret.
        scopes: granted to it.
        member: the member whose data it accesses, loaded with the fields that operations need.
        root: the path below which it works; empty means everywhere.
        actor: for the log of changes.
        connection: of an access token. A connection may have several tokens at once.
        networks: the known networks of an API key, separated by spaces (`accounts.credentials.uses`).
        refused_at: the last recorded refusal of an API key.
        limits: restrict the data that it sees.
    """

    kind: Literal["api_key", "access_token"]
    id: UUID
    scopes: frozenset[Scope]
    member: Member
    actor: Actor
    root: str = ""
    connection: Connection | None = None
    networks: str | None = None
    refused_at: datetime | None = None
    limits: Limits = NO_LIMITS

    @property
    def holder(self) -> UUID:
        """Return the API key, or the consent that the access token came from, which outlives the token."""
        return self.id if self.connection is None else self.connection.id

    @property
    def caller(self) -> dict[str, UUID | str]:
        """Return the caller for log lines: the member, and the API key's id or the app's `client_id`."""
        if self.connection is None:
            return {"member": self.member.id, "api_key": self.id}
        return {"member": self.member.id, "client_id": self.connection.client_id}

    def works_at(self, path: str) -> bool:
        """Whether it was issued for `path`."""
        return not self.root or is_below(path, self.root)


CREDENTIAL = RequestKey[Credential]("credential")
"""The live credential of an API request. Missing if none is required."""


@dataclass(slots=True)
class Access:
    """One call's view of a member's data. Pages, the admin and commands have no limits.

    Attributes:
        limits: of the credential.
        kind: of the credential (`Credential.kind`); empty without one.
        holder: the API key, or the consent of the access token; None without one.
        write: the change that is being made (`studyservice.rows.access.change`); None outside of one.
    """

    member: Member
    limits: Limits = NO_LIMITS
    kind: str = ""
    holder: UUID | None = None
    write: Write | None = field(default=None, compare=False)

    @property
    def whole(self) -> "Access":
        """The same call without limits: for maxima, and for what goes with a row that the call has found."""
        return replace(self, limits=NO_LIMITS) if self.limits.keep_back else self

    @property
    def now(self) -> datetime:
        """The stamp of the change that is being made.

        Raises:
            NotFound: the member is gone, or is being deleted.
        """
        return self.open_write.now

    @property
    def open_write(self) -> Write:
        """The change that is being made.

        Raises:
            RuntimeError: there is none. A bug in the service.
        """
        if self.write is None:
            raise RuntimeError("Rows of a member are changed outside of `with change(access, ...)`.")
        return self.write

    def today(self) -> date:
        """Return the member's date."""
        return self.member.today()

    def sees_course(self, course_id: UUID) -> bool:
        """Return whether the call sees this course of the member."""
        return self.limits.courses is None or str(course_id) in self.limits.courses

    def with_course(self, course_id: UUID) -> None:
        """See a course that the call has created."""
        if self.limits.courses is not None:
            self.limits = replace(self.limits, courses=(*self.limits.courses, str(course_id)))


@contextmanager
def change(access: Access, operation: str) -> Iterator[Write]:
    """Log what the verbs of `rows` do in the block as one change (`studyservice.changes.writing`).

    Inside another change of the same access it is a part of that one.

    Args:
        operation: the name of the change.

    Raises:
        NotFound: the member is gone, or is being deleted.
        NoActor: study data was changed outside a call, or by a read-only operation.
    """
    if access.write is not None:
        yield access.write
        return
    with writing(access.member.id, operation) as write:
        access.write = write
        try:
            yield write
        finally:
            access.write = None


_NOTHING = Compiled("SELECT 1 WHERE 1 = 0", (), ())


def as_array(values: Iterable[UUID | date]) -> Any:
    """Return ids or dates as one parameter, for a condition with many of them (`studyservice.rows.rows.OneOf`)."""
    if connection.vendor == "postgresql":
        return [*values]
    return orjson.dumps([one.hex if isinstance(one, UUID) else one for one in values]).decode()


class MemberSelect(Select[RowT_co]):
    """A `Select` of `Model.rows.declared`, compiled once for each `Form` of limits.

    `member_id` and the allowed courses are parameters that it fills in: `courses`, and `tokens`, without hyphens.
    """

    made: ClassVar[list["MemberSelect[Any]"]] = []
    """Every statement, for the check of their limited forms."""

    def __init__(self, queryset: QuerySet[Any], row: type[RowT_co] | Mapping[str, str], **options: Any) -> None:
        super().__init__(queryset, row, **options)
        self.made.append(self)

    def all(self, access: Access, **values: Any) -> list[RowT_co]:  # type: ignore[override]
        """Return every row that the call sees."""
        return super().all(access=access, **values)

    def first(self, access: Access, **values: Any) -> RowT_co | None:  # type: ignore[override]
        """Return the first row that the call sees, or None."""
        return super().first(access=access, **values)

    def get(self, error: type[NotFound], access: Access, **values: Any) -> RowT_co:
        """Return the first row that the call sees. Raise `error` if there is none."""
        found = super().first(access=access, **values)
        if found is None:
            raise error
        return found

    def ahead(self, access: Access, **values: Any) -> Callable[[], list[RowT_co]]:  # type: ignore[override]
        """Queue the statement, and return a function that returns every row that the call sees."""
        return super().ahead(access=access, **values)

    def _bound(self, database: BaseDatabaseWrapper, values: Mapping[str, Any]) -> tuple[Compiled, list[Any]]:
        access: Access = values["access"]
        form = access.limits.form
        key = f"{database.vendor} {form.courses} {form.grades}"
        compiled = self._compiled.get(key)
        if compiled is None:
            compiled = self._compiled[key] = self._compiled_as(form)
        bound = {**values, "member_id": access.member.id}
        if access.limits.courses is not None:
            bound["courses"] = courses_as_value(access.limits.courses, database.vendor)
            bound["tokens"] = courses_as_tokens(access.limits.courses, database.vendor)
            bound["holder"] = access.holder
        return compiled, compiled.bound(bound)

    def _compiled_as(self, form: Form) -> Compiled:
        token = SEEN_AS.set(form)
        try:
            return self._compile()
        except EmptyResultSet:
            return _NOTHING
        finally:
            SEEN_AS.reset(token)
