"""Forms that come back with what was typed, sent by a real browser."""

from typing import TYPE_CHECKING, Any

import pytest

from tests.conftest import OpenEntryPoint
from tests.pages.browser.conftest import PageFactory
from tests.pages.browser.test_accessibility import audit

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from accounts.models import Member

pytestmark = [pytest.mark.rest, pytest.mark.database("sqlite", "the look of pages")]

NOTE = "Two pages about cells.\nAsk Ada."


@pytest.fixture
def item(member: "Member", entry_point: OpenEntryPoint) -> Any:
    owner = entry_point(member)
    course = owner.made("create_course", name="Biology")
    return owner.made("create_item", course_id=course["id"], title="Essay")


@pytest.mark.parametrize("script", [True, False])
@pytest.mark.parametrize("reason", ["deleted", "signed in again"])
def test_a_note_comes_back(open_signed_in: PageFactory, item: Any, reason: str, script: bool) -> None:
    from playwright.sync_api import expect

    from courses.models import Item

    page: Page = open_signed_in(
        f"/items/{item['id']}", java_script_enabled=script, viewport={"width": 320, "height": 640}
    )
    page.get_by_label("Note").fill(NOTE)
    if reason == "deleted":
        Item.objects.all().delete()
    else:
        page.context.clear_cookies(name="csrftoken")
    page.get_by_role("button", name="Save item").click()
    heading = "This no longer exists" if reason == "deleted" else "This page was out of date"
    expect(page.get_by_role("heading", name=heading)).to_be_visible()
    expect(page.get_by_label("Note")).to_have_value(NOTE)
    if script:
        audit(page)
    page.get_by_role("button", name="Send again").click()
    if reason == "deleted":
        expect(page.get_by_label("Note")).to_have_value(NOTE)
    else:
        expect(page.get_by_role("status")).to_contain_text("Saved “Essay”.")
        assert Item.objects.get().note == NOTE
