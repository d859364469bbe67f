"""The API reference in a real browser: operations are tried out with the reader's own key."""

from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.support.doors import RestDoor

pytestmark = pytest.mark.once("the look of pages")


@pytest.fixture
def reference(page: Page) -> Page:
    page.goto("/docs")
    expect(page.get_by_text("Create a course")).to_be_visible()
    return page


def authorize(page: Page, secret: str) -> None:
    """Paste a key into the reference."""
    page.get_by_role("button", name="Authorize").click()
    page.get_by_label("Value").fill(secret)
    page.get_by_role("button", name="Apply credentials").click()
    page.get_by_role("button", name="Close").last.click()


def opened(page: Page, title: str) -> Locator:
    """An operation, ready to be tried out."""
    operation = page.locator(".opblock", has_text=title)
    operation.get_by_role("button", name=title).click()
    operation.get_by_role("button", name="Try it out").click()
    return operation


def test_operations_are_tried_out_with_a_key(reference: Page, member: Any, make_key: Any) -> None:
    """Under the page's policy: a console error fails this test (`open_page`). The key goes into the calls alone."""
    secret, _ = make_key(member)
    authorize(reference, secret)
    reading = opened(reference, "Get the member")
    with reference.expect_request("**/v1/me") as sent:
        reading.get_by_role("button", name="Execute").click()
    expect(reading.locator(".live-responses-table")).to_contain_text("ada@example.org")
    assert sent.value.headers.keys().isdisjoint({"cookie", "x-csrftoken"})
    assert reference.evaluate("localStorage.length + sessionStorage.length") == 0

    writing = opened(reference, "Create a course")
    writing.get_by_role("button", name="Execute").click()
    expect(writing.locator(".live-responses-table")).to_contain_text("201")
    [course] = RestDoor(secret).made("list_courses")["data"]
    assert course["name"] == "Cell Biology"


def test_a_reload_forgets_the_key(reference: Page, member: Any, make_key: Any) -> None:
    authorize(reference, make_key(member)[0])
    expect(reference.locator(".btn.authorize.locked")).to_be_visible()
    reference.reload()
    expect(reference.locator(".btn.authorize.unlocked")).to_be_visible()
