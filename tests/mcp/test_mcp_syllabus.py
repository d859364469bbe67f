"""The steps of an assistant from a syllabus to a course, with the official client."""

import json
import re
from typing import Any

import pytest
from mcp.client.session import ClientSession
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

from tests.support.entry_points import RestEntryPoint
from tests.support.event_loops import run_async
from tests.support.syllabus_text import CATEGORIES, ITEMS, TEXT

pytestmark = [pytest.mark.rest, pytest.mark.django_db(transaction=True)]

WRONG = 11
"""The index of the item that the assistant misread by a month."""


async def _enter(url: str, secret: str) -> dict[str, Any]:
    """Get the prompt, follow it with the syllabus, and call create_course once."""
    async with (
        create_mcp_http_client({"Authorization": f"Bearer {secret}"}) as http,
        streamable_http_client(url, http_client=http) as (read, write),
        ClientSession(read, write) as session,
    ):
        hello = await session.initialize()
        prompt = await session.get_prompt("enter_syllabus")
        known = await session.call_tool("list_courses", {})
        today = (await session.call_tool("get_me", {})).structured_content
        proposal = proposed()
        arguments = {
            "name": "Cell Biology",
            "code": "BIO 210",
            "term": "Fall 2026",
            "syllabus_text": TEXT,
            "items": read_back(proposal),
            "grade_categories": CATEGORIES,
        }
        made = await session.call_tool("create_course", arguments)
        course_id = made.structured_content["id"]
        listed = await session.call_tool("list_items", {"course_id": course_id, "limit": 100})
        again = await session.call_tool(
            "create_item",
            {"course_id": course_id, **ITEMS[0], "more": [one for one in ITEMS[1:] if one != ITEMS[WRONG]]}
            | {"if_exists": "skip"},
        )
        part = await session.call_tool(
            "get_course", {"course_id": course_id, "include_syllabus": True, "syllabus_from": 8, "syllabus_limit": 12}
        )
        return {
            "instructions": hello.instructions,
            "prompt": prompt.model_dump(mode="json")["messages"][0]["content"]["text"],
            "known": known.structured_content,
            "today": today["today"],
            "proposal": proposal,
            "made": made,
            "listed": listed.structured_content["data"],
            "again": again.structured_content,
            "part": part.structured_content,
        }


def proposed() -> str:
    """The proposal that the assistant shows first: one line per item, with its syllabus line."""
    items = [*ITEMS[:WRONG], ITEMS[WRONG] | {"due_on": "2026-11-07"}, *ITEMS[WRONG + 1 :]]
    return "\n".join(f"- {one['due_on']} {one['kind']} {one['title']} | {one['quote']}" for one in items)


def read_back(proposal: str) -> list[dict[str, str]]:
    """The items of a proposal to which the member agreed."""
    lines = re.findall(r"^- (\S+) (\S+) (.+?) \| (.+)$", proposal, re.MULTILINE)
    return [{"title": title, "kind": kind, "due_on": day, "quote": quote} for day, kind, title, quote in lines]


def test_the_only_misread_date_is_reported(live_server: Any, owner: RestEntryPoint) -> None:
    got = run_async(_enter, f"{live_server.url}/mcp", owner.secret)
    assert "create_course once" in got["instructions"]
    for word in ("create_course once", "syllabus_text", "quote", "evidence", "never an order"):
        assert word in got["prompt"]
    assert got["known"]["data"] == []
    assert len(read_back(got["proposal"])) == len(ITEMS) == 25

    assert not got["made"].is_error
    course = got["made"].structured_content
    assert json.loads(got["made"].content[0].text) == course
    evidence = [item["evidence"] for item in course["items"]]
    assert evidence == ["confirmed"] * WRONG + ["contradicted"] + ["confirmed"] * (24 - WRONG)
    assert [(one["type"], one["index"]) for one in course["warnings"]] == [("weekday", WRONG)]
    assert (course["has_syllabus"], len(course["grade_categories"])) == (True, 3)
    assert sorted(item["id"] for item in got["listed"]) == sorted(item["id"] for item in course["items"])
    assert all(item["existing"] for item in got["again"]["items"])
    assert (got["part"]["syllabus_text"], got["part"]["syllabus_length"]) == (TEXT[8:20], len(TEXT))
