"""The key page in a real browser."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.support.entry_points import RestEntryPoint

pytestmark = pytest.mark.database("sqlite", "page layout")


@pytest.fixture
def keys_page(open_signed_in: Any) -> Page:
    page: Page = open_signed_in()
    return page


def create_key(page: Page, name: str, expires: str = "never", *, may_write: bool = False) -> str:
    page.get_by_label("Name").fill(name)
    page.get_by_label("Expires").select_option(expires)
    page.get_by_label("May change data").set_checked(may_write)
    page.get_by_role("button", name="Create key").click()
    return page.get_by_role("group", name="secret key").inner_text()


def test_a_key_is_shown_once_works_and_can_be_revoked(keys_page: Page) -> None:
    """Spec, API keys: a key cannot be shown again. After revocation, its next call is 401."""
    secret = create_key(keys_page, "Calendar script")
    assert RestEntryPoint(secret).call("get_me").error is None
    keys_page.reload()
    expect(keys_page.get_by_role("heading", name="Calendar script")).to_have_count(1)
    assert secret not in keys_page.content()
    keys_page.get_by_role("link", name="Revoke Calendar script").click()
    keys_page.get_by_role("button", name="Revoke key").click()
    expect(keys_page.get_by_role("status")).to_contain_text("“Calendar script” is revoked")
    assert RestEntryPoint(secret).call("get_me").error == "unauthorized"


@pytest.mark.thorough("forms without script, which tests/pages posts too")
def test_a_key_can_be_created_and_revoked_without_script(open_signed_in: Any) -> None:
    page = open_signed_in(java_script_enabled=False)
    secret = create_key(page, "Plain")
    page.get_by_role("link", name="Revoke Plain").click()
    page.get_by_role("button", name="Revoke key").click()
    assert RestEntryPoint(secret).call("get_me").error == "unauthorized"
    expect(page.get_by_role("button", name="Copy")).to_have_count(0)


def test_the_copy_button_copies(open_signed_in: Any) -> None:
    page = open_signed_in(permissions=["clipboard-read", "clipboard-write"])
    secret = create_key(page, "Copied")
    page.get_by_role("button", name="Copy secret key").click()
    expect(page.get_by_role("button", name="Copied secret key")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == secret


@pytest.mark.thorough("forms that tests/pages posts too")
def test_the_expiry_choices_are_applied(keys_page: Page) -> None:
    options = keys_page.get_by_label("Expires").locator("option").all_inner_texts()
    assert options == ["in 30 days", "in 60 days", "in 90 days", "in 180 days", "in 365 days", "never"]


@pytest.mark.thorough("text that tests/pages reads too")
def test_the_eleventh_key_is_rejected_with_advice(keys_page: Page, member: Any, make_key: Any) -> None:
    """Spec, Limits: 10 active API keys. The form was opened before the tenth key was created elsewhere."""
    for number in range(10):
        make_key(member, f"Key {number}")
    keys_page.get_by_label("Name").fill("Eleventh")
    keys_page.get_by_role("button", name="Create key").click()
    expect(keys_page.get_by_role("alert")).to_contain_text(
        "You have reached the limit of 10 active API keys. Revoke one first."
    )
    expect(keys_page.get_by_role("heading", name="API keys 10 of 10")).to_be_visible()


def test_connecting_an_assistant_comes_first_in_three_steps(keys_page: Page) -> None:
    headings = keys_page.get_by_role("heading", level=2).all_inner_texts()
    assert headings == ["Connect an assistant", "Connected apps", "API keys 0 of 10", "Create a key", "Calendar"]
    steps = keys_page.get_by_role("region", name="Connect an assistant").locator("ol > li h3")
    assert steps.all_inner_texts() == [
        "Copy the MCP address",
        "Give it to your assistant",
        "Allow it here",
    ]


def test_after_connecting_an_app_only_the_address_is_shown(open_signed_in: Any, connected_app: Any) -> None:
    region = open_signed_in().get_by_role("region", name="Connect an assistant")
    expect(region.locator("ol")).to_have_count(0)
    expect(region.get_by_role("group", name="MCP address")).to_be_visible()


def test_the_columns_of_keys_and_apps_align(
    open_signed_in: Any, member: Any, make_key: Any, connected_app: Any
) -> None:
    make_key(member, "A")
    make_key(member, "A key with a much longer name than the other", may_write=False, expires_days=30)
    page = open_signed_in(viewport={"width": 1280, "height": 800})
    rows = page.locator(".row").all()
    columns = [[term.bounding_box()["x"] for term in row.locator("dt").all()] for row in rows]
    assert len(columns) == 3
    assert columns == [columns[0]] * 3


def test_an_app_is_listed_and_can_be_disconnected(open_signed_in: Any, connected_app: Any) -> None:
    page = open_signed_in()
    row = page.get_by_role("listitem").filter(has_text="Study Helper")
    assert " ".join(row.inner_text().split()) == (
        "Study Helper not verified From helper.example May read Connected 1 Nov 2026, 10:30 Last call none yet "
        "Change the limits of Study Helper Disconnect Study Helper"
    )
    row.get_by_role("link", name="Disconnect").click()
    page.get_by_role("button", name="Disconnect").click()
    expect(page.get_by_role("status")).to_contain_text("“Study Helper” is disconnected")
    expect(page.get_by_text("No apps yet")).to_be_visible()
