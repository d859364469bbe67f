"""What a limited credential sees, as expressions in statements: rows of some courses, and no grades.

A statement is compiled once for each `Form`. `SEEN_AS` is the form during compilation, so that conditions and columns
differ by form while the statement is declared once.
"""

import re
from collections.abc import Sequence
from contextvars import ContextVar
from functools import lru_cache
from typing import Any
from uuid import UUID

import orjson
from django.core.exceptions import EmptyResultSet, FullResultSet
from django.db.models import BooleanField, Expression, ForeignKey, Func, Model, Q, QuerySet
from django.db.models.expressions import Col

from studyservice.database.expressions import AS_EXPRESSION
from studyservice.database.statements import Param
from studyservice.registry.data import data_of
from studyservice.rows.limits import WHOLE, Form

_OWN = re.compile(r"\bt\.")

SEEN_AS: ContextVar[Form] = ContextVar("seen_as", default=WHOLE)
"""The form for which a statement is being compiled."""


@lru_cache(maxsize=1_000)
def courses_as_value(courses: tuple[str, ...], vendor: str) -> Any:
    """Return the allowed courses in the driver's form. An entry has 3 kB with 30 courses."""
    if vendor == "sqlite":  # it has no arrays
        return orjson.dumps([UUID(one).hex for one in courses]).decode()
    return UUID(courses[0]) if len(courses) == 1 else f"{{{','.join(courses)}}}"


@lru_cache(maxsize=1_000)
def courses_as_tokens(courses: tuple[str, ...], vendor: str) -> str:
    """Return the allowed courses without hyphens, as the log of changes stores several."""
    return courses_as_value(courses, vendor) if vendor == "sqlite" else f"{{{','.join(courses).replace('-', '')}}}"


class InCourses(Func):
    """Whether a column has the id of an allowed course. True in forms that see all courses."""

    output_field = BooleanField()

    def __init__(self, column: str, *, is_course: bool = False) -> None:
        super().__init__(column)
        self.is_course = is_course

    def as_sql(self, compiler: Any, connection: Any, *args: Any, **kwargs: Any) -> Any:
        form = SEEN_AS.get()
        if form.courses == "all":
            raise FullResultSet
        sql, params = compiler.compile(*self.get_source_expressions())
        params = (*params, Param("courses"))
        if connection.vendor == "sqlite":
            return f"{sql} IN (SELECT value FROM json_each(%s))", params  # noqa: S608 # nosec
        if form.courses == "one":
            return f"{sql} = %s", params
        if self.is_course:
            # PostgreSQL expects this to hold for nearly every row, so it reads the items first, in order.
            return f"CASE WHEN {sql} = ANY(%s::uuid[]) THEN 1 END IS NOT NULL", params
        return f"{AS_EXPRESSION.format(sql)} = ANY(%s::uuid[])", params


class Declared(Expression):
    """True. Marks which rows of the member a query reads: `Rows.declared` or, on purpose, `Rows.whole`.

    `tests/limits/test_declared_statements.py` refuses a query of a member's rows without it.
    """

    output_field = BooleanField()

    def as_sql(self, compiler: Any, connection: Any) -> Any:
        raise FullResultSet


class GradesSeen(Expression):
    """True in forms that see grades, and false in others, where it leaves no rows."""

    output_field = BooleanField()

    def as_sql(self, compiler: Any, connection: Any) -> Any:
        raise FullResultSet if SEEN_AS.get().grades else EmptyResultSet


class AllCoursesSeen(Expression):
    """True in forms that see all courses, and false in others."""

    output_field = BooleanField()

    def as_sql(self, compiler: Any, connection: Any) -> Any:
        raise FullResultSet if SEEN_AS.get().courses == "all" else EmptyResultSet


class Masked:
    """A mixin for fields that a limited credential sees otherwise (`Visible.without_grades`, `in_courses`).

    In limited forms, filters, orders and answers all see what replaces the column.
    """

    def deconstruct(self) -> Any:
        """Migrations know the plain field."""
        name, _, args, kwargs = super().deconstruct()  # type: ignore[misc]
        plain = next(base for base in type(self).__mro__ if base.__module__.startswith("django."))
        return name, f"django.db.models.{plain.__name__}", args, kwargs

    def get_col(self, alias: str | None, output_field: Any = None) -> Any:
        """Return the column, masked if the form is limited."""
        col: Col = super().get_col(alias, output_field)  # type: ignore[misc]
        return _MaskedCol(col.alias, col.target, col.output_field)


class _MaskedCol(Col):
    def as_sql(self, compiler: Any, connection: Any) -> Any:
        instead = _instead(self.target.model, self.target.attname)
        if instead is None:
            return super().as_sql(compiler, connection)
        if instead == "NULL":
            return f"CAST(NULL AS {self.target.db_type(connection)})", []
        sql = _OWN.sub(f"{compiler.quote_name_unless_alias(self.alias)}.", instead)
        return sql.replace("{member}", "%s"), [Param("member_id")] * sql.count("{member}")


def _instead(model: type[Model], attname: str) -> str | None:
    """Return the SQL that replaces a column in the form."""
    form, data = SEEN_AS.get(), data_of(model)
    if data is None or form == WHOLE:
        return None
    hidden = {} if form.grades else data.visible.without_grades
    return hidden.get(attname) or (None if form.courses == "all" else data.visible.in_courses.get(attname))


class Seen(Declared):
    """Whether the call sees a row (`seen`). The model's declaration is looked up when the statement is compiled."""

    def __init__(self, model: type[Model]) -> None:
        super().__init__()
        self.model = model

    def as_sql(self, compiler: Any, connection: Any) -> Any:
        return compiler.compile(seen(self.model).resolve_expression(compiler.query))


def seen(model: type[Model]) -> Q:
    """Return the condition on the rows of a model that a call sees, from its declaration (`MemberData`)."""
    data = data_of(model)
    if data is None:
        raise LookupError(model)
    condition = data.visible.seen() if data.visible.seen is not None else Q()
    if data.visible.seen is None and data.course:
        condition = _in_courses(model, data.course.split("__"))
    return condition & Q(GradesSeen()) if data.visible.is_grade else condition


def _in_courses(model: type[Model], path: Sequence[str]) -> Q:
    step, *rest = path
    if step == "self":
        return Q(InCourses("id", is_course=True))
    if not rest:
        return Q(InCourses(step if step.endswith("_id") else f"{step}_id"))
    return Q(_Above(step, model, rest))


class _Above(Func):
    """Whether the row that a foreign key refers to is seen. True in forms that see all courses."""

    output_field = BooleanField()

    def __init__(self, step: str, model: type[Model], rest: Sequence[str]) -> None:
        field = model._meta.get_field(step)
        assert isinstance(field, ForeignKey)  # noqa: S101  # declared paths follow foreign keys
        above: type[Model] = field.related_model
        rows: QuerySet[Model] = QuerySet(above).filter(
            Declared(), _in_courses(above, rest), member_id=Param("member_id")
        )
        super().__init__(Q(**{f"{step}_id__in": rows.values("id")}))

    def as_sql(self, compiler: Any, connection: Any, *args: Any, **kwargs: Any) -> Any:
        if SEEN_AS.get().courses == "all":
            raise FullResultSet
        return compiler.compile(*self.get_source_expressions())
