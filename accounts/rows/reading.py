"""Declared statements that are executed with an `Access`: of the member's rows, those that the call sees."""

from collections.abc import Callable, Iterable, Mapping
from datetime import date
from typing import Any, ClassVar, TypeVar
from uuid import UUID

import orjson
from django.core.exceptions import EmptyResultSet
from django.db import DEFAULT_DB_ALIAS, connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper

from accounts.rows.access import Access
from accounts.rows.seen import SEEN_AS, Form, courses_as_tokens, courses_as_value, form_of
from studyservice.database.executing import run_sql, run_sql_later, wait_for_statements
from studyservice.database.statements import RowT_co, Select, _Compiled

T = TypeVar("T")

_NOTHING = _Compiled("SELECT 1 WHERE 1 = 0", (), ())


def ids_as_value(values: Iterable[UUID | date]) -> Any:
    """Return ids or dates in the driver's form, for a condition with many of them (`accounts.rows.rows.OneOf`)."""
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

    def ahead(self, access: Access, **values: Any) -> Callable[[], list[RowT_co]]:  # type: ignore[override]
        """Queue the statement, and return a function that returns every row (`Select.ahead`)."""
        database, compiled, bound = self._bound_for(access, values)
        received: list[list[tuple[Any, ...]]] = []
        run_sql_later(database, compiled.sql, bound, lambda cursor: received.append(cursor.fetchall()))

        def rows() -> list[RowT_co]:
            if not received:
                wait_for_statements()
            return self._rows(received[0], compiled)

        return rows

    def _execute(self, values: Mapping[str, Any], fetch: Callable[[Any], T]) -> tuple[T, _Compiled]:
        database, compiled, bound = self._bound_for(values["access"], values)
        return run_sql(database, compiled.sql, bound, fetch), compiled

    def _bound_for(self, access: Access, values: Mapping[str, Any]) -> tuple[BaseDatabaseWrapper, _Compiled, list[Any]]:
        database = connections[DEFAULT_DB_ALIAS]
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
        return database, compiled, compiled.bound(bound)

    def _compiled_as(self, form: Form) -> _Compiled:
        token = SEEN_AS.set(form)
        try:
            return self._compile()
        except EmptyResultSet:
            return _NOTHING
        finally:
            SEEN_AS.reset(token)
