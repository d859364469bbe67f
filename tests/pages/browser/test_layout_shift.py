"""Nothing moves after the first paint, however late scripts and images arrive."""

from time import sleep
from typing import Any

import pytest
from playwright.sync_api import Page, Route

from tests.pages.browser.conftest import PageFactory
from tests.support.run import is_thorough

pytestmark = pytest.mark.database("sqlite", "page layout")

PUBLIC = [
    "/",
    "/docs",
    "/docs/reference/items",
    "/docs/guides",
    "/docs/quickstart",
    "/docs/operating",
    "/changelog",
    "/sign-in",
    "/nothing",
]
OF_MEMBERS = ["/", "/keys", "/account", "/activity", "/courses", "/courses/new", "/decks", "/decks/import", "/study"]

if not is_thorough():
    PUBLIC, OF_MEMBERS = PUBLIC[::4], OF_MEMBERS[::4]  # the others have the same parts

LATE = 0.2
"""Seconds, which allow several frames to be painted before."""

SHIFTS = """() => new Promise((resolve) => {
  const found = [];
  const describe = ({ node }) => node ? node.nodeName + "." + (node.className ?? "") : "?";
  new PerformanceObserver((list) => {
    for (const shift of list.getEntries()) found.push([shift.value, ...shift.sources.map(describe)].join(" "));
  }).observe({ type: "layout-shift", buffered: true });
  setTimeout(() => resolve(found), 100);
})"""
"""The elements that moved since the page began, and how much (Layout Instability API)."""

SIZES: Any = [
    pytest.param({"width": 360, "height": 4000}, id="phone"),
    pytest.param({"width": 1280, "height": 4000}, id="desktop", marks=pytest.mark.thorough("a wider screen")),
]
"""Tall, so that all movements are visible."""


def late(route: Route) -> None:
    """Answer only after the page around it was painted."""
    sleep(LATE)
    route.continue_()


def moved(page: Page, paths: list[str]) -> dict[str, list[str]]:
    page.route("**/*.{js,png,svg}", late)
    found = {}
    for path in paths:
        page.goto(path, wait_until="networkidle")
        found[path] = page.evaluate(SHIFTS)
    return {path: shifts for path, shifts in found.items() if shifts}


@pytest.mark.parametrize("size", SIZES)
def test_nothing_moves_on_public_pages(open_page: PageFactory, size: Any) -> None:
    page = open_page(viewport=size)
    assert moved(page, PUBLIC) == {}


@pytest.mark.parametrize("size", SIZES)
def test_nothing_moves_in_a_previously_chosen_language(open_page: PageFactory, size: Any) -> None:
    page = open_page(viewport=size)
    page.goto("/docs/quickstart")
    page.locator(".code-tabs").first.get_by_text("TypeScript", exact=True).click()
    assert moved(page, ["/docs/planning", "/docs/quickstart"]) == {}
    assert page.locator(".code-tabs input[value=ts]").first.is_checked()


@pytest.mark.parametrize("size", SIZES)
def test_nothing_moves_if_another_time_zone_is_suggested(open_signed_in: PageFactory, size: Any) -> None:
    page = open_signed_in(viewport=size, timezone_id="Asia/Tokyo")
    assert page.get_by_text("Your browser uses").first.is_visible()
    assert moved(page, OF_MEMBERS) == {}
