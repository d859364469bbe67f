"""A subquery past the limits of a credential, inside a statement that is limited."""

from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models.expressions import Func, Subquery

from studyservice.database.limiting import WholeMember, whole_rows


class Whole(Func):
    """A subquery that reads every row of the member, also for a limited credential.

    Args:
        rows: the subquery.
        why: the declared reason.
    """

    template = "%(expressions)s"

    def __init__(self, rows: Subquery, why: WholeMember) -> None:
        super().__init__(rows, output_field=rows.output_field)
        self.why = why

    def as_sql(self, compiler: Any, connection: BaseDatabaseWrapper, *args: Any, **context: Any) -> Any:
        """As it is, marked (`studyservice.database.limiting`)."""
        sql, params = super().as_sql(compiler, connection, *args, **context)
        return whole_rows(sql), params
