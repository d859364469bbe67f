"""The views that restrict the rows of each model for a limited credential, built from the model's path to its course.

`studyservice.database.limiting` puts them into every statement. A model that declares `whole_member` is unrestricted,
or has its own `view`, like the log of changes.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from graphlib import TopologicalSorter
from typing import Any, NamedTuple, cast
from uuid import UUID

import orjson
from django.db import connection, connections
from django.db.models import Field, ForeignKey, Model

from accounts.members.data import MemberData, member_data
from studyservice.database.functions import AS_EXPRESSION
from studyservice.database.limiting import Limiter, View
from studyservice.database.postgresql.uuid_arrays import uuid_array

_PLACE = re.compile(r"\{(\w+)\}")


class LimitedViews(NamedTuple):
    """The views for one kind of limits.

    Attributes:
        by_course: only some courses are seen.
        grades: grades are seen.
        one: only one course is seen, so its index has its rows in order.
    """

    by_course: bool
    grades: bool
    one: bool = False

    def of(self, vendor: str) -> Mapping[str, View]:
        """Return the view of each restricted table. A table precedes those that its view reads."""
        return _views(self.by_course, self.grades, vendor, self.one)

    def tables(self) -> re.Pattern[str]:
        """Return a pattern for the names of tables that can have a view."""
        return _tables()


def limiter_for(member_id: UUID, courses: tuple[str, ...] | None, *, grades: bool, holder: UUID) -> Limiter:
    """Return the limiter for a credential's statements.

    Args:
        courses: ids of the allowed courses; None for all.
        holder: the API key, or the consent of the access token.
    """
    views, allowed = _allowed(courses, grades)
    is_sqlite = _vendor() == "sqlite"  # it stores ids as text
    of_caller = {"member": member_id.hex if is_sqlite else member_id, "holder": holder.hex if is_sqlite else holder}
    return Limiter(views, {**of_caller, **allowed})


@lru_cache(maxsize=1_000)
def _allowed(courses: tuple[str, ...] | None, grades: bool) -> tuple[LimitedViews, Mapping[str, Any]]:
    """Return the views for the limits, and their values of the courses. An entry has 3 kB with 30 courses."""
    seen, by_course = courses or (), courses is not None
    if _vendor() == "sqlite":  # it has no arrays
        told = orjson.dumps([UUID(one).hex for one in seen]).decode()
        return LimitedViews(by_course, grades), {"courses": told, "tokens": told}
    bare = ",".join(seen).replace("-", "")
    value = seen[0] if len(seen) == 1 else uuid_array(seen)
    return LimitedViews(by_course, grades, len(seen) == 1), {"courses": value, "tokens": f"{{{bare}}}"}


@cache
def _vendor() -> str:
    """Return the kind of database. Django's lookup takes longer than the rest of a limiter."""
    return connection.vendor


@cache
def _limited_data() -> dict[str, MemberData]:
    """Return the declarations of tables that a limited credential sees only in part."""
    limited = [data for data in member_data() if (data.course and data.seen is None) or data.view]
    return {data.model._meta.db_table: data for data in limited}


@cache
def _tables() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, _limited_data()))})\b")


@cache
def _views(by_course: bool, grades: bool, vendor: str, one: bool) -> Mapping[str, View]:  # part of the cache's key
    made = {table: _view(data, by_course, grades, vendor, one) for table, data in _limited_data().items()}
    views = {table: view for table, view in made.items() if view is not None}
    if one and vendor == "postgresql":
        several = _VALUES[vendor]["courses"]
        views = {table: replace(view, sql=view.sql.replace(several, "%s")) for table, view in views.items()}
    reads = {table: {*_tables().findall(view.sql)} & views.keys() - {table} for table, view in views.items()}
    return {table: views[table] for table in reversed([*TopologicalSorter(reads).static_order()])}


def _view(data: MemberData, by_course: bool, grades: bool, vendor: str, one: bool) -> View | None:
    """Return the view of a model, or None if nothing is hidden."""
    model = data.model
    if data.view is not None:
        own = data.view(by_course, grades, vendor)
        return None if own is None else _compiled(own, vendor)
    masked = {} if grades else data.without_grades
    if data.is_grade and not grades:
        where = "FALSE"
    elif by_course:  # all of them are courses of the member
        where = _in_courses(model, "t", data.course.split("__"), vendor)
        if vendor == "postgresql" and data.course == "self":
            # PostgreSQL expects this to hold for nearly every row, so it reads the items first, in order.
            where = f"CASE WHEN {where} THEN 1 END IS NOT NULL"
        elif vendor == "postgresql" and "__" not in data.course and not one:
            column, _ = _reference(model, data.course)
            where = f"{AS_EXPRESSION.format(f't.{column}')} = {{courses}}"
    elif masked:
        where = "t.member_id = {member}"
    else:
        return None
    columns = ", ".join(_column(field, masked, vendor) for field in model._meta.concrete_fields)
    return _compiled(f"SELECT {columns} FROM {model._meta.db_table} t WHERE {where}", vendor)  # noqa: S608 # nosec


def _column(field: "Field[Any, Any]", masked: Mapping[str, str], vendor: str) -> str:
    """Return a column, or the SQL that replaces it."""
    instead = masked.get(field.attname)
    if instead is None:
        return f't."{field.column}"'
    if instead == "NULL":
        instead = f"CAST(NULL AS {field.db_type(connections['default'])})"
    return f'{instead} AS "{field.column}"'


def _in_courses(model: type[Model], alias: str, path: Sequence[str], vendor: str) -> str:
    """Return the condition that the row's course is allowed."""
    step, *rest = path
    if step == "self":
        return f"{alias}.id {_COMPARED[vendor]} {{courses}}"
    column, target = _reference(model, step)
    if not rest:
        return f"{alias}.{column} {_COMPARED[vendor]} {{courses}}"
    below = f"{alias}{alias[0]}"
    inner = _in_courses(target, below, rest, vendor)
    own = f"{below}.member_id = {alias}.member_id"
    found = f"SELECT {below}.id FROM {target._meta.db_table} {below} WHERE {own} AND {inner}"  # noqa: S608 # nosec
    return f"{alias}.{column} IN ({found})"


def _reference(model: type[Model], step: str) -> tuple[str, type[Model]]:
    """Return the column of a step of the path, and the model that it refers to."""
    field = cast("ForeignKey[Any, Any]", model._meta.get_field(step))
    return field.column, field.related_model


_COMPARED = {"postgresql": "=", "sqlite": "IN"}
"""The operator that compares a column with `{courses}`."""

_VALUES = {
    "postgresql": {
        "member": "%s",
        "holder": "%s",
        "courses": "ANY(%s::uuid[])",
        "tokens": "%s::text[]",
    },
    "sqlite": {
        "member": "%s",
        "holder": "%s",
        "courses": "(SELECT value FROM json_each(%s))",
        "tokens": "%s",
    },
}


def _compiled(sql: str, vendor: str) -> View:
    """Compile a view with the driver's placeholders."""
    if vendor == "sqlite":  # common table expressions would see themselves and each other
        sql = re.sub(rf"\b(FROM|JOIN) ({_tables().pattern})", r"\1 main.\2", sql)
    return View(_PLACE.sub(lambda place: _VALUES[vendor][place[1]], sql), tuple(_PLACE.findall(sql)))
