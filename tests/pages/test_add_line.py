"""The field *Add* above the week makes an item from one line. `test_line.py` has what a line is read as."""

import re
from dataclasses import replace
from html import unescape
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import Member
from courses.item_batches import ITEMS_OF_COURSE
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.forms import form_with

pytestmark = [pytest.mark.rest, pytest.mark.django_db, pytest.mark.database("sqlite", "pages call tested operations")]


@pytest.fixture(autouse=True)
def _now(time_machine: Any) -> None:
    time_machine.move_to("2026-11-28T12:00:00Z", tick=False)


@pytest.fixture
def history(owner: RestEntryPoint) -> Any:
    return owner.made("create_course", name="World History", code="HIST 101")


@pytest.fixture
def biology(owner: RestEntryPoint, history: Any) -> Any:
    """The second of two courses."""
    return owner.made("create_course", name="Cell Biology", code="BIO 210")


def page_of(response: Any) -> str:
    return " ".join(unescape(response.content.decode()).split())


def sent(browser: Client, line: str, **also: str) -> Any:
    """The answer to the field of the week with this line."""
    form = form_with("line", browser.get("/").content.decode())
    return browser.post("/add", form | {"line": [line]} | also)


def items(owner: RestEntryPoint) -> list[tuple[Any, ...]]:
    columns = ("title", "kind", "due_on", "due_time", "course_name")
    return [tuple(item[name] for name in columns) for item in owner.made("list_items")["data"]]


def line_shown(page: str) -> str:
    """The value of the field in the page, with its entities."""
    [field] = re.findall(r'<input[^>]*name="line"[^>]*>', page)
    found = re.search(r' value="([^"]*)"', field)
    return unescape(found[1]) if found else ""


def status_of(browser: Client, response: Any) -> str:
    """What the next page says in its status."""
    page = page_of(browser.get(response.headers["Location"]))
    [said] = re.findall(r'<p class="notice[^>]*role="status">(.*?)</p>', page)
    return re.sub(r"<[^>]*>", "", said)


@pytest.mark.database("both")
@pytest.mark.usefixtures("biology")
def test_a_line_makes_its_item(browser: Client, owner: RestEntryPoint) -> None:
    response = sent(browser, "Essay 2 Fri 17:00 #history")
    assert (response.status_code, response.headers["Location"]) == (302, "/")
    assert items(owner) == [("Essay 2", "paper", "2026-12-04", "17:00", "World History")]
    said = status_of(browser, response)
    assert said == "Added “Essay 2” to World History, due Friday 4 December at 17:00. Change “Essay 2” Undo"


@each(
    ("line", "said"),
    [
        ("Essay #hist", "Added “Essay” to World History, without a date."),
        ("Essay 1.2. #hist", "Added “Essay” to World History, due Monday 1 February 2027."),
        ("Essay 24 Sep #hist", "Added “Essay” to World History, due Friday 24 September 2027."),
        ("Essay 25 Sep #hist", "Added “Essay” to World History, due Saturday 25 September 2027, in 301 days."),
        ("Essay 27 Nov 9:00 #hist", "due Saturday 27 November 2027 at 09:00, in 364 days."),
        ("Essay 2026-11-27 #hist", "due Friday 27 November. 27 November was 1 day ago."),
        ("Essay 2025-11-28 #hist", "due Friday 28 November 2025. 28 November 2025 was 365 days ago."),
        (
            "Midterm 12/6 9:00 #hist",
            "09:00. “12/6” stayed in the title. Write a date like 6 Dec or 2026-12-06 and a time like 17:00. <a",
        ),
        ("<b>Essay</b> today #hist", "Added “&lt;b&gt;Essay&lt;/b&gt;” to World History, due Saturday 28 November."),
    ],
)
@pytest.mark.usefixtures("biology")
def test_the_message_says_what_was_read(browser: Client, line: str, said: str) -> None:
    page = browser.get(sent(browser, line).headers["Location"]).content.decode()
    assert said in page


@each("line", ["essay Fri #hist", "Essay #hist"])
def test_the_message_leads_to_an_item_of_the_same_title_and_date(
    browser: Client, owner: RestEntryPoint, history: Any, biology: Any, line: str
) -> None:
    there = {}
    for day in ("2026-12-04", None):
        there[day] = owner.made("create_item", course_id=history["id"], title="Essay", due_on=day)["id"]
        owner.made("create_item", course_id=biology["id"], title="Essay 2", due_on=day)
    page = browser.get(sent(browser, line).headers["Location"]).content.decode()
    twin = there["2026-12-04" if "Fri" in line else None]
    assert f'World History already had <a href="/items/{twin}">an item with this title and date</a>.' in page
    page = browser.get(sent(browser, "Essay 2 Fri #hist").headers["Location"]).content.decode()
    assert "already had" not in page


@each(
    ("courses", "example"),
    [
        ([("Cell Biology", "BIO 210"), ("World History", "HIST 101")], "Essay 2 Fri 17:00 #bio210."),
        ([("École d'été", None)], "Essay 2 Fri 17:00 #ecole."),
        ([("Biology", None), ("Biology", None)], "Essay 2 Fri 17:00."),
        ([], "Essay 2 Fri 17:00."),
    ],
)
def test_the_example_names_the_first_course_as_a_line_can(
    browser: Client, owner: RestEntryPoint, courses: list[tuple[str, str | None]], example: str
) -> None:
    owner.made("update_course", course_id=owner.made("create_course", name="Ended")["id"], archived=True)
    for name, code in courses:
        owner.made("create_course", name=name, **({"code": code} if code else {}))
    page = page_of(browser.get("/"))
    assert f"For example: {example} <a" in page
    if " #" in example:
        assert sent(browser, example.rstrip(".")).status_code == 302
        assert items(owner)[0][-1] == courses[0][0]


@pytest.mark.usefixtures("history")
def test_the_field_links_what_it_reads(browser: Client) -> None:
    page = browser.get("/").content.decode()
    [address] = re.findall(r'<a href="([^"]*)">What you can write</a>', page)
    path, _, section = address.partition("#")
    assert f'id="{section}"' in browser.get(path).content.decode()


@pytest.mark.usefixtures("biology")
def test_the_message_leads_to_the_item(browser: Client, owner: RestEntryPoint) -> None:
    page = browser.get(sent(browser, "Essay #hist").headers["Location"]).content.decode()
    [item] = owner.made("list_items")["data"]
    assert f'<a href="/items/{item["id"]}">Change<span class="unseen"> “Essay”</span></a>' in page


@pytest.mark.usefixtures("history")
def test_a_form_sent_twice_makes_one_item(browser: Client, owner: RestEntryPoint) -> None:
    form = form_with("line", browser.get("/").content.decode()) | {"line": ["Essay Fri"]}
    first, second = browser.post("/add", form), browser.post("/add", form)
    assert (first.status_code, second.status_code) == (302, 302)
    assert len(items(owner)) == 1
    other = browser.post("/add", form | {"line": ["Essay Mon"]})
    assert (other.status_code, line_shown(other.content.decode()), len(items(owner))) == (409, "Essay Mon", 1)


@pytest.mark.usefixtures("history")
def test_a_day_is_one_of_the_members_clock(browser: Client, owner: RestEntryPoint, time_machine: Any) -> None:
    """In Auckland it is already Sunday, half past one."""
    browser.post("/account/time-zone", {"time_zone": "Pacific/Auckland", "next": "/"})
    time_machine.move_to("2026-11-28T12:30:00Z", tick=False)
    for line in ("Essay Sun", "Quiz 1:00", "Lab 2:00"):
        assert sent(browser, line).status_code == 302
    assert sorted(items(owner)) == [
        ("Essay", "paper", "2026-11-29", None, "World History"),
        ("Lab", "lab", "2026-11-29", "02:00", "World History"),
        ("Quiz", "quiz", "2026-11-30", "01:00", "World History"),
    ]


def test_the_only_open_course_is_taken(browser: Client, owner: RestEntryPoint, history: Any, biology: Any) -> None:
    owner.made("update_course", course_id=history["id"], archived=True)
    assert sent(browser, "Quiz").status_code == 302
    assert items(owner) == [("Quiz", "quiz", None, None, "Cell Biology")]


@each(
    ("line", "why"),
    [
        ("Quiz Fri", "Choose a course, or name it in the line, like #hist101."),
        ("Quiz Fri #chem", "“#chem” fits none of your courses. Choose one."),
        ("Quiz Fri #history #bio", "“#history #bio” fits none of your courses. Choose one."),
    ],
)
def test_an_open_question_comes_back_as_a_choice(
    browser: Client, owner: RestEntryPoint, biology: Any, line: str, why: str
) -> None:
    response = sent(browser, line)
    page = page_of(response)
    assert (response.status_code, line_shown(response.content.decode()), items(owner)) == (422, line, [])
    assert f'<a href="#id_add_course_id">Course: {why}</a>' in page
    again = form_with("line", response.content.decode()) | {"course_id": [biology["id"]]}
    assert browser.post("/add", again).status_code == 302
    assert items(owner) == [("Quiz", "quiz", "2026-12-04", None, "Cell Biology")]


def test_ended_courses_are_never_offered(browser: Client, owner: RestEntryPoint, history: Any, biology: Any) -> None:
    owner.made("create_course", name="Physics")
    owner.made("update_course", course_id=history["id"], archived=True)
    response = sent(browser, "Quiz #hist101")
    assert (response.status_code, items(owner)) == (422, [])
    assert re.findall(r"<option[^>]*>([^<]*)", page_of(response)) == ["Choose a course", "Cell Biology", "Physics"]
    refused = sent(browser, "Quiz", course_id=history["id"])
    assert (refused.status_code, "Choose one of your courses." in page_of(refused)) == (422, True)


def test_without_a_course_the_line_waits_for_one(browser: Client, owner: RestEntryPoint) -> None:
    response = sent(browser, "Essay 2 Fri #history")
    page = page_of(response)
    assert (response.status_code, line_shown(response.content.decode())) == (422, "Essay 2 Fri #history")
    assert "Add a course first. We keep your line until then." in page
    assert '<a class="button quiet small" href="/courses/new">Add a course</a>' in page
    owner.made("create_course", name="World History")
    week = browser.get("/").content.decode()
    assert line_shown(week) == "Essay 2 Fri #history"
    assert browser.post("/add", form_with("line", week)).status_code == 302
    assert items(owner) == [("Essay 2", "paper", "2026-12-04", None, "World History")]
    assert line_shown(browser.get("/").content.decode()) == ""


def test_a_line_that_waits_can_be_discarded(browser: Client, owner: RestEntryPoint) -> None:
    sent(browser, "Essay 2 Fri")
    assert line_shown(browser.get("/").content.decode()) == "Essay 2 Fri"
    sent(browser, " ")
    assert line_shown(browser.get("/").content.decode()) == ""


def test_with_ended_courses_alone_a_line_waits_too(browser: Client, owner: RestEntryPoint, history: Any) -> None:
    owner.made("update_course", course_id=history["id"], archived=True)
    response = sent(browser, "Essay #hist101")
    assert (response.status_code, items(owner)) == (422, [])
    assert "Add a course first." in page_of(response)


@each(
    ("line", "error"),
    [
        ("", "Enter what to add, like “Essay 2 Fri 17:00”."),
        ("Fri 17:00 #history", "Enter a title too, like “Essay 2”."),
        ('""', "Enter a title too, like “Essay 2”."),
        (f"{'x' * 161} Fri", "Use at most 160 characters for the title."),
        ("x" * 501, "Use at most 500 characters."),
        ("Essay\0", "Null characters are not allowed."),
    ],
)
@pytest.mark.usefixtures("history")
def test_a_wrong_line_is_kept_with_its_error(browser: Client, owner: RestEntryPoint, line: str, error: str) -> None:
    response = sent(browser, line)
    page = page_of(response)
    assert (response.status_code, items(owner), line_shown(response.content.decode())) == (422, [], line)
    assert f'<ul class="errorlist" id="id_add_line_error"><li>{error}</li></ul>' in page
    assert f'<a href="#id_add_line">Add an item: {error}</a>' in page
    assert "<title>Error: This week" in page


@pytest.mark.usefixtures("history")
def test_a_title_of_160_characters_is_taken(browser: Client, owner: RestEntryPoint) -> None:
    assert sent(browser, f"{'x' * 160}, due on Friday at 5:30 pm #history").status_code == 302
    assert [len(item[0]) for item in items(owner)] == [160]


def test_a_full_course_is_told_beside_the_field(
    browser: Client, owner: RestEntryPoint, history: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner.made("create_item", course_id=history["id"], title="Quiz")
    monkeypatch.setattr("courses.item_batches.ITEMS_OF_COURSE", replace(ITEMS_OF_COURSE, most=1))
    response = sent(browser, "Essay")
    page = page_of(response)
    assert (response.status_code, line_shown(response.content.decode()), len(items(owner))) == (409, "Essay", 1)
    assert '<ul class="errorlist" id="id_add_line_error"><li>You have reached the limit of 1 items' in page


@pytest.mark.usefixtures("history")
def test_a_strangers_course_is_refused(browser: Client, owner: RestEntryPoint, stranger: RestEntryPoint) -> None:
    theirs = stranger.made("create_course", name="Physics")
    assert sent(browser, "Essay", course_id=theirs["id"]).status_code == 422
    assert sent(browser, "Essay", course_id="none").status_code == 422
    assert (items(owner), items(stranger)) == ([], [])


@pytest.mark.usefixtures("history")
def test_the_minutes_of_the_page_stay(browser: Client) -> None:
    form = form_with("line", browser.get("/?minutes=60").content.decode())
    assert browser.post("/add", form | {"line": ["Essay"]}).headers["Location"] == "/?minutes=60"


@pytest.mark.usefixtures("biology")
def test_a_reload_after_a_rejected_line_leads_to_the_week(browser: Client) -> None:
    assert (browser.get("/add").status_code, browser.get("/add").headers["Location"]) == (302, "/")
    page = sent(browser, "Essay").content.decode()
    assert form_with("line", page)["next"] == ["/"]


def test_a_lapsed_member_adds_nothing(browser: Client, owner_member: Member, history: Any) -> None:
    form = form_with("line", browser.get("/").content.decode()) | {"line": ["Essay"]}
    Member.objects.filter(id=owner_member.id).update(membership_active=False)
    response = browser.post("/add", form)
    assert (response.status_code, "You have no active membership" in page_of(response)) == (403, True)
    assert 'name="line"' not in page_of(browser.get("/"))


def test_a_visitor_is_asked_to_sign_in(client: Client) -> None:
    response = client.post("/add", {"line": "Essay"})
    assert (response.status_code, response.headers["Location"]) == (302, "/sign-in?next=/add")


@pytest.mark.usefixtures("history")
def test_a_line_with_a_stale_token_comes_back(owner_member: Member, owner: RestEntryPoint) -> None:
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(owner_member)
    response = browser.post("/add", {"line": "Essay Fri"}, headers={"Origin": "http://testserver"})
    assert (response.status_code, items(owner)) == (403, [])
    assert 'name="line" value="Essay Fri"' in page_of(response)


@pytest.mark.usefixtures("biology")
def test_a_rejected_line_needs_at_most_eight_statements(browser: Client) -> None:
    form = form_with("line", browser.get("/").content.decode()) | {"line": ["Essay"]}
    with CaptureQueriesContext(connection) as statements:
        assert browser.post("/add", form).status_code == 422
    told = [one["sql"] for one in statements if not one["sql"].startswith(("SAVEPOINT", "RELEASE"))]
    assert len(told) <= 8, told
