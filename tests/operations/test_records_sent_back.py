"""Every PATCH accepts its own record and ignores read-only fields (docs/quickstart.md)."""

from typing import Any

import pytest

from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint, document

pytestmark = [pytest.mark.rest, pytest.mark.same_statements]

Records = dict[str, tuple[dict[str, Any], dict[str, str]]]

CHANGES: dict[str, dict[str, Any]] = {
    "update_me": {"name": "New"},
    "update_school_calendar": {"name": "New"},
    "update_vocab_card": {"term": "New"},
    "update_vocab_deck": {"name": "New"},
    "update_grade_score": {"label": "New"},
    "update_milestone": {"done": True},
    "update_item": {"title": "New"},
    "update_course": {"name": "New"},
}
"""A change for each PATCH. The parent's name is in its children's records, so children come first."""


@pytest.fixture
def records(owner: RestEntryPoint, course: Any, item: Any, milestone: Any) -> Records:
    """A record for each PATCH, and the ids of its path."""
    its = {"course_id": course["id"]}
    [category] = owner.made("set_grade_categories", **its, categories=[{"name": "Quiz", "weight": 40}])["categories"]
    score = owner.made("add_grade_score", **its, category_id=category["id"], label="Quiz 1", score=90)
    cards = [{"term": "osmosis", "definition": "water"}]
    deck = owner.made("create_vocab_deck", name="Membranes", include_cards=True, cards=cards, **its)
    [card] = deck["cards"]
    calendar = owner.made("add_school_calendar", url="https://canvas.school.example/feed.ics", **its)
    return {
        "update_school_calendar": (calendar, {"calendar_id": calendar["id"]}),
        "update_course": (owner.made("get_course", **its, include_syllabus=True), its),
        "update_item": (owner.made("get_item", item_id=item["id"]), {"item_id": item["id"]}),
        "update_milestone": (milestone, {"milestone_id": milestone["id"]}),
        "update_grade_score": (score, {"score_id": score["id"]}),
        "update_vocab_deck": (deck, {"deck_id": deck["id"]}),
        "update_vocab_card": (card, {"card_id": card["id"]}),
        "update_me": (owner.made("get_me"), {}),
    }


def common(record: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """The fields of `record` that `other` has too, except the time of the last change."""
    return {name: value for name, value in record.items() if name in other and name != "updated_at"}


def test_every_patch_has_a_record(records: Records) -> None:
    operations = {one["patch"]["operationId"] for one in document()["paths"].values() if "patch" in one}
    assert set(records) == set(CHANGES) == operations


@each("whole", [True, False])
def test_a_record_or_an_empty_body_changes_nothing(owner: RestEntryPoint, records: Records, whole: bool) -> None:
    newest = owner.made("list_changes", limit=1)["data"]
    for operation, (record, ids) in records.items():
        answer = owner.made(operation, **(record if whole else {}) | ids)
        assert common(answer, record) == common(record, answer), operation
        assert answer.get("updated_at") == record.get("updated_at"), operation
    assert owner.made("list_changes", limit=1)["data"] == newest


def test_a_record_sent_back_with_one_change_changes_only_that(owner: RestEntryPoint, records: Records) -> None:
    for operation, change in CHANGES.items():
        record, ids = records[operation]
        answer = owner.made(operation, **record | change | ids)
        assert common(answer, record) == common(record, answer) | change, operation
