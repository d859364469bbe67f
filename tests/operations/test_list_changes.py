"""list_changes: GET /v1/changes."""

from datetime import timedelta
from typing import Any
from unittest.mock import ANY

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import Member
from courses.courses import create_course
from studyservice.changes.calls import acting, command
from studyservice.models import Change
from studyservice.rows.access import Access
from tests.support.entry_points import RestEntryPoint
from tests.support.samples import UNKNOWN_ID
from tests.support.vocabulary import made_deck, reviewed

pytestmark = [pytest.mark.django_db, pytest.mark.rest, pytest.mark.same_statements]


def changes(entry_point: RestEntryPoint, **query: Any) -> list[Any]:
    data: list[Any] = entry_point.made("list_changes", **query)["data"]
    return data


def test_it_returns_who_changed_what(owner: RestEntryPoint, owner_member: Member, course: Any, item: Any) -> None:
    owner.made("update_item", item_id=item["id"], due_on="2026-12-03")
    [key] = owner_member.api_keys.all()
    [updated, made, _] = changes(owner)
    assert updated == {
        "id": ANY,
        "created_at": ANY,
        "operation": "update_item",
        "by": {"kind": "key", "id": str(key.id), "name": key.name},
        "object": {"type": "item", "id": item["id"], "name": "Midterm"},
        "before": {"due_on": None},
        "after": {"due_on": "2026-12-03"},
        "undoable": True,
        "undone_at": None,
    }
    assert made["before"] is None
    assert made["after"] == {"course_id": course["id"], "title": "Midterm", "kind": "other", "due_on": None}
    assert made["created_at"] == item["created_at"]


def test_a_deletion_counts_the_deleted_objects(owner: RestEntryPoint, course: Any, item: Any, milestone: Any) -> None:
    categories = [{"name": "Quiz", "weight": 40}]
    [category] = owner.made("set_grade_categories", course_id=course["id"], categories=categories)["categories"]
    owner.made("add_grade_score", course_id=course["id"], category_id=category["id"], label="x", score=80.25)
    owner.made("delete_course", course_id=course["id"])
    [deleted, *_] = changes(owner)
    assert deleted["after"] is None
    assert deleted["object"] == {"type": "course", "id": course["id"], "name": "Cell Biology"}
    counts = {"items": 1, "milestones": 1, "grade_categories": 1, "grade_scores": 1}
    assert deleted["before"] == counts | {
        "name": "Cell Biology",
        "code": None,
        "term": "Fall semester",
        "meets": None,
        "institution": None,
        "subject": None,
        "syllabus_text": None,
    }


def test_a_replaced_list_shows_both_versions(owner: RestEntryPoint, course: Any) -> None:
    [quiz] = owner.made(
        "set_grade_categories", course_id=course["id"], categories=[{"name": "Quiz", "weight": 40}]
    )["categories"]  # fmt: skip
    owner.made("add_grade_score", course_id=course["id"], category_id=quiz["id"], label="x", score=80)
    [exam] = owner.made(
        "set_grade_categories", course_id=course["id"], categories=[{"name": "Exam", "weight": 100}]
    )["categories"]  # fmt: skip
    [replaced, *_] = changes(owner)
    before = [{"id": quiz["id"], "name": "Quiz", "weight": 40.0, "drop_lowest": 0, "position": 1}]
    after = [{"id": exam["id"], "name": "Exam", "weight": 100.0, "drop_lowest": 0, "position": 1}]
    assert replaced["before"] == {"categories": before, "grade_scores": 1}
    assert replaced["after"] == {"categories": after}


def test_reviews_are_listed_in_order(owner: RestEntryPoint, owner_member: Member) -> None:
    deck = made_deck(owner, "Nucleus")
    card = reviewed(owner, deck["cards"][0], "good")
    course = owner.made("create_course", name="Algebra")
    [key] = owner_member.api_keys.all()
    [newest, review, oldest] = changes(owner)
    assert [newest["object"]["id"], oldest["object"]["id"]] == [course["id"], deck["id"]]
    assert review == {
        "id": ANY,
        "created_at": card["last_reviewed_at"],
        "operation": "review_vocab_card",
        "by": {"kind": "key", "id": str(key.id), "name": key.name},
        "object": {"type": "card", "id": card["id"], "name": "Nucleus"},
        "before": {
            "state": "new",
            "step": 0,
            "stability": None,
            "difficulty": None,
            "due_at": deck["cards"][0]["due_at"],
            "last_reviewed_at": None,
        },
        "after": {name: card[name] for name in ("state", "stability", "difficulty", "due_at", "last_reviewed_at")}
        | {"rating": "good", "step": ANY},
        "undoable": True,
        "undone_at": None,
    }


def test_a_long_text_is_shortened(owner: RestEntryPoint, owner_member: Member) -> None:
    with acting(command("test")):
        create_course(Access(owner_member), name="Algebra", syllabus_text="x" * 400)
    [made] = changes(owner)
    assert made["after"]["syllabus_text"] == "x" * 299 + "…"


def test_pages_return_both_logs_exactly_once(owner: RestEntryPoint) -> None:
    deck = made_deck(owner, "Nucleus", "Ribosome")
    for number in range(4):
        reviewed(owner, deck["cards"][number % 2], "again")
        owner.made("create_course", name=f"Course {number}")
    whole = owner.made("list_changes", limit=100)
    assert (len(whole["data"]), whole["has_more"], whole["next_cursor"]) == (9, False, None)
    found: list[Any] = []
    query: dict[str, Any] = {}
    while True:
        one = owner.made("list_changes", limit=2, **query)
        found += one["data"]
        if not one["has_more"]:
            break
        query = {"cursor": one["next_cursor"]}
    assert found == whole["data"]


@pytest.mark.database("both")
def test_changes_of_one_object_can_be_filtered(owner: RestEntryPoint, item: Any) -> None:
    deck = made_deck(owner, "Nucleus")
    card = reviewed(owner, deck["cards"][0], "good")
    owner.made("update_item", item_id=item["id"], title="Final")
    of_item = changes(owner, object_id=item["id"])
    assert [one["operation"] for one in of_item] == ["update_item", "create_item"]
    of_card = [one["operation"] for one in changes(owner, object_id=card["id"])]
    assert of_card == ["review_vocab_card", "create_vocab_deck"]
    assert changes(owner, object_id=UNKNOWN_ID) == []
    first = owner.made("list_changes", object_id=item["id"], limit=1)
    rest = owner.made("list_changes", object_id=item["id"], limit=1, cursor=first["next_cursor"])
    assert first["data"] + rest["data"] == of_item


def found_by(entry_point: RestEntryPoint, one: Any) -> list[str]:
    """The operations of the changes found by an object's id."""
    return [change["operation"] for change in changes(entry_point, object_id=one["id"])]


@pytest.mark.database("both")
def test_an_object_is_found_if_created_with_others(owner: RestEntryPoint) -> None:
    course = owner.made(
        "create_course",
        name="Botany",
        items=[{"title": "Quiz"}, {"title": "Exam"}],
        grade_categories=[{"name": "Labs", "weight": 40}],
    )  # fmt: skip
    first = owner.made("create_item", course_id=course["id"], title="Lab 1", more=[{"title": "Lab 2"}])
    deck = made_deck(owner, "Nucleus", "Pore")
    cards = owner.made("list_vocab_decks", deck_id=deck["id"], include_cards=True)["data"][0]["cards"]
    for one in (*course["items"], *course["grade_categories"]):
        assert found_by(owner, one) == ["create_course"]
    assert [found_by(owner, one) for one in (first, first["items"][-1])] == [["create_item"]] * 2
    assert [found_by(owner, one) for one in (deck, *cards)] == [["create_vocab_deck"]] * 3
    assert len({change["id"] for change in changes(owner, object_id=cards[1]["id"])}) == 1


@pytest.mark.database("both")
def test_an_object_is_found_if_a_replaced_list_created_changed_or_deleted_it(
    owner: RestEntryPoint, course: Any
) -> None:
    listed = [{"name": name, "weight": 30} for name in ("same", "other", "gone")]
    made = owner.made("set_grade_categories", course_id=course["id"], categories=listed)["categories"]
    same, other, gone = made
    score = owner.made("add_grade_score", course_id=course["id"], category_id=gone["id"], label="x", score=80)
    kept = [{"id": one["id"], "name": one["name"], "weight": one["weight"]} for one in (same, other)]
    listed = [kept[0], kept[1] | {"weight": 70}, {"name": "new", "weight": 1}]
    new = owner.made("set_grade_categories", course_id=course["id"], categories=listed)["categories"][2]
    twice = ["set_grade_categories", "set_grade_categories"]
    assert [found_by(owner, one) for one in (same, other, gone, new)] == [twice[:1], twice, twice, twice[:1]]
    assert found_by(owner, score) == ["set_grade_categories", "add_grade_score"]


@pytest.mark.database("both")
def test_an_object_is_found_if_deleted_with_its_parent(
    owner: RestEntryPoint, course: Any, item: Any, milestone: Any
) -> None:
    deck = made_deck(owner, "Nucleus", course_id=course["id"])
    [card] = owner.made("list_vocab_decks", deck_id=deck["id"], include_cards=True)["data"][0]["cards"]
    owner.made("delete_course", course_id=course["id"])
    [deletion] = owner.made("list_changes", limit=1)["data"]
    owner.made("undo_change", change_id=deletion["id"])
    owner.made("delete_vocab_deck", deck_id=deck["id"])
    both = ["undo_change", "delete_course"]
    assert found_by(owner, item) == [*both, "create_item"]
    assert found_by(owner, milestone) == [*both, "create_milestone"]
    assert found_by(owner, deck) == ["delete_vocab_deck", *both, "create_vocab_deck"]
    assert found_by(owner, card) == ["delete_vocab_deck", "create_vocab_deck"]


def test_pages_of_an_object_return_all_of_its_changes(owner: RestEntryPoint, course: Any, item: Any) -> None:
    for number in range(3):
        owner.made("update_item", item_id=item["id"], title=f"Final {number}")
    owner.made("delete_course", course_id=course["id"])
    whole = changes(owner, object_id=item["id"])
    assert [one["operation"] for one in whole] == ["delete_course", *["update_item"] * 3, "create_item"]
    found: list[Any] = []
    query: dict[str, Any] = {}
    while query.get("cursor", True):
        page = owner.made("list_changes", limit=2, object_id=item["id"], **query)
        found += page["data"]
        query = {"cursor": page["next_cursor"]}
    assert found == whole


def test_one_object_needs_no_more_statements_than_all(owner: RestEntryPoint, item: Any) -> None:
    numbers = []
    for query in ({}, {"object_id": item["id"]}):
        with CaptureQueriesContext(connection) as queries:
            changes(owner, **query)
        numbers.append(len(queries))
    assert numbers[0] == numbers[1]


@pytest.mark.database("both")
def test_a_cursor_is_bound_to_its_member_and_filter(owner: RestEntryPoint, stranger: RestEntryPoint, item: Any) -> None:
    cursor = owner.made("list_changes", limit=1)["next_cursor"]
    assert stranger.call("list_changes", cursor=cursor).error == "invalid_request"
    assert owner.call("list_changes", cursor=cursor, object_id=item["id"]).error == "invalid_request"
    for wrong in ("", "x", "\x00", cursor[:-1], cursor + "A", "A" * len(cursor)):
        assert owner.call("list_changes", cursor=wrong).error == "invalid_request", wrong
    assert owner.made("list_changes", cursor=cursor, limit=100)["data"]


def test_another_members_changes_are_not_listed(owner: RestEntryPoint, stranger: RestEntryPoint, item: Any) -> None:
    assert changes(stranger) == []
    assert changes(stranger, object_id=item["id"]) == []


@pytest.mark.database("both")
def test_old_changes_cannot_be_undone_and_are_purged(owner: RestEntryPoint, item: Any) -> None:
    Change.objects.filter(object_id=item["id"]).update(created_at=timezone.now() - timedelta(days=31))
    assert [one["undoable"] for one in changes(owner)] == [True, False]
    Change.objects.filter(object_id=item["id"]).update(created_at=timezone.now() - timedelta(days=91))
    assert [one["operation"] for one in changes(owner)] == ["create_course"]
