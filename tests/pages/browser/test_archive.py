"""Export, import and deletion of an account in a real browser: by keyboard, with and without script."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from accounts.models import Member
from courses.models import Course
from tests.pages.browser.test_accessibility import audit
from tests.support.archives import a_course, lines_of, one_course, parts, zipped
from tests.support.factories import CourseFactory

pytestmark = [pytest.mark.database("sqlite", "page layout"), pytest.mark.usefixtures("files")]


SCRIPT = [True, pytest.param(False, marks=pytest.mark.thorough("forms without script, which tests/pages posts too"))]


def saved(page: Page, button: str) -> bytes:
    """The file that a button downloads."""
    with page.expect_download() as started:
        page.get_by_role("button", name=button).press("Enter")
    assert started.value.suggested_filename.startswith("study-data-")
    return Path(started.value.path()).read_bytes()


@pytest.mark.parametrize("script", SCRIPT)
def test_everything_can_be_exported(open_signed_in: Any, member: Member, script: bool) -> None:
    CourseFactory.create(member=member, name="Cell Biology")
    page = open_signed_in("/account", java_script_enabled=script)
    [line] = lines_of(saved(page, "Export everything"), "courses")
    assert line["name"] == "Cell Biology"


@pytest.mark.parametrize("script", SCRIPT)
def test_an_archive_can_be_imported(open_signed_in: Any, member: Member, script: bool) -> None:
    page = open_signed_in("/account", java_script_enabled=script)
    page.get_by_role("link", name="Import an archive").click()
    archive = {"name": "study-data.zip", "mimeType": "application/zip", "buffer": one_course()}
    page.get_by_label("Archive (.zip)").set_input_files(archive)
    page.get_by_role("button", name="Import").press("Enter")
    expect(page.get_by_role("status")).to_contain_text("Your archive was imported: 1 course.")
    assert Course.objects.filter(member=member).count() == 1
    page.goto("/activity")
    expect(page.get_by_text("An import cannot be undone.")).to_be_visible()


def test_the_account_can_be_deleted(open_signed_in: Any, member: Member) -> None:
    page = open_signed_in("/account")
    page.get_by_role("link", name="Delete account").press("Enter")
    assert lines_of(saved(page, "Export everything first"), "courses") == []
    page.get_by_role("button", name="Delete my account and all data").press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("Enter your e-mail address.")
    page.get_by_label("Your e-mail address, to confirm").fill("ada@example.org")
    page.keyboard.press("Enter")
    page.wait_for_url("**/sign-in")
    expect(page.get_by_role("status")).to_contain_text("Your account and everything in it is deleted.")
    assert not Member.objects.exists()


def test_archive_pages_are_accessible(open_signed_in: Any) -> None:
    """On fresh pages and on pages with errors."""
    page = open_signed_in("/account/import")
    audit(page)
    wrong = zipped(parts(courses=[a_course(name=""), a_course(name="x" * 121)]))
    page.get_by_label("Archive (.zip)").set_input_files(
        {"name": "study-data.zip", "mimeType": "application/zip", "buffer": wrong}
    )
    page.get_by_role("button", name="Import").click()
    expect(page.get_by_text("data/courses.jsonl, line 1: name: Must not be empty.")).to_be_visible()
    audit(page)
    page.goto("/account/delete")
    audit(page)
    page.get_by_role("button", name="Delete my account and all data").click()
    expect(page.get_by_role("alert")).to_contain_text("Enter your e-mail address.")
    audit(page)
