"""Statements compiled once and reused.

Django spends more time turning a queryset into SQL, and rows into model instances, than PostgreSQL spends answering. A
statement does the first once per process and skips the second. It is declared with the ORM, with `Param` for values. It
is compiled on first use. Each row becomes the dictionary that is returned.

    OWNER = Select(SecretOwner.objects.filter(id=Param("id")), OwnerRow)
    OWNER.first(id=secret_hash)

The rows of members are reached through `studyservice.rows`, which is built on these. `RawStatement` is for the few
statements that Django's ORM cannot express.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter, methodcaller
from typing import Any, Generic, NamedTuple, TypeVar, cast

from django.db import DEFAULT_DB_ALIAS, connection, connections, models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models.expressions import Expression, Func, Subquery
from django.db.models.sql import InsertQuery, UpdateQuery
from django.db.models.sql.compiler import SQLCompiler

from studyservice.database.executing import inserts_from_query, run_sql, run_sql_later, wait_for_statements
from studyservice.database.postgresql.base import DatabaseWrapper as PostgreSQL
from studyservice.database.rows import columns_of_row

T = TypeVar("T")

Row = Mapping[str, object]
"""A row with unspecified columns. Elsewhere rows are a `TypedDict`."""

RowT_co = TypeVar("RowT_co", bound=Row, covariant=True)

_VALUES_AT_ONCE = 30_000
"""Values per INSERT. SQLite accepts 32,766 and PostgreSQL 65,535."""

_FETCHALL = methodcaller("fetchall")
_FETCHONE = methodcaller("fetchone")
_ROWCOUNT = attrgetter("rowcount")


class Param(Expression):
    """A parameter called `name`, with a value for each execution."""

    def __init__(self, name: str, output_field: "models.Field[Any, Any] | None" = None) -> None:
        super().__init__(output_field=output_field)
        self.name = name

    def as_sql(self, compiler: Any, connection: BaseDatabaseWrapper) -> Any:
        """Return a bare placeholder. `Statement` fills in the value."""
        return "%s", [self]


def aggregated(rows: models.QuerySet[Any], function: str, column: str | Expression) -> Subquery:
    """Return `COUNT`, `MAX` or `SUM` of a column over `rows` as a subquery, for an annotation.

    If the index that finds the rows contains the column, and it is never null, the table is not read.
    """
    value = Func(column, function=function, output_field=models.IntegerField())
    return Subquery(rows.order_by().annotate(aggregated=value).values("aggregated"))


Conversion = tuple[int, Callable[[Any], Any]]
"""Column number, and the function that converts the driver's value."""


class Compiled(NamedTuple):
    """A statement for one kind of database.

    Attributes:
        conversions: in the order of application.
    """

    sql: str
    params: tuple[Any, ...]
    conversions: tuple[Conversion, ...]

    def bound(self, values: Mapping[str, Any]) -> list[Any]:
        """Return the parameters with the values of an execution."""
        return [values[param.name] if isinstance(param, Param) else param for param in self.params]

    def converted(self, row: Sequence[Any]) -> list[Any]:
        """Return the values of a fetched row."""
        values = list(row)
        for position, convert in self.conversions:
            values[position] = convert(values[position])
        return values


class Statement(ABC):
    """Base of statements: compile on first use for each kind of database, then bind and execute."""

    def __init__(self) -> None:
        self._compiled: dict[str, Compiled] = {}

    @abstractmethod
    def _compile(self) -> Compiled:
        """Return the SQL for the current kind of database."""

    def _bound(self, database: BaseDatabaseWrapper, values: Mapping[str, Any]) -> tuple[Compiled, list[Any]]:
        """Return the statement for `database`, and its parameters."""
        compiled = self._compiled_for(database)
        return compiled, compiled.bound(values)

    def _execute(self, values: Mapping[str, Any], fetch: Callable[[Any], T]) -> tuple[T, Compiled]:
        """Return the result of `fetch`, and the statement as it was executed."""
        database = connections[DEFAULT_DB_ALIAS]
        compiled, params = self._bound(database, values)
        return run_sql(database, compiled.sql, params, fetch), compiled

    def _queue(self, values: Mapping[str, Any], then: Callable[[Any, Compiled], None]) -> None:
        """Execute without waiting. `then` gets the cursor, and the statement as it was executed (`run_sql_later`)."""
        database = connections[DEFAULT_DB_ALIAS]
        compiled, params = self._bound(database, values)
        run_sql_later(database, compiled.sql, params, lambda cursor: then(cursor, compiled))

    def later(self, **values: Any) -> None:
        """Execute without waiting (`run_sql_later`)."""
        database = connections[DEFAULT_DB_ALIAS]
        compiled, params = self._bound(database, values)
        run_sql_later(database, compiled.sql, params)

    def _compiled_for(self, database: BaseDatabaseWrapper) -> Compiled:
        compiled = self._compiled.get(database.vendor)
        if compiled is None:
            compiled = self._compiled[database.vendor] = self._compile()
        return compiled


class Select(Statement, Generic[RowT_co]):
    """A query whose rows are dictionaries.

    Args:
        queryset: with `Param` for values.
        row: the class of its rows, which names their columns (`studyservice.database.rows`); or the path of each
            column by its name in the row.
        limited: whether each execution passes the number of rows as `limit`.
    """

    def __init__(
        self,
        queryset: models.QuerySet[Any],
        row: type[RowT_co] | Mapping[str, str],
        *,
        limited: bool = False,
    ) -> None:
        super().__init__()
        columns = row if isinstance(row, Mapping) else columns_of_row(row)
        self._names = tuple(columns)
        self.queryset = queryset.values_list(*columns.values())
        self._limited = limited

    def _compile(self) -> Compiled:
        compiler = self.queryset.query.get_compiler(connection=connection)
        sql, params = compiler.as_sql()
        if self._limited:
            sql, params = f"{sql} LIMIT %s", (*params, Param("limit"))
        return Compiled(sql, tuple(params), _conversions(compiler, [expression for expression, *_ in compiler.select]))

    def all(self, **values: Any) -> list[RowT_co]:
        """Return every row."""
        return self._rows(*self._execute(values, _FETCHALL))

    def ahead(self, **values: Any) -> Callable[[], list[RowT_co]]:
        """Queue the statement, and return a function that returns every row.

        In a transaction on PostgreSQL the rows arrive with the next statement that needs its result;
        `studyservice.database.executing` does this for queries of the ORM.
        """
        received: list[list[RowT_co]] = []
        self._queue(values, lambda cursor, compiled: received.append(self._rows(cursor.fetchall(), compiled)))

        def rows() -> list[RowT_co]:
            if not received:
                wait_for_statements()
            return received[0]

        return rows

    def _rows(self, fetched: list[tuple[Any, ...]], compiled: Compiled) -> list[RowT_co]:
        names = self._names
        if compiled.conversions:
            rows = [self._row(row, compiled) for row in fetched]
        else:
            rows = [dict(zip(names, row, strict=True)) for row in fetched]
        return cast("list[RowT_co]", rows)

    def first(self, **values: Any) -> RowT_co | None:
        """Return the first row, or None."""
        row, compiled = self._execute(values, _FETCHONE)
        return None if row is None else cast("RowT_co", self._row(row, compiled))

    def _row(self, fetched: tuple[Any, ...], compiled: Compiled) -> dict[str, Any]:
        return dict(zip(self._names, compiled.converted(fetched), strict=True))


def _conversions(compiler: SQLCompiler, expressions: list[Any]) -> tuple[Conversion, ...]:
    """Return those of columns with these expressions."""
    found: list[Conversion] = []
    for position, (steps, expression) in compiler.get_converters(expressions).items():
        if isinstance(expression.output_field, models.JSONField) and connection.vendor == "postgresql":
            continue  # its driver decodes JSON
        found += [(position, _bound(step, expression)) for step in steps]
    return tuple(found)


def _bound(step: Callable[..., Any], expression: Any) -> Callable[[Any], Any]:
    return lambda value: step(value, expression, connection)


class Insert(Statement):
    """An INSERT of one row of `model`. Each execution passes every concrete field by its attribute name."""

    def __init__(self, model: type[models.Model]) -> None:
        super().__init__()
        self._model = model

    def _compile(self) -> Compiled:
        fields = list(self._model._meta.local_concrete_fields)
        instance = self._model(**{field.attname: Param(field.attname) for field in fields})
        query = InsertQuery(self._model)
        query.insert_values(fields, [instance], raw=True)
        [(sql, params)] = query.get_compiler(connection=connection).as_sql()
        return Compiled(sql, tuple(params), ())

    def run_all(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Insert rows, `_VALUES_AT_ONCE` per statement, in a fraction of the time of the ORM's `bulk_create`.

        PostgreSQL gets an array for each column, because its driver is slow to parse many placeholders. Other
        databases, and backends whose INSERT accepts no query, get a placeholder for each value.
        """
        database = connections[DEFAULT_DB_ALIAS]
        compiled = self._compiled_for(database)
        head, values, one = compiled.sql.partition(" VALUES ")
        names = [field.attname for field in self._model._meta.local_concrete_fields]
        at_once = _VALUES_AT_ONCE // len(names)
        for start in range(0, len(rows), at_once):
            batch = rows[start : start + at_once]
            if isinstance(database, PostgreSQL) and inserts_from_query(database):
                arrays = (f"%s::{field.db_type(database)}[]" for field in self._model._meta.local_concrete_fields)
                sql = f"{head} SELECT * FROM unnest({', '.join(arrays)})"  # noqa: S608 # nosec
                run_sql_later(database, sql, [[row[name] for row in batch] for name in names])
            else:
                sql = f"{head}{values}{', '.join([one] * len(batch))}"
                run_sql_later(database, sql, [row[name] for row in batch for name in names])


class Update(Statement):
    """An UPDATE of the rows of `queryset`.

    Args:
        queryset: with `Param` for values.
        changes: model field to new value or expression.
        returning: model fields whose new values `returned_later` passes on.
    """

    def __init__(
        self,
        queryset: models.QuerySet[Any],
        changes: Mapping[str, Any],
        *,
        returning: Sequence[str] = (),
    ) -> None:
        super().__init__()
        self._queryset = queryset
        self._changes = changes
        self._returning = returning

    def _compile(self) -> Compiled:
        query = cast(UpdateQuery, self._queryset.query.chain(UpdateQuery))
        query.add_update_values(dict(self._changes))
        compiler = query.get_compiler(connection=connection)
        sql, params = compiler.as_sql()
        if not self._returning:
            return Compiled(sql, tuple(params), ())
        fields = [self._queryset.model._meta.get_field(name) for name in self._returning]
        columns = [field.get_col(query.get_initial_alias()) for field in fields]
        names = ", ".join(connection.ops.quote_name(field.column) for field in fields)
        return Compiled(f"{sql} RETURNING {names}", tuple(params), _conversions(compiler, columns))

    def run(self, **values: Any) -> int:
        """Execute, and return the number of rows changed."""
        changed, _ = self._execute(values, _ROWCOUNT)
        return int(changed)

    def returned_later(self, then: Callable[[tuple[Any, ...] | None], None], **values: Any) -> None:
        """Execute without waiting. When the next statement returns its result, call `then` with the new values of the
        `returning` fields of the changed row, or None if there is none.
        """

        def receive(cursor: Any, compiled: Compiled) -> None:
            row = cursor.fetchone()
            then(None if row is None else tuple(compiled.converted(row)))

        self._queue(values, receive)


class RawStatement(Statement):
    """Handwritten SQL that runs on every supported database, with `%(name)s` for values."""

    def __init__(self, sql: str) -> None:
        super().__init__()
        self._names = re.findall(r"%\((\w+)\)s", sql)
        self._sql = re.sub(r"%\(\w+\)s", "%s", sql)

    def _compile(self) -> Compiled:
        return Compiled(self._sql, tuple(map(Param, self._names)), ())

    def all(self, **values: Any) -> list[tuple[Any, ...]]:
        """Return every row, with the driver's values."""
        return cast("list[tuple[Any, ...]]", self._execute(values, _FETCHALL)[0])
