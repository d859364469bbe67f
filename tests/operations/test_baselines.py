"""Committed files that must match the code: docs/openapi.json and tests/query_counts.json.

`make openapi` rewrites both.
"""

import json
from dataclasses import replace
from string import Formatter
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import Member
from courses.models import Course, Item
from studyservice.rates import limiter as rates
from tests import ROOT
from tests.support.entry_points import RestEntryPoint, document, routes
from tests.support.factories import (
    CourseFactory,
    GradeCategoryFactory,
    GradeScoreFactory,
    ItemFactory,
    MilestoneFactory,
    stored,
)
from tests.support.world import INTO_NOTHING, OPERATIONS, World, bearer

pytestmark = pytest.mark.same_statements

OPENAPI = ROOT / "docs" / "openapi.json"
COUNTS = ROOT / "tests" / "query_counts.json"
REFRESH = "Run `make openapi` and look at the difference before you commit it."

QUERIES = {
    "list_items": (
        "limit=100",
        "limit=100&created_after=2020-01-01T00:00:00Z&kind=other&from=2020-01-01",
        "limit=100&updated_after=2020-01-01T00:00:00Z",
    ),
    "get_agenda": ("days=120", "minutes=30"),
    "get_course": ("include_syllabus=true",),
    "list_vocab_decks": ("deck_id={deck_id}&include_cards=true",),
    "get_practice_stats": ("days=365",),
}
"""Further queries of reads, besides the empty one."""


def test_the_description_equals_the_committed_one(pytestconfig: pytest.Config) -> None:
    served = json.dumps(document(), indent=2, ensure_ascii=False) + "\n"
    neutral = served.replace("http://127.0.0.1:8000", "https://study.example.org")
    if pytestconfig.getoption("--refresh-baselines"):
        OPENAPI.parent.mkdir(exist_ok=True)
        OPENAPI.write_text(neutral)
    assert OPENAPI.read_text() == neutral, REFRESH


def test_the_api_version_is_unchanged() -> None:
    """Spec, Versioning 4. Releases of the service have their own versions (`tests/server/test_release.py`)."""
    assert document()["info"]["version"] == "1.0.0"


@pytest.fixture
def rest(owner_member: Member, make_key) -> RestEntryPoint:
    """The owner's REST entry point with a key used just now, so that its last use is not written again."""
    entry_point = RestEntryPoint(make_key(owner_member)[0])
    entry_point.made("get_me")
    return entry_point


WHOLE = {"export_data"}
"""Operations that together read every table of the member."""

_ORDER = {"PUT": 1, "DELETE": 2}


def _counts(world: World) -> dict[str, int]:
    """Queries of each operation, including the credential's. Replacing and deleting operations run last."""
    found = {}
    counted = set(OPERATIONS) - INTO_NOTHING  # the number of statements depends on the file
    for operation_id in sorted(counted, key=lambda name: (_ORDER.get(routes()[name].method, 0), name)):
        for query in ("", *QUERIES.get(operation_id, ())):
            rates.clear()
            call = world.call(operation_id)
            call = replace(call, query=_with_ids(query, world))
            with CaptureQueriesContext(connection) as queries:
                response = call.send(**bearer(world.entry_point.secret))
            assert response.status_code == routes()[operation_id].success, response.content
            found[f"{operation_id}?{query}".rstrip("?")] = len(queries)
        if routes()[operation_id].method == "DELETE":
            world.forget()
    return dict(sorted(found.items()))


def _with_ids(query: str, world: World) -> str:
    """`query` with its ids, named in braces."""
    return query.format_map({name: world.id(name) for _, name, _, _ in Formatter().parse(query) if name})


def _enlarge(world: World, member: Member) -> None:
    """Add much more than one page of each kind of data."""
    courses = stored(CourseFactory, 20, member=member, syllabus_text="Text")
    main, due_on = Course(id=world.id("course_id")), member.today()
    items = stored(ItemFactory, 150, member=member, course=main, due_on=due_on)
    for course in courses:
        stored(ItemFactory, 30, member=member, course=course, due_on=due_on)
    for item in [Item(id=world.id("item_id")), *items[:100]]:
        stored(MilestoneFactory, 10, member=member, item=item)
    for category in stored(GradeCategoryFactory, 11, member=member, course=main):
        stored(GradeScoreFactory, 30, member=member, category=category)
    for number in range(10):
        cards = [{"term": f"Term {n}", "definition": "Meaning"} for n in range(100)]
        deck = world.entry_point.made("create_vocab_deck", name=f"Deck {number}", cards=cards)
        for card in deck["cards"][:6]:
            world.entry_point.made("review_vocab_card", card_id=card["id"], rating="again")


@pytest.mark.django_db
def test_query_counts_are_independent_of_the_size_of_the_data(
    rest: RestEntryPoint, owner_member: Member, pytestconfig: pytest.Config
) -> None:
    small = _counts(_filled(rest))
    large_world = _filled(rest)
    _enlarge(large_world, owner_member)
    large = _counts(large_world)
    changed = {name: (small[name], large[name]) for name in small if small[name] != large[name]}
    assert changed == {}
    if pytestconfig.getoption("--refresh-baselines"):
        COUNTS.write_text(json.dumps(small, indent=2) + "\n")
    assert json.loads(COUNTS.read_text()) == small, REFRESH


def _filled(rest: RestEntryPoint) -> World:
    world = World(rest)
    world.fill()
    return world


def test_no_read_needs_more_than_four_queries() -> None:
    """Decisions 11."""
    counts: dict[str, Any] = json.loads(COUNTS.read_text())
    reads = {name for name in OPERATIONS if routes()[name].method == "GET"} - WHOLE
    assert {name: count for name, count in counts.items() if name.partition("?")[0] in reads and count > 4} == {}
