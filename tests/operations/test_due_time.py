"""`due_time` of items: written, changed, sorted, undone and archived."""

from typing import Any

import pytest

from tests.support.archive_lines import WHOLE
from tests.support.archives import lines_of, parts, zipped
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.samples import NOT_TIMES, fetched_item
from tests.support.tools import rest_of

pytestmark = pytest.mark.database("sqlite", "other tests send the same statements")

DAY = "2026-12-03"


@pytest.fixture(autouse=True)
def _today(time_machine: Any) -> None:
    time_machine.move_to("2026-11-21T12:00:00Z")


@pytest.fixture
def essay(owner: RestEntryPoint, course: Any) -> Any:
    """An item with a date and a time."""
    return owner.made("create_item", course_id=course["id"], title="Essay", due_on=DAY, due_time="17:00")


def due(item: Any) -> tuple[str | None, str | None]:
    return item["due_on"], item["due_time"]


def newest(entry_point: RestEntryPoint) -> Any:
    [change] = rest_of(entry_point).made("list_changes", limit=1)["data"]
    return change


@pytest.mark.database("both")
def test_a_new_item_keeps_its_time(owner: RestEntryPoint, essay: Any) -> None:
    assert due(essay) == (DAY, "17:00")
    assert fetched_item(owner, essay["id"]) == essay
    assert owner.made("list_items")["data"] == [essay]
    assert owner.made("get_agenda")["items"] == [essay]
    assert owner.made("get_course", course_id=essay["course_id"])["next_items"] == [essay]


@each("time", ["00:00", "09:05", "23:59"])
def test_every_minute_of_a_day_is_accepted(owner: RestEntryPoint, course: Any, time: str) -> None:
    made = owner.made("create_item", course_id=course["id"], title="Essay", due_on=DAY, due_time=time)
    assert made["due_time"] == time


@each("sent", [{}, {"due_time": None}])
def test_without_a_time_it_is_null(owner: RestEntryPoint, course: Any, sent: Any) -> None:
    made = owner.made("create_item", course_id=course["id"], title="Essay", due_on=DAY, **sent)
    assert due(made) == (DAY, None)


def test_items_of_one_call_have_their_own_times(owner: RestEntryPoint, course: Any) -> None:
    more = [{"title": "b", "due_on": DAY, "due_time": "09:00"}, {"title": "c", "due_on": DAY}]
    made = owner.made("create_item", course_id=course["id"], title="a", due_on=DAY, due_time="17:00", more=more)
    assert [item["due_time"] for item in made["items"]] == ["17:00", "09:00", None]


def test_items_of_a_new_course_have_their_times(owner: RestEntryPoint) -> None:
    items = [{"title": "a", "due_on": DAY, "due_time": "08:30"}, {"title": "b"}]
    made = owner.made("create_course", name="Algebra", items=items)
    assert [due(item) for item in made["items"]] == [(DAY, "08:30"), (None, None)]


@each("time", NOT_TIMES)
def test_other_texts_are_no_times(owner: RestEntryPoint, essay: Any, time: Any) -> None:
    sent = {"title": "Lab", "due_on": DAY, "due_time": time}
    course_id = essay["course_id"]
    assert owner.call("create_item", course_id=course_id, **sent).fields == ["due_time"]
    assert owner.call("create_item", course_id=course_id, title="a", more=[sent]).fields == ["more[0].due_time"]
    assert owner.call("create_course", name="Algebra", items=[sent]).fields == ["items[0].due_time"]
    assert owner.call("update_item", item_id=essay["id"], due_time=time).fields == ["due_time"]
    assert owner.made("list_items")["data"] == [essay]


@pytest.mark.database("both")
def test_a_time_needs_a_date(owner: RestEntryPoint, course: Any) -> None:
    sent = {"title": "Lab", "due_time": "17:00"}
    assert owner.call("create_item", course_id=course["id"], **sent).fields == ["due_time"]
    assert owner.call("create_item", course_id=course["id"], title="a", more=[sent]).fields == ["more[0].due_time"]
    assert owner.call("create_course", name="Algebra", items=[sent]).fields == ["items[0].due_time"]
    undated = owner.made("create_item", course_id=course["id"], title="Lab")
    assert owner.call("update_item", item_id=undated["id"], due_time="17:00").fields == ["due_time"]
    assert fetched_item(owner, undated["id"]) == undated


@pytest.mark.database("both")
@each(
    ("sent", "expected"),
    [
        ({"due_time": "09:00"}, (DAY, "09:00")),
        ({"due_time": None}, (DAY, None)),
        ({"due_on": "2026-12-04"}, ("2026-12-04", "17:00")),
        ({"due_on": "2026-12-04", "due_time": "09:00"}, ("2026-12-04", "09:00")),
        ({"due_on": None}, (None, None)),
        ({"due_on": None, "due_time": None}, (None, None)),
        ({"due_on": None, "due_time": "17:00"}, (None, None)),
        ({"title": "Paper"}, (DAY, "17:00")),
    ],
)
def test_a_change_keeps_sets_or_clears_the_time(owner: RestEntryPoint, essay: Any, sent: Any, expected: Any) -> None:
    """An equal time counts as not sent, so a record with a cleared date can be sent back."""
    changed = owner.made("update_item", item_id=essay["id"], **sent)
    assert due(changed) == expected
    assert fetched_item(owner, essay["id"]) == changed


def test_another_time_cannot_stay_without_the_date(owner: RestEntryPoint, essay: Any) -> None:
    answer = owner.call("update_item", item_id=essay["id"], due_on=None, due_time="09:00")
    assert answer.fields == ["due_time"]
    assert fetched_item(owner, essay["id"]) == essay


@pytest.mark.database("both")
def test_several_items_change_their_times(owner: RestEntryPoint, essay: Any) -> None:
    lab = owner.made("create_item", course_id=essay["course_id"], title="Lab")
    entry = {"item_id": lab["id"], "due_time": "09:00"}
    answer = owner.call("update_item", item_id=essay["id"], due_time="18:00", more=[entry])
    assert answer.fields == ["more[0].due_time"]
    assert fetched_item(owner, essay["id"]) == essay
    changed = owner.made("update_item", item_id=essay["id"], due_on=None, more=[entry | {"due_on": DAY}])
    assert [due(item) for item in changed["items"]] == [(None, None), (DAY, "09:00")]


def test_an_equal_time_changes_nothing(owner: RestEntryPoint, essay: Any) -> None:
    assert owner.made("update_item", item_id=essay["id"], due_time="17:00") == essay


def test_days_and_status_go_by_the_day(owner: RestEntryPoint, essay: Any, time_machine: Any) -> None:
    time_machine.move_to("2026-12-03T20:30:00Z")
    item = fetched_item(owner, essay["id"])
    assert (item["days_until"], item["status"]) == (0, "open")


def test_skip_does_not_compare_the_time(owner: RestEntryPoint, essay: Any) -> None:
    sent = {"title": "essay", "due_on": DAY, "due_time": "09:00"}
    again = owner.made("create_item", course_id=essay["course_id"], **sent, if_exists="skip")
    assert again == essay | {"existing": True}


@pytest.fixture
def on_one_day(owner: RestEntryPoint, course: Any) -> list[str]:
    """Exams on one day, added in another order. Their titles, soonest first."""
    for title, time in [("end", None), ("noon", "12:00"), ("end again", None), ("late", "23:59"), ("early", "00:00")]:
        owner.made("create_item", course_id=course["id"], title=title, kind="exam", due_on=DAY, due_time=time)
    owner.made("create_item", course_id=course["id"], title="undated")
    owner.made("create_item", course_id=course["id"], title="day before", kind="exam", due_on="2026-12-02")
    return ["day before", "early", "noon", "late", "end", "end again"]


@pytest.mark.database("both")
def test_items_without_a_time_are_last_in_their_day(owner: RestEntryPoint, course: Any, on_one_day: list[str]) -> None:
    def titles(items: Any) -> list[str]:
        return [item["title"] for item in items]

    assert titles(owner.made("list_items")["data"]) == [*on_one_day, "undated"]
    assert titles(owner.made("list_items", course_id=course["id"], kind="exam")["data"]) == on_one_day
    assert titles(owner.made("get_agenda")["items"]) == on_one_day
    assert titles(owner.made("get_agenda", minutes=30)["items"]) == on_one_day
    assert titles(owner.made("get_course", course_id=course["id"])["next_items"]) == on_one_day[:5]


def test_missed_items_follow_the_order(owner: RestEntryPoint, course: Any, time_machine: Any) -> None:
    for title, time in [("end", None), ("noon", "12:00")]:
        owner.made("create_item", course_id=course["id"], title=title, due_on="2026-11-22", due_time=time)
    time_machine.move_to("2026-11-24T12:00:00Z")
    assert [item["title"] for item in owner.made("get_agenda")["missed"]] == ["noon", "end"]


def test_readiness_is_of_the_first_exams(owner: RestEntryPoint, course: Any, on_one_day: list[str]) -> None:
    cards = [{"term": "a", "definition": "b"}]
    owner.made("create_vocab_deck", name="Cells", course_id=course["id"], cards=cards)
    for query in ({}, {"minutes": 30}):
        agenda = owner.made("get_agenda", **query)
        assert [one["title"] for one in agenda["readiness"]] == on_one_day[:3]


@pytest.mark.rest
@pytest.mark.database("both")
def test_a_change_of_the_time_is_logged_and_undone(owner: RestEntryPoint, essay: Any) -> None:
    owner.made("update_item", item_id=essay["id"], due_on=None)
    change = newest(owner)
    assert change["before"] == {"due_on": DAY, "due_time": "17:00"}
    assert change["after"] == {"due_on": None, "due_time": None}
    owner.made("undo_change", change_id=change["id"])
    assert due(fetched_item(owner, essay["id"])) == (DAY, "17:00")


@pytest.mark.rest
def test_a_new_item_is_logged_with_its_time(owner: RestEntryPoint, essay: Any) -> None:
    after = {"title": "Essay", "kind": "other", "course_id": essay["course_id"], "due_on": DAY, "due_time": "17:00"}
    assert newest(owner)["after"] == after


@pytest.mark.rest
@pytest.mark.database("both")
def test_an_undo_gives_no_time_to_an_item_without_a_date(owner: RestEntryPoint, essay: Any) -> None:
    owner.made("update_item", item_id=essay["id"], due_time=None)
    change = newest(owner)
    owner.made("update_item", item_id=essay["id"], due_on=None)
    assert owner.call("undo_change", change_id=change["id"]).error == "conflict"
    assert due(fetched_item(owner, essay["id"])) == (None, None)


@pytest.mark.rest
@pytest.mark.django_db
def test_an_archive_has_the_times(owner: RestEntryPoint, essay: Any, make_member: Any, entry_point: Any) -> None:
    archive = owner.made("export_data")
    [line] = lines_of(archive, "items")
    assert due(line) == (DAY, "17:00")
    newcomer = entry_point(make_member("newcomer@example.org"))
    newcomer.made("import_data", file=archive)
    assert [due(item) for item in newcomer.made("list_items")["data"]] == [(DAY, "17:00")]


def _with(**fields: Any) -> bytes:
    """An archive with an item of these fields."""
    item = WHOLE["items"][0] | fields
    return zipped(parts(courses=WHOLE["courses"], grade_categories=WHOLE["grade_categories"], items=[item]))


@pytest.mark.rest
@pytest.mark.django_db
@each(
    ("fields", "name"),
    [
        ({"due_on": None, "due_time": "17:00"}, "due_time"),
        *(({"due_time": time}, "due_time") for time in NOT_TIMES),
    ],
)
def test_an_archive_with_a_wrong_time_is_refused(owner: RestEntryPoint, fields: Any, name: str) -> None:
    answer = owner.call("import_data", file=_with(**fields))
    assert answer.error == "validation_failed"
    assert answer.body["details"][0]["message"].startswith(f"data/items.jsonl, line 1: {name}: ")
    assert owner.made("list_items")["data"] == []


@pytest.mark.rest
@pytest.mark.django_db
def test_an_archive_from_before_has_no_times(owner: RestEntryPoint) -> None:
    item = {name: value for name, value in WHOLE["items"][0].items() if name != "due_time"}
    lines = {name: WHOLE[name] for name in ("courses", "grade_categories")}
    owner.made("import_data", file=zipped(parts(**lines, items=[item])))
    assert [item["due_time"] for item in owner.made("list_items")["data"]] == [None]
