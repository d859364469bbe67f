"""Moving a row of the week to another day."""

import re
from html import unescape
from typing import Any

import pytest
from django.test import Client

from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint

pytestmark = [pytest.mark.rest, pytest.mark.django_db, pytest.mark.same_statements]

HERE = {"Origin": "http://testserver"}
_FORM = re.compile(r'<form method="post" action="([^"]+)" novalidate>(.*?)</form>', re.DOTALL)
_BUTTON = re.compile(r"<button( [^>]*)?>(.*?)</button>", re.DOTALL)


@pytest.fixture(autouse=True)
def _today(time_machine: Any) -> None:
    """It is Saturday, 21 November 2026."""
    time_machine.move_to("2026-11-21T12:00:00Z")


@pytest.fixture
def essay(owner: RestEntryPoint, course: Any) -> Any:
    fields = {"title": "Essay", "due_on": "2026-11-24", "due_time": "17:00"}
    return owner.made("create_item", course_id=course["id"], **fields)


def form_of(page: str, label: str) -> tuple[str, dict[str, str]]:
    """The address and the fields that the button with this name sends."""
    for path, inside in _FORM.findall(page):
        for attributes, words in _BUTTON.findall(inside):
            if unescape(re.sub("<[^>]*>", "", words)) == label:
                found = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', inside)
                hidden = {name: unescape(value) for name, value in found}
                return path, hidden | dict(re.findall(r'name="([^"]+)" value="([^"]*)"', attributes)) | {"due_on": ""}
    raise AssertionError(label)


def press(browser: Client, label: str, *, on: str = "/", **fields: str) -> Any:
    """Press a button of a page."""
    path, form = form_of(browser.get(on).content.decode(), label)
    return browser.post(path, form | fields, headers=HERE)


def text_after(browser: Client, response: Any) -> str:
    """The status message of the page that a form leads to."""
    assert response.status_code == 302, response.content.decode()
    page = browser.get(response.headers["Location"]).content.decode()
    [said] = re.findall(r'role="status">(.*?)</p>', page, re.DOTALL)
    return unescape(re.sub("<[^>]*>", "", said))


def due(owner: RestEntryPoint, item: Any) -> tuple[str | None, str | None]:
    stored = owner.made("get_item", item_id=item["id"])
    return stored["due_on"], stored["due_time"]


@pytest.mark.database("both")
@each(
    ("label", "typed", "day", "told"),
    [
        ("Move Essay to tomorrow", "", "2026-11-22", "Sun 22 Nov"),
        ("Move Essay a week later", "", "2026-12-01", "Tue 1 Dec"),
        ("Move Essay", "2027-01-08", "2027-01-08", "Fri 8 Jan 2027"),
        ("Move Essay to tomorrow", "2027-01-08", "2026-11-22", "Sun 22 Nov"),
    ],
)
def test_an_item_moves_and_keeps_its_time(
    browser: Client, owner: RestEntryPoint, essay: Any, *, label: str, typed: str, day: str, told: str
) -> None:
    response = press(browser, label, due_on=typed)
    assert response.headers["Location"] == "/#d2026-11-24"
    assert text_after(browser, response) == f"Moved “Essay” to {told}. Undo"
    assert due(owner, essay) == (day, "17:00")


@pytest.mark.database("both")
@each(("label", "typed", "day"), [("to tomorrow", "", "22"), ("a week later", "", "30"), ("", "2026-11-25", "25")])
def test_a_milestone_moves(
    browser: Client, owner: RestEntryPoint, essay: Any, *, label: str, typed: str, day: str
) -> None:
    step = owner.made("create_milestone", item_id=essay["id"], title="Outline", due_on="2026-11-23")
    assert press(browser, f"Move Outline {label}".strip(), due_on=typed).headers["Location"] == "/#d2026-11-23"
    [stored] = owner.made("list_milestones", item_id=essay["id"])["data"]
    assert (stored["id"], stored["due_on"]) == (step["id"], f"2026-11-{day}")


@each(("label", "day"), [("to tomorrow", "2026-11-24"), ("a week later", "2026-11-30")])
def test_what_is_overdue_moves_on_from_today(
    browser: Client, owner: RestEntryPoint, essay: Any, time_machine: Any, *, label: str, day: str
) -> None:
    owner.made("update_item", item_id=essay["id"], due_on="2026-11-22")
    owner.made("create_milestone", item_id=essay["id"], title="Outline", due_on="2026-11-14")
    time_machine.move_to("2026-11-23T12:00:00Z")
    for title in ("Essay", "Outline"):
        assert press(browser, f"Move {title} {label}").headers["Location"] == "/#overdue"
    assert due(owner, essay) == (day, "17:00")
    assert owner.made("list_milestones", item_id=essay["id"])["data"][0]["due_on"] == day


@each(("label", "day"), [("to tomorrow", "2026-11-22"), ("a week later", "2026-11-28")])
def test_a_milestone_without_a_date_moves_on_from_today(
    browser: Client, owner: RestEntryPoint, essay: Any, *, label: str, day: str
) -> None:
    owner.made("create_milestone", item_id=essay["id"], title="Ask")
    assert press(browser, f"Move Ask {label}").headers["Location"] == "/#undated"
    assert owner.made("list_milestones", item_id=essay["id"])["data"][0]["due_on"] == day


def test_a_form_sent_twice_moves_once(browser: Client, owner: RestEntryPoint, essay: Any) -> None:
    path, form = form_of(browser.get("/").content.decode(), "Move Essay a week later")
    for _ in range(2):
        assert browser.post(path, form).status_code == 302
    assert due(owner, essay) == ("2026-12-01", "17:00")


@each(("label", "day"), [("to tomorrow", "2026-11-25"), ("a week later", "2026-12-01")])
def test_a_page_open_over_midnight_counts_from_the_new_day(
    browser: Client, owner: RestEntryPoint, essay: Any, time_machine: Any, *, label: str, day: str
) -> None:
    owner.made("update_item", item_id=essay["id"], due_on="2026-11-22")
    path, form = form_of(browser.get("/").content.decode(), f"Move Essay {label}")
    time_machine.move_to("2026-11-24T00:05:00Z")
    browser.post(path, form)
    assert due(owner, essay) == (day, "17:00")


@pytest.mark.database("both")
@pytest.mark.django_db(transaction=True)
def test_a_form_sent_twice_at_once_moves_once(
    owner_member: Any, owner: RestEntryPoint, essay: Any, in_threads: Any
) -> None:
    clients = [Client(), Client()]
    for client in clients:
        client.force_login(owner_member)
    path, form = form_of(clients[0].get("/").content.decode(), "Move Essay a week later")
    assert in_threads(lambda client: client.post(path, form).status_code, clients) == [302, 302]
    assert due(owner, essay) == ("2026-12-01", "17:00")
    assert [one["operation"] for one in owner.made("list_changes")["data"]].count("update_item") == 1


def test_the_same_date_changes_nothing(browser: Client, owner: RestEntryPoint, essay: Any) -> None:
    response = press(browser, "Move Essay", due_on="2026-11-24")
    assert text_after(browser, response) == "“Essay” is on Tue 24 Nov already. Nothing was changed."
    assert [one["operation"] for one in owner.made("list_changes")["data"]][:1] == ["create_item"]


@pytest.mark.database("both")
@each(
    ("typed", "told"),
    [
        ("", "Enter a date."),
        ("soon", "Enter a complete date."),
        ("2026-02-31", "Enter a complete date."),
        ("24.11.2026", "Enter a complete date."),
        (" ", "Enter a complete date."),
    ],
)
def test_a_move_without_a_date_is_refused_beside_its_field(
    browser: Client, owner: RestEntryPoint, essay: Any, typed: str, told: str
) -> None:
    owner.made("create_item", course_id=essay["course_id"], title="Lab", due_on="2026-11-24")
    response = press(browser, "Move Essay", due_on=typed)
    page = response.content.decode()
    assert response.status_code == 422
    assert "<title>Error: This week" in page
    field = f"id_{essay['id']}_due_on"
    [summary] = re.findall(r'<div class="notice bad summary" role="alert".*?</div>', page, re.DOTALL)
    assert f'<a href="#{field}">Date: {told}</a>' in summary
    [element] = re.findall(rf'<input[^>]* id="{field}"[^>]*>', page)
    assert 'aria-invalid="true"' in element
    [described_by] = re.findall('aria-describedby="([^"]+)"', element)
    assert f'id="{described_by}"' in page
    assert len(re.findall('<details class="move" open>', page)) == 1
    assert due(owner, essay) == ("2026-11-24", "17:00")


@each("do", ["yesterday", "9999-12-31", "0001-01-01x", "2026-13-01"])
def test_a_button_that_the_page_does_not_have_moves_nothing(
    browser: Client, owner: RestEntryPoint, essay: Any, do: str
) -> None:
    assert browser.post(f"/items/{essay['id']}/move", {"do": do}).status_code == 422
    assert due(owner, essay) == ("2026-11-24", "17:00")


@each(
    ("path", "shown"),
    [
        ("/?minutes=60", '<a href="/?minutes=60" aria-current="true">'),
        ("/upcoming?from=2026-11-23&amp;page=1", "From Mon 23 Nov 2026"),
    ],
)
def test_a_refused_row_shows_its_page_as_it_was(browser: Client, essay: Any, path: str, shown: str) -> None:
    response = press(browser, "Move Essay", on=unescape(path))
    page = response.content.decode()
    assert response.status_code == 422
    assert f"id_{essay['id']}_due_on" in page
    assert shown in page
    assert f'<input type="hidden" name="next" value="{path}">' in page
    assert (
        press(browser, "Move Essay", on=unescape(path), due_on="2026-11-25")
        .headers["Location"]
        .startswith(f"{unescape(path)}#")
    )


@each("target", ["/nothing", "https://evil.example/", "/sign-out", "//evil.example", "/items/x"])
def test_a_refused_form_from_elsewhere_shows_the_week(browser: Client, essay: Any, target: str) -> None:
    response = browser.post(f"/items/{essay['id']}/move", {"due_on": "", "next": target})
    assert response.status_code == 422
    page = response.content.decode()
    assert "<h1>This week</h1>" in page
    assert 'name="next" value="/">' in page


def test_it_comes_back_to_the_page_it_was_pressed_on(browser: Client, essay: Any) -> None:
    response = press(browser, "Move Essay to tomorrow", on="/?minutes=60")
    assert response.headers["Location"] == "/?minutes=60#d2026-11-24"


@each(("days", "told"), [(["26"], "1 open step is"), (["25", "26", "23", None], "2 open steps are")])
def test_it_tells_of_steps_that_are_now_late(
    browser: Client, owner: RestEntryPoint, essay: Any, days: list[str | None], told: str
) -> None:
    for day in days:
        due_on = day and f"2026-11-{day}"
        owner.made("create_milestone", item_id=essay["id"], title=f"Step {day}", due_on=due_on)
    response = press(browser, "Move Essay", due_on="2026-11-24")
    assert "now later" not in text_after(browser, response), "it did not move"
    response = press(browser, "Move Essay", due_on="2026-11-23")
    page = browser.get(response.headers["Location"]).content.decode()
    link = f'<a href="/items/{essay["id"]}#milestones">Change the steps</a>'
    assert f"Moved “Essay” to Mon 23 Nov. {told} now later than “Essay”. {link}" in page


@each(("day", "told"), [("2026-11-20", "20 November was 1 day"), ("2025-11-21", "21 November 2025 was 365 days")])
def test_it_tells_of_a_date_in_the_past(browser: Client, essay: Any, day: str, told: str) -> None:
    assert f"{told} ago. Undo" in text_after(browser, press(browser, "Move Essay", due_on=day))


def test_it_tells_of_a_step_that_is_now_after_its_item(browser: Client, owner: RestEntryPoint, essay: Any) -> None:
    step = owner.made("create_milestone", item_id=essay["id"], title="Outline", due_on="2026-11-23")
    said = text_after(browser, press(browser, "Move Outline a week later"))
    assert said == "Moved “Outline” to Mon 30 Nov. It is later than “Essay”. Change the steps Undo"
    owner.made("update_milestone", milestone_id=step["id"], done=True, due_on="2026-11-22")
    assert text_after(browser, press(browser, "Move Outline a week later")) == "Moved “Outline” to Sun 29 Nov. Undo"


def test_the_move_of_a_deleted_row_comes_back(browser: Client, owner: RestEntryPoint, essay: Any) -> None:
    path, form = form_of(browser.get("/").content.decode(), "Move Essay")
    owner.made("delete_item", item_id=essay["id"])
    response = browser.post(path, form | {"due_on": "2027-01-08"}, headers=HERE)
    assert response.status_code == 404
    page = response.content.decode()
    assert "it was deleted since you opened the page" in page
    assert 'name="due_on" value="2027-01-08"' in page


def test_a_move_with_a_stale_token_comes_back(owner_member: Any, owner: RestEntryPoint, essay: Any) -> None:
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(owner_member)
    response = press(browser, "Move Essay", due_on="2026-11-26", csrfmiddlewaretoken="x")
    assert response.status_code == 403
    again = dict(re.findall(r'name="(\w+)" value="([^"]*)"', response.content.decode()))
    assert again["due_on"] == "2026-11-26"
    assert browser.post(f"/items/{essay['id']}/move", again, headers=HERE).status_code == 302
    assert due(owner, essay) == ("2026-11-26", "17:00")


def test_only_the_members_own_rows_move(
    browser: Client, stranger: RestEntryPoint, owner: RestEntryPoint, essay: Any
) -> None:
    course = stranger.made("create_course", name="Biology")
    item = stranger.made("create_item", course_id=course["id"], title="Essay", due_on="2026-11-24")
    step = stranger.made("create_milestone", item_id=item["id"], title="Outline", due_on="2026-11-24")
    for path in (f"/items/{item['id']}/move", f"/milestones/{step['id']}/move"):
        assert browser.post(path, {"do": "tomorrow"}).status_code == 404
        assert browser.get(path).status_code == 405
    assert stranger.made("get_item", item_id=item["id"])["due_on"] == "2026-11-24"


def test_a_move_is_one_change_that_can_be_undone(browser: Client, owner: RestEntryPoint, essay: Any) -> None:
    press(browser, "Move Essay to tomorrow")
    change, *_ = owner.made("list_changes")["data"]
    assert change["operation"] == "update_item"
    owner.made("undo_change", change_id=change["id"])
    assert due(owner, essay) == ("2026-11-24", "17:00")
