"""Studying by keyboard and by thumb, with and without script."""

from datetime import timedelta
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from studyservice.rows.access import Access
from tests.conftest import OpenEntryPoint
from tests.pages.browser.conftest import PageFactory
from tests.pages.browser.test_accessibility import audit
from tests.support.run import is_thorough

pytestmark = [pytest.mark.rest, pytest.mark.database("sqlite", "page layout")]

TERMS = [f"Term {number}" for number in range(1, 21)]


WIDER = pytest.mark.thorough("a wider screen")


@pytest.fixture
def deck(member: Any) -> Any:
    """A deck of twenty new cards."""
    from courses.courses import create_course
    from studyservice.changes.calls import Actor, acting
    from studyservice.models import ActorKind
    from vocab.deck_creation import create_vocab_deck

    with acting(Actor(ActorKind.PAGE)):
        course = create_course(Access(member), name="Cell Biology")
        cards: Any = [{"term": term, "definition": f"What {term} means."} for term in TERMS]
        return create_vocab_deck(Access(member), name="Organelles", course_id=course["id"], cards=cards)[0]


def answered() -> list[tuple[str, str]]:
    from vocab.models import Review

    return [*Review.objects.order_by("reviewed_at").values_list("card__term", "rating")]


def test_cards_can_be_studied_by_keyboard(open_signed_in: PageFactory, deck: Any) -> None:
    from vocab.models import Card

    terms = TERMS if is_thorough() else TERMS[:8]
    Card.objects.exclude(term__in=terms).delete()
    page: Page = open_signed_in("/study")
    keys = {"1": "again", "2": "hard", "3": "good", "4": "easy"}
    for number, term in enumerate(terms):
        expect(page.get_by_role("heading", name=term, exact=True)).to_be_visible()
        page.wait_for_load_state()
        page.keyboard.press("4")
        expect(page.get_by_text(f"What {term} means.")).to_be_hidden()
        page.keyboard.press(" ")
        expect(page.get_by_text(f"What {term} means.")).to_be_focused()
        page.keyboard.press(" ")
        expect(page.get_by_text(f"What {term} means.")).to_be_visible()
        page.keyboard.press("1234"[number % 4])
        expect(page.get_by_text(f"{len(terms) - number - 1} left")).to_be_visible()
    expect(page.get_by_text(f"You answered {len(terms)} cards.")).to_be_visible()
    assert answered() == [(term, [*keys.values()][number % 4]) for number, term in enumerate(terms)]
    page.get_by_role("button", name="Undo last").click()
    expect(page.get_by_role("heading", name=terms[-1], exact=True)).to_be_visible()
    assert len(answered()) == len(terms) - 1


def test_without_script_a_card_is_shown_and_rated(open_signed_in: PageFactory, deck: Any) -> None:
    page: Page = open_signed_in("/study", java_script_enabled=False)
    expect(page.get_by_text("Space shows the answer")).to_be_hidden()
    expect(page.get_by_role("button", name="Good")).to_be_hidden()
    page.get_by_text("Show", exact=True).click()
    page.get_by_role("button", name="Easy 8 days").click()
    expect(page.get_by_role("heading", name=TERMS[1])).to_be_visible()
    page.get_by_role("button", name="Undo last").click()
    expect(page.get_by_role("heading", name=TERMS[0], exact=True)).to_be_visible()
    assert answered() == []


@pytest.mark.parametrize("width", [320, pytest.param(390, marks=WIDER)])
def test_a_thumb_reaches_all_four_buttons(open_signed_in: PageFactory, deck: Any, width: int) -> None:
    """They are at the bottom of the screen, however long the answer, and large enough (WCAG 2.5.5: 44 pixels)."""
    from vocab.models import Card

    Card.objects.filter(term=TERMS[0]).update(definition="A long sentence. " * 110)
    page: Page = open_signed_in("/study", viewport={"width": width, "height": 844})
    page.get_by_text("Show", exact=True).click()
    boxes = [page.get_by_role("button", name=name).bounding_box() for name in ("Again", "Hard", "Good", "Easy")]
    for box in boxes:
        assert box is not None
        assert box["width"] >= 44
        assert box["height"] >= 56
        assert 700 < box["y"] < 844 - box["height"]
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    shown = page.get_by_role("link", name="Change this card").bounding_box()
    assert shown is not None
    assert boxes[0] is not None
    assert shown["y"] + shown["height"] < boxes[0]["y"], "no text is hidden behind the buttons"


QUESTION = (
    "Which of the membrane proteins moves three sodium ions out of the cell and two potassium ions into it, and where "
    "does it take the energy from, exactly?"
)


@pytest.mark.parametrize(("width", "height"), [(390, 640), (1280, 800)])
@pytest.mark.parametrize("term", ["Pump", QUESTION, "W" * 200, "M\n" * 99 + "M"], ids=["short", "long", "wide", "high"])
def test_after_show_the_answer_begins_in_the_window(
    open_signed_in: PageFactory, deck: Any, width: int, height: int, term: str
) -> None:
    """Behind nothing, with the four buttons, and without scrolling. A question that is too long scrolls."""
    from vocab.models import Card

    Card.objects.filter(term=TERMS[0]).update(term=term, definition="It is a sodium-potassium pump. " * 60)
    page: Page = open_signed_in("/study", viewport={"width": width, "height": height})
    page.get_by_text("Show", exact=True).click()
    buttons = [page.get_by_role("button", name=name).bounding_box() for name in ("Again", "Hard", "Good", "Easy")]
    for box in buttons:
        assert box is not None
        assert 0 < box["y"] <= height - box["height"]
    answer = page.locator(".definition").bounding_box()
    question = page.locator(".term").bounding_box()
    assert answer is not None
    assert question is not None
    assert buttons[0] is not None
    assert question["y"] + question["height"] <= answer["y"]
    assert buttons[0]["y"] - answer["y"] >= 60, "two lines of the answer"
    page.locator(".term").evaluate("term => term.scrollTo(0, term.scrollHeight)")
    audit(page)


@pytest.mark.parametrize("term", ["Pump", QUESTION], ids=["short", "long"])
def test_an_answer_is_nearly_as_large_as_its_question(open_signed_in: PageFactory, deck: Any, term: str) -> None:
    from vocab.models import Card

    Card.objects.filter(term=TERMS[0]).update(term=term)
    page: Page = open_signed_in("/study", viewport={"width": 1280, "height": 800})
    page.get_by_text("Show", exact=True).click()
    sizes = [
        page.locator(name).evaluate("one => parseFloat(getComputedStyle(one).fontSize)")
        for name in (".term", ".definition")
    ]
    assert 18 < sizes[1] <= sizes[0] <= 1.5 * sizes[1]


LONG_FORMULA = r"$$\int_0^1 f(x)\,dx = " + " + ".join(rf"\frac{{x_{{{n}}}}}{{{n}}}" for n in range(1, 30)) + "$$"


@pytest.mark.parametrize("color_scheme", ["light", "dark"])
def test_a_long_formula_scrolls_within_the_card(open_signed_in: PageFactory, deck: Any, color_scheme: str) -> None:
    from vocab.models import Card

    inline = LONG_FORMULA.replace("$$", "$")
    Card.objects.filter(term=TERMS[0]).update(term="Is $x < 1$?", definition=f"{inline} or\n{LONG_FORMULA}")
    viewport = {"width": 320, "height": 640}
    page: Page = open_signed_in("/study", viewport=viewport, color_scheme=color_scheme)
    page.get_by_text("Show", exact=True).click()
    formulas = page.locator(".definition math")
    expect(formulas).to_have_count(2)
    for formula in formulas.all():
        assert formula.evaluate("math => math.scrollWidth > math.clientWidth && math.clientWidth > 0")
    assert page.evaluate("document.documentElement.scrollWidth") == 320
    assert page.locator(".term math mi").first.evaluate("mi => mi.getBoundingClientRect().height") > 0
    audit(page)


def test_an_exams_cards_are_studied_by_keyboard(
    open_signed_in: PageFactory, member: Any, entry_point: OpenEntryPoint
) -> None:
    owner = entry_point(member)
    course = owner.made("create_course", name="Biology")
    day = str(member.today() + timedelta(days=2))
    item = owner.made("create_item", course_id=course["id"], title="Midterm", kind="exam", due_on=day)
    cards = [{"term": f"Word {n}", "definition": f"Meaning {n}"} for n in range(4)]
    owner.made("create_vocab_deck", name="Cells", course_id=course["id"], cards=cards)
    page: Page = open_signed_in(f"/items/{item['id']}", viewport={"width": 320, "height": 640})
    page.get_by_role("link", name="Study for this exam").press("Enter")
    for left in (4, 3, 2, 1):
        expect(page.get_by_text(f"{left} left")).to_be_visible()
        page.wait_for_load_state()
        page.keyboard.press(" ")
        expect(page.get_by_text("Meaning")).to_be_focused()
        if left == 4:
            audit(page)
        page.keyboard.press("4")
    expect(page.get_by_text("You answered 4 cards.")).to_be_visible()
    audit(page)
    page.get_by_role("link", name="the plan for Midterm").click()
    expect(page.get_by_role("heading", name="Are you ready?")).to_be_visible()


@pytest.mark.parametrize("width", [320, *(pytest.param(width, marks=WIDER) for width in (360, 390, 1280))])
def test_no_next_date_touches_the_edge_of_its_button(open_signed_in: PageFactory, deck: Any, width: int) -> None:
    page: Page = open_signed_in("/study", viewport={"width": width, "height": 844})
    page.get_by_text("Show", exact=True).click()
    spaces = page.locator(".ratings button").evaluate_all(
        """(buttons, labels) => buttons.map((button, at) => {
            const label = button.querySelector("span"), text = document.createRange();
            label.textContent = labels[at];
            text.selectNodeContents(label);
            const edges = button.getBoundingClientRect(), lines = [...text.getClientRects()];
            return Math.min(...lines.map(line => Math.min(line.left - edges.left, edges.right - line.right)));
        })""",
        ["tomorrow", "26 days", "7 Nov 2027", "20 Nov 2027"],
    )
    assert min(spaces) >= 2.5, spaces


def test_cards_can_be_edited_by_keyboard_and_without_script(open_signed_in: PageFactory, deck: Any) -> None:
    page: Page = open_signed_in(f"/decks/{deck['id']}", java_script_enabled=False)
    page.get_by_text("Add a card").click()
    page.get_by_label("Term", exact=True).fill("Term 21")
    page.get_by_label("Definition", exact=True).fill("What it means.")
    page.get_by_role("button", name="Add card").click()
    expect(page.get_by_role("status")).to_contain_text("Added “Term 21”.")
    page.get_by_label("Search the cards").fill("term 2")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Cards 3 of 21")).to_be_visible()
    page.get_by_role("button", name="Suspend Term 20", exact=True).click()
    expect(page.get_by_role("button", name="Resume Term 20")).to_be_visible()
    page.get_by_role("button", name="Delete Term 21").click()
    expect(page.get_by_role("heading", name="Cards 2 of 20")).to_be_visible()
    page.get_by_role("link", name="Term 20").click()
    expect(page.get_by_label("Suspended")).to_be_checked()
    page.get_by_label("Term", exact=True).fill("")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert")).to_contain_text("Enter a term.")


def test_study_pages_are_accessible(open_signed_in: PageFactory, deck: Any) -> None:
    """In all states: a card, its answer, the end, a deck with a search, an error, and empty pages."""
    from vocab.models import Card, Deck

    page: Page = open_signed_in("/study")
    audit(page)
    page.keyboard.press(" ")
    audit(page)
    page.keyboard.press("4")
    expect(page.get_by_text("19 left")).to_be_visible()
    Card.objects.exclude(term=TERMS[1]).filter(state="new").update(suspended=True)
    page.goto("/decks")
    audit(page)
    for path in ("", "?q=none", "/change", "/delete", f"/cards/{deck['cards'][0]['id']}"):
        page.goto(f"/decks/{deck['id']}{path}")
        audit(page)
    page.goto(f"/decks/{deck['id']}?add=1")
    expect(page.get_by_label("Term", exact=True)).to_be_focused()
    page.get_by_role("button", name="Add card").click()
    expect(page.get_by_role("alert")).to_contain_text("Enter a definition.")
    audit(page)
    page.goto("/study")
    page.keyboard.press(" ")
    page.keyboard.press("3")
    expect(page.get_by_role("heading", name="Done for now")).to_be_visible()
    audit(page)
    Deck.objects.all().delete()
    for path in ("/study", "/decks", "/decks/new"):
        page.goto(path)
        audit(page)
