"""Pages on paper."""

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from tests.conftest import OpenEntryPoint
from tests.pages.browser.conftest import PageFactory

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from accounts.models import Member

pytestmark = [pytest.mark.rest, pytest.mark.database("sqlite", "the look of pages")]

CONTROLS = "header.site-header, footer, nav, form, button, .button, input, select, textarea, summary, progress"

COLORS = """() => [...document.querySelectorAll("main *")].filter(one => one.getClientRects().length).flatMap(one => {
    const {color, backgroundColor} = getComputedStyle(one);
    return [color, backgroundColor];
})"""


@pytest.fixture
def paths(member: "Member", entry_point: OpenEntryPoint) -> dict[str, str]:
    """Pages with forms, and a text that each must have on paper."""
    owner = entry_point(member)
    course = owner.made("create_course", name="Biology")
    for n in range(30):
        day = member.today() + timedelta(days=n // 6)
        item = owner.made("create_item", course_id=course["id"], title=f"Essay {n}", due_on=str(day))
    owner.made("create_milestone", item_id=item["id"], title="Outline", due_on=str(member.today()))
    cards = [{"term": f"Word {n}", "definition": f"Meaning {n}"} for n in range(60)]
    deck = owner.made("create_vocab_deck", name="Cells", course_id=course["id"], cards=cards)
    return {
        "/": "Outline",
        "/upcoming": "Essay 29",
        f"/upcoming/{member.today():%Y-%m}": "Essay 0",
        f"/courses/{course['id']}": "Essay 29",
        f"/decks/{deck['id']}": "Meaning 59",
    }


def test_paper_has_the_content_without_controls_and_colors(open_signed_in: PageFactory, paths: dict[str, str]) -> None:
    page: Page = open_signed_in("/", color_scheme="dark")
    page.emulate_media(media="print")
    for path, text in paths.items():
        page.goto(path)
        assert page.locator(CONTROLS).locator("visible=true").count() == 0, path
        assert page.get_by_text(text, exact=True).first.is_visible(), path
        assert {*page.evaluate(COLORS)} <= {"rgb(0, 0, 0)", "rgb(255, 255, 255)", "rgba(0, 0, 0, 0)"}, path


def test_a_row_on_paper_has_a_box_to_tick(open_signed_in: PageFactory, paths: dict[str, str]) -> None:
    page: Page = open_signed_in("/")
    page.locator(".due").get_by_role("button", name="Tick Essay 0").click()
    page.get_by_role("button", name="Untick Essay 0").wait_for()
    page.emulate_media(media="print")
    for name in ("What now", "Flashcards"):
        assert page.get_by_role("heading", name=name).locator("visible=true").count() == 0
    boxes = (
        page.locator("main .due > li")
        .locator("visible=true")
        .evaluate_all(
            """rows => rows.map((row) => {
            const { content, width, borderTopWidth } = getComputedStyle(row, "::after");
            return [row.querySelector("strong").textContent, content[1], width !== "auto", borderTopWidth];
        })"""
        )
    )
    assert ["Essay 0", "✓", True, "1px"] in boxes
    assert ["Essay 1", '"', True, "1px"] in boxes


def test_no_row_is_split_over_two_sheets(open_signed_in: PageFactory, paths: dict[str, Any]) -> None:
    page: Page = open_signed_in("/")
    page.emulate_media(media="print")
    for path in paths:
        page.goto(path)
        rows = page.locator("main li, main tr").evaluate_all(
            "rows => rows.map(row => getComputedStyle(row).breakInside)"
        )
        assert len(rows) > 5
        assert {*rows} == {"avoid"}, path
