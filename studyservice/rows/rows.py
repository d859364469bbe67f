"""`Model.rows`: the only way to the rows of members, and the verbs that change and log them.

    class Item(models.Model):
        rows = Rows["Item"]()

    Item.rows.of(access).find("title", id=item_id)
    ITEMS = MemberSelect(Item.rows.declared.filter(course_id=Param("course_id")), ItemRow)

Rows are dictionaries by column. Statements are compiled once for each model, choice of columns and form of limits. How
a model's rows belong to courses, which columns are computed and which are stamped is declared in the `member_data.py`
of its app (`studyservice.registry.data`).
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, Generic, TypeVar
from uuid import UUID

from django.db import connection
from django.db.models import BooleanField, Count, F, Func, JSONField, Model, QuerySet

from studyservice.database.statements import Insert, Param, Update
from studyservice.operations.errors import NotFound
from studyservice.registry.counts import count
from studyservice.registry.data import MemberData, columns_of, data_of
from studyservice.rows.access import Access, MemberSelect, as_array
from studyservice.rows.deleting import delete_with_below
from studyservice.rows.seen import Declared, Seen

M = TypeVar("M", bound=Model)

Row = dict[str, Any]
"""A row by column name."""

_STAMPS = ("created_at", "updated_at")
"""Columns that get the stamp of the change."""

COURSE = "its_course_id"
"""The course of a row that was found, if another object's row has it."""


class Rows(Generic[M]):
    """The rows of a model.

    Args:
        model: that of a module that `studyservice.rows` imports, which cannot declare its manager itself.
    """

    model: type[M]

    def __init__(self, model: type[M] | None = None) -> None:
        if model is not None:
            self.model = model

    def __set_name__(self, owner: type[M], name: str) -> None:
        self.model = owner

    def of(self, access: Access) -> "MemberRows":
        """Return the member's rows that the call sees."""
        return MemberRows(self.model, access)

    @property
    def declared(self) -> "QuerySet[M]":
        """The rows that the call sees, for a statement declared once (`studyservice.rows.access.MemberSelect`).

        The courses that the call sees are bound when the statement runs.
        """
        return QuerySet(self.model).filter(Seen(self.model), member_id=Param("member_id"))

    @property
    def whole(self) -> "QuerySet[M]":
        """All rows of the member in a declared statement, for maxima, and for what goes with a row that is seen."""
        return QuerySet(self.model).filter(Declared(), member_id=Param("member_id"))


class MemberRows:
    """The rows of a model that a call sees. The verbs that write need `with change(access, ...)`.

    Conditions are columns with values, or `column__in` with ids.
    """

    def __init__(self, model: type[Model], access: Access) -> None:
        self._model, self._access = model, access

    def find(self, *columns: str, **which: Any) -> Row | None:
        """Return the row with its id, its course and these columns, or all; None if the call sees none."""
        return _finding(self._model, columns, tuple(which)).first(self._access, **_bound(which))

    def get(self, error: type[NotFound], *columns: str, **which: Any) -> Row:
        """Return the same. Raise `error` if the call sees none."""
        return _finding(self._model, columns, tuple(which)).get(error, self._access, **_bound(which))

    def all(self, *columns: str, **which: Any) -> list[Row]:
        """Return every such row, in no particular order."""
        return _finding(self._model, columns, tuple(which)).all(self._access, **_bound(which))

    def count(self, **which: Any) -> int:
        """Return the number of such rows."""
        found = _counting(self._model, tuple(which)).first(self._access, **_bound(which))
        return 0 if found is None else int(found["number"])

    def insert(self, *rows: Mapping[str, Any], course_id: UUID | None = None) -> list[Row]:
        """Insert rows of one course, without waiting for the database, and return them whole.

        Ids, defaults, stamps and computed columns are filled in.

        Args:
            course_id: the course, if the rows do not name it.
        """
        if not rows:
            return []
        data = _data(self._model)
        made = [_new_row(self._model, data, row, self._access) for row in rows]
        if not data.log.left_out:
            self._access.open_write.inserted(self._model, made, _course_of(data, made[0], course_id))
        statement = _inserting(self._model)
        if len(made) == 1:
            statement.later(**_prepared(self._model, made[0]))
        else:
            statement.run_all([_prepared(self._model, row) for row in made])
        count(self._access.member.id, self._model, made, 1)
        return made

    def update(self, stored: Mapping[str, Any], changes: Mapping[str, object], *, course_id: UUID | None = None) -> Row:
        """Store those of `changes` that differ, without waiting for the database, and return them.

        Args:
            stored: the id and columns of the row, read under the lock: those of `changes`, and those that computed
                columns depend on.
            course_id: its course, if `stored` does not name it.
        """
        after = {name: value for name, value in changes.items() if stored[name] != value}
        if after:
            values, is_revised = self._updated(stored, after, course_id)
            statement = _updating(self._model, tuple(values), is_revised)
            prepared = _prepared(self._model, values)
            statement.later(member_id=self._access.member.id, pk=stored["id"], **prepared)
        return after

    def update_each(
        self,
        changes: Iterable[tuple[Mapping[str, Any], Mapping[str, Any]]],
        *,
        course_id: UUID | None = None,
        stamped: bool = False,
        logged: bool = True,
    ) -> int:
        """Update many rows likewise, in a statement for each choice of columns. Return how many differed.

        Args:
            changes: the stored columns and the changes of each row.
            stamped: whether also a change of `Logged.unstamped` columns is one of the row itself.
            logged: whether an undo sets them back.
        """
        groups: defaultdict[tuple[str, ...], list[Model]] = defaultdict(list)
        for stored, wanted in changes:
            after = {name: value for name, value in wanted.items() if stored[name] != value}
            if after:
                values, is_revised = self._updated(stored, after, course_id, logged=logged, stamped=stamped)
                if is_revised:
                    values["sequence"] = F("sequence") + 1
                groups[tuple(values)].append(self._model(id=stored["id"], **values))
        mine: QuerySet[Model] = QuerySet(self._model).filter(member_id=self._access.member.id)
        for names, rows in groups.items():
            mine.bulk_update(rows, names)
        return sum(map(len, groups.values()))

    def touch(self, row_id: UUID) -> None:
        """Stamp `updated_at` of a row that was found, because rows below it changed. This is not logged."""
        statement = _updating(self._model, ("updated_at",), False)
        statement.later(member_id=self._access.member.id, pk=row_id, updated_at=self._access.now)

    def _updated(
        self,
        stored: Mapping[str, Any],
        after: Row,
        course_id: UUID | None,
        *,
        logged: bool = True,
        stamped: bool = False,
    ) -> tuple[Row, bool]:
        """Log changed columns. Return everything to store, and whether it is a new revision of a calendar's event."""
        write, data = self._access.open_write, _data(self._model)
        now = {**stored, **after}
        if logged and not data.log.left_out:
            of_row = [_course_of(data, now, course_id)]
            if f"{data.course.removesuffix('_id')}_id" in after:
                of_row.append(_course_of(data, stored, course_id))
            write.updated(self._model, stored, after, of_row)
        count(self._access.member.id, self._model, [stored], -1, after)
        count(self._access.member.id, self._model, [now], 1, after)
        values = dict(after)
        if data.computed.derived is not None and after.keys() & {*data.computed.derived_from}:
            values |= data.computed.derived({name: now[name] for name in data.computed.derived_from})
        if "updated_at" in columns_of(self._model) and (
            stamped or not after.keys() <= {*data.log.unstamped} or write.is_about(stored["id"])
        ):
            values["updated_at"] = write.now
        return values, bool(after.keys() & {*data.computed.revised_by})

    def delete(self, *ids: UUID) -> list[Row]:
        """Delete the rows that the call sees, with everything below, and return them whole."""
        return self.delete_found(self.all(id__in=ids))

    def delete_found(self, found: list[Row]) -> list[Row]:
        """Delete rows likewise that were read whole under the lock."""
        access = self._access
        if found and access.limits.keep_back:  # hidden columns are kept for an undo too
            found = MemberRows(self._model, access.whole).all(id__in=[row["id"] for row in found])
        if found:
            data = _data(self._model)
            for row in found:
                course_id = _course_of(data, row, row.pop(COURSE, None))
                if not data.log.left_out:
                    access.open_write.deleted(self._model, row, course_id)
            delete_with_below(access.open_write, self._model, found)
            count(self._access.member.id, self._model, found, -1)
        return found


def _data(model: type[Model]) -> MemberData:
    data = data_of(model)
    if data is None:
        raise LookupError(f"{model.__name__} is not declared in a member_data.py.")
    return data


def _course_of(data: MemberData, row: Mapping[str, Any], course_id: UUID | None) -> UUID | None:
    """Return the course of a row: it names it, or it was read with it, or the caller knows it."""
    if data.course == "self":
        found: UUID | None = row["id"]
    elif "__" in data.course:
        found = course_id or row.get(COURSE)
    elif data.course:
        found = row[data.course.removesuffix("_id") + "_id"]
    else:
        found = course_id
    return found


def _new_row(model: type[Model], data: MemberData, given: Mapping[str, Any], access: Access) -> Row:
    stamped = {**dict.fromkeys(_STAMPS, access.now), **given}
    row = {name: stamped[name] if name in stamped else field.get_default() for name, field in columns_of(model).items()}
    if unknown := given.keys() - row.keys():
        raise TypeError(f"{model.__name__} has no columns {sorted(unknown)}.")
    row["member_id"] = access.member.id
    return row if data.computed.derived is None else row | data.computed.derived(row)


@cache
def _json_columns(model: type[Model]) -> frozenset[str]:
    return frozenset(name for name, field in columns_of(model).items() if isinstance(field, JSONField))


def _prepared(model: type[Model], values: Row) -> Row:
    """Return the values in the form that the driver takes."""
    found = _json_columns(model) & values.keys()
    return values | {name: columns_of(model)[name].get_db_prep_save(values[name], connection) for name in found}


def _bound(which: Mapping[str, Any]) -> dict[str, Any]:
    return {name: as_array(value) if name.endswith("__in") else value for name, value in which.items()}


class OneOf(Func):
    """Whether a column has one of the values of a parameter (`as_array`)."""

    output_field = BooleanField()

    def __init__(self, column: str, param: str) -> None:
        super().__init__(column)
        self.param = param

    def as_sql(self, compiler: Any, connection: Any, *args: Any, **kwargs: Any) -> Any:
        [column] = self.get_source_expressions()
        sql, params = compiler.compile(column)
        if connection.vendor == "sqlite":
            return f"{sql} IN (SELECT value FROM json_each(%s))", (*params, Param(self.param))  # noqa: S608 # nosec
        kind = column.target.cast_db_type(connection)
        return f"{sql} = ANY(%s::{kind}[])", (*params, Param(self.param))


@cache
def _finding(model: type[Model], columns: tuple[str, ...], which: tuple[str, ...]) -> MemberSelect[Row]:
    path = _data(model).course
    always = {"id", f"{path.removesuffix('_id')}_id"}
    shape = {name: name for name in columns_of(model) if not columns or name in columns or name in always}
    if unknown := {*columns} - shape.keys():
        raise TypeError(f"{model.__name__} has no columns {sorted(unknown)}.")
    rows = _narrowed(model, which)
    if "__" in path:
        rows, shape = rows.filter(**_owners(path)), shape | {COURSE: f"{path}_id"}
    return MemberSelect(rows, shape)


@cache
def _counting(model: type[Model], which: tuple[str, ...]) -> MemberSelect[Row]:
    counted = _narrowed(model, which).values("member_id").annotate(number=Count("pk"))
    return MemberSelect(counted, {"number": "number"})


def _narrowed(model: type[Model], which: Iterable[str]) -> QuerySet[Any]:
    rows: QuerySet[Any] = QuerySet(model).filter(Seen(model), member_id=Param("member_id")).order_by()
    for name in which:
        column, is_list, _ = name.partition("__in")
        rows = rows.filter(OneOf(column, name)) if is_list else rows.filter(**{column: Param(name)})
        rows = rows.filter(**_owners(column))
    return rows


def _owners(path: str) -> dict[str, Any]:
    """Return the condition that each table of a path has the member of the row."""
    *above, _ = path.split("__")
    return {f"{'__'.join(above[: place + 1])}__member_id": F("member_id") for place in range(len(above))}


@cache
def _inserting(model: type[Model]) -> Insert:
    return Insert(model)


@cache
def _updating(model: type[Model], names: tuple[str, ...], is_revised: bool) -> Update:
    mine: QuerySet[Any] = QuerySet(model).filter(member_id=Param("member_id"), pk=Param("pk"))
    values: dict[str, Any] = {name: Param(name, columns_of(model)[name]) for name in names}
    return Update(mine, values | ({"sequence": F("sequence") + 1} if is_revised else {}))
