"""undo_change: POST /v1/changes/{change_id}/undo."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import Member
from studyservice.models import Change
from studyservice.undo.seen import TOO_OLD
from tests.support.cases import each
from tests.support.entry_points import Answer, RestEntryPoint
from tests.support.samples import fetched_item
from tests.support.vocabulary import deck_with_cards, made_deck, reviewed

pytestmark = [pytest.mark.django_db, pytest.mark.rest, pytest.mark.same_statements]


def newest(entry_point: RestEntryPoint) -> Any:
    [change] = entry_point.made("list_changes", limit=1)["data"]
    return change


def undo(entry_point: RestEntryPoint, change: Any) -> Answer:
    return entry_point.call("undo_change", change_id=change["id"])


def undone(entry_point: RestEntryPoint) -> Any:
    """The newest change, after undoing it."""
    change = newest(entry_point)
    answer = undo(entry_point, change)
    assert answer.error is None, answer.body
    return answer.body


@pytest.mark.database("both")
def test_fields_are_restored(owner: RestEntryPoint, item: Any) -> None:
    owner.made("update_item", item_id=item["id"], due_on="2026-12-03", title="Final")
    change = newest(owner)
    answer = undone(owner)
    assert answer == change | {"undoable": False, "undone_at": answer["undone_at"]}
    now = fetched_item(owner, item["id"])
    assert now["updated_at"] == answer["undone_at"]
    assert now == item | {"updated_at": now["updated_at"]}


@pytest.mark.database("both")
def test_an_undo_is_a_change_that_cannot_be_undone(owner: RestEntryPoint, owner_member: Member, item: Any) -> None:
    owner.made("update_item", item_id=item["id"], due_on="2026-12-03")
    change = undone(owner)
    row = newest(owner)
    [key] = owner_member.api_keys.all()
    assert row == {
        "id": row["id"],
        "created_at": change["undone_at"],
        "operation": "undo_change",
        "by": {"kind": "key", "id": str(key.id), "name": key.name},
        "object": {"type": "item", "id": item["id"], "name": "Midterm"},
        "before": {"due_on": "2026-12-03"},
        "after": {"due_on": None},
        "undoable": False,
        "undone_at": None,
    }
    assert undo(owner, row).error == "conflict"


def test_a_second_undo_is_a_conflict(owner: RestEntryPoint, item: Any) -> None:
    owner.made("update_item", item_id=item["id"], title="Final")
    change = undone(owner)
    again = undo(owner, change)
    assert (again.error, again.body["message"]) == ("conflict", "This change was already undone.")


def test_a_created_object_is_deleted(owner: RestEntryPoint, course: Any, item: Any) -> None:
    undone(owner)
    assert owner.call("get_item", item_id=item["id"]).error == "not_found"


@pytest.mark.database("both")
def test_a_created_object_with_dependents_stays(owner: RestEntryPoint, item: Any) -> None:
    change = newest(owner)
    milestone = owner.made("create_milestone", item_id=item["id"], title="Outline")
    refused = undo(owner, change)
    assert refused.error == "conflict"
    assert refused.body["message"] == "“Midterm” has 1 milestone by now. Undo or delete that first, then undo this."
    owner.made("delete_milestone", milestone_id=milestone["id"])
    assert undo(owner, change).error is None


@pytest.mark.database("both")
def test_a_created_course_with_a_deck_stays(owner: RestEntryPoint, course: Any) -> None:
    change = newest(owner)
    made_deck(owner, course_id=course["id"])
    assert undo(owner, change).error == "conflict"


@pytest.mark.database("both")
def test_a_created_course_whose_deck_was_studied_and_deleted_leaves_its_practice(
    owner: RestEntryPoint, course: Any
) -> None:
    change = newest(owner)
    deck = made_deck(owner, course_id=course["id"])
    reviewed(owner, deck["cards"][0], "good")
    owner.made("delete_vocab_deck", deck_id=deck["id"])
    practised = owner.made("get_practice_stats")
    assert undo(owner, change).error is None
    assert owner.made("list_courses")["data"] == []
    assert owner.made("get_practice_stats") == practised
    owner.made("review_vocab_card", card_id=made_deck(owner)["cards"][0]["id"], rating="good")
    assert owner.made("get_practice_stats")["attempts"] == practised["attempts"] + 1


def test_a_created_object_changed_since_stays(owner: RestEntryPoint, item: Any) -> None:
    change = newest(owner)
    owner.made("update_item", item_id=item["id"], title="Final")
    refused = undo(owner, change)
    assert refused.error == "conflict"
    assert "title" in refused.body["message"]


def test_a_created_deck_is_deleted_with_cards_but_not_with_reviews(owner: RestEntryPoint) -> None:
    deck = made_deck(owner, "Nucleus", "Pore")
    change = newest(owner)
    [card, _] = deck_with_cards(owner, deck)["cards"]
    reviewed(owner, card, "good")
    assert undo(owner, change).error == "conflict"
    undone(owner)
    assert undo(owner, change).error is None
    assert owner.made("list_vocab_decks")["data"] == []


def test_a_field_changed_since_is_not_overwritten(owner: RestEntryPoint, item: Any) -> None:
    owner.made("update_item", item_id=item["id"], title="Final", due_on="2026-12-03")
    change = newest(owner)
    owner.made("update_item", item_id=item["id"], title="Last exam")
    refused = undo(owner, change)
    assert refused.error == "conflict"
    assert refused.body["message"] == (
        "The title of “Last exam” was changed since, and an undo overwrites nothing. Undo the later change first."
    )
    assert owner.made("get_item", item_id=item["id"])["due_on"] == "2026-12-03"


def test_other_fields_changed_since_are_kept(owner: RestEntryPoint, item: Any) -> None:
    owner.made("update_item", item_id=item["id"], title="Final")
    change = newest(owner)
    owner.made("update_item", item_id=item["id"], due_on="2026-12-03")
    assert undo(owner, change).error is None
    now = fetched_item(owner, item["id"])
    assert (now["title"], now["due_on"]) == ("Midterm", "2026-12-03")


def test_a_change_of_a_deleted_object_cannot_be_undone(owner: RestEntryPoint, item: Any) -> None:
    owner.made("update_item", item_id=item["id"], title="Final")
    change = newest(owner)
    owner.made("delete_item", item_id=item["id"])
    refused = undo(owner, change)
    assert (refused.error, refused.body["message"]) == ("conflict", "“Midterm” is gone. Undo its deletion first.")


def test_a_restored_item_counts_as_new(owner: RestEntryPoint, course: Any, item: Any, milestone: Any) -> None:
    owner.made("delete_item", item_id=item["id"])
    at = undone(owner)["undone_at"]
    assert fetched_item(owner, item["id"]) == item | {"created_at": at, "updated_at": at}
    assert owner.made("list_milestones", item_id=item["id"])["data"] == [milestone]


def test_a_poller_sees_a_restored_item_once(owner: RestEntryPoint, course: Any, item: Any) -> None:
    other = owner.made("create_item", course_id=course["id"], title="Quiz")
    owner.made("delete_course", course_id=course["id"])
    undone(owner)
    seen = owner.made("list_items", created_after=other["created_at"])["data"]
    assert sorted(one["id"] for one in seen) == sorted([item["id"], other["id"]])
    last = max(one["created_at"] for one in seen)
    assert owner.made("list_items", created_after=last)["data"] == []


def test_a_course_is_restored_with_everything_below(owner: RestEntryPoint, course: Any, milestone: Any) -> None:
    owner.made("update_course", course_id=course["id"], syllabus_text="Weekly plan. " * 1000)
    deck = made_deck(owner, course_id=course["id"])
    reviewed(owner, deck_with_cards(owner, deck)["cards"][0], "good")
    [category] = owner.made(
        "set_grade_categories", course_id=course["id"], categories=[{"name": "Quiz", "weight": 33.3333}]
    )["categories"]  # fmt: skip
    owner.made("add_grade_score", course_id=course["id"], category_id=category["id"], label="x", score=80.25)
    asked: list[tuple[str, dict[str, Any]]] = [
        ("list_courses", {}),
        ("get_grades", {"course_id": course["id"]}),
        ("get_course", {"course_id": course["id"], "include_syllabus": True}),
        ("list_vocab_decks", {"deck_id": deck["id"], "include_cards": True}),
        ("get_practice_stats", {}),
    ]
    before = [owner.made(name, **given) for name, given in asked]
    owner.made("delete_course", course_id=course["id"])
    undone(owner)
    assert [owner.made(name, **given) for name, given in asked] == before


def test_a_deck_is_restored_with_its_reviews(owner: RestEntryPoint) -> None:
    deck = made_deck(owner, "Nucleus", "Pore")
    card = deck_with_cards(owner, deck)["cards"][0]
    reviewed(owner, card, "good")
    reviewed(owner, card, "again")
    before = deck_with_cards(owner, deck), owner.made("get_practice_stats"), owner.made("list_changes")["data"][:2]
    owner.made("delete_vocab_deck", deck_id=deck["id"])
    undone(owner)
    later = owner.made("list_changes")["data"][2:4]
    assert (deck_with_cards(owner, deck), owner.made("get_practice_stats"), later) == before


def test_a_deck_of_a_deleted_course_is_restored_without_it(owner: RestEntryPoint, course: Any) -> None:
    deck = made_deck(owner, course_id=course["id"])
    owner.made("delete_vocab_deck", deck_id=deck["id"])
    deleted = newest(owner)
    owner.made("delete_course", course_id=course["id"])
    assert undo(owner, deleted).error is None
    assert deck_with_cards(owner, deck)["course_id"] is None


@pytest.mark.database("both")
@each("deleted_first", ["deck", "course"])
@each("undone_first", ["deck", "course"])
def test_a_restored_course_and_its_deck_are_linked_again(
    owner: RestEntryPoint, course: Any, deleted_first: str, undone_first: str
) -> None:
    deck = made_deck(owner, "Nucleus", course_id=course["id"])
    reviewed(owner, deck_with_cards(owner, deck)["cards"][0], "again")
    before = deck_with_cards(owner, deck), owner.made("get_practice_stats")
    delete = {
        "deck": lambda: owner.made("delete_vocab_deck", deck_id=deck["id"]),
        "course": lambda: owner.made("delete_course", course_id=course["id"]),
    }
    deletions = {}
    for which in (deleted_first, *(delete.keys() - {deleted_first})):
        delete[which]()
        deletions[which] = newest(owner)
    for which in (undone_first, *(delete.keys() - {undone_first})):
        assert undo(owner, deletions[which]).error is None
    assert (deck_with_cards(owner, deck), owner.made("get_practice_stats")) == before


def test_they_are_linked_again_after_a_second_deletion(owner: RestEntryPoint, course: Any) -> None:
    deck = made_deck(owner, course_id=course["id"])
    owner.made("delete_course", course_id=course["id"])
    course_gone = newest(owner)
    owner.made("delete_vocab_deck", deck_id=deck["id"])
    deck_gone = newest(owner)
    assert undo(owner, course_gone).error is None
    owner.made("delete_course", course_id=course["id"])
    course_gone = newest(owner)
    assert undo(owner, deck_gone).error is None
    assert deck_with_cards(owner, deck)["course_id"] is None
    assert undo(owner, course_gone).error is None
    assert deck_with_cards(owner, deck)["course_id"] == course["id"]


def test_a_deck_filed_elsewhere_since_stays_there(owner: RestEntryPoint, course: Any) -> None:
    deck = made_deck(owner, course_id=course["id"])
    owner.made("delete_vocab_deck", deck_id=deck["id"])
    deck_gone = newest(owner)
    owner.made("delete_course", course_id=course["id"])
    course_gone = newest(owner)
    assert undo(owner, deck_gone).error is None
    other = owner.made("create_course", name="Botany")
    RestEntryPoint(owner.secret).made("update_vocab_deck", deck_id=deck["id"], course_id=other["id"])
    assert undo(owner, course_gone).error is None
    assert deck_with_cards(owner, deck)["course_id"] == other["id"]


@pytest.mark.database("both")
def test_nothing_is_restored_without_its_parent(owner: RestEntryPoint, course: Any, item: Any) -> None:
    owner.made("delete_item", item_id=item["id"])
    deleted = newest(owner)
    owner.made("delete_course", course_id=course["id"])
    refused = undo(owner, deleted)
    assert refused.error == "conflict"
    assert refused.body["message"] == "The course of “Midterm” was deleted. Undo that deletion first."


@pytest.mark.database("both")
def test_a_reached_limit_is_a_conflict(owner: RestEntryPoint, item: Any, milestone: Any) -> None:
    owner.made("delete_milestone", milestone_id=milestone["id"])
    deleted = newest(owner)
    for number in range(20):
        owner.made("create_milestone", item_id=item["id"], title=f"{number}")
    refused = undo(owner, deleted)
    assert refused.error == "conflict"
    assert "20 milestones" in refused.body["message"]


def titles_by_position(entry_point: RestEntryPoint, item: Any) -> dict[int, str]:
    listed = entry_point.made("list_milestones", item_id=item["id"])["data"]
    assert [one["position"] for one in listed] == sorted({one["position"] for one in listed})
    return {one["position"]: one["title"] for one in listed}


@pytest.mark.database("both")
def test_a_milestone_is_appended_if_its_position_is_taken(owner: RestEntryPoint, item: Any) -> None:
    made = [owner.made("create_milestone", item_id=item["id"], title=title) for title in ("a", "b", "c")]
    deletions = []
    for milestone in made[1:]:
        owner.made("delete_milestone", milestone_id=milestone["id"])
        deletions.append(newest(owner))
    owner.made("create_milestone", item_id=item["id"], title="d")
    for deletion in deletions:
        assert undo(owner, deletion).error is None
    assert titles_by_position(owner, item) == {1: "a", 2: "d", 3: "b", 4: "c"}


@pytest.mark.database("both")
def test_milestones_restored_together_keep_their_order(owner: RestEntryPoint, item: Any) -> None:
    for title in ("a", "b", "c"):
        owner.made("create_milestone", item_id=item["id"], title=title)
    before = titles_by_position(owner, item)
    owner.made("delete_item", item_id=item["id"])
    undone(owner)
    assert titles_by_position(owner, item) == before


def test_the_creation_of_an_appended_milestone_can_still_be_undone(owner: RestEntryPoint, item: Any) -> None:
    milestone = owner.made("create_milestone", item_id=item["id"], title="a")
    made = newest(owner)
    owner.made("delete_milestone", milestone_id=milestone["id"])
    deleted = newest(owner)
    owner.made("create_milestone", item_id=item["id"], title="b")
    assert undo(owner, deleted).error is None
    assert titles_by_position(owner, item) == {1: "b", 2: "a"}
    assert undo(owner, made).error is None
    assert titles_by_position(owner, item) == {1: "b"}


def test_a_replaced_list_is_restored(owner: RestEntryPoint, course: Any) -> None:
    [quiz, _] = owner.made(
        "set_grade_categories",
        course_id=course["id"],
        categories=[{"name": "Quiz", "weight": 40}, {"name": "Exam", "weight": 60}],
    )["categories"]
    owner.made("add_grade_score", course_id=course["id"], category_id=quiz["id"], label="x", score=80)
    before = owner.made("get_grades", course_id=course["id"])
    exam = before["categories"][1]["id"]
    listed = [{"id": exam, "name": "Final", "weight": 12.3456}, {"name": "Lab", "weight": 5}]
    owner.made("set_grade_categories", course_id=course["id"], categories=listed)
    undone(owner)
    assert owner.made("get_grades", course_id=course["id"]) == before


@pytest.mark.database("both")
def test_a_replaced_list_stays_if_it_was_used_since(owner: RestEntryPoint, course: Any) -> None:
    listed = [{"name": "Quiz", "weight": 40}]
    [quiz] = owner.made("set_grade_categories", course_id=course["id"], categories=listed)["categories"]
    change = newest(owner)
    owner.made("add_grade_score", course_id=course["id"], category_id=quiz["id"], label="x", score=80)
    refused = undo(owner, change)
    assert (refused.error, refused.body["message"]) == (
        "conflict",
        "“Quiz” has 1 grade score by now. Undo or delete that first, then undo this.",
    )


@pytest.mark.database("both")
def test_a_review_is_undone_if_it_is_the_last(owner: RestEntryPoint) -> None:
    deck = made_deck(owner)
    states = [deck_with_cards(owner, deck)["cards"][0]]
    stats = [owner.made("get_practice_stats")]
    for rating in ("easy", "again"):
        reviewed(owner, states[0], rating)
        states.append(deck_with_cards(owner, deck)["cards"][0])
        stats.append(owner.made("get_practice_stats"))
    second, first, _ = owner.made("list_changes")["data"]
    assert undo(owner, first).error == "conflict"
    for change, state, told in zip((second, first), states[1::-1], stats[1::-1], strict=True):
        answer = undo(owner, change)
        assert answer.error is None, answer.body
        assert answer.body == change | {"undoable": False, "undone_at": answer.body["undone_at"]}
        assert deck_with_cards(owner, deck)["cards"] == [state]
        assert owner.made("get_practice_stats") == told
        assert undo(owner, change).error == "conflict"


@pytest.mark.database("both")
def test_undo_fails_after_thirty_days(owner: RestEntryPoint, item: Any) -> None:
    change, minute = newest(owner), timedelta(minutes=1)
    Change.objects.update(created_at=timezone.now() - timedelta(days=30) - minute)
    refused = undo(owner, change)
    assert (refused.error, refused.body["message"]) == ("conflict", TOO_OLD)
    Change.objects.update(created_at=timezone.now() - timedelta(days=30) + minute)
    assert undo(owner, change).error is None


@pytest.mark.database("both")
def test_an_unknown_kind_is_never_undone(owner: RestEntryPoint, item: Any) -> None:
    Change.objects.filter(object_id=item["id"]).update(object_type="constellation")
    change = newest(owner)
    assert change["undoable"] is False
    assert undo(owner, change).error == "conflict"


@pytest.mark.database("both")
def test_an_unknown_field_is_never_undone(owner: RestEntryPoint, item: Any) -> None:
    Change.objects.filter(object_id=item["id"]).update(contents=b'{"before":{"orbit":1},"after":{"orbit":2}}')
    change = newest(owner)
    assert change["undoable"] is False
    assert undo(owner, change).error == "conflict"


def test_a_retry_with_its_key_gets_the_same_answer(owner: RestEntryPoint, item: Any) -> None:
    change = newest(owner)
    path = f"/v1/changes/{change['id']}/undo"
    first, second = (owner.request("POST", path, headers={"Idempotency-Key": "once"}) for _ in range(2))
    assert (first.status_code, second.status_code) == (200, 200)
    assert first.json() == second.json()
    assert second.headers["Idempotency-Replayed"] == "true"


@pytest.mark.django_db(transaction=True)
@pytest.mark.database("both")
def test_two_parallel_undos_undo_once(owner: RestEntryPoint, item: Any, in_threads: Any) -> None:
    owner.made("update_item", item_id=item["id"], title="Final")
    change = newest(owner)
    answers = in_threads(lambda _: undo(owner, change).error, [1, 2, 3, 4])
    assert sorted(map(str, answers)) == ["None", "conflict", "conflict", "conflict"]
    assert Change.objects.filter(operation="undo_change").count() == 1


@pytest.mark.database("both")
def test_a_score_returns_to_its_category(owner: RestEntryPoint, course: Any) -> None:
    listed = [{"name": "Quiz", "weight": 40}, {"name": "Exam", "weight": 60}]
    quiz, exam = owner.made("set_grade_categories", course_id=course["id"], categories=listed)["categories"]
    score = owner.made("add_grade_score", course_id=course["id"], category_id=quiz["id"], label="x", score=80)
    before = owner.made("get_grades", course_id=course["id"])
    owner.made("update_grade_score", score_id=score["id"], category_id=exam["id"], score=33.3333)
    undone(owner)
    assert owner.made("get_grades", course_id=course["id"]) == before


def test_a_course_created_with_items_and_categories_is_one_undo(owner: RestEntryPoint) -> None:
    items = [{"title": f"Lecture {number}", "due_on": "2026-12-03"} for number in range(3)]
    course = owner.made(
        "create_course", name="Botany", items=items, grade_categories=[{"name": "Quiz", "weight": 40}]
    )  # fmt: skip
    undone(owner)
    assert owner.made("list_courses")["data"] == []
    assert owner.call("get_grades", course_id=course["id"]).error == "not_found"
    assert owner.made("list_items")["data"] == []
