"""A record may be sent back as it came (docs/quickstart.md): every PATCH ignores what it does not know."""

from typing import Any

import pytest

from tests.support.doors import RestDoor, document

pytestmark = [pytest.mark.rest, pytest.mark.once("statements that others make too")]


def test_a_record_that_is_sent_back_as_it_came_changes_nothing(
    owner: RestDoor, course: Any, item: Any, milestone: Any
) -> None:
    its = {"course_id": course["id"]}
    [category] = owner.made("set_grade_categories", **its, categories=[{"name": "Quiz", "weight": 40}])["categories"]
    score = owner.made("add_grade_score", **its, category_id=category["id"], label="Quiz 1", score=90)
    cards = [{"term": "osmosis", "definition": "water"}]
    deck = owner.made("create_vocab_deck", name="Membranes", include_cards=True, cards=cards, **its)
    [card] = deck["cards"]
    records: dict[str, tuple[Any, dict[str, str]]] = {
        "update_course": (owner.made("get_course", **its, include_syllabus=True), its),
        "update_item": (owner.made("get_item", item_id=item["id"]), {"item_id": item["id"]}),
        "update_milestone": (milestone, {"milestone_id": milestone["id"]}),
        "update_grade_score": (score, {"score_id": score["id"]}),
        "update_vocab_deck": (deck, {"deck_id": deck["id"]}),
        "update_vocab_card": (card, {"card_id": card["id"]}),
        "update_me": (owner.made("get_me"), {}),
    }
    assert set(records) == {one["patch"]["operationId"] for one in document()["paths"].values() if "patch" in one}
    newest = owner.made("list_changes", limit=1)["data"]
    for operation, (record, ids) in records.items():
        answer = owner.made(operation, **record | ids)
        assert {name: answer[name] for name in answer if name in record} == {
            name: record[name] for name in record if name in answer
        }, operation
    assert owner.made("list_changes", limit=1)["data"] == newest
