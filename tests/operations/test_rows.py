"""The types of the domain match its serializers, and its statements read the columns of their types."""

import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from datetime import date, datetime
from decimal import Decimal
from types import GenericAlias, ModuleType
from typing import Any, get_args, get_type_hints
from uuid import UUID

import pytest
from rest_framework import serializers

from grades.serializers import CategoryBody
from studyservice.changes.contents import Fields
from studyservice.database.rows import columns_of_row
from studyservice.database.statements import Insert, RawStatement, Select, Update
from studyservice.operations.answers import ANSWERS, record_of
from studyservice.operations.declaration import Operation
from studyservice.operations.fields import NumberField
from studyservice.rows.rows import Row
from studyservice.viewsets import MemberViewSet
from tests import ROOT
from tests.support.any_share import PACKAGES
from tests.support.cases import each
from vocab.serializers import CardBody

pytestmark = pytest.mark.database("sqlite", "declared types and statements")

PLAIN: tuple[tuple[type, Any], ...] = (
    (serializers.UUIDField, UUID),
    (serializers.CharField, str),
    (serializers.ChoiceField, str),
    (serializers.IntegerField, int),
    (NumberField, Decimal),
    (serializers.FloatField, float),
    (serializers.BooleanField, bool),
    (serializers.DateTimeField, datetime),
    (serializers.DateField, date),
    (serializers.DictField, Fields),
)
"""The type of values by kind of field. The first match counts."""

DECLARING = {
    "studyservice.changes.recording",
    "accounts.credentials.owners",
    "grades.marks",
    "practice.attempts",
    "vocab.reviews",
}
"""The modules that declare changes themselves, of rows that the log of changes does not have."""


def _below(base: Any) -> Iterator[Any]:
    """Every subclass that the apps define."""
    for below in base.__subclasses__():
        yield below
        yield from _below(below)


def _modules() -> list[ModuleType]:
    """Every module of the apps."""
    found = [
        info.name
        for package in (*PACKAGES, "oauthserver")
        for info in pkgutil.walk_packages([str(ROOT / package)], f"{package.replace('/', '.')}.")
        if ".migrations" not in info.name
    ]
    return [importlib.import_module(name) for name in found]


MODULES = _modules()
NAMES = {module.__name__ for module in MODULES}
ROWS = {record_of(row): row for row in ANSWERS if row.__module__ in NAMES}
PARTS = [CategoryBody, CardBody]
OPERATIONS = {
    one.id: one
    for viewset in _below(MemberViewSet)
    if viewset.__module__ in NAMES
    for attribute in vars(viewset).values()
    if isinstance(one := getattr(attribute, "operation", attribute), Operation)
}
NAMED_OTHERWISE = {"get_item": "get_item_detail"}
"""Operations with their domain functions, if the function of the same name returns only the object."""

TAKING = [one for one in OPERATIONS.values() if one.body or one.query]
STATEMENTS = [
    pytest.param(statement, id=f"{module.__name__}.{name}")
    for module in MODULES
    for name, statement in vars(module).items()
    if isinstance(statement, Select) and get_args(vars(statement).get("__orig_class__")) not in {(), (Row,)}
]


def _type_beside(serializer: Any) -> Any:
    """`CourseRow` for its serializer; `CourseFields` for `CourseBody` and for bodies that update a course."""
    if serializer in ROWS:
        return ROWS[serializer]
    name = serializer.__name__.removesuffix("Body").removesuffix("Changes")
    return getattr(importlib.import_module(serializer.__module__), f"{name}Fields")


def _type_of(field: Any) -> Any:
    """The type of a field's values."""
    if isinstance(field, serializers.ListSerializer | serializers.ListField):
        kind: Any = GenericAlias(list, (_type_of(field.child),))
    elif isinstance(field, serializers.Serializer):
        kind = _type_beside(type(field))
    elif isinstance(field, serializers.DictField) and isinstance(field.child, serializers.IntegerField):
        kind = dict[str, int]
    else:
        kind = next(kind for known, kind in PLAIN if isinstance(field, known))
    return kind | None if field.allow_null else kind


def _parameters(operation_id: str) -> tuple[dict[str, Any], set[str]]:
    """The keyword arguments of the domain function of this name, with whether each is required."""
    name = NAMED_OTHERWISE.get(operation_id, operation_id)
    [function] = [vars(one)[name] for one in MODULES if _defines(one, name)]
    hints = get_type_hints(function)
    taken: dict[str, Any] = {}
    needed: set[str] = set()
    for one in inspect.signature(function).parameters.values():
        if one.kind is one.VAR_KEYWORD:
            taken |= get_type_hints(*get_args(hints[one.name]))
        elif one.kind is one.KEYWORD_ONLY:
            taken[one.name] = hints[one.name]
            needed |= {one.name} if one.default is one.empty else set()
    return taken, needed


def _defines(module: ModuleType, name: str) -> bool:
    return getattr(vars(module).get(name), "__module__", None) == module.__name__


@each("row", ROWS.values())
def test_the_fields_of_an_answer_are_described_with_their_types(row: Any) -> None:
    fields = record_of(row)().fields
    assert get_type_hints(row) == {name: _type_of(field) for name, field in fields.items()}
    assert row.__required_keys__ == {name for name, field in fields.items() if field.required}


@each("row", ROWS.values())
def test_every_field_of_an_answer_has_a_description(row: Any) -> None:
    assert row.__doc__
    assert [name for name, field in record_of(row)().fields.items() if not field.help_text] == []


@each("body", PARTS)
def test_a_part_of_a_body_has_the_fields_of_its_type(body: Any) -> None:
    assert get_type_hints(_type_beside(body)) == {name: _type_of(field) for name, field in body().fields.items()}


@each("operation", TAKING)
def test_a_domain_function_accepts_the_parsed_fields_of_its_operation(operation: Operation) -> None:
    taken, needed = _parameters(operation.id)
    parsed = dict(operation.query().fields) if operation.query else {}
    parsed |= operation.body(partial=operation.partial).fields if operation.body else {}
    for name, field in parsed.items():
        assert taken[name] in ({_type_of(field)} if name in needed else {_type_of(field), _type_of(field) | None})
    given = {name for name, field in parsed.items() if field.required or field.default is not serializers.empty}
    assert needed <= given


@pytest.mark.parametrize("statement", STATEMENTS)
def test_a_statement_reads_the_columns_of_its_row(statement: Any) -> None:
    [row] = get_args(statement.__orig_class__)
    assert columns_of_row(row).keys() <= {*statement._names} <= get_type_hints(row).keys()


def test_other_changes_are_made_by_the_verbs_of_rows() -> None:
    writing = {
        module.__name__
        for module in MODULES
        for one in vars(module).values()
        if isinstance(one, Insert | Update | RawStatement)
    }
    assert writing == DECLARING
