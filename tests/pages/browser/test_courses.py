"""A syllabus from start to end in a real browser: from a file to a course, to its next version, and undo."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from courses.models import Course, Item, SyllabusFile
from studyservice.rows.access import Access
from tests.pages.browser.test_accessibility import audit
from tests.support.calendar_files import CANVAS, calendar, deadline
from tests.support.factories import CourseFactory, GradeCategoryFactory, GradeScoreFactory, ItemFactory
from tests.support.syllabus_files import docx, pdf

pytestmark = pytest.mark.database("sqlite", "page layout")

FIRST = """BIO 210 Cell Biology
Fall 2026

Midterm exam: Thursday, October 8, 2026
Essay 1 due Monday, November 2, 2026
Presentations: November 16 - 20, 2026
Final exam: Friday, December 11, 2026

Quizzes: 20%
Essays: 30%
Exams: 50%
"""
SECOND = FIRST.replace("Thursday, October 8", "Thursday, October 15").replace(
    "Essay 1 due Monday, November 2, 2026", "Lab report 1 due Monday, November 9, 2026"
)


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """A PDF, and its next version as a DOCX."""
    contents = {"Cell Biology.pdf": pdf([FIRST.splitlines()]), "Cell Biology 2.docx": docx(SECOND.splitlines())}
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    return {name: tmp_path / name for name in contents}


def dates() -> list[tuple[str, str]]:
    return [(item.title, str(item.due_on)) for item in Item.objects.order_by("due_on")]


def test_a_syllabus_becomes_a_course_is_updated_and_undone(
    open_signed_in: Any, files: dict[str, Path], tmp_path: Path
) -> None:
    page: Page = open_signed_in("/")
    audit(page)
    page.get_by_role("link", name="Add your first course").click()
    audit(page)
    page.get_by_label("File").set_input_files(files["Cell Biology.pdf"])
    page.get_by_role("button", name="Read the syllabus").click()
    expect(page.get_by_role("heading", name="Check the syllabus")).to_be_visible()
    expect(page.get_by_label("Name", exact=True)).to_have_value("Cell Biology")
    assert Course.objects.count() == 0
    audit(page)
    page.get_by_label("Date of “Essay 1”").fill("2026-11-03")
    page.get_by_label("Title of “Midterm exam”").fill("")
    page.get_by_role("button", name="Add course").click()
    expect(page.get_by_role("alert")).to_contain_text("Title of “Midterm exam”: Enter a title.")
    expect(page.get_by_label("Date of “Essay 1”")).to_have_value("2026-11-03")
    audit(page)
    page.get_by_label("Title of “Midterm exam”").fill("Midterm exam")
    page.get_by_role("button", name="Add course").click()
    expect(page.get_by_role("status")).to_contain_text("Added “Cell Biology”: 3 deadlines and 3 grade categories.")
    assert dates() == [("Midterm exam", "2026-10-08"), ("Essay 1", "2026-11-03"), ("Final exam", "2026-12-11")]
    audit(page)

    page.get_by_role("link", name="Update the syllabus").click()
    page.get_by_label("File").set_input_files(files["Cell Biology 2.docx"])
    page.get_by_role("button", name="Read the syllabus").click()
    expect(page.get_by_role("heading", name="Check the new version")).to_be_visible()
    moved, gone = page.get_by_label("Add “Midterm exam”"), page.get_by_label("Delete “Essay 1”")
    expect(moved).to_be_checked()
    expect(gone).not_to_be_checked()
    expect(page.get_by_label("Add “Final exam”")).to_have_count(0)
    audit(page)
    gone.check()
    page.get_by_role("button", name="Apply ticked rows").click()
    expect(page.get_by_role("status")).to_contain_text("1 item added, 1 item changed and 1 item deleted.")
    assert dates() == [("Midterm exam", "2026-10-15"), ("Lab report 1", "2026-11-09"), ("Final exam", "2026-12-11")]

    stored = [Path(file.file.path) for file in SyllabusFile.objects.all()]
    assert len(stored) == 2
    with page.expect_download() as download:
        page.get_by_role("link", name="Cell Biology.pdf", exact=True).click()
    assert download.value.suggested_filename == "Cell Biology.pdf"
    download.value.save_as(tmp_path / "saved")
    assert (tmp_path / "saved").read_bytes() == files["Cell Biology.pdf"].read_bytes()
    page.goto("/courses")
    audit(page)
    page.get_by_role("link", name="Cell Biology", exact=True).click()
    page.get_by_role("link", name="Delete this course").click()
    audit(page)
    page.get_by_role("button", name="Delete course").click()
    expect(page.get_by_role("status")).to_contain_text("“Cell Biology” is deleted.")
    assert [path for path in stored if path.exists()] == []


def test_a_pasted_text_can_be_added_by_keyboard_only(open_signed_in: Any) -> None:
    page: Page = open_signed_in("/courses/new")
    page.get_by_label("File").focus()
    page.keyboard.press("Tab")
    page.keyboard.insert_text(FIRST)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Check the syllabus")).to_be_visible()
    page.get_by_label("Add “Presentations”").focus()
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type("Presentation")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("Added “Cell Biology”: 4 deadlines and 3 grade categories.")
    assert ("Presentation", "2026-11-20") in dates()


ODD = """ART 141 Beginning Ceramics
Studio projects 60%, quizzes 15%, critiques 25%

Schedule of fall 2026
Mon Oct 5: Kiln loading
Wed Oct 7: Coil project due
Mon Oct 12: Fall break
Wed Oct 14: Quiz: clay bodies
Wed Oct 21: Wheel demo
Thu Oct 22: Gallery paper (see below)
Fri Oct 30: Final project due
"""


def test_missed_dates_are_added_and_all_can_be_undone(open_signed_in: Any) -> None:
    page: Page = open_signed_in("/courses/new")
    page.get_by_label("Or paste its text").fill(ODD)
    page.get_by_role("button", name="Read the syllabus").click()
    expect(page.get_by_label("Add “Coil project”")).to_be_checked()
    expect(page.get_by_label("Date of “Coil project”")).to_have_value("2026-10-07")
    unsure = page.get_by_role("row").filter(has=page.get_by_label("Add “Gallery paper (see below)”"))
    expect(unsure.get_by_role("checkbox")).not_to_be_checked()
    expect(unsure).to_contain_text("We left this unticked: no deadline word.")
    expect(unsure).to_contain_text("line 10")
    page.get_by_text("The text, line by line").click()
    expect(page.get_by_role("list", name="Lines of the syllabus")).to_contain_text("Oct 21: Wheel demo")
    audit(page)
    page.get_by_role("button", name="Add a row").click()
    title = page.get_by_label("Title of “added row 1”")
    expect(title).to_be_focused()
    title.fill("Wheel demo")
    page.get_by_label("Kind of “added row 1”").select_option("other")
    page.get_by_label("Date of “added row 1”").fill("2026-10-21")
    audit(page)
    title.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("Added “Beginning Ceramics”: 4 deadlines")
    assert dates() == [
        ("Coil project", "2026-10-07"),
        ("Quiz: clay bodies", "2026-10-14"),
        ("Wheel demo", "2026-10-21"),
        ("Final project", "2026-10-30"),
    ]
    page.goto("/activity")
    page.get_by_role("button", name="Undo").first.click()
    expect(page.get_by_role("status")).to_be_visible()
    assert (Course.objects.count(), Item.objects.count()) == (0, 0)


@pytest.mark.thorough("forms without script, which tests/pages posts too")
def test_a_calendar_file_can_be_imported_without_script(open_signed_in: Any, member: Any, tmp_path: Path) -> None:
    from courses.courses import create_course
    from studyservice.changes.calls import Actor, acting
    from studyservice.models import ActorKind

    with acting(Actor(ActorKind.PAGE)):
        course = create_course(Access(member), name="Cell Biology")
    file = tmp_path / "calendar.ics"
    file.write_bytes(calendar(CANVAS, deadline("a", "20261203", "Essay 1"), deadline("b", "20261204", "Quiz 2")))
    page: Page = open_signed_in(f"/courses/{course['id']}", java_script_enabled=False)
    page.get_by_role("link", name="Import a calendar file").click()
    page.get_by_label("File").set_input_files(file)
    page.get_by_role("button", name="Read the file").click()
    expect(page.get_by_role("button", name="Tick all")).to_be_hidden()
    page.get_by_label("Add “Quiz 2”").uncheck()
    page.get_by_role("button", name="Add ticked dates").click()
    expect(page.get_by_role("status")).to_contain_text("Done: 1 item added.")
    assert dates() == [("Essay 1", "2026-12-03")]


def test_select_all_selects_every_row_except_deletions(open_signed_in: Any) -> None:
    page: Page = open_signed_in("/courses/new")
    page.get_by_label("Or paste its text").fill(FIRST)
    page.get_by_role("button", name="Read the syllabus").click()
    page.get_by_role("button", name="Add course").click()
    page.get_by_role("link", name="Update the syllabus").click()
    page.get_by_label("Or paste its text").fill(SECOND.replace("November 16 - 20", "November 17 - 20"))
    page.get_by_role("button", name="Read the syllabus").click()
    page.get_by_role("button", name="Tick all").click()
    expect(page.get_by_label("Add “Presentations”")).to_be_checked()
    expect(page.get_by_label("Delete “Essay 1”")).not_to_be_checked()
    page.get_by_role("button", name="Tick none").click()
    expect(page.get_by_label("Add “Lab report 1”")).not_to_be_checked()


@pytest.mark.thorough("links that tests/pages reads too")
@pytest.mark.parametrize("path", ["/decks/import", "/courses/new/by-hand"])
def test_other_sources_are_linked(open_signed_in: Any, path: str) -> None:
    page: Page = open_signed_in(path)
    page.locator("main form button[type=submit]").click()
    expect(page.locator("main .errorlist").first).to_be_visible()
    audit(page)


def test_items_without_a_category_get_one(open_signed_in: Any, member: Any) -> None:
    course = CourseFactory.create(member=member, name="Statistics")
    for name, weight in (("Homework", 40), ("Final", 60)):
        GradeCategoryFactory.create(member=member, course=course, name=name, weight=weight)
    for title in ("HW 9", "Final exam"):
        ItemFactory.create(member=member, course=course, title=title)
    page: Page = open_signed_in(f"/courses/{course.id}")
    page.get_by_role("link", name="Choose their categories").click()
    audit(page)
    page.get_by_label("HW 9").select_option("Homework")
    page.get_by_role("button", name="Save categories").click()
    expect(page.get_by_role("status")).to_contain_text("Saved the category of 1 item.")
    expect(page.get_by_text("1 item has no category, so the grade leaves it out.")).to_be_visible()
    audit(page)


def test_several_scores_are_saved_at_once(open_signed_in: Any, member: Any) -> None:
    course = CourseFactory.create(member=member, name="Statistics")
    homework = GradeCategoryFactory.create(member=member, course=course, name="Homework", weight=100)
    for title in ("HW 1", "HW 2"):
        ItemFactory.create(member=member, course=course, title=title, category=homework)
    page: Page = open_signed_in(f"/courses/{course.id}")
    page.get_by_role("link", name="Add several scores").click()
    audit(page)
    page.get_by_label("HW 1").focus()
    page.keyboard.type("17/20")
    page.keyboard.press("Tab")
    page.keyboard.type("nine")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("Nothing is saved yet.")
    audit(page)
    page.get_by_role("link", name="HW 2: Enter a number").press("Enter")
    page.keyboard.press("Control+A")
    page.keyboard.type("87,5")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("Saved 2 scores.")
    expect(page.get_by_role("row", name="HW 1")).to_contain_text("17/20 (85%)")
    audit(page)


LINES_OF_WORDS = """heads => heads.flatMap((head) => {
    const range = document.createRange();
    range.selectNodeContents(head.querySelector("a") ?? head);
    const text = range.toString().trim();
    return text.includes(" ") ? [] : [[text, new Set([...range.getClientRects()].map((line) => line.top)).size]];
})"""
"""The words that are alone in a cell, each with its number of lines."""


@pytest.mark.parametrize("width", [320, 375, 390])
def test_the_grade_table_of_a_phone_breaks_no_short_word(open_signed_in: Any, member: Any, width: int) -> None:
    course = CourseFactory.create(member=member, name="Biology")
    names = ("Essays", "Laboratory", "Homework")
    categories = [GradeCategoryFactory.create(member=member, course=course, name=name, weight=33.33) for name in names]
    for category in categories:
        GradeScoreFactory.create(
            member=member, category=category, label="Microscopy", score=84.5, points=84.5, out_of=100
        )
    page: Page = open_signed_in(f"/courses/{course.id}", viewport={"width": width, "height": 844})
    found = page.locator(".grades th:first-child").evaluate_all(LINES_OF_WORDS)
    assert {text for text, _ in found} == {"Category", *names, "Microscopy"}
    assert {lines for _, lines in found} == {1}
    assert page.evaluate("document.documentElement.scrollWidth") == width
