"""The message of a 422 says what is wrong, for programs that show nothing else."""

from typing import Any

import pytest

from tests.support.entry_points import RestEntryPoint

pytestmark = [pytest.mark.database("sqlite", "words, which no database knows"), pytest.mark.rest]


def message(owner: RestEntryPoint, operation_id: str, **arguments: Any) -> str:
    answer = owner.call(operation_id, **arguments)
    assert answer.error == "validation_failed"
    text: str = answer.body["message"]
    return text


def test_it_names_the_field_and_what_is_wrong_with_it(owner: RestEntryPoint, course: Any) -> None:
    assert message(owner, "create_course") == "name: This field is required."
    assert message(owner, "list_items", limit=0) == "limit: Must be at least 1."
    assert message(owner, "get_item", item_id="x") == "item_id: Must be a UUID."
    more = [{"title": "Draft"}, {"title": "Essay", "due_on": "soon"}]
    assert message(owner, "create_item", course_id=course["id"], title="Outline", more=more) == (
        "more[1].due_on: Must be a calendar date written YYYY-MM-DD."
    )


def test_a_rule_of_the_domain_is_named_too(owner: RestEntryPoint, milestone: Any) -> None:
    told = message(owner, "update_milestone", milestone_id=milestone["id"], place=2)
    assert told == "place: Must be at most 1 for this item."


def test_of_several_it_names_the_first_and_their_number(owner: RestEntryPoint, course: Any) -> None:
    two = message(owner, "create_item", course_id=course["id"], kind="party")
    assert two == "title: This field is required. See details for this and 1 more."
    three = message(owner, "create_item", course_id=course["id"], kind="party", due_on="soon")
    assert three == "title: This field is required. See details for this and 2 more."


def test_of_very_many_it_says_so(owner: RestEntryPoint) -> None:
    cards = [{"term": ""}] * 120
    told = message(owner, "create_vocab_deck", name="Words", cards=cards)
    assert told == "cards[0].term: Must not be empty. See details for the first 100."
