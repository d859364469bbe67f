"""Requests generated from /openapi.json: whatever it promises, the service keeps."""

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

from accounts.models import IdempotencyKey, Member
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
            # Decisions 4: NUL is refused in every text, which a schema cannot say.
            "allow-x00": False,
        },
    }
)


def as_decided() -> Any:
    """The document, with what decisions 4 adds to it."""
    described = copy.deepcopy(document())
    for name, schema in described["components"]["schemas"].items():
        if schema.pop("additionalProperties", None) is False:
            # Bodies are published closed, and the server ignores unknown fields.
            for field in schema["properties"].values():
                if field.get("minLength") == 1:
                    # Text is trimmed before it is measured, so it must contain more than white space.
                    field["pattern"] = r"\S"
            assert "Body" in name or "Changes" in name
    return described


@cache
def promised() -> Any:
    """The schema that requests are generated from."""
    schema = schemathesis.openapi.from_dict(as_decided(), config=CONFIG)
    schema.app = application
    load_all_checks()
    return schema


@contextmanager
def one_connection() -> Iterator[None]:
    """Requests do not close the connection that holds the test's transaction; Django's test client does the same."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    try:
        yield
    finally:
        for signal in (request_started, request_finished):
            signal.connect(close_old_connections)


FORM = "multipart/form-data"

OWN_IDS = {"category_id", "course_id", "item_id"}
"""Fields of bodies that name an object of the member's."""


@pytest.fixture
def world(owner_member: Member, make_key) -> World:
    """The owner's objects."""
    return World(RestEntryPoint(make_key(owner_member)[0]))


THOROUGH = pytest.mark.thorough("values at each limit and beyond it")


def _cases() -> list[Any]:
    """Operations with generators of requests. One without parameters has no examples."""
    # The client leaves a file that is streamed open; sweeps ask for it.
    promising = {name: route for name, route in sorted(routes().items()) if name != "export_data"}
    taking = [name for name, route in promising.items() if route.path_ids or route.query or route.takes_body]
    return [
        *(pytest.param(name, HypothesisTestMode.EXAMPLES, id=name) for name in taking),
        *(pytest.param(name, HypothesisTestMode.COVERAGE, id=f"{name}-all", marks=THOROUGH) for name in promising),
    ]


@pytest.mark.parametrize(("operation_id", "mode"), _cases())
def test_it_keeps_what_the_description_promises(operation_id: str, mode: HypothesisTestMode, world: World) -> None:
    """As `schemathesis.parametrize`, which would generate requests wherever tests are collected.

    Those are seconds for each worker.
    """
    operation = promised().find_operation_by_id(operation_id)
    config = HypothesisTestConfig(
        project=CONFIG.projects.get_default(),
        # Not random ones: test_mcp_fuzz.py and test_hostile_input.py make those from the same schemas.
        modes=[mode],
        settings=CONFIG.projects.get_default().get_hypothesis_settings(operation=operation, phase="fuzzing"),
        explicit_settings=settings(deadline=None),
    )

    def check(case: Any) -> None:
        _check(case, world)

    create_test(operation=operation, test_func=check, config=config)()


def _check(case: Any, world: World) -> None:
    rates.clear()
    IdempotencyKey.objects.all().delete()  # each request is another call, which needs another key
    if case.method == "DELETE":
        world.forget()
    if case.meta.generation.mode.is_positive:
        case.path_parameters = {name: world.id(name) for name in case.path_parameters}
        case.body = _with_own_ids(case.body, world)
        if case.media_type == "application/json":
            case.body = _without_blanks(case.body)
        elif case.media_type == FORM and isinstance(case.body, dict):  # in a form, null is a text
            case.body = {name: value for name, value in case.body.items() if value is not None}
            # A parameter may be in either place; two different values are refused, which a schema cannot say.
            case.query = {name: value for name, value in (case.query or {}).items() if name not in case.body}
        if "updated_after" in (case.query or {}):  # one of the two goes along, which a schema cannot say
            case.query.pop("created_after", None)
        if "course_id" in (case.query or {}) and case.path.startswith("/v1/syllabi"):
            case.query["course_id"] = world.id("course_id")
    # test_sweep.py tests that each operation needs a credential; testing it here would triple the requests.
    excluded = [CHECKS.get_one("ignored_auth"), *_exempt(case)]
    with one_connection():
        case.call_and_validate(headers=bearer(world.entry_point.secret), excluded_checks=excluded)


def _with_own_ids(value: Any, world: World) -> Any:
    """A body whose ids name objects of the member's: others are refused, which a schema cannot say (decisions 12)."""
    if isinstance(value, list):
        return [_with_own_ids(inner, world) for inner in value]
    if not isinstance(value, dict):
        return value
    own = {name: _with_own_ids(inner, world) for name, inner in value.items() if name != "id"}
    known = {name: world.id(name) for name in own if name in OWN_IDS and own[name] is not None}
    if isinstance(own.get("time_zone"), str):
        known["time_zone"] = "Europe/Paris"  # which texts name a time zone, a schema cannot say
    if isinstance(own.get("text"), str):
        known["text"] = new_text()  # which has no control characters
    if own.get("syllabus_id") is not None:
        known["syllabus_id"] = world.made("create_syllabus", text=new_text())["id"]  # one that is not attached yet
    return own | known


def _without_blanks(value: Any) -> Any:
    """A schema cannot say that text of only white space, like U+001E, counts as empty."""
    if isinstance(value, list):
        return [_without_blanks(inner) for inner in value]
    if isinstance(value, dict):
        return {name: _without_blanks(inner) for name, inner in value.items()}
    return "Text" if isinstance(value, str) and not value.strip() else value


def _exempt(case: Any) -> list[Any]:
    """Checks that decisions 4 and 12 disable for this request."""
    query = case.query or {}
    of_decks = {"include_cards", "due_only", "limit", "on", "for_item", "minutes_a_day"} & set(query)
    refused_though_right = (
        # Cards come with one deck only, and what is about them with cards, which a parameter by itself cannot say; nor
        # can it say which days are in the year ahead.
        (case.path == "/v1/vocab-decks" and bool(of_decks))
        # They need include_syllabus, or include_text.
        or bool({"syllabus_from", "syllabus_limit"} & set(query))
        # Plans exist only for future exams and quizzes, which the schema of a parameter cannot say.
        or bool({"minutes_a_day", "target"} & set(query))
        # Ids that name no category of the course are refused, which a schema cannot say.
        or "remaining" in query
        # A cursor is opaque: of the texts that the schema allows, only those that the service gave are good.
        or "cursor" in query
        # A file with other bytes than cards, which a schema cannot say.
        or case.path == "/v1/vocab-decks/import"
    )
    taken_though_wrong = (
        # Fields of a form are text, whatever type was meant, and a file is bytes.
        case.media_type == FORM
        # No body on PATCH is an empty one, which changes nothing.
        or (case.method == "PATCH" and isinstance(case.body, NotSet))
    )
    if refused_though_right:
        return [CHECKS.get_one("positive_data_acceptance")]
    return [CHECKS.get_one("negative_data_rejection")] if taken_though_wrong else []
