"""list_changes: GET /v1/changes."""

from datetime import timedelta
from typing import Any
from unittest.mock import ANY

import pytest
from django.utils import timezone

from accounts.changes.acting import acting, command
from accounts.changes.models import Change
from accounts.models import Member
from courses.courses import create_course
from tests.support.doors import RestDoor
from tests.support.samples import UNKNOWN_ID
from tests.support.vocabulary import made_deck, reviewed

pytestmark = [pytest.mark.django_db, pytest.mark.rest, pytest.mark.once("statements that others make too")]


def changes(door: RestDoor, **query: Any) -> list[Any]:
    data: list[Any] = door.made("list_changes", **query)["data"]
    return data


def test_it_tells_who_changed_what(owner: RestDoor, owner_member: Member, course: Any, item: Any) -> None:
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


def test_a_deletion_tells_what_went_in_numbers(owner: RestDoor, course: Any, item: Any, milestone: Any) -> None:
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


def test_a_replaced_list_tells_both(owner: RestDoor, course: Any) -> None:
    [quiz] = owner.made(
        "set_grade_categories", course_id=course["id"], categories=[{"name": "Quiz", "weight": 40}]
    )["categories"]  # fmt: skip
    owner.made("add_grade_score", course_id=course["id"], category_id=quiz["id"], label="x", score=80)
    [exam] = owner.made(
        "set_grade_categories", course_id=course["id"], categories=[{"name": "Exam", "weight": 100}]
    )["categories"]  # fmt: skip
    [replaced, *_] = changes(owner)
    before = [{"id": quiz["id"], "name": "Quiz", "weight": 40.0, "position": 1}]
    after = [{"id": exam["id"], "name": "Exam", "weight": 100.0, "position": 1}]
    assert replaced["before"] == {"categories": before, "grade_scores": 1}
    assert replaced["after"] == {"categories": after}


def test_a_review_stands_among_them(owner: RestDoor, owner_member: Member) -> None:
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


def test_a_long_text_is_cut(owner: RestDoor, owner_member: Member) -> None:
    with acting(command("test")):
        create_course(owner_member, name="Algebra", syllabus_text="x" * 400)
    [made] = changes(owner)
    assert made["after"]["syllabus_text"] == "x" * 299 + "…"


def test_pages_lead_through_both_logs_once(owner: RestDoor) -> None:
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


@pytest.mark.every_database
def test_only_those_of_an_object(owner: RestDoor, item: Any) -> None:
    deck = made_deck(owner, "Nucleus")
    card = reviewed(owner, deck["cards"][0], "good")
    owner.made("update_item", item_id=item["id"], title="Final")
    of_item = changes(owner, object_id=item["id"])
    assert [one["operation"] for one in of_item] == ["update_item", "create_item"]
    assert [one["operation"] for one in changes(owner, object_id=card["id"])] == ["review_vocab_card"]
    assert changes(owner, object_id=UNKNOWN_ID) == []
    first = owner.made("list_changes", object_id=item["id"], limit=1)
    rest = owner.made("list_changes", object_id=item["id"], limit=1, cursor=first["next_cursor"])
    assert first["data"] + rest["data"] == of_item


@pytest.mark.every_database
def test_a_cursor_is_of_its_member_and_filter(owner: RestDoor, stranger: RestDoor, item: Any) -> None:
    cursor = owner.made("list_changes", limit=1)["next_cursor"]
    assert stranger.call("list_changes", cursor=cursor).error == "invalid_request"
    assert owner.call("list_changes", cursor=cursor, object_id=item["id"]).error == "invalid_request"
    for wrong in ("", "x", "\x00", cursor[:-1], cursor + "A", "A" * len(cursor)):
        assert owner.call("list_changes", cursor=wrong).error == "invalid_request", wrong
    assert owner.made("list_changes", cursor=cursor, limit=100)["data"]


def test_another_members_are_not_among_them(owner: RestDoor, stranger: RestDoor, item: Any) -> None:
    assert changes(stranger) == []
    assert changes(stranger, object_id=item["id"]) == []


@pytest.mark.every_database
def test_what_is_old_cannot_be_taken_back_and_goes(owner: RestDoor, item: Any) -> None:
    Change.objects.filter(object_id=item["id"]).update(created_at=timezone.now() - timedelta(days=31))
    assert [one["undoable"] for one in changes(owner)] == [True, False]
    Change.objects.filter(object_id=item["id"]).update(created_at=timezone.now() - timedelta(days=91))
    assert [one["operation"] for one in changes(owner)] == ["create_course"]
