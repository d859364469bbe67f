"""A subquery that bypasses the limits of a credential within a limited statement."""

from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models.expressions import Func, Subquery

from studyservice.database.limiting import WholeMember, whole_rows


class Whole(Func):
    """A subquery that reads every row of the member, even for a limited credential.

    Args:
        rows: the subquery.
        why: the declared reason.
    """

    template = "%(expressions)s"

    def __init__(self, rows: Subquery, why: WholeMember) -> None:
        super().__init__(rows, output_field=rows.output_field)
        self.why = why

    def as_sql(self, compiler: Any, connection: BaseDatabaseWrapper, *args: Any, **context: Any) -> Any:
        """Return the SQL with a mark for `studyservice.database.limiting`."""
        sql, params = super().as_sql(compiler, connection, *args, **context)
        return whole_rows(sql), params
