"""Ticking on pages with many rows, in a browser."""

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from tests.conftest import OpenEntryPoint
from tests.pages.browser.conftest import PageFactory

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from accounts.models import Member

pytestmark = [pytest.mark.rest, pytest.mark.database("sqlite", "the look of pages")]

SIZES = [(390, 640), (1280, 800)]


@pytest.fixture
def course(member: "Member", entry_point: OpenEntryPoint) -> Any:
    """A course with an item on each day of the week, a milestone, and something overdue."""
    owner = entry_point(member)
    course = owner.made("create_course", name="Biology")
    for n in range(6):
        day = member.today() + timedelta(days=n)
        item = owner.made("create_item", course_id=course["id"], title=f"Essay {n}", due_on=str(day))
    for title, days in (("Outline", 3), ("Late", -2)):
        day = member.today() + timedelta(days=days)
        owner.made("create_milestone", item_id=item["id"], title=title, due_on=str(day))
    return course


def top_of(page: "Page", title: str) -> float:
    box = page.get_by_role("button", name=title).bounding_box()
    assert box is not None
    return box["y"]


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_a_tick_moves_nothing_and_adds_nothing_to_the_history(
    open_signed_in: PageFactory, course: Any, width: int, height: int
) -> None:
    from playwright.sync_api import expect

    page: Page = open_signed_in("/courses", viewport={"width": width, "height": height})
    page.goto("/")
    before = page.evaluate("history.length")
    for title in ("Essay 0", "Outline", "Essay 4"):
        page.get_by_role("button", name=f"Tick {title}").scroll_into_view_if_needed()
        top = top_of(page, f"Tick {title}")
        page.get_by_role("button", name=f"Tick {title}").click()
        expect(page.get_by_role("button", name=f"Untick {title}")).to_be_visible()
        expect(page.get_by_role("status")).to_contain_text(f"“{title}” is done.")
        assert abs(top_of(page, f"Untick {title}") - top) <= 1
    assert page.evaluate("history.length") == before
    page.go_back()
    assert page.url.endswith("/courses")


@pytest.mark.parametrize("has_script", [True, False])
def test_a_tick_can_be_undone_in_its_message(open_signed_in: PageFactory, course: Any, has_script: bool) -> None:
    from playwright.sync_api import expect

    page: Page = open_signed_in("/", viewport={"width": 390, "height": 640}, java_script_enabled=has_script)
    page.get_by_role("button", name="Tick Essay 4").click()
    top = top_of(page, "Untick Essay 4")
    page.get_by_role("status").get_by_role("button", name="Undo").click()
    expect(page.get_by_role("status")).to_have_text("Undone: You ticked off “Essay 4”.")
    expect(page.get_by_role("status")).to_be_in_viewport()
    expect(page.get_by_role("button", name="Tick Essay 4", exact=True)).to_be_visible()
    assert not has_script or abs(top_of(page, "Tick Essay 4") - top) <= 1


def test_the_keyboard_goes_on_from_the_tick(open_signed_in: PageFactory, course: Any) -> None:
    from playwright.sync_api import expect

    page: Page = open_signed_in(f"/courses/{course['id']}")
    page.get_by_role("button", name="Tick Outline").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Untick Outline")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Tick Outline", exact=True)).to_be_focused()


def test_a_fold_is_open_again_after_a_tick_in_it(open_signed_in: PageFactory, course: Any) -> None:
    from playwright.sync_api import expect

    from courses.models import Item

    Item.objects.filter(title="Essay 1").update(due_on="2020-01-01", kind="exam")
    page: Page = open_signed_in(f"/courses/{course['id']}", viewport={"width": 390, "height": 640})
    page.get_by_text("Past (1)").click()
    page.get_by_role("button", name="Tick Essay 1").scroll_into_view_if_needed()
    top = top_of(page, "Tick Essay 1")
    page.get_by_role("button", name="Tick Essay 1").click()
    expect(page.get_by_role("button", name="Untick Essay 1")).to_be_visible()
    assert abs(top_of(page, "Untick Essay 1") - top) <= 1


def test_an_overdue_step_goes_with_the_next_page(open_signed_in: PageFactory, course: Any) -> None:
    from playwright.sync_api import expect

    page: Page = open_signed_in("/")
    page.get_by_role("button", name="Tick Late").click()
    expect(page.get_by_role("status")).to_contain_text("“Late” is done.")
    expect(page.get_by_role("button", name="Late")).to_have_count(0)


def test_a_failed_tick_shows_why(open_signed_in: PageFactory, course: Any) -> None:
    from playwright.sync_api import expect

    from courses.models import Course

    signed_in: Page = open_signed_in("/")
    page = signed_in.context.new_page()  # its console may have errors: Chromium logs each request that was refused
    page.goto("/")
    Course.objects.all().delete()
    page.get_by_role("button", name="Tick Essay 0").click()
    expect(page.get_by_role("heading", name="This no longer exists")).to_be_visible()


def test_without_script_the_browser_goes_on_at_the_row(open_signed_in: PageFactory, course: Any) -> None:
    from playwright.sync_api import expect

    page: Page = open_signed_in("/", java_script_enabled=False)
    page.get_by_role("button", name="Tick Essay 4").click()
    expect(page.get_by_role("button", name="Untick Essay 4")).to_be_in_viewport()
