"""/activity without a browser."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from itertools import count
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.test import Client

from accounts.models import Member
from courses.models import Item
from studyservice.changes.words import actor_in_words, change_in_words
from tests.support.calendar_files import CANVAS, calendar, deadline
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.vocabulary import deck_with_cards, made_deck, reviewed

pytestmark = [pytest.mark.django_db, pytest.mark.rest, pytest.mark.same_statements]

YEAR = date.today().year  # noqa: DTZ011  # words leave this year's number out


@pytest.fixture
def member(owner_member: Member, client: Client) -> Member:
    client.force_login(owner_member)
    return owner_member


def newest_in_words(entry_point: RestEntryPoint) -> str:
    [change] = entry_point.made("list_changes", limit=1)["data"]
    return change_in_words(change)


def test_it_requires_signing_in(client: Client, db: None) -> None:
    response = client.get("/activity")
    assert (response.status_code, response.headers["Location"]) == (302, "/sign-in?next=/activity")


def test_changes_are_described(owner: RestEntryPoint, course: Any, item: Any, milestone: Any) -> None:
    def words(operation_id: str, /, **given: Any) -> str:
        owner.made(operation_id, **given)
        return newest_in_words(owner)

    its = {"item_id": item["id"]}
    assert newest_in_words(owner) == f"added the milestone “{milestone['title']}”"
    assert words("update_item", **its, due_on=f"{YEAR}-10-12") == "set the date of “Midterm” to 12 October"
    assert words("update_item", **its, due_on=f"{YEAR}-10-14") == "moved “Midterm” from 12 to 14 October"
    assert words("update_item", **its, due_on="2031-01-02") == "moved “Midterm” from 14 October to 2 January 2031"
    assert words("update_item", **its, due_on=None) == "removed the date 2 January 2031 from “Midterm”"
    assert words("update_item", **its, title="Final") == "renamed “Midterm” to “Final”"
    changed = "changed the kind of the item “Final” from “other” to “exam”"
    assert words("update_item", **its, kind="exam") == changed
    done = words("update_milestone", milestone_id=milestone["id"], done=True)
    assert done == f"ticked off “{milestone['title']}”"
    assert words("delete_item", **its) == "deleted the item “Final” with 1 milestone"
    its = {"course_id": course["id"]}
    listed = words("set_grade_categories", **its, categories=[{"name": "Quiz", "weight": 40}])
    assert listed == "replaced the grade categories of “Cell Biology”"
    deck = made_deck(owner, "Nucleus", "Pore")
    assert newest_in_words(owner) == "added the deck “Organelles” with 2 cards"
    reviewed(owner, deck_with_cards(owner, deck)["cards"][0], "again")
    assert newest_in_words(owner) == "recorded “again” for “Nucleus”"
    assert words("update_vocab_card", card_id=deck["cards"][1]["id"], suspended=True) == "suspended “Pore”"


@pytest.mark.database("both")
def test_changes_of_several_fields_and_objects_are_described(owner: RestEntryPoint, course: Any, item: Any) -> None:
    def words(operation_id: str, /, **given: Any) -> str:
        owner.made(operation_id, **given)
        return newest_in_words(owner)

    several = {"title": "Final", "kind": "exam", "due_on": f"{YEAR}-10-12"}
    assert words("update_item", item_id=item["id"], **several) == (
        "renamed “Midterm” to “Final”, changed its kind from “other” to “exam” and set its date to 12 October"
    )
    its = {"course_id": course["id"]}
    changed = words("update_course", **its, meets="Mon", syllabus_text="Weekly plan. " * 20)
    assert changed == (
        "changed the meeting times of the course “Cell Biology” from nothing to “Mon” and changed its syllabus text"
    )
    more = [{"title": f"Lab {number}"} for number in range(2)]
    assert words("create_item", **its, title="Lab", more=more) == "added the item “Lab” and 2 more items"
    deck = made_deck(owner, "Nucleus", "Pore")
    merged = {"name": "Organelles", "if_exists": "merge"}
    new, other = {"term": "ATP", "definition": "Energy"}, {"term": "Pore", "definition": "A hole"}
    assert words("create_vocab_deck", **merged, cards=[new]) == "added 1 card in the deck “Organelles”"
    cards = [other, *({"term": f"{number}", "definition": "x"} for number in range(2))]
    both = "changed 1 card in the deck “Organelles” and added 2 cards"
    assert words("create_vocab_deck", **merged, cards=cards) == both
    filed = words("update_vocab_deck", deck_id=deck["id"], name="Cells", course_id=course["id"])
    assert filed == "renamed “Organelles” to “Cells” and moved it to a course"
    assert words("update_vocab_deck", deck_id=deck["id"], course_id=None) == "removed “Cells” from its course"
    decks = words("import_vocab_decks", file="".join(f"{n},x\n" for n in range(501)).encode(), name="Big")
    assert decks == "added the deck “Big” and 1 more deck with 501 cards"


def test_changes_of_several_items_are_described(owner: RestEntryPoint, course: Any, item: Any) -> None:
    more = [{"title": title, "due_on": "2026-12-01"} for title in ("Quiz", "Essay")]
    items = owner.made("create_item", course_id=course["id"], title="Lab", due_on="2026-12-01", more=more)["items"]
    moved = [{"item_id": one["id"], "due_on": "2026-12-08"} for one in items]
    owner.made("update_item", **moved[0], more=moved[1:])
    assert newest_in_words(owner) == "moved “Lab” from 1 to 8 December and changed 2 more items"
    owner.made("update_item", item_id=items[0]["id"], more=[{"item_id": items[1]["id"], "done": True}])
    assert newest_in_words(owner) == "ticked off “Quiz”"


def test_a_deleted_course_does_not_count_imported_events(owner: RestEntryPoint, course: Any) -> None:
    file = calendar(CANVAS, deadline("a", "20301012", "Essay"), deadline("b", "20301013", "Quiz 2"))
    owner.made("import_calendar", course_id=course["id"], file=file)
    owner.made("delete_course", course_id=course["id"])
    assert newest_in_words(owner) == "deleted the course “Cell Biology” with 2 items"


def test_changes_of_grades_and_calendars_are_described(owner: RestEntryPoint, course: Any) -> None:
    its = {"course_id": course["id"]}
    listed = [{"name": "Quiz", "weight": 40}, {"name": "Exam", "weight": 60}]
    quiz, exam = owner.made("set_grade_categories", **its, categories=listed)["categories"]
    score = owner.made("add_grade_score", **its, category_id=quiz["id"], label="Quiz 1", score=80)
    owner.made("update_grade_score", score_id=score["id"], score=82.5, category_id=exam["id"])
    told = newest_in_words(owner)
    assert told == "moved “Quiz 1” to another category and changed its score from 80 to 82.5"
    owner.made("update_grade_score", score_id=score["id"], score=102.0625)
    assert newest_in_words(owner) == "changed the score of the grade score “Quiz 1” from 82.5 to 102.0625"
    owner.made("set_grade_categories", **its, categories=[])
    assert newest_in_words(owner) == "replaced the grade categories of “Cell Biology” and deleted 1 grade score"
    first = deadline("a", "20301012", "Essay"), deadline("b", "20301013", "Quiz 2")
    owner.made("import_calendar", **its, file=calendar(CANVAS, *first))
    assert newest_in_words(owner) == "added the item “Essay” and 1 more item"
    later = deadline("a", "20301014", "Essay"), deadline("b", "20301015", "Quiz 2"), deadline("c", "20301016", "Lab")
    owner.made("import_calendar", **its, file=calendar(CANVAS, *later))
    assert newest_in_words(owner) == "added the item “Lab” and changed 2 items"


def test_actors_are_described() -> None:
    told = [
        actor_in_words({"kind": kind, "id": None, "name": "Claude"})
        for kind in ("app", "key", "page", "operator", "command")
    ]
    assert told == [
        "Claude",
        "The key “Claude”",
        "You",
        "An operator",
        "An operator's command",
    ]


def test_one_click_undoes_a_change(client: Client, member: Member, owner: RestEntryPoint, item: Any) -> None:
    owner.made("update_item", item_id=item["id"], title="Final")
    [change] = owner.made("list_changes", limit=1)["data"]
    page = client.post(f"/activity/{change['id']}/undo", follow=True).content.decode()
    assert "Undone: The key “test” renamed “Midterm” to “Final”." in page
    assert owner.made("get_item", item_id=item["id"])["title"] == "Midterm"
    assert owner.made("list_changes", limit=1)["data"][0]["by"] == {"kind": "page", "id": None, "name": None}
    again = client.post(f"/activity/{change['id']}/undo", follow=True).content.decode()
    assert "Nothing was undone. This change was already undone." in again


def test_an_undo_is_reported_once_in_short(client: Client, member: Member, owner: RestEntryPoint, course: Any) -> None:
    for change in owner.made("list_changes")["data"]:
        client.post(f"/activity/{change['id']}/undo", follow=True)
    page = client.get("/activity").content.decode()
    assert page.count("The key “test” added the course “Cell Biology”.") == 1
    assert "<summary>Undid 1 change</summary>" in page
    assert "Undo all of today" not in page


def test_an_error_looks_like_one(client: Client, member: Member, owner: RestEntryPoint, course: Any) -> None:
    [change] = owner.made("list_changes")["data"]
    owner.made("update_course", course_id=course["id"], name="Botany")
    page = client.post(f"/activity/{change['id']}/undo", follow=True).content.decode()
    assert (
        '<p class="notice warn" role="status">Nothing was undone. The name of “Cell Biology” was changed since.' in page
    )


def test_a_day_with_nothing_left_to_undo_is_reported(
    client: Client, member: Member, owner: RestEntryPoint, course: Any
) -> None:
    """As on a stale page."""
    address = f"/activity/today/key/{member.api_keys.get().id}"
    assert "Undid 1 change by The key “test”." in client.post(address).content.decode()
    for method in (client.get, client.post):
        assert "Nothing left to undo today." in method(address, follow=True).content.decode()


def test_strangers_changes_are_not_found(client: Client, member: Member, stranger: RestEntryPoint) -> None:
    stranger.made("create_course", name="Botany")
    [change] = stranger.made("list_changes")["data"]
    assert client.post(f"/activity/{change['id']}/undo").status_code == 404
    assert "Botany" not in client.get("/activity").content.decode()


@pytest.mark.database("both")
def test_a_day_of_an_app_is_undone_and_the_rest_is_reported(
    client: Client, member: Member, owner: RestEntryPoint, make_key: Any, item: Any
) -> None:
    course = {"id": item["course_id"]}
    secret, key = make_key(member, "Misled")
    misled = RestEntryPoint(secret)
    misled.made("update_item", item_id=item["id"], title="Renamed")
    misled.made("create_item", course_id=course["id"], title="Nonsense")
    other = misled.made("create_item", course_id=course["id"], title="Useful")
    owner.made("update_item", item_id=other["id"], title="Mine now")
    address = f"/activity/today/key/{key.id}"
    assert "Undo 3 changes" in client.get(address).content.decode()
    assert Item.objects.count() == 3
    page = client.post(address).content.decode()
    assert "Undid 2 changes by The key “Misled”." in page
    assert "title of “Useful” was changed since" in page
    assert sorted(Item.objects.values_list("title", flat=True)) == ["Midterm", "Mine now"]


@pytest.mark.database("both")
def test_days_are_in_the_current_time_zone(
    client: Client, member: Member, owner: RestEntryPoint, time_machine: Any
) -> None:
    """The member's time zone determines the day: at 23:30 in Paris, today in Paris is yesterday in Tokyo."""
    time_machine.move_to("2026-11-21T12:00:00Z")
    Member.objects.update(time_zone="Europe/Paris")
    owner.made("create_course", name="Biology")
    address = f"/activity/today/key/{member.api_keys.get().id}"
    time_machine.move_to("2026-11-21T22:30:00Z")
    told = []
    for zone in ("Europe/Paris", "Asia/Tokyo"):
        owner.made("update_me", time_zone=zone)
        page = client.get("/activity").content.decode()
        told.append(("Today" in page, "13:00" in page, "21:00" in page, client.get(address).status_code))
    assert told == [(True, True, False, 200), (False, False, True, 302)]


@pytest.mark.database("both")
def test_an_interrupted_undo_is_reported_correctly(
    client: Client, member: Member, owner: RestEntryPoint, course: Any
) -> None:
    """Each change is undone separately: those before the error are undone, and the others still can be."""
    for number in range(3):
        owner.made("update_course", course_id=course["id"], name=f"Course {number}")
    address = f"/activity/today/key/{member.api_keys.get().id}"
    client.raise_request_exception = False
    with failing('UPDATE "accounts_change" SET "undone_at"', time=3):
        assert client.post(address).status_code == 500
    changes = [change for change in owner.made("list_changes")["data"] if change["operation"] != "undo_change"]
    assert [(change["undone_at"] is not None, change["undoable"]) for change in changes] == [
        *[(True, False)] * 2,
        *[(False, True)] * 2,
    ]
    assert owner.made("get_course", course_id=course["id"])["name"] == "Course 0"
    assert "Undo 2 changes" in client.get(address).content.decode()
    assert "Undid 2 changes by The key “test”." in client.post(address).content.decode()
    assert owner.made("list_courses")["data"] == []


@contextmanager
def failing(statement: str, time: int) -> Iterator[None]:
    """Make the database fail on the nth such statement."""
    times = count(1)

    def fail(execute: Any, sql: str, *rest: Any) -> Any:
        if sql.startswith(statement) and next(times) == time:
            raise OperationalError("disk full")
        return execute(sql, *rest)

    with connection.execute_wrapper(fail):
        yield


@each("kind", ["page", "operator", "nothing"])
def test_only_the_day_of_an_app_or_a_key_can_be_undone_at_once(client: Client, member: Member, kind: str) -> None:
    assert client.get(f"/activity/today/{kind}/{member.id}").status_code == 404


def test_it_links_older_changes(client: Client, member: Member, owner: RestEntryPoint, course: Any) -> None:
    for number in range(51):
        owner.made("update_course", course_id=course["id"], name=f"Course {number}")
    page = client.get("/activity")
    older = client.get(f"/activity?cursor={page.context['next_cursor']}").content.decode()
    assert "added the course" in older
    assert client.get("/activity?cursor=nonsense").status_code == 404
