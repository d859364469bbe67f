"""The guides in a real browser: search, tabs and keyboard, with and without scripts."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.database("sqlite", "page layout")


def test_the_search_leads_to_a_section_of_a_guide(page: Page) -> None:
    page.goto("/docs/quickstart")
    page.get_by_role("searchbox").fill("Idempotency again")
    first = page.locator(".found a").first
    expect(first).to_contain_text("Sending a POST again")
    expect(page.get_by_role("status")).to_contain_text("found")
    page.keyboard.press("Enter")
    page.wait_for_url("**/docs/errors#sending-a-post-again")


def test_the_search_finds_operations_and_reports_no_results(page: Page) -> None:
    page.goto("/docs/guides")
    search = page.get_by_role("searchbox")
    search.fill("get_agenda")
    expect(page.locator(".found a").first).to_be_visible()
    assert any(
        "/docs/reference/planning#get_agenda" in str(link.get_attribute("href"))
        for link in page.locator(".found a").all()
    )
    search.fill("xyzzy")
    expect(page.locator(".found")).to_have_text("Nothing was found.")
    page.keyboard.press("Escape")
    expect(page.locator(".found")).to_be_hidden()


def test_the_search_button_opens_the_best_result(page: Page) -> None:
    page.goto("/docs/grades")
    page.get_by_role("searchbox").fill("Idempotency again")
    page.get_by_role("search").get_by_role("button", name="Search").click()
    page.wait_for_url("**/docs/errors#sending-a-post-again")


def test_a_language_is_chosen_once_even_by_keyboard(page: Page) -> None:
    page.goto("/docs/quickstart")
    first = page.locator(".code-tabs").first
    expect(first.get_by_text("urlopen")).to_be_hidden()
    first.get_by_role("radio", name="curl").focus()
    page.keyboard.press("ArrowRight")
    expect(first.locator("[data-language=python]")).to_be_visible()
    expect(first.locator("[data-language=sh]")).to_be_hidden()
    page.goto("/docs/planning")
    for tabs in page.locator(".code-tabs").all():
        expect(tabs.get_by_role("radio", name="Python")).to_be_checked()


def test_without_scripts_the_tabs_work_and_no_search_is_shown(open_page: Any) -> None:
    page = open_page(java_script_enabled=False)
    page.goto("/docs/quickstart")
    expect(page.get_by_role("searchbox")).to_be_hidden()
    expect(page.get_by_role("button", name="Copy").first).to_be_hidden()
    first = page.locator(".code-tabs").first
    first.get_by_text("TypeScript", exact=True).click()
    expect(first.locator("[data-language=ts]")).to_be_visible()
    expect(first.locator("[data-language=sh]")).to_be_hidden()


def test_on_a_phone_the_menu_opens_above_the_text(open_page: Any) -> None:
    page = open_page(viewport={"width": 360, "height": 740})
    page.goto("/docs/grades")
    menu = page.get_by_role("navigation", name="On a small screen")
    expect(menu).to_be_hidden()
    page.get_by_text("All guides", exact=True).click()
    menu.get_by_role("link", name="Syllabi", exact=True).click()
    expect(page.get_by_role("heading", level=1, name="Syllabi", exact=True)).to_be_visible()
