"""Both ways of signing in, in a real browser."""

from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from tests.pages.browser.conftest import PASSWORD, ask_for_code, enter_code, sign_in, use_up_attempts

pytestmark = pytest.mark.database(
    "sqlite", "forms, keys and redirects in a browser; the same pages run on both databases without one"
)


def test_a_member_signs_in_by_code(page: Page, member: Any, newest_code: Any) -> None:
    ask_for_code(page)
    enter_code(page, newest_code())
    page.wait_for_url("**/")
    expect(page.get_by_role("heading", name="This week")).to_be_visible()


def test_a_member_signs_in_by_password_and_out(page: Page, member: Any) -> None:
    page.goto("/sign-in")
    sign_in(page)
    page.locator("summary", has_text="Account").click()
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_url("**/")
    page.goto("/keys")
    page.wait_for_url("**/sign-in?next=/keys")


@pytest.mark.thorough("forms without script, which tests/pages posts too")
def test_signing_in_works_without_script(open_page: Any, member: Any, newest_code: Any) -> None:
    page = open_page(java_script_enabled=False)
    ask_for_code(page)
    enter_code(page, newest_code())
    page.wait_for_url("**/")


def test_signing_in_works_by_keyboard_only(page: Page, member: Any) -> None:
    page.goto("/sign-in")
    page.get_by_label("E-mail address").last.focus()
    page.keyboard.type("ada@example.org")
    page.keyboard.press("Tab")
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url("**/")


@pytest.mark.thorough("text that tests/pages reads too")
def test_the_fifth_wrong_code_shows_too_many_tries(page: Page, member: Any, newest_code: Any) -> None:
    """Spec, Limits: 5 wrong sign-in codes, then a too-many-tries message."""
    ask_for_code(page)
    code = newest_code()
    wrong = f"{(int(code) + 1) % 10**6:06}"
    for _ in range(4):
        enter_code(page, wrong)
        expect(page.get_by_text("Wrong code")).to_be_visible()
    enter_code(page, wrong)
    expect(page.get_by_role("alert")).to_contain_text("Too many wrong tries")
    page.get_by_role("button", name="Send a new code").click()
    enter_code(page, newest_code())
    page.wait_for_url("**/")


@pytest.mark.thorough("text that tests/pages reads too")
def test_too_many_attempts_show_when_to_return(page: Page, member: Any) -> None:
    page.goto("/sign-in")
    use_up_attempts(page)
    page.get_by_label("E-mail address").first.fill("ada@example.org")
    page.get_by_role("button", name="E-mail me a code").click()
    expect(page.get_by_role("heading", name="Too many sign-in attempts")).to_be_visible()
    expect(page.get_by_role("main")).to_contain_text("Wait")


FOREIGN = pytest.mark.thorough("tests/pages/test_sign_in.py sends all of them")


@pytest.mark.parametrize(
    ("target", "lands"),
    [
        ("/sign-out", "/sign-out"),
        ("/keys?from=mail", "/keys?from=mail"),
        pytest.param("https://evil.example/", "/keys", marks=FOREIGN),
        pytest.param("//evil.example", "/keys", marks=FOREIGN),
        ("/\\evil.example", "/keys"),
        pytest.param("javascript:alert(1)", "/keys", marks=FOREIGN),
    ],
)
def test_next_leads_only_to_this_site(page: Page, origin: str, member: Any, target: str, lands: str) -> None:
    """Spec, Authorization code flow: a foreign target leads to the key-management page."""
    page.goto(f"/sign-in?next={quote(target, safe='')}")
    sign_in(page)
    page.wait_for_url(origin + lands)
