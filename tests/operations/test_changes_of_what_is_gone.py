"""Changes of deleted objects stay listed, and an undo that needs a deleted object changes nothing."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.utils import timezone

from accounts.erasure.erasing import erase_member
from accounts.models import Member
from studyservice.models import Change
from tests.support.entry_points import RestEntryPoint
from tests.support.vocabulary import deck_with_cards, made_deck, reviewed
from vocab.models import Review

pytestmark = [pytest.mark.django_db, pytest.mark.rest]


def changes(entry_point: RestEntryPoint, **query: Any) -> list[Any]:
    data: list[Any] = entry_point.made("list_changes", limit=100, **query)["data"]
    return data


def undo(entry_point: RestEntryPoint, change: Any) -> Any:
    return entry_point.call("undo_change", change_id=change["id"])


@pytest.fixture
def deck(owner: RestEntryPoint) -> Any:
    """A deck of two cards, the first with two reviews."""
    deck = deck_with_cards(owner, made_deck(owner, "Nucleus", "Pore"))
    for rating in ("good", "again"):
        reviewed(owner, deck["cards"][0], rating)
    return deck


def test_reviews_of_a_deleted_deck_stay_in_the_log(owner: RestEntryPoint, deck: Any) -> None:
    before = changes(owner)
    owner.made("delete_vocab_deck", deck_id=deck["id"])
    deletion, *after = changes(owner)
    reviews = [change | {"undoable": False} for change in before[:2]]
    assert [change["operation"] for change in reviews] == ["review_vocab_card"] * 2
    assert after == [*reviews, *before[2:]]
    assert not Review.objects.exists()
    of_card = changes(owner, object_id=deck["cards"][0]["id"])
    assert of_card == [deletion, *reviews, before[2]]
    refused = undo(owner, reviews[0])
    assert (refused.error, "can no longer be undone" in refused.body["message"]) == ("conflict", True)
    assert undo(owner, deletion).error is None
    assert changes(owner)[2:] == before
    assert undo(owner, before[0]).error is None


def test_reviews_of_a_deleted_card_stay_in_the_log(owner: RestEntryPoint, deck: Any) -> None:
    before = changes(owner)[:2]
    owner.made("delete_vocab_card", card_id=deck["cards"][0]["id"])
    assert changes(owner)[1:3] == [change | {"undoable": False} for change in before]
    owner.made("delete_vocab_deck", deck_id=deck["id"])
    assert changes(owner)[2:4] == [change | {"undoable": False} for change in before]


def test_a_review_without_an_actor_stays_in_the_log(owner: RestEntryPoint, deck: Any) -> None:
    Review.objects.update(by_kind=None, by_id=None, by_name=None)
    before = changes(owner)[:2]
    assert [change["by"] for change in before] == [None, None]
    owner.made("delete_vocab_deck", deck_id=deck["id"])
    assert changes(owner)[1:3] == before


def test_reviews_of_deleted_objects_are_stored_for_90_days(owner: RestEntryPoint, deck: Any) -> None:
    now = timezone.now()
    newer, older = Review.objects.order_by("-reviewed_at")
    Review.objects.filter(id=older.id).update(reviewed_at=now - timedelta(days=91))
    Review.objects.filter(id=newer.id).update(reviewed_at=now - timedelta(days=89))
    owner.made("delete_vocab_deck", deck_id=deck["id"])
    kept = Change.objects.filter(operation="review_vocab_card")
    assert [change.id for change in kept] == [newer.id]
    assert [change["id"] for change in changes(owner)][-1] == str(newer.id)


@pytest.mark.django_db(transaction=True)
def test_changes_are_deleted_with_the_member(owner: RestEntryPoint, owner_member: Member, deck: Any) -> None:
    owner.made("delete_vocab_deck", deck_id=deck["id"])
    assert Change.objects.filter(operation="review_vocab_card").count() == 2
    erase_member(owner_member.id)
    assert not Change.objects.exists()


def test_changes_of_deleted_objects_are_purged_with_equally_old_rows(
    owner: RestEntryPoint, deck: Any, time_machine: Any
) -> None:
    owner.made("delete_vocab_deck", deck_id=deck["id"])
    time_machine.move_to(timezone.now() + timedelta(days=91), tick=False)
    call_command("purgeexpired")
    assert not Change.objects.exists()


def test_one_deletion_stores_a_limited_number_of_changes(
    owner: RestEntryPoint, deck: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vocab.changes.MOST_KEPT", 1)
    newest = changes(owner)[0]
    owner.made("delete_vocab_deck", deck_id=deck["id"])
    assert [change["operation"] for change in changes(owner)] == [
        "delete_vocab_deck",
        "review_vocab_card",
        "create_vocab_deck",
    ]
    assert changes(owner)[1]["id"] == newest["id"]


def test_changes_below_an_undone_creation_cannot_be_undone(owner: RestEntryPoint, item: Any) -> None:
    made = changes(owner)[0]
    for title in ("Final", "Midterm"):
        owner.made("update_item", item_id=item["id"], title=title)
    milestone = owner.made("create_milestone", item_id=item["id"], title="Outline")
    owner.made("update_milestone", milestone_id=milestone["id"], done=True)
    owner.made("delete_milestone", milestone_id=milestone["id"])
    assert undo(owner, made).error is None
    *below, course = changes(owner)
    assert len(below) == 7
    for change in below:
        assert undo(owner, change).error == "conflict"
    assert changes(owner) == [*below, course]
    assert undo(owner, course).error is None


def test_changes_of_objects_moved_away_before_can_still_be_undone(owner: RestEntryPoint, course: Any) -> None:
    quiz = {"name": "Quiz", "weight": 40}
    [first] = owner.made("set_grade_categories", course_id=course["id"], categories=[quiz])["categories"]
    kept = {"id": first["id"], **quiz}
    listed = owner.made("set_grade_categories", course_id=course["id"], categories=[kept, {"name": "Lab", "weight": 9}])
    added = changes(owner)[0]
    lab = listed["categories"][1]
    score = owner.made("add_grade_score", course_id=course["id"], category_id=lab["id"], label="x", score=80)
    entry_point = RestEntryPoint(owner.secret)
    entry_point.made("update_grade_score", score_id=score["id"], category_id=first["id"])
    entry_point.made("update_grade_score", score_id=score["id"], label="y")
    assert undo(owner, added).error is None
    _, label, move, made, *_ = changes(owner)
    assert [undo(owner, change).error for change in (label, move, made)] == [None, "conflict", "conflict"]


def test_a_change_of_a_deleted_file_cannot_be_undone(owner: RestEntryPoint) -> None:
    uploaded = RestEntryPoint(owner.secret).made("create_syllabus", text="Week 1")
    owner.made("delete_syllabus", syllabus_id=uploaded["id"])
    deletion, creation = changes(owner)
    assert deletion["undoable"] is False
    refused = [undo(owner, change) for change in (deletion, creation)]
    assert [answer.error for answer in refused] == ["conflict", "conflict"]
    assert all("Deleted files cannot be restored" in answer.body["message"] for answer in refused)


def test_no_answer_contains_the_revision_number(owner: RestEntryPoint, item: Any, milestone: Any) -> None:
    owner.made("delete_milestone", milestone_id=milestone["id"])
    owner.made("delete_item", item_id=item["id"])
    Change.objects.filter(object_id=milestone["id"]).update(
        contents=b'{"before":{"title":"x","sequence":3},"after":null}'
    )
    told = changes(owner)
    assert "sequence" not in str(told)
    assert told[0]["before"] == {"course_id": item["course_id"], "title": "Midterm", "kind": "other", "due_on": None}
