"""Moving rows in a browser, with and without script."""

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from tests.conftest import OpenEntryPoint
from tests.pages.browser.conftest import PageFactory
from tests.pages.browser.test_accessibility import audit

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from accounts.models import Member

pytestmark = [pytest.mark.rest, pytest.mark.database("sqlite", "the look of pages")]


@pytest.fixture
def course(member: "Member", entry_point: OpenEntryPoint) -> Any:
    """A course with two items on each day of the week."""
    owner = entry_point(member)
    course = owner.made("create_course", name="Biology")
    for n in range(14):
        day = member.today() + timedelta(days=n // 2)
        owner.made("create_item", course_id=course["id"], title=f"Essay {n}", due_on=str(day))
    return course


def open_row(page: "Page", title: str) -> None:
    page.locator("summary", has_text=f"Move {title}").click()


@pytest.mark.parametrize("script", [True, False])
@pytest.mark.parametrize(
    ("label", "days"), [("Move Essay 4 to tomorrow", 1), ("Move Essay 4 a week later", 9), ("Move Essay 4", 3)]
)
def test_a_row_moves(
    open_signed_in: PageFactory, course: Any, member: "Member", *, script: bool, label: str, days: int
) -> None:
    from playwright.sync_api import expect

    from courses.models import Item

    page: Page = open_signed_in("/", java_script_enabled=script)
    open_row(page, "Essay 4")
    day = member.today() + timedelta(days=days)
    row = page.get_by_role("listitem").filter(has=page.get_by_role("button", name=label, exact=True))
    row.get_by_label("Date").fill(str(member.today() + timedelta(days=3)))
    page.get_by_role("button", name=label, exact=True).click()
    expect(page.get_by_role("status")).to_contain_text("Moved “Essay 4” to")
    assert Item.objects.get(title="Essay 4").due_on == day
    expect(page.locator(f"#d{member.today() + timedelta(days=2)}")).to_be_in_viewport()


@pytest.mark.parametrize("width", [320, 1280])
def test_the_page_stays_in_place_and_the_keyboard_goes_on_in_the_next_row(
    open_signed_in: PageFactory, course: Any, width: int
) -> None:
    from playwright.sync_api import expect

    page: Page = open_signed_in("/", viewport={"width": width, "height": 640})
    page.get_by_role("button", name="Tick Essay 7").scroll_into_view_if_needed()
    top = page.evaluate("scrollY")
    page.locator("summary", has_text="Move Essay 6").focus()
    for key in ("Enter", "Tab", "Tab", "Tab", "Tab", "Tab", "Tab", "Enter"):
        page.keyboard.press(key)
    expect(page.get_by_role("status")).to_contain_text("Moved “Essay 6” to")
    expect(page.get_by_role("button", name="Tick Essay 7", exact=True)).to_be_focused()
    assert abs(page.evaluate("scrollY") - top) < 200


def test_enter_in_the_date_moves_the_row_to_it(open_signed_in: PageFactory, course: Any, member: "Member") -> None:
    from playwright.sync_api import expect

    from courses.models import Item

    page: Page = open_signed_in("/")
    open_row(page, "Essay 4")
    field = page.get_by_role("listitem").filter(has_text="Essay 4").get_by_label("Date")
    field.fill(str(member.today() + timedelta(days=6)))
    field.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("Moved “Essay 4” to")
    assert Item.objects.get(title="Essay 4").due_on == member.today() + timedelta(days=6)


@pytest.mark.parametrize("script", [True, False])
def test_a_refused_move_is_in_the_window_with_its_error(
    open_signed_in: PageFactory, course: Any, *, script: bool
) -> None:
    from playwright.sync_api import expect

    signed_in: Page = open_signed_in("/", viewport={"width": 390, "height": 640}, java_script_enabled=script)
    page = signed_in.context.new_page()  # its console may have errors: Chromium logs each request that was refused
    page.goto("/")
    open_row(page, "Essay 11")
    page.get_by_role("button", name="Move Essay 11", exact=True).click()
    expect(page.get_by_role("alert")).to_be_in_viewport()
    page.get_by_role("link", name="Date: Enter a date.").click()
    field = page.get_by_label("Date", exact=True).and_(page.locator("[aria-invalid=true]"))
    expect(field).to_be_in_viewport()
    assert "Enter a date." in (page.locator(f"#{field.get_attribute('aria-describedby')}").text_content() or "")


def test_open_rows_are_accessible(open_signed_in: PageFactory, course: Any) -> None:
    page: Page = open_signed_in("/")
    open_row(page, "Essay 4")
    audit(page)


def test_a_refused_row_is_accessible(open_signed_in: PageFactory, course: Any) -> None:
    signed_in: Page = open_signed_in("/")
    page = signed_in.context.new_page()
    page.goto("/")
    open_row(page, "Essay 4")
    page.get_by_role("button", name="Move Essay 4", exact=True).click()
    page.get_by_role("alert").wait_for()
    audit(page)
