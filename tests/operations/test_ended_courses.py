"""Courses that have ended: `archived`, and what looks ahead without them."""

from typing import Any
from unittest.mock import ANY

import pytest

from studyservice.rows.limits import Limits
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.vocabulary import made_deck, reviewed

pytestmark = pytest.mark.database("sqlite", "other tests send the same statements")

TODAY, TOMORROW, LAST_WEEK = "2026-11-21", "2026-11-22", "2026-11-14"


@pytest.fixture(autouse=True)
def _today(time_machine: Any) -> None:
    time_machine.move_to("2026-10-01T12:00:00Z")


def end(owner: RestEntryPoint, course: Any) -> Any:
    return owner.made("update_course", course_id=course["id"], archived=True)


def reopen(owner: RestEntryPoint, course: Any) -> Any:
    return owner.made("update_course", course_id=course["id"], archived=False)


@pytest.fixture
def full(owner: RestEntryPoint, course: Any, time_machine: Any) -> dict[str, Any]:
    """A course with something of everything that looks ahead: due, missed, steps, cards."""
    exam = owner.made("create_item", course_id=course["id"], title="Exam", kind="exam", due_on=TOMORROW)
    owner.made("create_item", course_id=course["id"], title="Essay", due_on=LAST_WEEK)
    owner.made("create_milestone", item_id=exam["id"], title="Outline", due_on=TODAY)
    owner.made("create_milestone", item_id=exam["id"], title="Undated")
    deck = made_deck(owner, "Mitosis", "Osmosis", course_id=course["id"])
    time_machine.move_to(f"{TODAY}T12:00:00Z")
    return {"course": course, "exam": exam, "deck": deck}


@pytest.mark.database("both")
def test_a_course_is_ended_and_reopened(owner: RestEntryPoint, course: Any) -> None:
    assert course["archived"] is False
    ended = end(owner, course)
    assert ended == course | {"archived": True, "updated_at": ANY}
    assert owner.made("get_course", course_id=course["id"]) == ended | {"next_items": []}
    assert reopen(owner, course) == course | {"updated_at": ANY}


def test_ending_it_twice_changes_nothing(owner: RestEntryPoint, course: Any) -> None:
    ended = end(owner, course)
    assert end(owner, course) == ended


@each("wrong", [None, "yes", 1, "true"])
def test_archived_is_a_boolean(owner: RestEntryPoint, course: Any, wrong: object) -> None:
    refused = owner.call("update_course", course_id=course["id"], archived=wrong)
    assert (refused.error, refused.fields) == ("validation_failed", ["archived"])


@pytest.mark.rest
def test_a_new_course_has_not_ended(owner: RestEntryPoint) -> None:
    """create_course takes no `archived`; as any unknown field it is ignored."""
    assert owner.made("create_course", name="Algebra", archived=True)["archived"] is False


def test_list_courses_has_all_courses_by_age(owner: RestEntryPoint, course: Any) -> None:
    owner.made("create_course", name="Algebra")
    end(owner, course)
    listed = owner.made("list_courses")["data"]
    assert [(one["name"], one["archived"]) for one in listed] == [("Cell Biology", True), ("Algebra", False)]


@pytest.mark.database("both")
def test_the_agenda_leaves_ended_courses_out(owner: RestEntryPoint, full: Any) -> None:
    before = owner.made("get_agenda")
    assert all(before[name] for name in ("items", "milestones", "missed", "readiness"))
    end(owner, full["course"])
    after = owner.made("get_agenda")
    assert after == before | {"items": [], "milestones": [], "missed": [], "readiness": []}
    reopen(owner, full["course"])
    assert owner.made("get_agenda") == before


@pytest.mark.database("both")
def test_the_steps_for_now_leave_ended_courses_out(owner: RestEntryPoint, full: Any) -> None:
    other = owner.made("create_course", name="Algebra")
    owner.made("create_item", course_id=other["id"], title="Proofs", due_on=TOMORROW)
    before = owner.made("get_agenda", minutes=120)
    assert {step["kind"] for step in before["now"]["steps"]} == {"item", "milestone", "cards"}
    end(owner, full["course"])
    after = owner.made("get_agenda", minutes=120)
    assert [step["title"] for step in after["now"]["steps"]] == ["Proofs"]
    assert [item["title"] for item in after["items"]] == ["Proofs"]
    assert (after["milestones"], after["missed"], after["readiness"]) == ([], [], [])


def test_a_weak_topic_of_an_ended_course_is_no_step(owner: RestEntryPoint, course: Any, time_machine: Any) -> None:
    time_machine.move_to(f"{TODAY}T12:00:00Z")
    deck = made_deck(owner, *map(str, range(5)), course_id=course["id"])
    for card in deck["cards"]:
        reviewed(owner, card, "again")
    end(owner, course)
    assert owner.made("get_agenda", minutes=120)["now"]["steps"] == []
    [weak] = owner.made("get_practice_stats")["weak_topics"]
    assert weak["course_id"] == course["id"], "statistics look back, and keep it"


@pytest.mark.database("both")
def test_everything_in_an_ended_course_is_still_listed(owner: RestEntryPoint, full: Any) -> None:
    reads: list[tuple[str, dict[str, Any]]] = [
        ("list_items", {}),
        ("list_items", {"q": "biology"}),
        ("list_vocab_decks", {}),
        ("get_item", {"item_id": full["exam"]["id"]}),
        ("get_grades", {"course_id": full["course"]["id"]}),
        ("list_milestones", {"item_id": full["exam"]["id"]}),
    ]
    before = [owner.made(name, **given) for name, given in reads]
    end(owner, full["course"])
    assert [owner.made(name, **given) for name, given in reads] == before, "no item's updated_at moves either"


def test_what_an_ended_course_holds_can_be_changed(owner: RestEntryPoint, full: Any) -> None:
    course_id = end(owner, full["course"])["id"]
    owner.made("update_item", item_id=full["exam"]["id"], title="Final", done=True)
    owner.made("create_item", course_id=course_id, title="Reflection", due_on=TOMORROW)
    owner.made("set_grade_categories", course_id=course_id, categories=[{"name": "All", "weight": 100}])
    reviewed(owner, full["deck"]["cards"][0], "good")
    assert owner.made("update_course", course_id=course_id, name="Botany")["archived"] is True
    owner.made("delete_course", course_id=course_id)


def test_a_poller_is_told_of_new_items_in_an_ended_course(owner: RestEntryPoint, full: Any) -> None:
    end(owner, full["course"])
    since = owner.made("list_items", limit=100)["data"][0]["created_at"]
    made = owner.made("create_item", course_id=full["course"]["id"], title="Late")
    new = owner.made("list_items", created_after=max(since, full["exam"]["created_at"]))["data"]
    assert made["id"] in {one["id"] for one in new}


@pytest.mark.rest
def test_a_limited_credential_sees_its_ended_courses_as_they_are(
    owner: RestEntryPoint, owner_member: Any, course: Any, make_key: Any
) -> None:
    owner.made("create_course", name="Hidden")
    limited = RestEntryPoint(make_key(owner_member, limits=Limits((course["id"],)).stored())[0])
    owner.made("create_item", course_id=course["id"], title="Essay", due_on=owner.made("get_me")["today"])
    ended = end(limited, course)
    assert limited.made("list_courses")["data"] == [ended]
    assert (len(limited.made("list_items")["data"]), limited.made("get_agenda")["items"]) == (1, [])


@pytest.mark.rest
def test_ending_is_logged_and_undone(owner: RestEntryPoint, course: Any) -> None:
    end(owner, course)
    [change] = owner.made("list_changes", limit=1)["data"]
    told = (change["operation"], change["before"], change["after"], change["undoable"])
    assert told == ("update_course", {"archived": False}, {"archived": True}, True)
    owner.made("undo_change", change_id=change["id"])
    assert owner.made("list_courses")["data"] == [course | {"updated_at": ANY}]


@pytest.mark.rest
def test_a_deleted_ended_course_comes_back_ended(owner: RestEntryPoint, course: Any) -> None:
    end(owner, course)
    owner.made("delete_course", course_id=course["id"])
    [change] = owner.made("list_changes", limit=1)["data"]
    owner.made("undo_change", change_id=change["id"])
    [back] = owner.made("list_courses")["data"]
    assert back["archived"] is True
