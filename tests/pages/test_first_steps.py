"""Empty pages show the next step, and lead a new member to a course and a connected assistant."""

import re
from datetime import UTC, datetime
from html import unescape
from typing import Any

import pytest
import time_machine
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import Member
from tests.support.entry_points import RestEntryPoint
from tests.support.forms import form_with
from tests.support.oauth import App

pytestmark = [pytest.mark.rest, pytest.mark.django_db, pytest.mark.same_statements]

SYLLABUS = "BIO 210 Cell Biology\nFall 2026\n\nMidterm exam: Thursday, October 8, 2026\nExams: 100%\n"


def text_of(browser: Client, path: str) -> str:
    return unescape(browser.get(path, follow=True).content.decode())


def leads(page: str, text: str) -> str:
    """Return the address of the link with this text."""
    found = re.search(rf'href="([^"]+)"[^>]*>{text}<', page)
    assert found, f"no link says {text!r}"
    return found.group(1)


@pytest.mark.parametrize("path", ["/", "/courses", "/activity", "/activity/account", "/keys", "course"])
def test_an_empty_page_links_the_next_step(browser: Client, owner: RestEntryPoint, path: str) -> None:
    if path == "course":
        path = f"/courses/{owner.made('create_course', name='Biology')['id']}"
    page = text_of(browser, path)
    empty = re.findall(r'<(div|p) class="empty">(.*?)</\1>', page, re.DOTALL)
    parts = [text for _, text in empty] or [page.partition('id="first-steps"')[2].partition("</section>")[0]]
    for part in parts:
        targets = re.findall(r'href="([^"#]*)', part)
        assert targets, part
        assert {browser.get(target or path).status_code for target in targets} == {200}


def test_a_new_member_is_led_by_links(browser: Client, owner_member: Member) -> None:
    """From an empty account to a course from a syllabus and a connected assistant."""
    with time_machine.travel(datetime(2026, 9, 1, 12, tzinfo=UTC), tick=False):
        start = text_of(browser, "/")
        assert "Get started" in start
        adding = leads(start, "Add your first course")
        reading = form_with("text", text_of(browser, adding))
        reviewed = browser.post(adding, reading | {"text": [SYLLABUS]}).content.decode()
        course = browser.post(adding, form_with("approve", reviewed), follow=True)
        assert course.request["PATH_INFO"].startswith("/courses/")
        connecting = leads(unescape(course.content.decode()), "Connect an assistant")
        assert connecting == leads(text_of(browser, "/"), "Connect an assistant") == "/keys#connect"
        assert "/mcp" in text_of(browser, connecting)
        App.registered().connect(owner_member)
        assert "first-steps" not in text_of(browser, "/")


def test_a_second_course_ends_the_first_steps(browser: Client, owner: RestEntryPoint) -> None:
    owner.made("create_course", name="Biology")
    assert "Next step" in text_of(browser, "/")
    owner.made("create_course", name="Physics")
    assert "first-steps" not in text_of(browser, "/")


@pytest.mark.parametrize("courses", [0, 1, 2])
def test_the_week_needs_at_most_eight_statements(browser: Client, owner: RestEntryPoint, courses: int) -> None:
    for number in range(courses):
        course: Any = owner.made("create_course", name=f"Course {number}")
        owner.made("create_item", course_id=course["id"], title="Quiz", due_on=owner.made("get_me")["today"])
    with CaptureQueriesContext(connection) as statements:
        browser.get("/")
    told = [one["sql"] for one in statements if not one["sql"].startswith(("SAVEPOINT", "RELEASE"))]
    assert len(told) <= 8, told


def first_steps_of(page: str) -> str:
    return page.partition('id="first-steps"')[2].partition("</section>")[0]


def test_a_course_added_by_hand_has_no_step_about_its_syllabus(browser: Client, owner: RestEntryPoint) -> None:
    owner.made("create_course", name="Biology")
    steps = first_steps_of(text_of(browser, "/"))
    assert "Add a course</h3>" in steps
    assert "syllabus" not in steps


def test_connecting_an_assistant_is_no_main_button(browser: Client, owner: RestEntryPoint) -> None:
    for _ in range(2):
        found = re.search(r'<a class="([^"]+)" href="/keys#connect"', first_steps_of(text_of(browser, "/")))
        assert found
        assert found.group(1) == "button quiet"
        owner.made("create_course", name="Biology")


def test_the_step_of_an_assistant_can_be_dismissed(browser: Client, owner: RestEntryPoint) -> None:
    """For good and in every browser, and without hiding the step of a course."""
    form = form_with("next", first_steps_of(text_of(browser, "/")))
    response = browser.post("/courses/dismiss-assistant", form)
    assert (response.status_code, response.headers["Location"]) == (302, "/")
    steps = first_steps_of(text_of(browser, "/"))
    assert "Add your first course" in steps
    assert "assistant" not in steps
    course = owner.made("create_course", name="Biology")
    for path in ("/", f"/courses/{course['id']}"):
        assert "first-steps" not in text_of(browser, path)


def test_the_week_shows_where_the_calendar_address_is(browser: Client, owner: RestEntryPoint) -> None:
    owner.made("create_course", name="Biology")
    assert leads(text_of(browser, "/"), "calendar address") == "/keys#calendar"
    assert 'id="calendar"' in text_of(browser, "/keys")
