"""axe finds no violations on any page, in light and dark, on a phone and on a desktop."""

from typing import Any, Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, ViewportSize, expect

from accounts.credentials.connections import CONNECTED_APPS
from accounts.credentials.keys import revoke_api_key
from tests.pages.browser.conftest import ask_for_code, enter_code, use_up_attempts
from tests.support.factories import AccountEventFactory
from tests.support.run import is_thorough

pytestmark = pytest.mark.database("sqlite", "page layout")

LOOK_IS_SETTLED = """async () => {
  // Transitions to the new look exist once it was drawn.
  for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
  await Promise.allSettled(document.getAnimations().map((animation) => animation.finished));
}"""

AXE: str = Axe().axe_script
OPTIONS: dict[str, Any] = {"resultTypes": ["violations"], "preload": False}
"""For axe, since the pages' policy blocks its fetches."""

OF_COLOURS = ["color-contrast", "link-in-text-block"]
"""Rules that another scheme may break. They take most of the time."""

COLOURS: dict[str, Any] = {"runOnly": {"type": "rule", "values": OF_COLOURS}}
COLOURS_AND_SCROLLING: dict[str, Any] = {
    "runOnly": {"type": "rule", "values": [*OF_COLOURS, "scrollable-region-focusable"]}
}
"""Rules that depend on the size even if it shows the same elements, like scrollable regions."""

STRUCTURE: dict[str, Any] = {"rules": {rule: {"enabled": False} for rule in OF_COLOURS}}

PHONE: ViewportSize = {"width": 360, "height": 740}
DESKTOP: ViewportSize = {"width": 1280, "height": 800}

NOTE_SHOWN = """(size) => {
  const drawn = ({ width, height, right }) => width > 1 && height > 1 && right > 0;
  const seen = (one) => one.checkVisibility({ visibilityProperty: true }) && drawn(one.getBoundingClientRect());
  const all = [...document.body.querySelectorAll("*")].filter(seen);
  window.shown ??= {};
  shown[size] = new Map(all.map((one) => [one, getComputedStyle(one).display]));
}"""
"""Stores in the page which elements a size shows and with what role: a table displayed as blocks is not a table."""

ALONE = "([size, other]) => (shown.alone = [...shown[size].keys()].filter((one) => !shown[other].has(one))).length"
"""Counts elements shown in only one of two sizes, and stores them in the page for axe."""

DIFFERS = "([size, other]) => [...shown[size]].some(([one, display]) => shown[other].get(one) !== display)"
"""True if the sizes show different elements, or show them differently."""

RUN = """([exclude, options, alone]) =>
  axe.run(alone ? { include: shown.alone, exclude } : { exclude }, options).then((results) => results.violations)"""


class Audit:
    """Audits a page in its current state. Arguments are those of `audit`."""

    def __init__(self, page: Page, exclude: str | None = None, rules: list[str] | None = None) -> None:
        self._page, self._exclude = page, [[exclude]] if exclude else []
        self._options = OPTIONS | ({"runOnly": rules} if rules else {})
        self._look = ""
        self.found: list[str] = []
        if not page.evaluate("'axe' in window"):
            page.evaluate(AXE)

    def show(self, size: ViewportSize, scheme: Literal["light", "dark"]) -> None:
        """Show the page in one size and scheme, and check that nothing is wider than the screen."""
        self._look = f"{size['width']} pixels, {scheme}"
        self._page.set_viewport_size(size)
        self._page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        self._page.evaluate(LOOK_IS_SETTLED)
        self._page.evaluate(NOTE_SHOWN, size["width"])
        if self._page.evaluate("document.documentElement.scrollWidth > innerWidth"):
            self.found.append(f"{self._look}: wider than the screen")

    def ask(self, options: dict[str, Any], *, alone: bool = False) -> None:
        """Run axe on the whole page, or on the elements of `alone`, with these and the common options."""
        for rule in self._page.evaluate(RUN, [self._exclude, self._options | options, alone]):
            self.found += [
                f"{self._look}: {rule['id']}: {node['html']} {node['any'] + node['all'] + node['none']}"
                for node in rule["nodes"]
            ]

    def differs(self) -> bool:
        """Return whether some elements differ between the two sizes."""
        sizes = [PHONE["width"], DESKTOP["width"]]
        return any(self._page.evaluate(DIFFERS, pair) for pair in (sizes, sizes[::-1]))

    def alone(self, size: ViewportSize, other: ViewportSize) -> bool:
        """Mark elements that only one size shows. Return whether there are any."""
        return bool(self._page.evaluate(ALONE, [size["width"], other["width"]]))


def audit(page: Page, exclude: str | None = None, rules: list[str] | None = None) -> None:
    """Run axe on a phone and on a desktop, in light and dark, and check that nothing is wider than the screen.

    A quick run audits only a phone in light. No rule checks the same twice: colors depend only on the scheme, and other
    rules on the elements that a size shows. Colors of elements in only one size are checked in that size, in both
    schemes.

    Args:
        page: in the state to audit; it is left as a desktop in light.
        exclude: CSS selector of elements to skip.
        rules: tags of rules, by default all.
    """
    of = Audit(page, exclude, rules)
    if not is_thorough():
        of.show(PHONE, "light")
        of.ask({})
        page.set_viewport_size(DESKTOP)
        assert not of.found, "\n".join(of.found)
        return
    of.show(PHONE, "dark")
    of.ask({})
    of.show(DESKTOP, "light")
    differs = of.differs()
    of.ask({} if differs else COLOURS_AND_SCROLLING)
    if differs and of.alone(PHONE, DESKTOP):
        of.show(PHONE, "light")
        of.ask(COLOURS, alone=True)
    if differs and of.alone(DESKTOP, PHONE):
        of.show(DESKTOP, "dark")
        of.ask(COLOURS, alone=True)
    if differs:
        of.show(DESKTOP, "light")
    assert not of.found, "\n".join(of.found)


def audit_structure(page: Page, size: ViewportSize) -> None:
    """Run every rule except colors in one size, and check that nothing is wider than the screen."""
    of = Audit(page)
    of.show(size, "light")
    of.ask(STRUCTURE)
    assert not of.found, "\n".join(of.found)


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/sign-out",
        "/nothing-here",
        "/docs/guides",
        "/docs",
        pytest.param("/changelog", marks=pytest.mark.thorough("a long guide")),
    ],
)
def test_public_pages_are_accessible(page: Page, path: str) -> None:
    page.goto(path)
    audit(page)


def test_the_sign_in_page_is_accessible(page: Page) -> None:
    """When opened, with an error, and after too many attempts."""
    page.goto("/sign-in")
    audit(page)
    page.get_by_role("button", name="Sign in with password").click()
    expect(page.get_by_role("alert")).to_contain_text("Enter your password.")
    audit(page)
    use_up_attempts(page)
    page.get_by_role("button", name="E-mail me a code").click()
    expect(page.get_by_role("heading", name="Too many sign-in attempts")).to_be_visible()
    audit(page)


@pytest.mark.parametrize(
    "slug", ["quickstart", pytest.param("calendar", marks=pytest.mark.thorough("like the others, but without tabs"))]
)
def test_a_guide_is_accessible(page: Page, slug: str) -> None:
    """One page with tabs of code, one with only tables (all share a template), and one with an open search."""
    page.goto(f"/docs/{slug}")
    page.locator("details").evaluate_all("all => all.forEach((one) => { one.open = true; })")
    audit(page)
    page.get_by_role("searchbox").fill("limit")
    expect(page.locator(".found a").first).to_be_visible()
    audit_structure(page, DESKTOP)


@pytest.mark.thorough("pages of one template; test_reference.py runs their script")
@pytest.mark.parametrize("tag", ["member", "courses", "planning"])
def test_the_reference_is_accessible(page: Page, member: Any, make_key: Any, tag: str) -> None:
    """With everything expanded: parameters, bodies, nested fields, uploads and downloads."""
    page.goto(f"/docs/reference/{tag}")
    page.get_by_label("Key to try operations with").fill(make_key(member)[0])
    page.locator("details").evaluate_all("all => all.forEach((one) => { one.open = true; })")
    if tag == "member":
        operation = page.locator("#get_me")
        operation.get_by_role("button", name="Send GET").click()
        expect(operation.get_by_role("status")).to_contain_text("ada@example.org")
    audit(page)


def test_the_code_page_is_accessible(page: Page, member: Any) -> None:
    """When opened, with an error, and after five wrong codes."""
    ask_for_code(page)
    audit(page)
    enter_code(page, "12")
    expect(page.get_by_role("alert")).to_contain_text("A code has six digits")
    audit(page)
    token = page.locator("input[name=csrfmiddlewaretoken]").first.input_value()
    for _ in range(4):
        page.request.post(page.url, form={"code": "000000", "csrfmiddlewaretoken": token})
    enter_code(page, "000000")
    expect(page.get_by_role("alert")).to_be_visible()
    audit(page)


def test_the_key_page_is_accessible(open_signed_in: Any, member: Any, make_key: Any, connected_app: Any) -> None:
    revoke_api_key(make_key(member, "Old")[1])
    make_key(member, "A name that is as long as the names of keys can possibly be.")
    page = open_signed_in()
    for summary in page.locator("summary").all():
        summary.click()
    audit(page)


@pytest.mark.thorough("other states of pages that were looked at")
def test_the_key_page_with_an_error_or_a_new_key_is_accessible(open_signed_in: Any) -> None:
    page = open_signed_in()
    page.get_by_role("button", name="Create key").click()
    expect(page.get_by_text("Enter a name for the key.")).to_be_visible()
    audit(page)
    page.get_by_label("Name").fill("New")
    page.get_by_role("button", name="Create key").click()
    expect(page.get_by_role("heading", name="Your new key")).to_be_visible()
    audit(page)


@pytest.mark.thorough("a page made of the same parts")
def test_the_page_before_revoking_is_accessible(open_signed_in: Any, member: Any, make_key: Any) -> None:
    key = make_key(member, "Calendar script")[1]
    page = open_signed_in(f"/keys/{key.id}/revoke")
    audit(page)


@pytest.mark.thorough("a page made of the same parts")
def test_the_page_before_disconnecting_is_accessible(open_signed_in: Any, connected_app: Any) -> None:
    page = open_signed_in(f"/keys/apps/{connected_app.id}/disconnect")
    audit(page)


@pytest.mark.thorough("a page made of the same parts")
def test_the_403_page_is_accessible(open_signed_in: Any) -> None:
    page = open_signed_in("/admin/login/")
    expect(page.get_by_role("heading", name="Not allowed")).to_be_visible()
    audit(page)


@pytest.mark.parametrize("path", ["", "courses/course/add/"])
def test_the_admin_is_accessible(open_signed_in: Any, member: Any, path: str) -> None:
    """WCAG 2 A and AA, except the lookup fields that Django renders with Select2."""
    member.is_staff = member.is_superuser = True
    member.save()
    page = open_signed_in(f"/admin/{path}")
    audit(page, exclude=".select2", rules=["wcag2a", "wcag2aa"])


@pytest.mark.thorough("a page made of the same parts")
def test_the_500_page_is_accessible(open_signed_in: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    page = open_signed_in()
    monkeypatch.setattr(CONNECTED_APPS, "registered", [])
    page.goto("/keys")
    expect(page.get_by_role("heading", name="Something went wrong on our side")).to_be_visible()
    audit(page)


@pytest.mark.thorough("a table like others")
def test_the_account_events_are_accessible(open_signed_in: Any, member: Any) -> None:
    for kind, name in (("key_made", "A key with quite a long name, as long as can be"), ("operator_read", "")):
        AccountEventFactory.create(member=member, kind=kind, object_name=name, network="2001:db8:1200::/56")
    page = open_signed_in("/activity")
    audit(page)
    page.goto("/activity/account")
    audit(page)
