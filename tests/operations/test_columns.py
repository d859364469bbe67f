"""A field is declared once, next to its column. Code that ignores a new column fails here."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.apps import apps
from django.contrib import admin as django_admin
from django.contrib.admin.utils import flatten_fieldsets
from django.db.models import CharField, Model, TextField
from django.test import Client
from rest_framework import serializers

from accounts.models import Member
from courses.entry_serializers import CategoryEntryBody, CourseItemBody, EntryBody
from courses.models import Course, Item
from courses.pages.course_forms import CourseForm
from courses.serializers import COURSE_TEXTS, CourseBody
from courses.syllabi.course_fields import course_fields
from courses.syllabi.titles import MOST_CHARACTERS
from grades.serializers import CategoryBody
from planning.calendar.properties import MAX_TITLE
from studyservice.operations.answers import ANSWERS
from studyservice.operations.columns import max_length
from studyservice.operations.fields import TimeField
from studyservice.operations.serializers import Body
from tests.operations.test_rows import NAMES, OPERATIONS
from tests.support.browsers import form_of
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint, routes
from tests.support.forms import form_with
from tests.support.world import World

pytestmark = pytest.mark.database("sqlite", "declared fields")

SERVER_MADE = {
    "courses.SyllabusFile": "an upload is read by the service",
    "planning.DueCalendar": "says when a calendar is read",
    "planning.SchoolCalendar": "its body names the address, and its columns tell what came of it",
    "planning.ImportedEvent": "import_calendar keeps what it has seen",
    "practice.Attempt": "the service counts practice",
    "practice.PracticeSum": "the service counts practice",
    "vocab.Review": "a line of the log, which is never changed",
}
"""Models of study data without client-writable fields, with the reason."""

NOT_SENT = {
    "courses.Course": {"archived": "of a new one is false"},
    "courses.Item": {
        "course_id": "is in the path",
        "category_id": "of a new course is named by category",
        "done": "of a new one is false",
    },
    "planning.Milestone": {"item_id": "is in the path", "position": "is counted", "done": "of a new one is false"},
    "grades.GradeCategory": {"course_id": "is in the path", "position": "is the place in the list"},
    "vocab.Card": {"deck_id": "is in the path", "suspended": "a new one is not"},
}
"""Columns that are missing in some or all request bodies, with the reason."""

NOT_ANSWERED = {
    "courses.Course": {"syllabus_text": "is long, and has_syllabus stands for it"},
    "grades.GradeCategory": {"course_id": "is told once of all categories", "position": "is the place in the list"},
}
"""Columns missing in the model's answer, with the reason."""

NOT_ON_THE_PAGE = {"syllabus_text": "is pasted in a form of its own", "archived": "of a new one is false"}
"""Columns of a course missing in the form for a new one, with the reason."""


def _study_models() -> dict[str, type[Model]]:
    labels = ("courses", "planning", "grades", "practice", "vocab")
    return {model._meta.label: model for label in labels for model in apps.get_app_config(label).get_models()}


MODELS = {label: model for label, model in _study_models().items() if label not in SERVER_MADE}


def _below(base: type[Any]) -> Iterator[type[Any]]:
    for below in base.__subclasses__():
        yield below
        yield from _below(below)


def _of(model: type[Model]) -> list[Any]:
    """The bodies of the model."""
    found = [one for one in _below(Body) if one.__module__ in NAMES and not one.__name__.endswith("Line")]
    return [one for one in found if getattr(getattr(one, "Meta", None), "model", None) is model]


def _columns(model: type[Model]) -> list[Any]:
    """The columns that a client can write."""
    return [one for one in model._meta.concrete_fields if one.editable and one.name != "member"]


def _names(model: type[Model]) -> set[str]:
    return {column.attname for column in _columns(model)}


def test_every_model_has_a_body_or_a_documented_reason() -> None:
    assert {label for label, model in MODELS.items() if not _of(model)} == set()
    assert _study_models().keys() >= SERVER_MADE.keys() | NOT_SENT.keys() | NOT_ANSWERED.keys()


@each("label", MODELS)
def test_the_database_checks_every_text(label: str) -> None:
    """SQLite ignores `max_length`, and no database rejects an empty text by default."""
    model = MODELS[label]
    texts = {one.name for one in _columns(model) if isinstance(one, CharField | TextField)}
    checked = {one.name.removeprefix(f"{model._meta.model_name}_") for one in model._meta.constraints}
    assert not texts - checked, f"Add characters() or one_of() to Meta.constraints of {label}: {texts - checked}"


@each("label", MODELS)
def test_every_body_accepts_every_column(label: str) -> None:
    model = MODELS[label]
    wanted = _names(model) - NOT_SENT.get(label, {}).keys()
    for body in _of(model):
        missing = wanted - body().fields.keys()
        assert not missing, f"Add to Meta.fields of {body.__name__}, or with a reason to NOT_SENT: {missing}"


@each("label", MODELS)
def test_the_answer_contains_every_column(label: str) -> None:
    model = MODELS[label]
    rows = [row for row, declared in ANSWERS.items() if declared.model is model and "id" in row.__annotations__]
    wanted = _names(model) - NOT_ANSWERED.get(label, {}).keys()
    assert rows
    for row in rows:
        missing = wanted - row.__annotations__.keys()
        assert not missing, f"Add to {row.__name__}, or with a reason to NOT_ANSWERED: {missing}"


def test_the_weights_of_a_new_course_match_the_grade_categories() -> None:
    """Courses cannot import the grade models, so their body declares these fields again."""
    own, entered = CategoryBody().fields, CategoryEntryBody().fields
    assert own.keys() - entered.keys() == {"id"}
    for name, field in entered.items():
        assert _limits(field) == _limits(own[name]), name


def _limits(field: Any) -> tuple[Any, ...]:
    names = ("max_length", "min_length", "min_value", "max_value", "allow_null", "required", "help_text")
    return (type(field), *(getattr(field, name, None) for name in names))


def test_readers_limit_titles_to_the_column_length() -> None:
    """Readers run in a process without the models."""
    assert max_length(Item, "title") == MAX_TITLE == MOST_CHARACTERS


def test_syllabus_proposals_fit_their_columns() -> None:
    """The parser does not know the models. Its other texts are shorter than their columns."""
    for name, head, begins in (("subject", "Subject", ""), ("meets", "Class meets", "Mon 9:00-10:20 ")):
        longest = (begins + "x" * 500)[: max_length(Course, name)]
        assert getattr(course_fields([f"{head}: {longest}"]), name) == longest, name
        assert getattr(course_fields([f"{head}: {longest}x"]), name) is None, name


def _sample(field: Any) -> object:
    """A value for the field that differs from its default."""
    if isinstance(field, serializers.ChoiceField):
        return next(choice for choice in field.choices if choice != field.default)
    if isinstance(field, serializers.BooleanField):
        return True
    if isinstance(field, serializers.FloatField | serializers.IntegerField):
        return (field.max_value or 0) - 1
    if isinstance(field, serializers.DateField):
        return "2030-12-03"
    if isinstance(field, TimeField):
        return "17:00"
    return f"A {field.field_name}"


def _written(body: type[Body], world: World) -> dict[str, Any]:
    """A value for each column of the body's model."""
    columns = _names(body.Meta.model)  # type: ignore[attr-defined]  # chosen by it
    fields = {name: field for name, field in body().fields.items() if name in columns}
    written = {name: world.id(name) if name.endswith("_id") else _sample(field) for name, field in fields.items()}
    return written | {name: value for name, value in CONSISTENT.items() if name in written}


CONSISTENT = {"score": 85, "points": 17, "out_of": 20}
"""Values that depend on each other."""

WRITING = [name for name, one in OPERATIONS.items() if hasattr(one.body, "Meta") and one.scope == "write"]


@pytest.mark.rest
@pytest.mark.django_db
@each("operation_id", sorted(set(WRITING) - {"review_vocab_card"}))
def test_every_column_is_stored_returned_and_logged(owner: RestEntryPoint, operation_id: str) -> None:
    """Fails if a domain function or the log of changes drops a column."""
    operation, world = OPERATIONS[operation_id], World(owner)
    assert operation.body is not None
    sent = _written(operation.body, world)
    ids = {name: world.id(name) for name in routes()[operation_id].path_ids}
    further = {"cards": [{"term": "ATP", "definition": "Energy"}]} if operation_id == "create_vocab_deck" else {}
    record = owner.made(operation_id, **ids, **sent, **further)
    answered = sent.keys() & record.keys()
    assert answered >= sent.keys() - {"syllabus_text"}
    assert {name: record[name] for name in answered} == {name: sent[name] for name in answered}
    changed = {name: value for name, value in sent.items() if not name.endswith("_id")}
    [change] = owner.made("list_changes", limit=1)["data"]
    assert {name: change["after"][name] for name in changed} == changed


@pytest.mark.django_db
def test_every_column_of_an_entry_is_stored(owner: RestEntryPoint) -> None:
    """Items of create_course, and `more` items of create_item."""
    world = World(owner)
    entry, named = _written(EntryBody, world), _written(CourseItemBody, world)
    [made] = owner.made("create_course", name="Botany", items=[named])["items"]
    assert {name: made[name] for name in named} == named
    both = owner.made("create_item", course_id=world.id("course_id"), **entry, more=[entry])["items"]
    for item in both:
        assert {name: item[name] for name in entry} == entry


@pytest.fixture
def browser(owner_member: Member) -> Client:
    client = Client()
    client.force_login(owner_member)
    return client


def test_the_page_form_has_every_column_of_a_course() -> None:
    missing = _names(Course) - CourseForm().fields.keys() - NOT_ON_THE_PAGE.keys()
    assert not missing, f"Add to CourseForm, or with a reason to NOT_ON_THE_PAGE: {missing}"
    assert set(COURSE_TEXTS) == set(CourseBody.Meta.fields) - NOT_ON_THE_PAGE.keys()


@pytest.mark.rest
@pytest.mark.django_db
def test_both_pages_store_every_column_of_a_course(browser: Client, owner: RestEntryPoint) -> None:
    """Created by hand, and from a syllabus without these fields."""
    texts = {name: f"A {name}" for name in COURSE_TEXTS}
    page = browser.get("/courses/new/by-hand").content.decode()
    assert browser.post("/courses/new/by-hand", form_with("name", page) | texts).status_code == 302
    page = browser.post("/courses/new", {"text": "Nothing is due."}).content.decode()
    assert browser.post("/courses/new", form_with("approve", page) | texts).status_code == 302
    for course in owner.made("list_courses")["data"]:
        assert {name: course[name] for name in texts} == texts


EDITED = {"courses.Course": "course_id", "courses.Item": "item_id", "vocab.Deck": "deck_id", "vocab.Card": "card_id"}
"""Models that operators can change, with the id of an object. Others are read-only."""


@pytest.mark.django_db
@each("label", MODELS)
def test_operators_see_every_column(rf: Any, label: str) -> None:
    model = MODELS[label]
    page = django_admin.site._registry[model]
    request = rf.get("/")
    request.user = Member(is_superuser=True)
    shown = flatten_fieldsets(page.get_fieldsets(request, model(member=Member())))
    missing = {column.name for column in _columns(model)} - set(shown)
    assert not missing, f"Add to fields of {type(page).__name__}: {missing}"


@pytest.mark.rest
@pytest.mark.django_db
@each("label", EDITED)
def test_operators_change_every_column(admin: Client, owner: RestEntryPoint, label: str) -> None:
    """Fails if the admin's `save_model` drops a column."""
    model, world = MODELS[label], World(owner)
    row_id = world.id(EDITED[label])
    path = f"/admin/{label.lower().replace('.', '/')}/{row_id}/change/"
    body = min(_of(model), key=lambda one: len(one().fields))
    sent = {name: value for name, value in _written(body, world).items() if not name.endswith("_id")}
    assert admin.post(path, form_of(admin, path) | sent).status_code == 302
    stored = model._default_manager.values(*sent).get(id=row_id)
    assert {name: str(value) for name, value in stored.items()} == sent
