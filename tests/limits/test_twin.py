"""Counts reveal nothing either: a limited credential gets the answers of an account with only its visible data."""

import json
import re
from typing import Any

import pytest

from studyservice.rows.limits import Limits
from tests.support.entry_points import RestEntryPoint, routes
from tests.support.half_seen import WHOLE_ACCOUNT, HalfSeen, text_of
from tests.support.tools import mcp_of
from tests.support.world import OPERATIONS

pytestmark = [pytest.mark.rest, pytest.mark.database("both")]

OF_THE_MEMBER = WHOLE_ACCOUNT | {"get_me", "list_changes"}
"""Answers about the account, and changes, which are compared separately. The streak is the member's, and equal here."""

QUERIES: dict[str, list[dict[str, str]]] = {
    "list_items": [{"limit": "1"}, {"status": "missed"}, {"status": "graded"}, {"q": "plain"}],
    "get_agenda": [{"minutes": "120"}, {"days": "120", "minutes": "480"}],
    "get_grades": [{"assume": "80"}],
    "get_item": [{"minutes_a_day": "20"}],
    "get_course": [{"include_syllabus": "true"}],
    "list_vocab_decks": [{"on": "2026-12-03"}],
    "get_practice_stats": [{"days": "365"}],
}
_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z")
_REQUEST = re.compile(r"req_[A-Za-z0-9_-]+")
_CURSOR = re.compile(r'"next_cursor":"[^"]+"')


def normalized(response: Any) -> tuple[int, str]:
    """An answer with its ids numbered in order and without timestamps."""
    numbers: dict[str, str] = {}
    text = _REQUEST.sub("request", text_of(response))
    text = _CURSOR.sub('"next_cursor":"more"', _MOMENT.sub("moment", text))
    return response.status_code, _ID.sub(lambda found: numbers.setdefault(found[0], f"id{len(numbers)}"), text)


def changes(entry_point: RestEntryPoint) -> list[Any]:
    """The changes, page by page. A file sent without a course is visible in its sender's own log."""
    found: list[Any] = []
    cursor: dict[str, str] = {}
    while True:
        page = entry_point.made("list_changes", limit=5, **cursor)
        found += page["data"]
        if page["next_cursor"] is None:
            kept = [one for one in found if one["operation"] != "create_syllabus"]
            return [(one["operation"], one["object"]["name"], _numbered(one)) for one in kept]
        cursor = {"cursor": page["next_cursor"]}


def _numbered(change: Any) -> str:
    """Without `undoable` for operations on the whole account, which a limited credential may not undo."""
    undoable = None if change["operation"] in WHOLE_ACCOUNT else change["undoable"]
    return _ID.sub("id", _MOMENT.sub("moment", json.dumps([change["before"], change["after"], undoable])))


@pytest.mark.parametrize("grades", [True, False])
def test_the_answers_equal_those_of_a_twin(make_member: Any, make_key: Any, time_machine: Any, grades: bool) -> None:
    time_machine.move_to("2026-11-23T12:00:00Z")
    whole, twin = (make_member(f"{name}@example.org", name="Ada", time_zone="UTC") for name in ("whole", "twin"))
    half = HalfSeen(RestEntryPoint(make_key(whole)[0]), moved=False)
    alone = HalfSeen(RestEntryPoint(make_key(twin)[0]), alone=True)
    time_machine.shift(120)
    courses = (half.seen["course_id"],)
    limited = RestEntryPoint(make_key(whole, limits=Limits(courses, grades=grades).stored())[0])
    other = RestEntryPoint(make_key(twin, limits=None if grades else Limits(grades=False).stored())[0])
    for operation_id in OPERATIONS:
        route = routes()[operation_id]
        if route.method != "GET" or operation_id in OF_THE_MEMBER:
            continue
        for query in ({}, *QUERIES.get(operation_id, [])):
            seen, expected = (
                normalized(one.request("GET", route.path.format(**ids), query=query))
                for one, ids in ((limited, half.seen), (other, alone.seen))
            )
            assert seen == expected, (operation_id, query)
    assert changes(limited) == changes(other), "A verb of `rows` for an object below a course takes its course_id."
    for prompt, argument in (("enter_syllabus", "course"), ("plan_week", "course"), ("quiz_me", "deck")):
        for value in ("", "Nothing"):
            ref = {"type": "ref/prompt", "name": prompt}
            asked = {"ref": ref, "argument": {"name": argument, "value": value}}
            written = {"name": prompt, "arguments": {argument: value}}
            for method, params in (("completion/complete", asked), ("prompts/get", written)):
                assert normalized(mcp_of(limited).rpc(method, params)) == normalized(mcp_of(other).rpc(method, params))
