"""Checks the declared statements: each query of a member's rows says which it reads, and joins follow courses.

A row belongs to a course by the path of its declaration (`MemberData.course`). A join from a row that is seen goes up
that path, or down to rows whose path leads back. Rows of grades are joined only from rows of grades, or in statements
that operations on grades use.
"""

from collections.abc import Iterator
from typing import Any

from django.db.models import ForeignKey, Model, Q
from django.db.models.expressions import Expression, Subquery
from django.db.models.sql.datastructures import Join
from django.db.models.sql.where import WhereNode

from studyservice.registry.data import MemberData, data_of
from studyservice.rows.seen import Declared, GradesSeen, Seen


def complaints(queryset: Any) -> list[str]:
    """Return what is wrong with a declared statement and its subqueries."""
    return [*_complaints(queryset.query)]


def _complaints(query: Any) -> Iterator[str]:
    for one in _queries(query):
        if one.combined_queries or one.model is None:
            continue
        data = data_of(one.model)
        if data is not None and data.is_study_data and not _has(one.where, Declared):
            yield f"A query of {data.label} is neither `rows.declared` nor `rows.whole`: {_told(one)}"
        joins = [join for alias, join in one.alias_map.items() if isinstance(join, Join) and one.alias_refcount[alias]]
        for join in joins:
            if wrong := _wrong_join(join):
                yield f"{wrong}: {_told(one)}"
            field: Any = join.join_field
            if (data := data_of(field.related_model)) and data.visible.is_grade and not _sees_grades(one):
                yield f"A join of {data.label} without GradesSeen(): {_told(one)}"


def _sees_grades(query: Any) -> bool:
    """Return whether a query has no rows for a credential without grades."""
    data = data_of(query.model)
    is_grade = data is not None and data.visible.is_grade
    return _has(query.where, GradesSeen) or (is_grade and _has(query.where, Seen))


def _told(query: Any) -> str:
    try:
        return str(query)
    except ValueError:  # it refers to an outer query
        return repr(query.where)


def _queries(query: Any) -> Iterator[Any]:
    """Yield a query with every subquery, in conditions, columns and combinations."""
    yield query
    for one in query.combined_queries:
        yield from _queries(one)
    for expression in (*query.annotations.values(), query.where, *query.select, *_ordering(query)):
        for inner in _inner(expression):
            yield from _queries(inner)


def _ordering(query: Any) -> list[Any]:
    return [one for one in query.order_by if not isinstance(one, str)]


def _inner(expression: Any) -> Iterator[Any]:
    """Yield the queries within an expression."""
    if isinstance(expression, Subquery):
        yield expression.query
    elif hasattr(expression, "alias_map"):  # a query on the right side of a lookup
        yield expression
    elif isinstance(expression, WhereNode):
        for child in expression.children:
            yield from _inner(child)
    else:
        sources = expression.get_source_expressions() if hasattr(expression, "get_source_expressions") else ()
        for one in (*sources, getattr(expression, "rhs", None), getattr(expression, "condition", None)):
            if one is not None and not isinstance(one, (str, int, Q)):
                yield from _inner(one)


def _has(where: WhereNode, condition: type[Expression]) -> bool:
    """Return whether a condition is among those that all rows must meet."""
    return any(
        isinstance(getattr(child, "lhs", child), condition)  # a lookup that compares it with True
        or (isinstance(child, WhereNode) and not child.negated and _has(child, condition))
        for child in (where.children if where.connector == "AND" else ())
    )


def _wrong_join(join: Join) -> str:
    """Return why a join can leave a row's course; empty if it cannot."""
    field: Any = join.join_field
    key: ForeignKey[Any, Any] = field if isinstance(field, ForeignKey) else field.field  # up, or down
    data = data_of(key.model)
    if data is None or not data.is_study_data or data_of(key.related_model) is None:
        return ""
    if not _leads(data, key.name):
        return f"A join of {data.label} by {key.name} is not a step of its path, “{data.course}”"
    return ""


def _leads(data: MemberData, name: str) -> bool:
    return data.course.split("__")[0] in {name, f"{name}_id"}


def models_without_rows(models: Iterator[type[Model]]) -> list[str]:
    """Return models with study data that lack `rows`."""
    found = [model for model in models if (data := data_of(model)) is not None and data.is_study_data]
    return [model._meta.label for model in found if not hasattr(model, "rows")]
