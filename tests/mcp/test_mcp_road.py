"""How long the road of a tool call is: the frames of the project between the socket and the database."""

import traceback
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import connection

from tests.support.doors import RestDoor
from tests.support.tools import mcp_of

pytestmark = [pytest.mark.django_db, pytest.mark.rest]

MOST_FRAMES = 18
APPS = {"accounts", "courses", "mcpbridge", "studyservice"}
DRIVER = "studyservice/database/postgresql/"
"""On PostgreSQL the driver stands between a statement and the database, whichever door a call came through."""


def frames(door: RestDoor) -> list[str]:
    """Where the project's code stands, outermost first, while list_items reads the items."""
    base = Path(settings.BASE_DIR)
    stacks: list[list[str]] = []

    def look(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if 'FROM "courses_item"' in sql:
            stacks.append(
                [
                    f"{Path(frame.filename).relative_to(base)} {frame.name}"
                    for frame in traceback.extract_stack()
                    if any(frame.filename.startswith(f"{base / app}/") for app in APPS)
                ]
            )
        return execute(sql, params, many, context)

    with connection.execute_wrapper(look):
        door.made("list_items")
    [stack] = stacks
    return [frame for frame in stack if not frame.startswith(DRIVER)]


def test_a_tool_call_is_short(owner: RestDoor) -> None:
    assert len(frames(mcp_of(owner))) <= MOST_FRAMES, "\n".join(frames(mcp_of(owner)))


def test_both_doors_lead_to_the_same_road(owner: RestDoor) -> None:
    """From the run of the operation on, a tool call and a REST request are one."""
    rest, tool = frames(owner), frames(mcp_of(owner))
    shared = rest[rest.index("accounts/api/viewsets.py run") :]
    assert shared == tool[-len(shared) :]
