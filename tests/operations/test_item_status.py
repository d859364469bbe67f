"""The end of an item: done, graded, past or missed."""

from typing import Any

import pytest

from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.samples import NOT_ENDED, UNKNOWN_ID, fetched_item, later

TODAY = "2026-11-21"
pytestmark = [pytest.mark.same_statements, pytest.mark.time_machine(f"{TODAY}T12:00:00Z")]


@pytest.fixture
def add(owner: RestEntryPoint, course):
    """Adds items due some days from today: `add("Essay", 3)`."""

    def add_item(title: str, days: int | None = None, **fields: Any) -> Any:
        due_on = None if days is None else later(TODAY, days)
        return owner.made("create_item", course_id=course["id"], title=title, due_on=due_on, **fields)

    return add_item


@pytest.fixture
def days_later(time_machine):
    """Moves the clock some days ahead: `days_later(3)`."""

    def go(days: int) -> str:
        today = later(TODAY, days)
        time_machine.move_to(f"{today}T12:00:00Z")
        return today

    return go


def _statuses(owner: RestEntryPoint) -> dict[str, str]:
    return {item["title"]: item["status"] for item in owner.made("list_items")["data"]}


def _listed(owner: RestEntryPoint, **query: Any) -> list[str]:
    return [item["title"] for item in owner.made("list_items", **query)["data"]]


def test_a_new_item_is_open(owner: RestEntryPoint, add) -> None:
    made = add("Essay", 3)
    told = {name: made[name] for name in NOT_ENDED}
    assert told == NOT_ENDED


def test_done_at_is_the_true_time(owner: RestEntryPoint, add) -> None:
    item = add("Essay", 3)
    done = owner.made("update_item", item_id=item["id"], done=True)
    assert (done["done"], done["status"]) == (True, "done")
    assert done["done_at"].startswith(f"{TODAY}T12:00:")
    assert done["updated_at"] > item["updated_at"]
    assert fetched_item(owner, item["id"]) == done


@pytest.mark.rest
def test_marking_as_done_again_changes_nothing(owner: RestEntryPoint, add, days_later) -> None:
    item = add("Essay", 3)
    assert owner.made("update_item", item_id=item["id"], done=False) == item
    done = owner.made("update_item", item_id=item["id"], done=True)
    days_later(1)
    again = owner.made("update_item", item_id=item["id"], done=True)
    assert again == done | {"days_until": 2}
    assert len(owner.made("list_changes", object_id=item["id"])["data"]) == 2


def test_it_can_be_undone(owner: RestEntryPoint, add) -> None:
    item = add("Essay", 3)
    owner.made("update_item", item_id=item["id"], done=True)
    undone = owner.made("update_item", item_id=item["id"], done=False)
    assert (undone["done"], undone["done_at"], undone["status"]) == (False, None, "open")


@pytest.mark.database("both")
def test_an_overdue_unfinished_item_is_missed(owner: RestEntryPoint, add, days_later) -> None:
    for title, days, kind in (
        ("Undated", None, "paper"),
        ("Essay", 1, "paper"),
        ("Lab", 2, "lab"),
        ("Exam", 1, "exam"),
        ("Quiz", 1, "quiz"),
        ("Old", -1, "paper"),
        ("Done", 1, "paper"),
    ):
        item = add(title, days, kind=kind)
        if title == "Done":
            owner.made("update_item", item_id=item["id"], done=True)
    assert _statuses(owner) == {
        "Old": "past",
        "Essay": "open",
        "Exam": "open",
        "Quiz": "open",
        "Done": "done",
        "Lab": "open",
        "Undated": "open",
    }
    days_later(2)
    assert _statuses(owner) == {
        "Old": "past",
        "Essay": "missed",
        "Exam": "past",
        "Quiz": "past",
        "Done": "done",
        "Lab": "open",
        "Undated": "open",
    }
    for status, titles in {
        "missed": ["Essay"],
        "past": ["Old", "Exam", "Quiz"],
        "done": ["Done"],
        "open": ["Lab", "Undated"],
        "graded": [],
    }.items():
        assert _listed(owner, status=status) == titles


def test_status_is_a_closed_filter(owner: RestEntryPoint) -> None:
    assert owner.call("list_items", status="late").fields == ["status"]


def test_the_agenda_lists_missed_items(owner: RestEntryPoint, add, days_later) -> None:
    """Those due in the last 30 days, including yesterday: the newest 50, oldest first."""
    for days in (1, 2, 31, 32):
        add(f"Due in {days}", days)
    add("Exam", 1, kind="exam")
    days_later(32)
    agenda = owner.made("get_agenda")
    assert [item["title"] for item in agenda["missed"]] == ["Due in 2", "Due in 31"]
    assert [item["title"] for item in agenda["items"]] == ["Due in 32"]
    assert {item["status"] for item in agenda["missed"]} == {"missed"}


def test_the_agenda_lists_the_newest_fifty(owner: RestEntryPoint, course, days_later) -> None:
    entries = [{"title": f"{number}", "due_on": later(TODAY, 1 + number // 3)} for number in range(53)]
    owner.made("create_item", course_id=course["id"], **entries[0], more=entries[1:])
    days_later(20)
    missed = owner.made("get_agenda")["missed"]
    assert [item["title"] for item in missed] == [f"{number}" for number in range(3, 53)]


def test_a_new_time_zone_makes_nothing_missed(owner: RestEntryPoint, add, time_machine) -> None:
    """An item due today in one zone was due yesterday in another, but it was created before it was due."""
    time_machine.move_to("2026-11-21T23:30:00Z")
    RestEntryPoint(owner.secret).made("update_me", time_zone="Pacific/Auckland")
    add("Essay", 0)  # the 21st; there it is the 22nd
    assert _statuses(owner) == {"Essay": "past"}
    RestEntryPoint(owner.secret).made("update_me", time_zone="UTC")
    assert _statuses(owner) == {"Essay": "open"}
    time_machine.move_to("2026-11-23T12:00:00Z")
    assert _statuses(owner) == {"Essay": "past"}


def test_done_is_ignored_on_creation(owner: RestEntryPoint, course) -> None:
    """REST ignores unknown fields; a tool rejects them."""
    made = owner.made("create_item", course_id=course["id"], title="Essay", done=True)
    assert made["done"] is False


@each("operation", ["create_item", "update_item"])
def test_a_note_may_have_two_thousand_characters(owner: RestEntryPoint, course, add, operation: str) -> None:
    item = add("Essay")
    ids = {"course_id": course["id"], "title": "Essay"} if operation == "create_item" else {"item_id": item["id"]}
    note = "ä" * 2000
    made = owner.made(operation, **ids, note=f"  {note} ")
    assert made["note"] == note
    assert fetched_item(owner, made["id"])["note"] == note
    assert owner.call(operation, **ids, note=f"{note}!").fields == ["note"]
    assert owner.made("update_item", item_id=made["id"], note=None)["note"] is None


def test_lists_return_the_first_200_characters_of_a_note(owner: RestEntryPoint, course, add) -> None:
    note = "".join(chr(ord("a") + number % 26) for number in range(300))
    item = add("Essay", 1, note=note)
    listed = [
        owner.made("list_items")["data"][0],
        owner.made("get_agenda")["items"][0],
        owner.made("get_course", course_id=course["id"])["next_items"][0],
    ]
    assert [one["note"] for one in listed] == [note[:200]] * 3
    assert fetched_item(owner, item["id"])["note"] == note


def test_a_shortened_note_sent_back_changes_nothing(owner: RestEntryPoint, add) -> None:
    note = f"{'a' * 199} {'b' * 100}"
    item = add("Essay", 1, note=note)
    [listed] = owner.made("list_items")["data"]
    assert owner.made("update_item", item_id=item["id"], note=listed["note"]) == item
    changed = owner.made("update_item", item_id=item["id"], note=listed["note"], title="Essay 1")
    assert (changed["note"], changed["title"]) == (note, "Essay 1")
    assert owner.made("update_item", item_id=item["id"], note="a" * 198)["note"] == "a" * 198


@pytest.mark.database("both")
def test_q_searches_title_note_and_course_name(owner: RestEntryPoint, course, add) -> None:
    add("Straße 100%", 1)
    add("Essay", 2, note="Bring the É_book")
    other = owner.made("create_course", name="Äsop")
    owner.made("create_item", course_id=other["id"], title="Fable", due_on=later(TODAY, 3))
    for q, titles in {
        "STRASSE": ["Straße 100%"],
        "100%": ["Straße 100%"],
        "0%0": [],
        "e\u0301_BOOK": ["Essay"],
        "éxbook": [],
        "äs": ["Fable"],
        "CELL": ["Straße 100%", "Essay"],
        "essay bring": [],
        "essaybring": [],
    }.items():
        assert _listed(owner, q=q) == titles, q
    assert _listed(owner, q="e", status="open", kind="other", course_id=other["id"]) == ["Fable"]


@pytest.mark.rest
def test_q_reflects_changes(owner: RestEntryPoint, course, add) -> None:
    item = add("Essay", 1)
    owner.made("update_item", item_id=item["id"], title="Paper", note="Sonnets")
    owner.made("update_course", course_id=course["id"], name="Poetry")
    assert [_listed(owner, q=q) for q in ("essay", "cell", "sonn", "POET")] == [[], [], ["Paper"], ["Paper"]]
    change = next(one["id"] for one in owner.made("list_changes")["data"] if one["operation"] == "update_item")
    RestEntryPoint(owner.secret).made("undo_change", change_id=change)
    assert [_listed(owner, q=q) for q in ("ESSAY", "sonn")] == [["Essay"], []]


@pytest.mark.database("both")
def test_q_searches_milestone_titles(owner: RestEntryPoint, add) -> None:
    essay, lab = add("Essay", 1), add("Lab", 2)
    first = owner.made("create_milestone", item_id=essay["id"], title="É_outline", more=[{"title": "Sources"}])
    step = owner.made("create_milestone", item_id=lab["id"], title="Read the SOURCES twice, sources first")
    owner.made("update_milestone", milestone_id=step["id"], done=True)
    assert [_listed(owner, q=q) for q in ("e\u0301_O", "sources", "e_o", "%")] == [["Essay"], ["Essay", "Lab"], [], []]
    assert [_listed(owner, q="ab")[:1], _listed(owner, q="SOURCES", limit=1)] == [["Lab"], ["Essay"]]

    owner.made("update_milestone", milestone_id=first["id"], title="Plan")
    assert [_listed(owner, q=q) for q in ("outline", "plan")] == [[], ["Essay"]]
    rest = RestEntryPoint(owner.secret)
    changes = rest.made("list_changes")["data"]
    change = next(one["id"] for one in changes if one["operation"] == "update_milestone")
    rest.made("undo_change", change_id=change)
    assert [_listed(owner, q=q) for q in ("outline", "plan")] == [["Essay"], []]

    owner.made("delete_milestone", milestone_id=step["id"])
    assert _listed(owner, q="twice") == []
    deleted = rest.made("list_changes")["data"][0]["id"]
    rest.made("undo_change", change_id=deleted)
    assert _listed(owner, q="twice") == ["Lab"]


@each("q", ["", "   ", "x" * 101])
def test_q_must_have_one_to_a_hundred_characters(owner: RestEntryPoint, q: str) -> None:
    assert owner.call("list_items", q=q).fields == ["q"]


def test_a_cursor_stays_valid_over_midnight(owner: RestEntryPoint, add, days_later) -> None:
    for days in (3, 4, 5):
        add(f"In {days}", days)
    first = owner.made("list_items", status="open", q="in", limit=1)
    days_later(1)
    rest = owner.made("list_items", status="open", q="in", limit=5, cursor=first["next_cursor"])
    assert [item["title"] for item in rest["data"]] == ["In 4", "In 5"]
    assert owner.call("list_items", status="open", limit=5, cursor=first["next_cursor"]).error == "invalid_request"


@pytest.mark.rest
def test_undo_restores_done_and_its_time(owner: RestEntryPoint, add) -> None:
    item = add("Essay", 1)
    done = owner.made("update_item", item_id=item["id"], done=True)
    [ticked, _] = owner.made("list_changes", object_id=item["id"])["data"]
    assert (ticked["before"], ticked["after"]) == ({"done": False}, {"done": True})
    owner.made("update_item", item_id=item["id"], done=False)
    unticked = owner.made("list_changes", object_id=item["id"])["data"][0]
    RestEntryPoint(owner.secret).made("undo_change", change_id=unticked["id"])
    back = fetched_item(owner, item["id"])
    assert (back["done"], back["done_at"]) == (True, done["done_at"])
    RestEntryPoint(owner.secret).made("undo_change", change_id=ticked["id"])
    assert fetched_item(owner, item["id"])["done_at"] is None


@pytest.mark.rest
def test_a_restored_item_is_unchanged(owner: RestEntryPoint, add, days_later) -> None:
    item = add("Essay", 1, note="Bring a pen")
    owner.made("delete_item", item_id=item["id"])
    days_later(3)
    [deleted] = [one for one in owner.made("list_changes")["data"] if one["operation"] == "delete_item"]
    assert set(deleted["before"]) == {"course_id", "title", "kind", "due_on", "note"}
    RestEntryPoint(owner.secret).made("undo_change", change_id=deleted["id"])
    assert _statuses(owner) == {"Essay": "missed"}
    assert _listed(owner, q="PEN") == ["Essay"]


def test_an_unknown_category_is_rejected(owner: RestEntryPoint, course, add) -> None:
    item = add("Essay", 1)
    for answer in (
        owner.call("create_item", course_id=course["id"], title="Lab", category_id=UNKNOWN_ID),
        owner.call("update_item", item_id=item["id"], category_id=UNKNOWN_ID),
    ):
        assert answer.fields == ["category_id"]


@pytest.mark.rest
@each("change", [{"done": True}, {"note": "Bring a pen"}])
def test_a_later_change_prevents_undoing_the_creation(owner: RestEntryPoint, add, change) -> None:
    item = add("Essay", 1)
    [made] = owner.made("list_changes", object_id=item["id"])["data"]
    owner.made("update_item", item_id=item["id"], **change)
    assert owner.call("undo_change", change_id=made["id"]).error == "conflict"
    owner.made("undo_change", change_id=owner.made("list_changes", limit=1)["data"][0]["id"])
    owner.made("undo_change", change_id=made["id"])
    assert _listed(owner) == []
