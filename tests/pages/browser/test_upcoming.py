"""What comes up, in a browser: on a phone, on a desktop, on paper."""

from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import ViewportSize, expect

from tests.conftest import OpenEntryPoint
from tests.pages.browser.conftest import PageFactory
from tests.pages.browser.test_accessibility import audit

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from accounts.models import Member

pytestmark = [pytest.mark.rest, pytest.mark.database("sqlite", "the look of pages")]

SMALL: ViewportSize = {"width": 320, "height": 640}
SHEET: ViewportSize = {"width": 560, "height": 800}


def test_a_month_cuts_no_course_code_that_fits_on_two_lines(
    open_signed_in: PageFactory, member: "Member", entry_point: OpenEntryPoint
) -> None:
    owner = entry_point(member)
    course = owner.made("create_course", name="Calculus", code="MATH 1210-003")
    fields = {"kind": "exam", "due_on": str(member.today()), "due_time": "09:30"}
    owner.made("create_item", course_id=course["id"], title="Midterm", **fields)
    page: Page = open_signed_in(f"/upcoming/{member.today():%Y-%m}", viewport={"width": 1280, "height": 800})
    hint = page.locator(".month .hint")
    expect(hint).to_have_text("exam · 09:30 · MATH 1210-003")
    assert hint.evaluate("one => [one.scrollWidth - one.clientWidth, one.scrollHeight - one.clientHeight]") == [0, 0]


@pytest.fixture
def month(member: "Member", entry_point: OpenEntryPoint) -> str:
    """The path of this month, with items today."""
    owner = entry_point(member)
    course = owner.made("create_course", name="Biology")
    for title in ("Quiz", "A title with aVeryLongWordThatNoColumnOfTheTableCanHoldInOneLineOnAnyScreen"):
        item = owner.made("create_item", course_id=course["id"], title=title, due_on=str(member.today()))
    owner.made("create_milestone", item_id=item["id"], title="Outline")
    return f"/upcoming/{member.today():%Y-%m}"


def test_the_pages_are_accessible(open_signed_in: PageFactory, month: str) -> None:
    page: Page = open_signed_in("/upcoming")
    audit(page)
    page.goto(month)
    audit(page)
    page.goto("/upcoming/9999-12")
    audit(page)


def test_the_month_is_a_list_on_a_phone_and_a_table_on_paper(open_signed_in: PageFactory, month: str) -> None:
    page: Page = open_signed_in(month, viewport=SMALL)
    expect(page.locator(".month td").locator("visible=true")).to_have_count(1)
    assert page.evaluate("document.documentElement.scrollWidth") <= SMALL["width"]
    page.set_viewport_size({"width": 640, "height": 640})
    assert page.locator(".month td").locator("visible=true").count() >= 28
    page.set_viewport_size(SHEET)
    page.emulate_media(media="print")
    assert page.locator(".month td").locator("visible=true").count() >= 28
    assert page.evaluate("document.documentElement.scrollWidth") <= SHEET["width"]


@pytest.mark.parametrize("width", [320, 360, 375, 390])
def test_the_header_is_the_brand_and_one_line_of_navigation(
    open_signed_in: PageFactory, month: str, width: int
) -> None:
    page: Page = open_signed_in("/upcoming", viewport={"width": width, "height": 640})
    tops: list[Any] = page.locator(".site-nav a").evaluate_all("all => all.map((one) => one.offsetTop)")
    assert (len(tops), len({*tops})) == (5, 1)
    assert page.locator(".site-header").bounding_box()["height"] < 110  # type: ignore[index]  # it is visible


def test_a_filter_is_chosen_by_keyboard_without_script(open_signed_in: PageFactory, month: str) -> None:
    page: Page = open_signed_in("/upcoming", java_script_enabled=False)
    page.get_by_label("Kind").select_option("exam")
    page.get_by_role("button", name="Show").press("Enter")
    expect(page.get_by_text("Nothing is coming up here.")).to_be_visible()
    page.get_by_role("link", name="Show all courses and kinds").click()
    expect(page.get_by_role("link", name="Quiz", exact=True)).to_be_visible()


@pytest.mark.parametrize("script", [True, False])
def test_rows_are_ticked_and_moved_as_in_the_week(open_signed_in: PageFactory, month: str, *, script: bool) -> None:
    page: Page = open_signed_in("/upcoming?kind=other", java_script_enabled=script)
    page.get_by_role("button", name="Tick Quiz").click()
    expect(page.get_by_role("status")).to_contain_text("“Quiz” is done.")
    expect(page.get_by_role("button", name="Untick Quiz")).to_be_visible()
    row = page.locator(".due > li").filter(has_text="Quiz")
    row.locator("summary").click()
    row.get_by_role("button", name="Move Quiz to tomorrow").click()
    expect(page.get_by_role("status")).to_contain_text("Moved “Quiz” to")
    expect(page.get_by_label("Kind")).to_have_value("other")
