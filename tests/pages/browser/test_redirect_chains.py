"""How real apps use the browser around consent: redirecting callbacks, popups, long requests."""

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.pages.browser.conftest import ask_for_code, enter_code, sign_in
from tests.support.oauth import App

pytestmark = pytest.mark.database("sqlite", "a browser's policies")

OPENER = """<!doctype html><title>Opener</title><link rel=icon href=data:,>
<button id=connect>Connect</button><p id=answer></p>
<script>
let popup;
document.getElementById("connect").onclick = () => {
  popup = open(new URLSearchParams(location.search).get("ask"), "consent", "popup");
};
onmessage = (event) => {
  document.getElementById("answer").textContent = popup.closed ? "cut off" : event.data;
};
</script>"""
POPUP_CALLBACK = """<!doctype html><title>Back</title><link rel=icon href=data:,>
<script>opener.postMessage(new URLSearchParams(location.search).get("state"), "*")</script>"""


class WebApp(BaseHTTPRequestHandler):
    """A web app with three callbacks: one in a popup, one that redirects to another port, and one that opens a desktop
    app.
    """

    onward = ""

    def do_GET(self) -> None:  # the method name that http.server expects
        path, _, query = self.path.partition("?")
        match path:
            case "/opener":
                self._page(OPENER)
            case "/popup":
                self._page(POPUP_CALLBACK)
            case "/to-desktop":
                self._redirect(f"desktop-app://callback?{query}")
            case _:
                self._redirect(f"{self.onward}?{query}")

    def _page(self, html: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(html.encode())

    def _redirect(self, to: str) -> None:
        self.send_response(302)
        self.send_header("Location", to)
        self.end_headers()

    def log_message(self, *args: Any) -> None:
        """Log nothing."""


@contextmanager
def _served(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


@pytest.fixture
def web_app(callback: str) -> Iterator[str]:
    """The origin of the web app. Its callback `/on` redirects to `callback` on another port."""
    handler = type("Handler", (WebApp,), {"onward": callback})
    with _served(handler) as origin:
        yield origin


@pytest.fixture
def registered(transactional_db: None) -> Any:
    """Registers an app with one callback."""

    def make(callback: str) -> App:
        return App.registered(client_name="Planner", redirect_uris=[callback])

    return make


@pytest.mark.parametrize("decision", ["Allow", "Deny"])
def test_a_callback_can_redirect_to_a_desktop_app(
    open_signed_in: Any, web_app: str, registered: Any, decision: str
) -> None:
    """As claude.ai's callback does. A browser checks `form-action` for the whole chain of redirects."""
    page: Page = open_signed_in(f"/oauth/authorize?{registered(f'{web_app}/to-desktop').query()}")
    with page.expect_request("desktop-app://callback?*") as asked:
        page.get_by_role("button", name=decision).click()
    assert parse_qs(urlsplit(asked.value.url).query)["state"] == ["xyz"]


def test_an_invalid_request_of_a_signed_out_member_returns_an_error(
    page: Page, web_app: str, registered: Any, member: Any
) -> None:
    """From the sign-in form through this service to the app, and from there to another port."""
    page.goto(f"/oauth/authorize?{registered(f'{web_app}/on').query(response_type='token')}")
    sign_in(page)
    expect(page).to_have_title("The app")
    assert parse_qs(urlsplit(page.url).query)["error"] == ["unsupported_response_type"]


@pytest.mark.thorough("the same after a password")
def test_an_invalid_request_returns_an_error_after_a_code(
    page: Page, web_app: str, registered: Any, member: Any, newest_code: Any
) -> None:
    flawed = registered(f"{web_app}/on").query(response_type="token")
    ask_for_code(page, next_=f"/oauth/authorize?{flawed}")
    enter_code(page, newest_code())
    expect(page).to_have_title("The app")


def test_a_popup_keeps_its_opener(open_page: Any, origin: str, web_app: str, registered: Any, member: Any) -> None:
    """Through sign-in and consent and back. `Cross-Origin-Opener-Policy` would disconnect the popup."""
    page: Page = open_page()
    app = registered(f"{web_app}/popup")
    page.goto(f"{web_app}/opener?{urlencode({'ask': f'{origin}/oauth/authorize?{app.query()}'})}")
    with page.expect_popup() as opened:
        page.get_by_role("button", name="Connect").click()
    popup = opened.value
    sign_in(popup)
    popup.get_by_role("button", name="Allow").click()
    expect(page.locator("#answer")).to_have_text("xyz")


def test_a_long_request_survives_sign_in(page: Page, callback: str, registered: Any, member: Any) -> None:
    state = "s+/=" * 475
    page.goto(f"/oauth/authorize?{registered(callback).query(state=state)}")
    sign_in(page)
    page.get_by_role("button", name="Allow").click()
    expect(page).to_have_title("The app")
    assert parse_qs(urlsplit(page.url).query)["state"] == [state]


@pytest.mark.thorough("the same after a password")
def test_a_long_request_survives_sign_in_by_code(
    page: Page, callback: str, registered: Any, member: Any, newest_code: Any
) -> None:
    state = "s+/=" * 475
    page.goto(f"/oauth/authorize?{registered(callback).query(state=state)}")
    page.get_by_label("E-mail address").first.fill("ada@example.org")
    page.get_by_role("button", name="E-mail me a code").click()
    enter_code(page, newest_code())
    page.get_by_role("button", name="Allow").click()
    expect(page).to_have_title("The app")
    assert parse_qs(urlsplit(page.url).query)["state"] == [state]
