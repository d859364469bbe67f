"""The data that an app may see, chosen on the consent page in a real browser."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.pages.browser.test_accessibility import audit
from tests.pages.browser.test_consent import asking, tokens_of
from tests.support.entry_points import RestEntryPoint
from tests.support.factories import CourseFactory
from tests.support.oauth import App

pytestmark = pytest.mark.database("sqlite", "page layout")


@pytest.fixture
def app(transactional_db: None, callback: str) -> App:
    return App.registered(client_name="Planner", redirect_uris=[callback])


def test_a_member_selects_one_course_without_script(open_signed_in: Any, member: Any, app: App) -> None:
    for name in ("Botany", "Latin", "Art"):
        CourseFactory.create(member=member, name=name)
    page: Page = open_signed_in(asking(app), java_script_enabled=False)
    page.get_by_role("radio", name="Only these").check()
    page.get_by_role("button", name="Allow").click()
    expect(page.get_by_role("alert")).to_contain_text("Tick at least one course, or choose all.")
    page.get_by_role("checkbox", name="Latin").check()
    page.get_by_role("group", name="Grades").get_by_role("radio", name="No").check()
    page.get_by_label("Until").fill("2099-01-31")
    page.get_by_role("button", name="Allow").click()
    entry_point = RestEntryPoint(tokens_of(page, app)["access_token"])
    assert [course["name"] for course in entry_point.made("list_courses")["data"]] == ["Latin"]
    page.goto("/keys")
    expect(page.get_by_text("Sees only Latin. Does not see grades. Works until 31 January 2099.")).to_be_visible()
    page.get_by_role("link", name="Change the limits of Planner").click()
    expect(page.get_by_role("checkbox", name="Latin")).to_be_checked()
    page.get_by_role("radio", name="All, later ones too").check()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert")).to_contain_text("You ticked courses: choose Only these, or untick them.")
    page.get_by_role("checkbox", name="Latin").uncheck()
    page.get_by_role("button", name="Save").click()
    assert len(entry_point.made("list_courses")["data"]) == 3


@pytest.mark.parametrize(
    "callback",
    [
        "https://claude.ai/api/mcp/auth_callback",
        "https://planner.example.com/callback",
        "http://127.0.0.1:8765/callback",
    ],
)
def test_with_three_courses_the_page_is_one_screen_of_a_phone(open_signed_in: Any, member: Any, callback: str) -> None:
    for name in ("Cell Biology", "Organic Chemistry", "History of Art"):
        CourseFactory.create(member=member, name=name)
    registered = App.registered(client_name="Planner", redirect_uris=[callback])
    page: Page = open_signed_in(asking(registered), viewport={"width": 390, "height": 844})
    for words in ("sees no other courses or decks", "sees no scores, weights or grades"):
        expect(page.get_by_text(words)).to_be_visible()
    box = page.get_by_role("button", name="Allow").bounding_box()
    assert box is not None
    assert box["y"] + box["height"] <= 844, box


def test_thirty_courses_fit_a_narrow_page(open_signed_in: Any, member: Any, app: App) -> None:
    for number in range(30):
        CourseFactory.create(member=member, name=f"{'Advanced' * 6} {number}")
    page: Page = open_signed_in(asking(app), viewport={"width": 320, "height": 700})
    for path in (asking(app), "/keys"):
        page.goto(path)
        assert page.evaluate("document.documentElement.scrollWidth") <= 320, path
    for path in (asking(app), "/keys"):
        page.goto(path)
        audit(page)
