"""Declarations of models whose rows belong to a member, registered in the `member_data.py` of each app."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any
from uuid import UUID

from django.apps import apps
from django.contrib.auth import get_user_model
from django.core.checks import CheckMessage, Error
from django.db.models import DateTimeField, Field, ForeignKey, Model, Q, UUIDField

from studyservice.operations.errors import Conflict
from studyservice.registry import Member
from studyservice.registry.archived import Archived

Columns = dict[str, Any]
"""A row by column name."""

ACCOUNT = "about the account"
CREDENTIAL = "a credential"
"""Why rows belong to no course, or are not archived."""

Touched = Mapping[type[Model], list[Columns]]
"""The rows that an undo inserted, and those that it changed or deleted, as they were before. Of rows with only a filled
reference, just the id and the reference.
"""

Settle = Callable[[Member, Any, Touched], None]
"""Updates what depends on the rows that an undo touched. Takes the member and the `Write`.

Raises `Conflict` if the rows are inconsistent.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Maximum:
    """The most rows of a model. Creating, undoing and importing use the same object.

    Attributes:
        most: rows.
        what: names the rows: `items of a course`.
        full: the error message, with `{most}`.
        per: path to the object whose rows count together, like `category__course`. Empty: all rows of the member.
        counter: column of that object with the number of rows, if there is one.
        where: values by column of the rows that count; empty for all. Only without `per`.
        is_conflict: whether an import of more rows is a conflict, instead of an invalid line.
    """

    most: int
    what: str
    full: str
    per: str = ""
    counter: str = ""
    where: Mapping[str, object] = field(default_factory=dict, hash=False)
    is_conflict: bool = False

    def counts(self, row: Mapping[str, Any]) -> bool:
        """Return whether a row counts."""
        return all(row[name] == value for name, value in self.where.items())

    def refusal(self, present: int = 0, more: int = 1) -> Conflict:
        """The error when there is no space for `more` rows beside the `present` ones.

        It has no number of all the member's rows, which a credential for some courses must not learn.
        """
        if more == 1:
            return Conflict(self.full.format(most=self.most))
        if not self.per:
            return Conflict(
                f"With these there would be over {self.most} {self.what}. Send fewer, or delete some first."
            )
        over = present + more - self.most
        told = f"That is {over} too many: there can be at most {self.most} {self.what}, and there are {present}."
        return Conflict(f"{told} Send fewer, or delete some first.")

    def require(self, present: int, more: int = 1) -> None:
        """Raise `refusal` unless `more` rows fit beside the `present` ones."""
        if present + more > self.most:
            raise self.refusal(present, more)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Visible:
    """What a limited credential sees of a model, beyond the path to its course (`studyservice.rows.seen`).

    Attributes:
        seen: returns the condition on the rows that it sees, if `MemberData.course` does not determine them.
        is_grade: whether a credential without grades sees no row.
        without_grades: by column, the SQL that replaces it for such a credential; `t` is the table.
        in_courses: by column, the SQL that replaces it for a credential limited to courses; `{member}` is the member.
    """

    seen: Callable[[], Q] | None = None
    is_grade: bool = False
    without_grades: Mapping[str, str] = field(default_factory=dict)
    in_courses: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Logged:
    """How the rows of a model are logged, and what an undo does with them.

    Attributes:
        left_out: why the log of changes does not have the rows.
        columns: the only columns that it has; empty for all.
        made_with: by column, the usual value at creation, which lists leave out.
        not_listed: why list_changes does not find changes by the ids of the rows.
        not_kept: why deleted rows are not kept for undo.
        moved: columns with a row's place in an order. They may change when other rows are restored, so an undo does not
            compare them, but whether the order has the same rows (`Archived.order`: its first column is the parent).
        unstamped: columns that a change of another object may also change, without a new stamp of the row.
        restamped: columns that get a new stamp when a row is restored or imported, because pollers ask for them.
        plain_references: columns with the id of an object, without a foreign key, and the label of its model. They are
            emptied when the object is deleted.
        refills: by column, a condition on the rows whose reference an undo may fill again, given the id that it
            referred to.
        settle: called after an undo.
        remembered: whether the service derives the rows rather than the member; they do not prevent undoing the
            creation of their parent.
        defaults: returns the values of columns that rows from before the columns lack, if the default depends on the
            member. An import uses it too.
    """

    left_out: str = ""
    columns: tuple[str, ...] = ()
    made_with: Mapping[str, Any] = field(default_factory=dict)
    not_listed: str = ""
    not_kept: str = ""
    moved: tuple[str, ...] = ()
    unstamped: tuple[str, ...] = ()
    restamped: tuple[str, ...] = ()
    plain_references: Mapping[str, str] = field(default_factory=dict)
    refills: Mapping[str, Callable[[UUID], Q]] = field(default_factory=dict)
    settle: Settle | None = None
    remembered: bool = False
    defaults: Callable[[Member], dict[str, Any]] | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Computed:
    """Columns of a model that the service computes. The verbs of `studyservice.rows`, an undo and an import keep them.

    Attributes:
        derived: returns the columns that are computed from other columns of the row.
        derived_from: the columns that they are computed from.
        revised_by: columns whose change is a new revision of a calendar's event (`sequence`).
        recompute: computes what is stored beside the rows of a member, after an import, under the member's lock;
            returns how many values were wrong.
    """

    derived: Callable[[Mapping[str, Any]], dict[str, Any]] | None = None
    derived_from: tuple[str, ...] = ()
    revised_by: tuple[str, ...] = ()
    recompute: Callable[[UUID], int] | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MemberData:
    """The rules for a model's rows: how many there may be, how they are logged, archived and erased.

    Attributes:
        course: path from a row to its course: `item__course`. `self` for a course.
        whole_member: why a row belongs to no course.
        archived: how the rows are archived, or why they are not. A `CREDENTIAL` lets somebody sign in or call, and is
            erased first.
        hash_column: column with the SHA-256 of a secret that identifies the row (`accounts.credentials.owners`).
        maxima: of the number of rows.
        no_maximum: why study data has none.
        no_admin: why the admin has no page of the rows.
        visible: what a limited credential sees of them.
        log: how they are logged and undone.
        computed: the columns that the service computes.
    """

    model: type[Model] = field(kw_only=False)
    course: str = ""
    whole_member: str = ""
    archived: Archived | str
    hash_column: str = ""
    maxima: tuple[Maximum, ...] = ()
    no_maximum: str = ""
    no_admin: str = ""
    visible: Visible = Visible()
    log: Logged = Logged()
    computed: Computed = Computed()

    def __post_init__(self) -> None:
        if bool(self.course) is bool(self.whole_member):
            raise ValueError(f"{self.label}: declare either `course`, the path to it, or `whole_member`, a reason.")
        if self.is_study_data and bool(self.maxima) is bool(self.no_maximum):
            raise ValueError(f"{self.label}: declare either `maxima` or `no_maximum`, a reason.")

    @property
    def label(self) -> str:
        """The model's label, like `courses.Item`."""
        return self.model._meta.label

    @property
    def owner(self) -> str:
        """The foreign key to the member."""
        return next(field.name for field in self.model._meta.concrete_fields if field.related_model is get_user_model())

    @property
    def archive(self) -> Archived | None:
        """How the rows are archived; None if they are not."""
        return self.archived if isinstance(self.archived, Archived) else None

    @property
    def is_study_data(self) -> bool:
        """Whether the rows are the member's work, rather than data about the account."""
        return self.archive is not None or bool(self.course)


_UNUSED = frozenset({"oauth2_provider"})
"""Apps whose own tables are empty."""

_registered: dict[type[Model], MemberData] = {}


def register(data: MemberData) -> None:
    """Register a declaration. Raises ValueError if the model already has one."""
    if data.model in _registered:
        raise ValueError(f"{data.label} is registered twice.")
    _registered[data.model] = data


def hide_without_grades(model: type[Model], columns: Mapping[str, str]) -> None:
    """Hide columns of a lower app's model from credentials without grades."""
    data = _registered[model]
    _registered[model] = replace(data, visible=replace(data.visible, without_grades=columns))


def data_of(model: type[Model]) -> MemberData | None:
    """Return the declaration of the model, or None if its rows belong to no member."""
    return _registered.get(model)


def is_study_data(model: type[Model]) -> bool:
    """Return whether the rows of the model are a member's work."""
    data = data_of(model)
    return data is not None and data.is_study_data


@cache
def member_data() -> tuple[MemberData, ...]:
    """Return every declaration: referenced models before the models that refer to them, and credentials last.

    Archives follow this order. Erasure follows the reverse.
    """
    credentials = [data for data in _registered.values() if data.archived == CREDENTIAL]
    others = [data for data in _registered.values() if data.archived != CREDENTIAL]
    seen: set[type[Model]] = set()
    ordered: list[MemberData] = []

    def add(data: MemberData) -> None:
        if data.model in seen:
            return
        seen.add(data.model)
        for model in _targets(data):
            if model in _registered:
                add(_registered[model])
        ordered.append(data)

    for data in (*others, *reversed(credentials)):
        add(data)
    return tuple(ordered)


@cache
def columns_of(model: type[Model]) -> dict[str, "Field[Any, Any]"]:
    """Return the columns of a model by name."""
    return {column.attname: column for column in model._meta.concrete_fields}


@cache
def target_of(label: str, column: str) -> str:
    """Return the label of the model that a reference of another one refers to."""
    model = apps.get_model(label)
    related = model._meta.get_field(column).related_model
    return _registered[model].log.plain_references[column] if related is None else related._meta.label


@cache
def counters() -> frozenset[str]:
    """Return the columns that count the rows below an object."""
    return frozenset(maximum.counter for data in member_data() for maximum in data.maxima if maximum.counter)


def _targets(data: MemberData) -> Iterator[type[Model]]:
    """Yield the models that the rows refer to."""
    for column in data.model._meta.concrete_fields:
        if column.related_model is not None:
            yield column.related_model
    loose = data.archive.loose if data.archive is not None else {}
    for label in (*data.log.plain_references.values(), *loose.values()):
        yield apps.get_model(label)


def check_member_data(**kwargs: Any) -> list[CheckMessage]:
    """Return an error for each model without a declaration, and for each wrong name in a declaration."""
    found = [*_unregistered(), *(text for data in member_data() for text in _wrong_names(data))]
    return [Error(text, id="studyservice.E001") for text in found]


def _unregistered() -> Iterator[str]:
    for model in apps.get_models():
        label, app = model._meta.label, model._meta.app_label
        refers = any(field.related_model is get_user_model() for field in model._meta.concrete_fields)
        if refers and not model._meta.proxy and app not in _UNUSED and data_of(model) is None:
            call = f"register(MemberData({model.__name__}, ...))"
            yield f"{label} refers to a member: add {call} to {app}/member_data.py."


def _wrong_names(data: MemberData) -> Iterator[str]:
    kinds: dict[str, tuple[tuple[str, ...], type[Field[Any, Any]]]] = {
        "restamped": (data.log.restamped, DateTimeField),
        "moved": (data.log.moved, Field),
        "hash_column": ((data.hash_column,) if data.hash_column else (), Field),
        "plain_references": (tuple(data.log.plain_references), UUIDField),
        "maxima": (tuple(maximum.per for maximum in data.maxima if maximum.counter), ForeignKey),
    }
    fields = {name: field for field in data.model._meta.concrete_fields for name in (field.name, field.attname)}
    for attribute, (names, kind) in kinds.items():
        for name in names:
            if not isinstance(fields.get(name), kind):
                yield f"{data.label}: {attribute} names {name}, which is not a {kind.__name__} of the model."
