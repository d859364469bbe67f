"""Each model whose rows belong to a member declares everything that the service does with them.

A failure names the missing declaration. docs/architecture.md, "Adding a model", lists all steps.
"""

from itertools import pairwise
from typing import Any

import pytest
from django.contrib import admin
from django.core.exceptions import FieldDoesNotExist
from django.db import models

from courses.models import Course, Item
from planning.models import Milestone
from studyservice.archive.tables import archive_tables
from studyservice.registry import data as registry
from studyservice.registry.archived import Archived
from studyservice.registry.data import (
    CREDENTIAL,
    Logged,
    Maximum,
    MemberData,
    check_member_data,
    member_data,
    register,
)
from tests.support.archives import TABLES
from tests.support.cases import each
from tests.support.declarations import declared

pytestmark = pytest.mark.database("sqlite", "declarations")

STUDY_DATA = [data for data in member_data() if data.is_study_data]
by_label = pytest.mark.parametrize("data", member_data(), ids=lambda data: data.label)
of_study_data = pytest.mark.parametrize("data", STUDY_DATA, ids=lambda data: data.label)


def faults() -> list[str]:
    return [str(error.msg) for error in check_member_data()]


def declaration(model: Any) -> MemberData:
    return next(data for data in member_data() if data.model is model)


def test_every_model_with_a_member_is_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    assert faults() == []
    without_items = {model: data for model, data in registry._registered.items() if model is not Item}
    monkeypatch.setattr(registry, "_registered", without_items)
    assert faults() == [
        "courses.Item refers to a member: add register(MemberData(Item, ...)) to courses/member_data.py."
    ]


@each(
    ("wrong", "text"),
    [
        ({"log": Logged(restamped=("title",))}, "restamped names title, which is not a DateTimeField of the model."),
        ({"log": Logged(moved=("place",))}, "moved names place, which is not a Field of the model."),
        ({"hash_column": "secret"}, "hash_column names secret, which is not a Field of the model."),
        (
            {"log": Logged(plain_references={"deck_id": "vocab.Deck"})},
            "plain_references names deck_id, which is not a UUIDField",
        ),
        (
            {"maxima": (Maximum(most=1, what="x", full="x", per="title", counter="card_count"),)},
            "maxima names title, which is not a ForeignKey of the model.",
        ),
    ],
)
def test_an_invalid_name_stops_the_start(wrong: dict[str, Any], text: str) -> None:
    with declared(declaration(Item), **wrong):
        [found] = faults()
    assert found.startswith(f"courses.Item: {text}")


def test_a_declaration_is_complete_and_unique() -> None:
    archived = Archived(name="items", order=("id",))
    for given, text in (
        ({"archived": "x"}, "`course`, the path to it, or `whole_member`"),
        ({"archived": "x", "course": "course", "whole_member": "x"}, "`course`, the path to it, or `whole_member`"),
        ({"course": "course", "archived": archived}, "`maxima` or `no_maximum`"),
    ):
        with pytest.raises(ValueError, match=f"courses.Item: declare either {text}"):
            MemberData(Item, **given)
    with pytest.raises(ValueError, match=r"courses\.Item is registered twice"):
        register(MemberData(Item, course="course", archived="x", no_maximum="x"))


@by_label
def test_the_path_leads_to_a_course(data: MemberData) -> None:
    model: Any = data.model
    if data.whole_member or data.course == "self":
        assert data.whole_member or model is Course
        return
    *steps, last = data.course.split("__")
    try:
        for step in steps:
            model = model._meta.get_field(step).related_model
        column = model._meta.get_field(last)
    except FieldDoesNotExist:
        pytest.fail(f"{data.label}: say in `course` by which foreign keys a row leads to its course.")
    assert column.related_model is Course or isinstance(column, models.UUIDField), data.course


def test_rows_are_erased_before_rows_they_refer_to_with_credentials_first() -> None:
    order = [data.label for data in reversed(member_data())]
    for data in member_data():
        for field in data.model._meta.concrete_fields:
            target = field.related_model and field.related_model._meta.label
            if target in order and target != data.label:
                assert order.index(data.label) < order.index(target), (data.label, target)
    first = [data.archived == CREDENTIAL for data in reversed(member_data())]
    assert first == sorted(first, reverse=True)
    assert order[0] == "accounts.SecretOwner"
    assert order[-1] == "accounts.MemberAddress"


def test_a_table_of_the_archive_follows_the_tables_it_refers_to() -> None:
    names = [table.name for table in archive_tables()]
    assert set(names) == {*TABLES}, "TABLES in tests/support/archives.py names the files of an archive."
    for table in archive_tables():
        for other in (*table.references.values(), *table.loose.values()):
            assert names.index(other) < names.index(table.name)


@by_label
def test_the_admin_has_a_page_or_the_declaration_a_reason(data: MemberData) -> None:
    has_page = data.model in admin.site._registry
    help_ = "register a ReadOnlyAdmin in the admin.py of its app, or give `no_admin` a reason"
    assert has_page is not bool(data.no_admin), f"{data.label}: {help_}."


def test_referenced_models_come_first_in_any_order_of_registration(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_registered", dict(reversed(registry._registered.items())))
    order = [data.model for data in member_data.__wrapped__()]
    assert all(order.index(first) < order.index(then) for first, then in pairwise([Course, Item, Milestone]))
