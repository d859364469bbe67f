"""A student without an assistant adds, checks off, grades, plans and undoes in a real browser."""

from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from accounts.models import Member
from courses.courses import create_course
from courses.item_batches import create_item
from courses.models import Item
from grades.categories import set_grade_categories
from grades.models import GradeScore
from planning.models import Milestone
from studyservice.changes.calls import acting, command
from studyservice.rows.access import Access
from tests.pages.browser.test_accessibility import audit
from vocab.deck_creation import create_vocab_deck

pytestmark = pytest.mark.database("sqlite", "page layout")


@pytest.fixture
def course(member: Member) -> Any:
    """A course with flashcards."""
    with acting(command("test")):
        course = create_course(Access(member), name="Cell Biology")
        cards: Any = [{"term": f"Word {number}", "definition": "Meaning"} for number in range(30)]
        create_vocab_deck(Access(member), name="Organelles", course_id=course["id"], cards=cards)
    return course


@pytest.mark.thorough("a term through pages that others open one by one")
def test_a_term_works_without_an_assistant(open_signed_in: Any, member: Member, course: Any) -> None:
    page: Page = open_signed_in(f"/courses/{course['id']}", timezone_id="Europe/Paris")
    set_categories(page)
    add_and_tick(page, member.today() + timedelta(days=10))
    lab = Item.objects.get(title="Lab 1")
    assert lab.done
    assert page.url.endswith(f"#t{lab.id.hex}"), "returns to the page of the form"
    grade(page)
    page.get_by_role("link", name="Midterm", exact=True).click()
    plan(page)
    assert [one.title for one in Milestone.objects.order_by("position")] == ["Old exam", "Read"]
    page.get_by_role("link", name="Cell Biology").click()
    page.get_by_role("button", name="Delete Lab 1").click()
    expect(page.get_by_role("status")).to_contain_text("The score of “Lab 1” is deleted.")
    assert GradeScore.objects.count() == 0
    page.get_by_text("Account", exact=True).click()
    page.get_by_role("link", name="Activity", exact=True).click()
    page.get_by_role("button", name="Undo").first.click()
    expect(page.get_by_role("status")).to_be_visible()
    assert GradeScore.objects.get().score == 87.5
    page.goto("/")
    audit(page)
    page.get_by_role("link", name="Your practice").click()
    audit(page)


def open_everything(page: Page) -> None:
    page.locator("main details").evaluate_all("all => all.forEach((one) => { one.open = true; })")


def set_categories(page: Page) -> None:
    page.get_by_role("link", name="Add grade categories").click()
    first = page.locator("fieldset").first
    first.get_by_label("Name").fill("Exams")
    first.get_by_label("Weight (%)").fill("100,5")
    audit(page)
    page.get_by_role("button", name="Save categories").click()
    expect(page.get_by_role("alert")).to_have_text("Weight (%): Enter a number from 0 to 100.")
    audit(page)
    first.get_by_label("Weight (%)").fill("62,5")
    page.get_by_role("button", name="Save categories").click()
    expect(page.get_by_role("status")).to_contain_text("Saved the grade categories.")
    expect(page.get_by_role("row", name="Exams 62.5%")).to_be_visible()


def add_and_tick(page: Page, exam_on: date) -> None:
    said = page.get_by_role("status")
    page.get_by_text("Add an item").click()
    for title, kind in (("Lab 1", "lab"), ("Midterm", "exam")):
        adding = page.locator("form", has=page.get_by_role("button", name="Add item"))
        adding.get_by_label("Title").fill(title)
        adding.get_by_label("Kind").select_option(kind)
        adding.get_by_label("Date").fill(str(exam_on))
        adding.get_by_label("Grade category").select_option(label="Exams")
        adding.get_by_role("button", name="Add item").click()
        expect(said).to_contain_text(f"Added “{title}”.")
    page.get_by_role("button", name="Tick Lab 1").click()
    expect(said).to_contain_text("“Lab 1” is done.")


def grade(page: Page) -> None:
    page.get_by_text("Add a score").click()
    grading = page.locator("form", has=page.get_by_role("button", name="Add score"))
    grading.get_by_label("Item").select_option(label="Lab 1")
    grading.get_by_label("Score (%)").fill("87,5")
    grading.get_by_role("button", name="Add score").click()
    expect(page.get_by_role("status")).to_contain_text("Added the score of “Lab 1”.")
    expect(page.locator(".standing")).to_contain_text("87.5% B+ 43.75% to 93.75% is still possible")
    page.get_by_text("What you still need").click()
    page.get_by_label("If I score … % on everything left").fill("95")
    page.get_by_role("button", name="What if?").click()
    expect(page.get_by_text("With 95% on everything open your grade is 91.25% (A-).")).to_be_visible()
    open_everything(page)
    audit(page)


def plan(page: Page) -> None:
    said = page.get_by_role("status")
    expect(page.get_by_text("if your memory follows our forecast")).to_be_visible()
    page.get_by_label("Minutes a day").fill("5")
    page.get_by_role("button", name="Plan").click()
    expect(page.get_by_role("img", name="Minutes of flashcards on each day")).to_be_visible()
    adding = page.locator("form", has=page.get_by_role("button", name="Add step"))
    for title in ("Read", "Old exam"):
        adding.get_by_label("Title").fill(title)
        adding.get_by_role("button", name="Add step").click()
        expect(said).to_contain_text(f"Added “{title}”.")
    page.get_by_text("Change Old exam").click()
    changing = page.locator("form", has=page.get_by_role("button", name="Save Old exam"))
    changing.get_by_label("Place").select_option("1")
    changing.get_by_role("button", name="Save Old exam").click()
    expect(said).to_contain_text("Saved “Old exam”.")
    page.get_by_role("button", name="Tick Read").click()
    expect(page.get_by_role("button", name="Untick Read")).to_be_visible()
    page.get_by_label("Note").fill("Chapters 1 to 4.\nBring a calculator.")
    page.get_by_role("button", name="Save item").click()
    expect(said).to_contain_text("Saved “Midterm”.")
    page.get_by_role("button", name="Save item").click()
    expect(said).to_have_text("Nothing was changed.")
    open_everything(page)
    audit(page)


def test_a_rejected_form_far_down_the_page_is_in_the_window(open_signed_in: Any, member: Member, course: Any) -> None:
    with acting(command("test")):
        for number in range(40):
            create_item(Access(member), course["id"], title=f"Task {number}", kind="assignment", due_on=None)
        set_grade_categories(Access(member), course["id"], categories=[{"name": "Exams", "weight": Decimal(100)}])
    page: Page = open_signed_in(f"/courses/{course['id']}")
    page.set_viewport_size({"width": 1280, "height": 800})
    page.get_by_text("Add a score").first.click()
    page.get_by_label("Item").select_option("Task 3")
    page.get_by_label("Score (%)").fill("85")
    page.get_by_role("button", name="Add score").click()
    summary = page.get_by_role("alert")
    expect(summary).to_have_text("Category: “Task 3” has no category. Choose one.")
    expect(summary).to_be_in_viewport(ratio=1)
    expect(summary).to_be_focused()
    summary.get_by_role("link").click()
    expect(page.get_by_label("Category", exact=True)).to_be_in_viewport(ratio=1)
    audit(page)


def test_what_was_added_far_down_the_page_is_said_in_the_window(
    open_signed_in: Any, member: Member, course: Any
) -> None:
    with acting(command("test")):
        for number in range(30):
            create_item(Access(member), course["id"], title=f"Task {number}", kind="assignment", due_on=None)
    page: Page = open_signed_in(f"/courses/{course['id']}")
    page.set_viewport_size({"width": 390, "height": 844})
    page.get_by_text("Add an item").click()
    page.locator("#add-item").get_by_label("Title").fill("Essay")
    page.get_by_role("button", name="Add item").click()
    expect(page.get_by_text("Added “Essay”.")).to_be_in_viewport(ratio=1)
