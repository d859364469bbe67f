"""Continue an ordered list through an index, without reading the rows before."""

from collections.abc import Mapping
from typing import Any

from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import BooleanField, F, Func, QuerySet
from django.db.models.sql.compiler import SQLCompiler

from studyservice.database.statements import Compiled, Param, RowT_co, Select


class After(Func):
    """Whether a row comes after a position in the order of `fields`, as a row comparison: `(a, b) > (x, y)`.

    An index on the fields supports it, but not a chain of OR. Django's own lookup uses that chain for SQLite, although
    SQLite supports row values.

    Args:
        place: field to expression of its value; no value is null.
    """

    output_field = BooleanField()
    arity = None

    def __init__(self, place: dict[str, Param]) -> None:
        super().__init__(*map(F, place), *place.values())

    def as_sql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, *args: Any, **kwargs: Any) -> Any:
        compiled = [compiler.compile(expression) for expression in self.get_source_expressions()]
        parts = [sql for sql, _ in compiled]
        half = len(parts) // 2
        sql = f"({', '.join(parts[:half])}) > ({', '.join(parts[half:])})"
        return sql, [param for _, params in compiled for param in params]


class SelectBoth(Select[RowT_co]):
    """The first rows of two querysets merged in one order, each found by its own index. `limit` is a parameter.

    Args:
        first: ordered.
        second: with the same columns and order.
        order: of both together, as SQL with the names of columns.
    """

    def __init__(self, first: QuerySet[Any], columns: Mapping[str, str], *, second: QuerySet[Any], order: str) -> None:
        super().__init__(first, columns, limited=True)
        self._second = second.values_list(*columns.values())
        self._order = order

    def _compile(self) -> Compiled:
        one = super()._compile()
        other, params = self._second.query.get_compiler(connection=connection).as_sql()
        limit = Param("limit")  # below, SQL compiled by Django is combined
        sql = f"SELECT * FROM ({one.sql}) AS one UNION ALL SELECT * FROM ({other} LIMIT %s) AS other"  # noqa: S608 # nosec
        return one._replace(sql=f"{sql} ORDER BY {self._order} LIMIT %s", params=(*one.params, *params, limit, limit))
