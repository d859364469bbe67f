"""No answer reveals data outside a credential's limits: its texts contain a rare word that never appears."""

import json
import re
from typing import Any
from uuid import uuid4

import pytest

from studyservice.rows.limits import Limits
from tests.support.entry_points import RestEntryPoint, routes
from tests.support.half_seen import MARK, WHOLE_ACCOUNT, HalfSeen, Patient, places, sent, text_of, without_ids
from tests.support.tools import mcp_of
from tests.support.world import OPERATIONS, TOOLS

pytestmark = [pytest.mark.rest, pytest.mark.database("both")]


UNNAMED = WHOLE_ACCOUNT | {"get_me", "get_practice_stats", "list_items", "list_syllabi"}
"""Reads whose answers need not contain the name of a visible object."""


OF_GRADES = WHOLE_ACCOUNT | {"get_grades"}
"""Reads that are rejected for a credential without access to grades."""

PROMPTS = {"enter_syllabus": "course", "plan_week": "course", "quiz_me": "deck", "exam_check": "course"}
"""Each prompt with its argument."""


@pytest.fixture
def limited(half: HalfSeen, owner_member: Any, make_key: Any) -> RestEntryPoint:
    """The owner with a key for one course."""
    return Patient(make_key(owner_member, limits=Limits((half.seen["course_id"],)).stored())[0])


def test_the_word_is_in_everything_hidden(half: HalfSeen) -> None:
    for name in ("list_courses", "list_items", "list_vocab_decks", "list_changes", "get_practice_stats"):
        assert MARK in json.dumps(half.owner.made(name)), name


def test_ids_of_hidden_objects_are_unknown(half: HalfSeen, limited: RestEntryPoint) -> None:
    hidden = half.hidden_ids()
    for operation_id in OPERATIONS:
        for place in places(operation_id):
            unknown = without_ids(sent(limited, half, operation_id, place, str(uuid4())))
            assert unknown[0] < 500, (operation_id, place, unknown)
            for id_ in hidden:
                response = sent(limited, half, operation_id, place, id_)
                assert MARK not in text_of(response), (operation_id, place, id_)
                assert without_ids(response) == unknown, (operation_id, place, id_)


def test_no_read_contains_the_word(half: HalfSeen, limited: RestEntryPoint) -> None:
    for operation_id in OPERATIONS:
        route = routes()[operation_id]
        if route.method == "GET":
            for query in _queries(operation_id, half):
                response = limited.request("GET", route.path.format(**half.seen), query=query)
                assert MARK not in text_of(response), (operation_id, query)
                assert response.status_code == (403 if operation_id in WHOLE_ACCOUNT else 200), (operation_id, query)
                assert operation_id in UNNAMED or "Plain" in text_of(response), operation_id


def test_visible_objects_can_be_changed(half: HalfSeen, limited: RestEntryPoint) -> None:
    last: tuple[str, ...] = (
        "delete_milestone",
        "delete_grade_score",
        "set_grade_categories",
        "delete_syllabus",
        "undo_change",
    )
    last += ("delete_vocab_card", "delete_vocab_deck", "delete_item", "delete_course")
    for operation_id in (*(one for one in OPERATIONS if one not in last), *last):
        place = next(places(operation_id), ("query", "limit"))
        own = half.seen.get(place[1].rpartition(".")[2], "5")
        response = sent(limited, half, operation_id, place, own)
        expected = {403} if operation_id in WHOLE_ACCOUNT else routes()[operation_id].successes
        assert response.status_code < 500, (operation_id, response.content)
        expected = expected | ({409} if operation_id == "undo_change" else set())  # other calls changed the course
        if "path" in place or operation_id in WHOLE_ACCOUNT:
            assert response.status_code in expected, (operation_id, place, response.content)
        assert MARK not in text_of(response), operation_id


def _queries(operation_id: str, half: HalfSeen) -> list[dict[str, str]]:
    known = {
        "list_items": [{"q": MARK}, {"status": "graded"}, {"limit": "1"}],
        "list_changes": [{"limit": "100"}],
        "get_agenda": [{"minutes": "480", "days": "120"}],
        "get_course": [{"include_syllabus": "true"}],
        "get_item": [{"minutes_a_day": "20"}],
        "list_vocab_decks": [
            {"deck_id": half.seen["deck_id"], "include_cards": "true"},
            {"for_item": half.seen["item_id"], "minutes_a_day": "20"},
            {"on": "2026-12-03"},
        ],
        "get_practice_stats": [{"days": "365"}],
    }
    return [{}, *known.get(operation_id, [])]


def test_tools_and_prompts_do_not_contain_the_word(half: HalfSeen, limited: RestEntryPoint) -> None:
    tools = mcp_of(limited)
    for name in TOOLS:
        if routes()[name].method == "GET":
            for id_ in (half.seen, half.hidden):
                arguments = {one: id_[one] for one in routes()[name].path_ids}
                response = tools.rpc("tools/call", {"name": name, "arguments": arguments})
                assert MARK not in text_of(response), name
    for prompt, argument in PROMPTS.items():
        for value in (f"{MARK} course", f"{MARK} deck", "Plain course", "Plain deck", ""):
            asked = {"ref": {"type": "ref/prompt", "name": prompt}, "argument": {"name": argument, "value": value}}
            written = {"name": prompt, "arguments": {argument: value}}
            for method, params in (("completion/complete", asked), ("prompts/get", written)):
                told = text_of(tools.rpc(method, params)).replace(value, "")
                assert MARK not in told, (prompt, method, value)


def test_without_access_to_grades_nothing_reveals_them(owner_member: Any, make_key: Any, time_machine: Any) -> None:
    time_machine.move_to("2026-11-23T12:00:00Z")
    Patient.clock = time_machine
    half = HalfSeen(Patient(make_key(owner_member)[0]), word="Other")
    for subject in (half.seen, half.hidden):
        categories = [{"id": subject["category_id"], "name": f"{MARK} exams", "weight": 47.11}]
        half.owner.made("set_grade_categories", course_id=subject["course_id"], categories=categories)
        half.owner.made("update_grade_score", score_id=subject["score_id"], label=f"{MARK} quiz", score=47.11)
    for courses in (None, (half.seen["course_id"],)):
        limited = Patient(make_key(owner_member, limits=Limits(courses, grades=False).stored())[0])
        for operation_id in OPERATIONS:
            route = routes()[operation_id]
            if route.method == "GET":
                for query in _queries(operation_id, half):
                    response = limited.request("GET", route.path.format(**half.seen), query=query)
                    told = text_of(response)
                    assert response.status_code == (403 if operation_id in OF_GRADES else 200), (operation_id, told)
                    for word in (MARK, "47.11", half.seen["category_id"], half.seen["score_id"]):
                        assert word not in told, (operation_id, query, word)
                    assert '"graded"' not in told
                    assert not re.search(r'"(worth|category_id)":[^n]', told), (operation_id, query, told)
            for place in places(operation_id) if operation_id not in OF_GRADES else ():
                for id_ in (half.seen["category_id"], half.seen["score_id"], half.hidden["category_id"]):
                    response = sent(limited, half, operation_id, place, id_)
                    assert response.status_code < 500, (operation_id, place)
                    assert MARK not in text_of(response), (operation_id, place)
