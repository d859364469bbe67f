"""A body with many errors costs no more than one with few: lengths are checked first, and `details` end at 100."""

import cProfile
import gc
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from studyservice.rates import limiter as rates
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint

pytestmark = pytest.mark.database("sqlite", "bodies that are rejected before any statement")

MANY = 340_000
"""As many `{}` as fit in a body of 1 MiB."""

MOST_BYTES = 20_000
"""Twice the maximum size of 100 details."""


def python_calls(act: Callable[[], object]) -> int:
    """Count function calls of `act`, without those of the garbage collector."""
    profile = cProfile.Profile()
    gc.disable()
    try:
        profile.runcall(act)
    finally:
        gc.enable()
    return sum(entry.callcount for entry in profile.getstats())


@pytest.fixture(params=["cards", "categories"])
def post_list(request: pytest.FixtureRequest, owner: RestEntryPoint, course: Any) -> Any:
    """Sends a list to an operation."""

    def send(entries: list[Any]) -> Any:
        rates.clear()
        if request.param == "cards":
            return owner.call("create_vocab_deck", name="Words", cards=entries)
        return owner.call("set_grade_categories", course_id=course["id"], categories=entries)

    told: Any = send
    told.field = request.param
    return told


def test_a_list_over_its_limit_is_rejected_as_a_whole(post_list) -> None:
    answer = post_list([{}] * MANY)
    assert (answer.error, answer.fields) == ("validation_failed", [post_list.field])


def test_a_list_over_its_limit_costs_the_same_at_any_length(post_list) -> None:
    """The elements are not read: the work equals that for a list with one element too many."""
    post_list([{}] * 501)  # fill caches that are created once per process
    little, much = (python_calls(partial(post_list, [{}] * count)) for count in (501, MANY))
    assert much < little * 1.5 + 100


@each("entry", [{}, 7, None, [], {"term": 7, "definition": 7, "name": 7, "weight": "x"}])
def test_at_most_100_details_are_returned(post_list, entry: Any) -> None:
    """The first 100 are returned, and the message says so."""
    count = 500 if post_list.field == "cards" else 12
    answer = post_list([entry] * count)
    assert answer.error == "validation_failed"
    assert 0 < len(answer.fields) <= 100
    assert answer.fields[0].startswith(f"{post_list.field}[0]")
    told_all = len(answer.fields) < 100
    assert ("first 100" in answer.body["message"]) is not told_all


def test_validation_stops_after_the_last_reported_error(owner: RestEntryPoint) -> None:
    """Of 500 invalid cards, the last 400 are not validated."""

    def send(count: int) -> None:
        rates.clear()
        owner.call("create_vocab_deck", name="Words", cards=[7] * count)

    send(500)
    little, much = (python_calls(partial(send, count)) for count in (110, 500))
    assert much < little * 1.1 + 100


@each("length", [100, 101, 102])
def test_exactly_the_first_hundred_errors_are_returned(owner: RestEntryPoint, length: int) -> None:
    answer = owner.call("create_vocab_deck", name="Words", cards=[7] * length)
    assert answer.fields == [f"cards[{number}]" for number in range(100)]
    assert ("first 100" in answer.body["message"]) is (length > 100)


def test_errors_beside_the_list_are_returned_too(owner: RestEntryPoint) -> None:
    answer = owner.call("create_vocab_deck", name="", course_id="x", cards=[7] * 500)
    assert answer.fields[:2] == ["name", "course_id"]
    assert len(answer.fields) == 100


@pytest.mark.same_statements
@pytest.mark.rest
def test_the_answer_is_small(owner: RestEntryPoint, course: Any) -> None:
    sent = {
        "/v1/vocab-decks": ("POST", {"name": "Words", "cards": [{}] * MANY}),
        f"/v1/courses/{course['id']}/grade-categories": ("PUT", {"categories": [{}] * MANY}),
        "/v1/vocab-decks?": ("POST", {"name": "Words", "cards": [{}] * 500}),
    }
    for path, (method, body) in sent.items():
        response = owner.request(method, path.rstrip("?"), json=body)
        assert response.status_code == 422
        assert len(response.content) < MOST_BYTES


@pytest.mark.same_statements
@pytest.mark.rest
def test_many_parameters_produce_few_details(owner: RestEntryPoint) -> None:
    """Only declared fields are validated."""
    response = owner.request("GET", "/v1/items?" + "&".join(f"limit=x&p{n}=" for n in range(4000)))
    assert response.status_code == 422
    assert [detail["field"] for detail in response.json()["error"]["details"]] == ["limit"]


@pytest.mark.same_statements
def test_an_object_with_many_fields_produces_few_details(owner: RestEntryPoint) -> None:
    """Unknown fields are ignored, so only declared ones can be invalid."""
    answer = owner.call("create_course", name=7, **{f"unknown{number}": {} for number in range(50_000)})
    assert answer.fields == ["name"]


@each("value", [{}, "x" * 1000, 7, None, {"0": {}}])
def test_values_that_are_not_lists_are_rejected(post_list, value: Any) -> None:
    answer = post_list(value)
    assert (answer.error, answer.fields) == ("validation_failed", [post_list.field])


@pytest.mark.rest
def test_a_batch_of_messages_is_limited_too(owner: RestEntryPoint) -> None:
    """Twenty calls in one body: each result has at most 100 details."""
    message = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "create_vocab_deck", "arguments": {"name": "x", "cards": [{}] * 15_000}},
    }
    response = owner.request("POST", "/mcp", json=[message] * 20)
    assert [answer["result"]["isError"] for answer in response.json()] == [True] * 20
    assert len(response.content) < 20 * 1_000
