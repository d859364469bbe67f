"""Declared statements that are executed with an `Access`: of the member's rows, those that the call sees."""

from collections.abc import Callable, Iterable, Mapping
from datetime import date
from typing import Any, ClassVar
from uuid import UUID

import orjson
from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper

from accounts.rows.access import Access
from accounts.rows.seen import SEEN_AS, Form, courses_as_tokens, courses_as_value, form_of
from studyservice.database.statements import Compiled, RowT_co, Select
from studyservice.operations.errors import NotFound

_NOTHING = Compiled("SELECT 1 WHERE 1 = 0", (), ())


def as_array(values: Iterable[UUID | date]) -> Any:
    """Return ids or dates as one parameter, for a condition with many of them (`accounts.rows.rows.OneOf`)."""
    if connection.vendor == "postgresql":
        return [*values]
    return orjson.dumps([one.hex if isinstance(one, UUID) else one for one in values]).decode()


class MemberSelect(Select[RowT_co]):
    """A `Select` of `Model.rows.declared`, compiled once for each `Form` of limits.

    `member_id` and the allowed courses are parameters that it fills in: `courses`, and `tokens`, without hyphens.
    """

    made: ClassVar[list["MemberSelect[Any]"]] = []
    """Every statement, for the check of their limited forms."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
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
        form = form_of(access.limits)
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
