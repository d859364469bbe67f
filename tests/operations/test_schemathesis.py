"""Requests generated from /openapi.json: the service keeps everything that it promises."""

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from hypothesis import settings
from schemathesis.checks import CHECKS, load_all_checks
from schemathesis.core import NotSet
from schemathesis.generation.hypothesis.builder import HypothesisTestConfig, HypothesisTestMode, create_test

from accounts.models import Member
from studyservice.models import IdempotencyKey
from studyservice.rates import limiter as rates
from studyservice.wsgi import application
from tests.support.entry_points import RestEntryPoint, document, routes
from tests.support.world import World, bearer, new_text

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.database(
        "sqlite", "what the description promises; what a database cannot store, test_hostile_input.py sends to both"
    ),
]

CONFIG = schemathesis.Config.from_dict(
    {
        "generation": {
            "deterministic": True,
            "database": "none",
            # Decisions 4: NUL is rejected in every text, which a schema cannot express.
            "allow-x00": False,
        },
    }
)


def as_decided() -> Any:
    """The document with the additions of decisions 4."""
    described = copy.deepcopy(document())
    for name, schema in described["components"]["schemas"].items():
        if schema.pop("additionalProperties", None) is False:
            # Bodies are published as closed, but the server ignores unknown fields.
            for field in schema["properties"].values():
                if field.get("minLength") == 1:
                    # Text is trimmed before it is measured, so it must contain more than white space.
                    field["pattern"] = r"\S"
            assert "Body" in name or "Changes" in name
    return described


@cache
def promised() -> Any:
    """The schema for generating requests."""
    schema = schemathesis.openapi.from_dict(as_decided(), config=CONFIG)
    schema.app = application
    load_all_checks()
    return schema


@contextmanager
def one_connection() -> Iterator[None]:
    """Keep the connection that holds the test's transaction open after requests, as Django's test client does."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    try:
        yield
    finally:
        for signal in (request_started, request_finished):
            signal.connect(close_old_connections)


FORM = "multipart/form-data"

OWN_IDS = {"category_id", "course_id", "item_id"}
"""Body fields that must name an object of the member."""


@pytest.fixture
def world(owner_member: Member, make_key) -> World:
    """The owner's objects."""
    return World(RestEntryPoint(make_key(owner_member)[0]))


THOROUGH = pytest.mark.thorough("values at and over each limit")


def _cases() -> list[Any]:
    """Operations with request generators. Operations without parameters have no examples."""
    # The client leaves a streamed file open, and sweeps request one.
    promising = {name: route for name, route in sorted(routes().items()) if name != "export_data"}
    taking = [name for name, route in promising.items() if route.path_ids or route.query or route.takes_body]
    return [
        *(pytest.param(name, HypothesisTestMode.EXAMPLES, id=name) for name in taking),
        *(pytest.param(name, HypothesisTestMode.COVERAGE, id=f"{name}-all", marks=THOROUGH) for name in promising),
    ]


@pytest.mark.parametrize(("operation_id", "mode"), _cases())
def test_it_keeps_the_promises_of_the_description(operation_id: str, mode: HypothesisTestMode, world: World) -> None:
    """Replaces `schemathesis.parametrize`, which would generate requests wherever tests are collected.

    That takes seconds in each worker.
    """
    operation = promised().find_operation_by_id(operation_id)
    config = HypothesisTestConfig(
        project=CONFIG.projects.get_default(),
        # Not random ones: test_mcp_fuzz.py and test_hostile_input.py generate those from the same schemas.
        modes=[mode],
        settings=CONFIG.projects.get_default().get_hypothesis_settings(operation=operation, phase="fuzzing"),
        explicit_settings=settings(deadline=None),
    )

    def check(case: Any) -> None:
        _check(case, world)

    create_test(operation=operation, test_func=check, config=config)()


def _check(case: Any, world: World) -> None:
    rates.clear()
    IdempotencyKey.objects.all().delete()  # each request is a new call, which needs a new key
    if case.method == "DELETE":
        world.forget()
    if case.meta.generation.mode.is_positive:
        case.path_parameters = {name: world.id(name) for name in case.path_parameters}
        case.body = _with_own_ids(case.body, world)
        if isinstance(case.body, dict) and "item_id" in case.path_parameters:
            case.body.pop("more", None)  # it would name the world's only item twice
        if case.media_type == "application/json":
            case.body = _without_blanks(case.body)
        elif case.media_type == FORM and isinstance(case.body, dict):  # in a form, null is text
            case.body = {name: value for name, value in case.body.items() if value is not None}
            # A parameter may be in either place. Two different values are rejected, which a schema cannot express.
            case.query = {name: value for name, value in (case.query or {}).items() if name not in case.body}
        if "updated_after" in (case.query or {}):  # one of the two is required, which a schema cannot express
            case.query.pop("created_after", None)
        if "course_id" in (case.query or {}) and case.path.startswith("/v1/syllabi"):
            case.query["course_id"] = world.id("course_id")
    # test_sweep.py tests that each operation needs a credential. Testing it here would triple the requests.
    excluded = [CHECKS.get_one("ignored_auth"), *_exempt(case)]
    with one_connection():
        case.call_and_validate(headers=bearer(world.entry_point.secret), excluded_checks=excluded)


def _with_own_ids(value: Any, world: World) -> Any:
    """A body whose ids belong to the member. Others are rejected, which a schema cannot express (decisions 12)."""
    if isinstance(value, list):
        return [_with_own_ids(inner, world) for inner in value]
    if not isinstance(value, dict):
        return value
    own = {name: _with_own_ids(inner, world) for name, inner in value.items() if name != "id"}
    known = {name: world.id(name) for name in own if name in OWN_IDS and own[name] is not None}
    if isinstance(own.get("time_zone"), str):
        known["time_zone"] = "Europe/Paris"  # a schema cannot express the set of time zones
    if isinstance(own.get("text"), str):
        known["text"] = new_text()  # which contains no control characters
    if own.get("syllabus_id") is not None:
        known["syllabus_id"] = world.made("create_syllabus", text=new_text())["id"]  # one that is not attached yet
    return own | known


def _without_blanks(value: Any) -> Any:
    """Replace blank texts like U+001E: a schema cannot express that they count as empty."""
    if isinstance(value, list):
        return [_without_blanks(inner) for inner in value]
    if isinstance(value, dict):
        return {name: _without_blanks(inner) for name, inner in value.items()}
    return "Text" if isinstance(value, str) and not value.strip() else value


def _exempt(case: Any) -> list[Any]:
    """Checks that decisions 4 and 12 exempt for this request."""
    query = case.query or {}
    of_decks = {"include_cards", "due_only", "limit", "on", "for_item", "minutes_a_day"} & set(query)
    refused_though_right = (
        # Cards require a single deck, and parameters about cards require cards. A schema of one parameter cannot
        # express this, nor which days are in the year ahead.
        (case.path == "/v1/vocab-decks" and bool(of_decks))
        # They require include_syllabus or include_text.
        or bool({"syllabus_from", "syllabus_limit"} & set(query))
        # Plans exist only for future exams and quizzes, which the schema of a parameter cannot express.
        or bool({"minutes_a_day", "target"} & set(query))
        # Ids of other categories are rejected, which a schema cannot express.
        or "remaining" in query
        # A cursor is opaque: the schema allows many texts, but only cursors issued by the service are valid.
        or "cursor" in query
        # A file that does not contain cards, which a schema cannot express.
        or case.path == "/v1/vocab-decks/import"
    )
    taken_though_wrong = (
        # Form fields are always text, and a file is bytes.
        case.media_type == FORM
        # A PATCH without a body is an empty one, which changes nothing.
        or (case.method == "PATCH" and isinstance(case.body, NotSet))
    )
    if refused_though_right:
        return [CHECKS.get_one("positive_data_acceptance")]
    return [CHECKS.get_one("negative_data_rejection")] if taken_though_wrong else []
