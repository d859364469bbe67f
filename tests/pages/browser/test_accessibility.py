"""axe finds nothing wrong on any page, in light and dark, on a phone and on a desktop."""

from collections.abc import Sequence
from typing import Any, Literal

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

AXE: str = Axe().axe_script
OPTIONS: dict[str, Any] = {"resultTypes": ["violations"], "preload": False}
"""For axe; the policy of the pages lets it fetch nothing."""

OF_COLOURS = ["color-contrast", "link-in-text-block"]
COLOURS: dict[str, Any] = {"runOnly": {"type": "rule", "values": OF_COLOURS}}
STRUCTURE: dict[str, Any] = {"rules": {rule: {"enabled": False} for rule in OF_COLOURS}}

PHONE: ViewportSize = {"width": 360, "height": 740}
DESKTOP: ViewportSize = {"width": 1280, "height": 800}
Look = tuple[ViewportSize, Literal["light", "dark"], dict[str, Any]]

LOOKS: list[Look] = [(PHONE, "light", {}), (PHONE, "dark", COLOURS), (DESKTOP, "light", STRUCTURE)]
"""Each with the options for axe. Colours depend on the scheme alone, and what can be reached, or is in the way, on the
size alone, where each size shows the same: then no rule is asked twice. Rules of colours take most of the time."""

EVERY_LOOK: list[Look] = [*LOOKS, (DESKTOP, "light", COLOURS), (DESKTOP, "dark", COLOURS)]
"""For pages with parts that a phone hides, as contents at the side."""


def audit(
    page: Page, exclude: str | None = None, rules: list[str] | None = None, looks: Sequence[Look] = LOOKS
) -> None:
    """Run axe in every look, and see that nothing is wider than the screen.

    Args:
        page: as it is to be audited.
        exclude: CSS selector of what is left out.
        rules: tags of the rules, where not all are meant.
        looks: as of `LOOKS`.
    """
    context = {"exclude": [[exclude]] if exclude else []}
    tags = {"runOnly": rules} if rules else {}
    page.evaluate(AXE)
    found = []
    for viewport, scheme, options in looks:
        page.set_viewport_size(viewport)
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        page.evaluate(LOOK_IS_SETTLED)
        violations = page.evaluate(
            "([context, options]) => axe.run(context, options).then((results) => results.violations)",
            [context, OPTIONS | tags | options],
        )
        look = f"{viewport['width']} pixels, {scheme}"
        found += [
            f"{look}: {rule['id']}: {node['html']} {node['any'] + node['all'] + node['none']}"
            for rule in violations
            for node in rule["nodes"]
        ]
        if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
            found.append(f"{look}: wider than the screen")
    assert not found, "\n".join(found)


@pytest.mark.parametrize("path", ["/", "/sign-in", "/sign-out", "/nothing-here", "/docs/guides", "/changelog"])
def test_public_pages(page: Page, path: str) -> None:
    page.goto(path)
    audit(page)


@pytest.mark.parametrize(("slug", "looks"), [("quickstart", EVERY_LOOK), ("calendar", LOOKS)])
def test_a_guide(page: Page, slug: str, looks: Sequence[Look]) -> None:
    """One with tabs of code, one with tables alone: all are made by one template. Then with the search open."""
    page.goto(f"/docs/{slug}")
    page.locator("details").evaluate_all("all => all.forEach((one) => { one.open = true; })")
    audit(page, looks=looks)
    page.get_by_role("searchbox").fill("limit")
    expect(page.locator(".found a").first).to_be_visible()
    audit(page, looks=[(DESKTOP, "light", STRUCTURE)])


SHAPES = ["get_me", "list_items", "create_course", "import_calendar", "export_data", "delete_item"]
"""Operations that have each part of the reference that there is: parameters, a body, fields in fields, a file that is
sent, one that is answered, an answer without a body."""


def test_the_reference(page: Page, member: Any, make_key: Any) -> None:
    """With an operation that was tried out; then with everything opened. Colours are looked at in one operation of each
    shape: one template makes all."""
    page.goto("/docs#get_me")
    page.get_by_label("Key to try operations out with").fill(make_key(member)[0])
    operation = page.locator("#get_me")
    operation.get_by_text("Try it out").click()
    operation.get_by_role("button", name="Send GET").click()
    expect(operation.get_by_role("status")).to_contain_text("ada@example.org")
    page.locator("details").evaluate_all("all => all.forEach((one) => { one.open = true; })")
    audit(page, looks=[(PHONE, "light", STRUCTURE)])
    left = page.locator(".operation").evaluate_all(
        "(all, shapes) => all.filter((one) => shapes.includes(one.id) || one.remove()).length", SHAPES
    )
    assert left == len(SHAPES)
    audit(page, looks=EVERY_LOOK)


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
    page = open_signed_in(f"/keys/{key.id}/revoke")
    audit(page)


def test_the_page_before_disconnecting(open_signed_in: Any, connected_app: Any) -> None:
    page = open_signed_in(f"/keys/apps/{connected_app.id}/disconnect")
    audit(page)


def test_the_403_page(open_signed_in: Any) -> None:
    page = open_signed_in("/admin/login/")
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
    page = open_signed_in(f"/admin/{path}")
    audit(page, exclude=".select2", rules=["wcag2a", "wcag2aa"], looks=EVERY_LOOK)


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
