"""What comes up, by week: items and open milestones of open courses."""

import re
from datetime import date, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import Member
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.factories import CourseFactory, ItemFactory, MilestoneFactory, stored_for_each

pytestmark = [pytest.mark.rest, pytest.mark.django_db]

TODAY = date(2026, 11, 26)
"""A Thursday."""


@pytest.fixture(autouse=True)
def _now(time_machine: Any) -> None:
    time_machine.move_to(f"{TODAY}T12:00:00Z")


def page_of(browser: Client, query: str = "") -> str:
    response = browser.get(f"/upcoming{query}")
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def titles(page: str) -> list[str]:
    return re.findall(r"<strong>([^<]+)</strong>", page.partition("<main")[2])


def outline(page: str) -> list[str]:
    """Headings and titles, in their order."""
    found = re.findall(r"<h2 id=\"\w+\">([^<]+)</h2>|<h3 [^>]+>([^<]+) <span>([^<]+)|<strong>([^<]+)</strong>", page)
    return [" ".join(part for part in one if part) for one in found]


def test_it_lists_items_and_open_steps_by_week(browser: Client, owner: RestEntryPoint, course: Any) -> None:
    days: dict[str, str | None] = {
        "Past": "2026-11-25",
        "Today": "2026-11-26",
        "Sunday": "2026-11-29",
        "Monday": "2026-11-30",
    }
    days |= {"Eighth": "2027-01-17", "Ninth": "2027-01-18", "Far": "9999-12-31", "Undated": None}
    for title, day in days.items():
        owner.made("create_item", course_id=course["id"], title=title, due_on=day)
    item = owner.made("create_item", course_id=course["id"], title="Essay", due_on="2026-12-08")
    owner.made("create_milestone", item_id=item["id"], title="Outline", due_on="2026-12-07")
    owner.made("create_milestone", item_id=item["id"], title="Ask")
    assert outline(page_of(browser)) == [
        *["Until Sunday 29 Nov", "Today Thu 26 Nov", "Today", "Sunday 29 Nov", "Sunday"],
        *["Next week", "Monday 30 Nov", "Monday"],
        *["7 – 13 Dec", "Monday 7 Dec", "Outline", "Tuesday 8 Dec", "Essay"],
        *["11 – 17 Jan", "Sunday 17 Jan 2027", "Eighth"],
        *["Later", "Monday 18 Jan 2027", "Ninth", "Friday 31 Dec 9999", "Far"],
        *["No date", "Undated", "Ask"],
    ]


def test_the_first_heading_says_when_its_week_ends(
    browser: Client, owner: RestEntryPoint, course: Any, time_machine: Any
) -> None:
    """The week on `/` is seven days from today."""
    for day, heading in ((28, "Until Sunday 29 Nov"), (29, "Today"), (30, "Until Sunday 6 Dec")):
        time_machine.move_to(f"2026-11-{day}T12:00:00Z")
        owner.made("create_item", course_id=course["id"], title="Essay", due_on=f"2026-11-{day}")
        assert outline(page_of(browser))[0] == heading


def test_the_list_from_an_earlier_day_has_that_heading_on_a_sunday_too(
    browser: Client, owner: RestEntryPoint, course: Any, time_machine: Any
) -> None:
    time_machine.move_to("2026-11-29T12:00:00Z")
    owner.made("create_item", course_id=course["id"], title="Essay", due_on="2026-11-26")
    assert outline(page_of(browser, "?from=2026-11-26"))[0] == "Until Sunday 29 Nov"


def test_a_day_has_items_by_time_then_age_and_then_steps_as_on_the_week(
    browser: Client, owner: RestEntryPoint, course: Any
) -> None:
    made = {}
    for title, time in (("Old", None), ("Late", "17:00"), ("Early", "09:00"), ("New", None)):
        made[title] = owner.made("create_item", course_id=course["id"], title=title, due_on="2026-12-01", due_time=time)
        if title == "Old":
            for place, step in ((None, "Second"), (1, "First")):
                fields = {"title": step, "due_on": "2026-12-01"} | ({"place": place} if place else {})
                owner.made("create_milestone", item_id=made["Old"]["id"], **fields)
    in_order = ["Early", "Late", "Old", "New", "First", "Second"]
    assert titles(page_of(browser)) == in_order
    due_this_week = browser.get("/").content.decode().partition("Due this week")[2].partition("</section>")[0]
    assert titles("<main" + due_this_week) == in_order


def test_what_is_done_stays_in_its_day_but_not_without_one(browser: Client, owner: RestEntryPoint, course: Any) -> None:
    for title, day in (("Essay", "2026-12-01"), ("Reading", None)):
        item = owner.made("create_item", course_id=course["id"], title=title, due_on=day)
        owner.made("create_milestone", item_id=item["id"], title=f"Plan {title}", due_on=day)
        assert f"Tick {title}" in page_of(browser)
        answer = browser.post(f"/items/{item['id']}/done", {"done": "true", "next": "/upcoming?kind=other&page=1"})
        assert answer.headers["Location"].startswith("/upcoming?kind=other&page=1#t")
    page = page_of(browser)
    assert titles(page) == ["Essay", "Plan Essay", "Plan Reading"]
    assert "Untick Essay" in page
    for step in ("Essay", "Reading"):
        done = [one for one in owner.made("list_items")["data"] if one["title"] == step]
        [milestone] = owner.made("list_milestones", item_id=done[0]["id"])["data"]
        owner.made("update_milestone", milestone_id=milestone["id"], done=True)
    assert titles(page_of(browser)) == ["Essay"]


def test_an_undated_step_of_a_past_item_is_not_upcoming(browser: Client, owner: RestEntryPoint, course: Any) -> None:
    item = owner.made("create_item", course_id=course["id"], title="Essay", due_on="2026-11-25")
    owner.made("create_milestone", item_id=item["id"], title="Ask")
    assert "Nothing is coming up." in page_of(browser)


def test_ended_courses_and_those_of_others_are_left_out(
    browser: Client, owner: RestEntryPoint, stranger: RestEntryPoint, course: Any
) -> None:
    theirs = stranger.made("create_course", name="Theirs")
    for one, who in ((course, owner), (theirs, stranger)):
        item = who.made("create_item", course_id=one["id"], title="Essay", due_on="2026-12-01")
        who.made("create_milestone", item_id=item["id"], title="Outline", due_on="2026-12-01")
    owner.made("update_course", course_id=course["id"], archived=True)
    page = page_of(browser)
    assert titles(page) == []
    assert "No open courses." in page
    owner.made("create_course", name="Algebra")
    for missing in (course["id"], theirs["id"]):
        assert "Nothing is coming up here." in page_of(browser, f"?course={missing}")


def test_the_filters_narrow_it(browser: Client, owner: RestEntryPoint, course: Any) -> None:
    other = owner.made("create_course", name="Algebra")
    for one, title in ((course, "Biology"), (other, "Algebra")):
        for kind in ("exam", "paper"):
            fields = {"title": f"{title} {kind}", "kind": kind, "due_on": "2026-12-01"}
            item = owner.made("create_item", course_id=one["id"], **fields)
        owner.made("create_milestone", item_id=item["id"], title=f"{title} step", due_on="2026-12-01")
    assert len(titles(page_of(browser, "?course=&kind="))) == 6
    assert titles(page_of(browser, "?kind=exam")) == ["Biology exam", "Algebra exam"]
    page = page_of(browser, f"?course={other['id']}")
    assert titles(page) == ["Algebra exam", "Algebra paper", "Algebra step"]
    assert f'<option value="{other["id"]}" selected>Algebra</option>' in page
    assert f'<input type="hidden" name="next" value="/upcoming?course={other["id"]}">' in page
    assert titles(page_of(browser, f"?course={other['id']}&kind=paper")) == ["Algebra paper"]


@each("query", ["course=x", "course=019a0000-0000-7000-8000-000000000000", "kind=Exam", "kind=x", "course=%00"])
def test_an_unknown_filter_leaves_an_empty_page(
    browser: Client, owner: RestEntryPoint, course: Any, query: str
) -> None:
    owner.made("create_item", course_id=course["id"], title="Essay", kind="exam", due_on="2026-12-01")
    page = page_of(browser, f"?{query}")
    assert titles(page) == []
    assert 'Nothing is coming up here. <a href="/upcoming">Show all courses and kinds</a>' in page


@each(
    ("start", "expected"),
    [
        ("2026-12-01", ["Exam", "Essay"]),
        ("2026-12-02", ["Exam"]),
        ("2026-11-20", ["Lab", "Essay", "Exam"]),
        ("9999-12-31", []),
        ("0001-01-01", ["Lab", "Essay", "Exam"]),
        ("2026-13-01", ["Essay", "Exam"]),
        ("x", ["Essay", "Exam"]),
        ("", ["Essay", "Exam"]),
    ],
)
def test_it_begins_at_another_day(
    browser: Client, owner: RestEntryPoint, course: Any, start: str, expected: list[str]
) -> None:
    for title, day in (("Lab", "2026-11-20"), ("Essay", "2026-12-01"), ("Exam", "2026-12-02")):
        owner.made("create_item", course_id=course["id"], title=title, due_on=day)
    assert sorted(titles(page_of(browser, f"?from={start}"))) == sorted(expected)


def test_the_week_and_the_courses_lead_to_it(browser: Client, owner: RestEntryPoint, course: Any) -> None:
    for n in range(4):
        owner.made("create_item", course_id=course["id"], title=f"Essay {n}", due_on="2026-12-08")
    assert '<a href="/upcoming">What comes later</a>' in browser.get("/").content.decode()
    assert f'<a href="/upcoming?course={course["id"]}">and 1 more</a>' in browser.get("/courses").content.decode()


def test_a_lapsed_member_sees_no_data(browser: Client, owner: RestEntryPoint, course: Any) -> None:
    owner.made("create_item", course_id=course["id"], title="Essay", due_on="2026-12-01")
    Member.objects.update(membership_active=False)
    assert browser.get("/upcoming").status_code == 403


@pytest.fixture
def full(owner_member: Member) -> None:
    """5,000 items in 30 courses over 100 days, and 600 steps."""
    courses = CourseFactory.create_batch(30, member=owner_member)
    days = [TODAY + timedelta(days=n % 100) for n in range(5000)]
    titles = [f"Problem set {n} on the chapters of the book" for n in range(5000)]
    of_courses = [courses[n % 30] for n in range(5000)]
    columns: dict[str, list[Any]] = {"title": titles, "course": of_courses, "due_on": days, "missable_from": days}
    items = stored_for_each(ItemFactory, columns, member=owner_member)[::8]
    of_items: dict[str, list[Any]] = {"item": items, "due_on": days[::8]}
    stored_for_each(MilestoneFactory, of_items, member=owner_member, title="Read")


@pytest.mark.usefixtures("full")
def test_a_full_list_stays_small(browser: Client) -> None:
    with CaptureQueriesContext(connection) as statements:
        page = browser.get("/upcoming").content
    assert page.count(b'class="tick-button') == 200
    told = [one["sql"] for one in statements if not one["sql"].startswith(("SAVEPOINT", "RELEASE"))]
    assert len(told) <= 8, told
    seen: list[str] = []
    address = "/upcoming"
    while address:
        text = browser.get(address).content.decode()
        seen += re.findall(r'<button id="(t\w+)"', text)
        later = re.search(r'<a href="([^"]+)">Later dates</a>', text)
        address = later[1].replace("&amp;", "&") if later else ""
    assert len(seen) == len({*seen}) == 5000 + 625
    assert 'href="/upcoming?page=28">Earlier dates</a>' in text
