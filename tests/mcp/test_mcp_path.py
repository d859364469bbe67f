"""The depth of a tool call: frames of the project between the HTTP request and the database."""

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import connection

from tests.support.entry_points import RestEntryPoint, routes
from tests.support.tools import mcp_of, working_calls
from tests.support.world import World

pytestmark = [pytest.mark.django_db, pytest.mark.rest]

MOST_FRAMES = 18
APPS = {"accounts", "courses", "grades", "mcpbridge", "planning", "practice", "studyservice", "vocab"}
DRIVER = "studyservice/database/postgresql/"
"""On PostgreSQL the driver is between a statement and the database, for either entry point."""


@contextmanager
def stacks_of_statements() -> Iterator[list[tuple[str, list[str]]]]:
    """Each statement executed inside, with the project's frames at that time, outermost first."""
    base = Path(settings.BASE_DIR)
    stacks: list[tuple[str, list[str]]] = []

    def look(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        codes = [frame.f_code for frame, _ in traceback.walk_stack(None)]
        frames = [
            f"{Path(code.co_filename).relative_to(base)} {code.co_qualname}"
            for code in reversed(codes)
            if any(code.co_filename.startswith(f"{base / app}/") for app in APPS)
        ]
        stacks.append((sql, [frame for frame in frames if not frame.startswith(DRIVER)]))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(look):
        yield stacks


def frames(entry_point: RestEntryPoint) -> list[str]:
    """The frames of list_items when it reads the items."""
    with stacks_of_statements() as stacks:
        entry_point.made("list_items")
    [stack] = [stack for sql, stack in stacks if 'FROM "courses_item"' in sql]
    return stack


def test_a_reading_tool_has_few_frames(owner: RestEntryPoint) -> None:
    assert len(frames(mcp_of(owner))) <= MOST_FRAMES, "\n".join(frames(mcp_of(owner)))


def test_a_writing_tool_has_few_frames(owner: RestEntryPoint) -> None:
    """Repeated frames count once, since a cascade recurses level by level."""
    calls = [(name, given) for name, given in working_calls(World(owner)) if routes()[name].method != "GET"]
    longest: dict[str, list[str]] = {}
    for name, given in calls:
        with stacks_of_statements() as stacks:
            mcp_of(owner).made(name, **given)
        longest[name] = max((list(dict.fromkeys(stack)) for _, stack in stacks), key=len)
    too_long = [stack for stack in longest.values() if len(stack) > MOST_FRAMES]
    assert longest
    assert not too_long, "\n\n".join(map("\n".join, too_long))


def test_both_entry_points_share_their_path(owner: RestEntryPoint) -> None:
    """From the operation on, a tool call and a REST request have equal frames."""
    rest, tool = frames(owner), frames(mcp_of(owner))
    shared = rest[rest.index("studyservice/viewsets.py MemberViewSet.run") :]
    assert shared == tool[-len(shared) :]
