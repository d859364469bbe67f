"""The API reference in a real browser: fields first, and operations can be tried with the reader's own key."""

from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.support.entry_points import RestEntryPoint

pytestmark = pytest.mark.database("sqlite", "page layout")


def authorize(page: Page, secret: str) -> None:
    """Paste a key into the reference."""
    page.get_by_label("Key to try operations with").fill(secret)


def opened(page: Page, operation: str) -> Locator:
    """An operation, ready to be tried."""
    found = page.locator(f"#{operation}")
    found.get_by_text("Try it out").click()
    return found


def test_operations_can_be_tried_with_a_key(page: Page, member: Any, make_key: Any) -> None:
    """Under the page's policy: a console error fails this test (`open_page`). The key is only sent in calls, and a
    reload
    forgets it.
    """
    secret, _ = make_key(member)
    page.goto("/docs/reference/member")
    authorize(page, secret)
    reading = opened(page, "get_me")
    with page.expect_request("**/v1/me") as sent:
        reading.get_by_role("button", name="Send GET").click()
    expect(reading.get_by_role("status")).to_contain_text("ada@example.org")
    assert sent.value.headers.keys().isdisjoint({"cookie", "x-csrftoken"})
    assert page.evaluate("localStorage.length + sessionStorage.length") == 0

    page.goto("/docs/reference/courses")
    authorize(page, secret)
    writing = opened(page, "create_course")
    writing.get_by_role("button", name="Send POST").click()
    expect(writing.get_by_role("status")).to_contain_text("201")
    [course] = RestEntryPoint(secret).made("list_courses")["data"]
    assert course["name"] == "Cell Biology"

    # Path, query and file are sent as entered.
    page.goto("/docs/reference/planning")
    authorize(page, secret)
    sending = opened(page, "import_calendar")
    sending.get_by_label("course_id").fill(course["id"])
    sending.get_by_label("dry_run").fill("true")
    event = "BEGIN:VEVENT\r\nUID:1\r\nSUMMARY:Midterm\r\nDTSTART;VALUE=DATE:20301203\r\nEND:VEVENT\r\n"
    calendar = f"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//x//y//EN\r\n{event}END:VCALENDAR\r\n"
    file: Any = {"name": "a.ics", "mimeType": "text/calendar", "buffer": calendar.encode()}
    sending.locator("input[type=file]").set_input_files(file)
    sending.get_by_role("button", name="Send POST").click()
    expect(sending.get_by_role("status")).to_contain_text('"dry_run": true')
    expect(sending.get_by_role("status")).to_contain_text("Midterm")

    page.reload()
    expect(page.get_by_label("Key to try operations with")).to_have_value("")


def test_an_operation_fits_one_screen(open_page: Any) -> None:
    """Long lists of fields, the answer, the example and the form are collapsed at first."""
    page = open_page(viewport={"width": 1280, "height": 800})
    page.goto("/docs")
    pages = page.locator("main section h2 a").evaluate_all("all => all.map((one) => one.href)")
    heights = []
    for address in pages:
        page.goto(address)
        heights += page.locator(".operation").evaluate_all("all => all.map((one) => [one.id, one.offsetHeight])")
    assert len(heights) > 40
    assert [(operation, height) for operation, height in heights if height > 800] == []


def test_without_scripts_everything_is_readable(open_page: Any) -> None:
    page = open_page(java_script_enabled=False)
    page.goto("/docs/reference/items#list_items")
    operation = page.locator("#list_items")
    operation.get_by_text("Query").click()
    expect(operation.get_by_text("Only items added after this time", exact=False)).to_be_visible()
    expect(page.get_by_text("Try it out").first).to_be_hidden()
    expect(page.get_by_label("Key to try operations with")).to_be_hidden()
