"""axe finds nothing wrong on any page, in light and dark, on a phone and on a desktop."""

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, ViewportSize, expect

from accounts.api_keys import revoke_api_key
from tests.pages.browser.conftest import ask_for_code, enter_code, use_up_attempts
from tests.support.factories import AccountEventFactory

pytestmark = pytest.mark.once("the look of pages")

LOOK_IS_SETTLED = """async () => {
  // Transitions to the new look exist once it was drawn.
  for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
  await Promise.allSettled(document.getAnimations().map((animation) => animation.finished));
}"""

SIZES: dict[str, ViewportSize] = {"phone": {"width": 360, "height": 740}, "desktop": {"width": 1280, "height": 800}}
AXE: str = Axe().axe_script
OPTIONS: dict[str, Any] = {"resultTypes": ["violations"], "preload": False}
"""For axe; the policy of the pages lets it fetch nothing."""


def audit(page: Page, exclude: str | None = None, rules: list[str] | None = None) -> None:
    """Run axe in every look, and see that nothing is wider than the screen.

    Args:
        page: as it is to be audited.
        exclude: CSS selector of what is left out.
        rules: tags of the rules, where not all are meant.
    """
    context = {"exclude": [[exclude]] if exclude else []}
    options = OPTIONS | ({"runOnly": rules} if rules else {})
    page.evaluate(AXE)
    found = []
    for size, viewport in SIZES.items():
        page.set_viewport_size(viewport)
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            page.evaluate(LOOK_IS_SETTLED)
            violations = page.evaluate(
                "([context, options]) => axe.run(context, options).then((results) => results.violations)",
                [context, options],
            )
            found += [
                f"{size}, {scheme}: {rule['id']}: {node['html']} {node['any'] + node['all'] + node['none']}"
                for rule in violations
                for node in rule["nodes"]
            ]
        if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
            found.append(f"{size}: wider than the screen")
    assert not found, "\n".join(found)


@pytest.mark.parametrize("path", ["/", "/sign-in", "/sign-out", "/nothing-here", "/docs/guides", "/changelog"])
def test_public_pages(page: Page, path: str) -> None:
    page.goto(path)
    audit(page)


@pytest.mark.parametrize("slug", ["quickstart", "assistants", "operating"])
def test_a_guide(page: Page, slug: str) -> None:
    """Then with the search open, in one look."""
    page.goto(f"/docs/{slug}")
    page.locator("details").evaluate_all("all => all.forEach((one) => { one.open = true; })")
    audit(page)
    page.get_by_role("searchbox").fill("limit")
    expect(page.locator(".found a").first).to_be_visible()
    assert Axe().run(page, options=OPTIONS).response["violations"] == []


def test_the_reference(page: Page, member: Any, make_key: Any) -> None:
    """With an operation that was tried out; then with everything opened, in one look."""
    page.goto("/docs#get_me")
    page.get_by_label("Key to try operations out with").fill(make_key(member)[0])
    operation = page.locator("#get_me")
    operation.get_by_text("Try it out").click()
    operation.get_by_role("button", name="Send GET").click()
    expect(operation.get_by_role("status")).to_contain_text("ada@example.org")
    audit(page)
    page.locator("details").evaluate_all("all => all.forEach((one) => { one.open = true; })")
    assert Axe().run(page, options=OPTIONS).response["violations"] == []


def test_sign_in_with_errors(page: Page) -> None:
    page.goto("/sign-in")
    page.get_by_role("button", name="Sign in with password").click()
    expect(page.get_by_text("Enter your password.")).to_be_visible()
    audit(page)


def test_the_code_page(page: Page, member: Any) -> None:
    ask_for_code(page)
    audit(page)
    enter_code(page, "12")
    expect(page.get_by_text("A code has six digits")).to_be_visible()
    audit(page)


def test_the_dead_code_page(page: Page, member: Any) -> None:
    ask_for_code(page, "nobody@example.org")
    for _ in range(5):
        enter_code(page, "000000")
    expect(page.get_by_role("alert")).to_be_visible()
    audit(page)


def test_the_key_page(open_signed_in: Any, member: Any, make_key: Any, connected_app: Any) -> None:
    revoke_api_key(make_key(member, "Old")[1])
    make_key(member, "A name that is as long as the names of keys can possibly be.")
    page = open_signed_in()
    for summary in page.locator("summary").all():
        summary.click()
    audit(page)


def test_the_key_page_with_a_new_key(open_signed_in: Any) -> None:
    page = open_signed_in()
    page.get_by_label("Name").fill("New")
    page.get_by_role("button", name="Create key").click()
    expect(page.get_by_role("heading", name="Your new key")).to_be_visible()
    audit(page)


def test_the_key_page_with_an_error(open_signed_in: Any) -> None:
    page = open_signed_in()
    page.get_by_role("button", name="Create key").click()
    expect(page.get_by_text("Give the key a name.")).to_be_visible()
    audit(page)


def test_the_page_before_revoking(open_signed_in: Any, member: Any, make_key: Any) -> None:
    key = make_key(member, "Calendar script")[1]
    page = open_signed_in()
    page.goto(f"/keys/{key.id}/revoke")
    audit(page)


def test_the_page_before_disconnecting(open_signed_in: Any, connected_app: Any) -> None:
    page = open_signed_in()
    page.goto(f"/keys/apps/{connected_app.id}/disconnect")
    audit(page)


def test_the_403_page(open_signed_in: Any) -> None:
    page = open_signed_in()
    page.goto("/admin/login/")
    expect(page.get_by_role("heading", name="Not allowed")).to_be_visible()
    audit(page)


def test_the_429_page(page: Page) -> None:
    page.goto("/sign-in")
    use_up_attempts(page)
    page.get_by_role("button", name="E-mail me a code").click()
    expect(page.get_by_role("heading", name="Too many sign-in attempts")).to_be_visible()
    audit(page)


@pytest.mark.parametrize("path", ["", "courses/course/add/"])
def test_the_admin(open_signed_in: Any, member: Any, path: str) -> None:
    """WCAG 2 A and AA, but for the lookup fields that Django draws with Select2."""
    member.is_staff = member.is_superuser = True
    member.save()
    page = open_signed_in()
    page.goto(f"/admin/{path}")
    audit(page, exclude=".select2", rules=["wcag2a", "wcag2aa"])


def test_the_500_page(open_signed_in: Any, settings: Any) -> None:
    page = open_signed_in()
    settings.CONNECTED_APPS = "nobody.knows"
    page.goto("/keys")
    expect(page.get_by_role("heading", name="Something went wrong on our side")).to_be_visible()
    audit(page)


def test_the_account_events(open_signed_in: Any, member: Any) -> None:
    for kind, name in (("key_made", "A key with quite a long name, as long as can be"), ("operator_read", "")):
        AccountEventFactory.create(member=member, kind=kind, object_name=name, network="2001:db8:1200::/56")
    page = open_signed_in()
    for path in ("/activity", "/activity/account"):
        page.goto(path)
        audit(page)
