"""A Chromium, a live server, and pages that fail on console errors and security policy violations."""

import os
import shutil
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid4

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page

    from accounts.credentials.connections import ConnectedApp
    from accounts.models import Member

NAMES = ["chromium-headless-shell", "chrome-headless-shell", "chromium", "chromium-browser"]
"""Names of programs. The shell is the same browser without windows, for little more than half the work."""

CHROMIUM = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), "")

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # All pages belong to one service or its apps. A process per page would start and compile the scripts again.
    "--renderer-process-limit=1",
]

PASSWORD = "correct horse battery"


@pytest.fixture(scope="session")
def browser() -> Iterator["Browser"]:
    """One Chromium for all tests."""
    if not CHROMIUM:
        pytest.skip("no Chromium: install one, or name it in CHROMIUM")
    from playwright.sync_api import sync_playwright

    # Playwright keeps an event loop in this thread, which makes Django refuse queries from here.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()
    del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


@pytest.fixture(scope="session")
def origin(django_db_setup: None) -> Iterator[str]:
    """The origin of a live server. The application itself serves static files, as in production."""
    from django.test.testcases import LiveServerThread

    def as_it_is(application: Any) -> Any:
        return application

    whole: Any = as_it_is  # Django calls it, but the stubs expect a class

    thread = LiveServerThread(
        "127.0.0.1",
        static_handler=whole,
        connections_override={},
    )
    thread.daemon = True
    thread.start()
    thread.is_ready.wait()
    if thread.error:
        raise thread.error
    yield f"http://127.0.0.1:{thread.port}"
    thread.terminate()


class Profiles:
    """Browser profiles, each with its cache of styles, scripts and fonts."""

    def __init__(self, browser: "Browser", origin: str) -> None:
        self._browser, self._origin = browser, origin
        self._kept: dict[str, BrowserContext] = {}
        self._used: list[BrowserContext] = []

    def empty(self, **options: Any) -> "BrowserContext":
        """A profile without data of earlier tests, with options of Playwright's `new_context`."""
        kept = self._kept.get(str(options))
        if kept is None or kept in self._used:
            kept = self._browser.new_context(**{"base_url": self._origin, "reduced_motion": "reduce"} | options)
            kept.set_default_timeout(10_000)
            # Needed to clear the origin's storage, and to keep the renderer process.
            kept.new_page().goto("/robots.txt")
            self._kept.setdefault(str(options), kept)
        self._used.append(kept)
        return kept

    def clear(self) -> None:
        """Clear each profile after a test: pages, cookies and storage."""
        while self._used:
            used = self._used.pop()
            if used not in self._kept.values():
                used.close()
                continue
            first, *opened = used.pages
            for page in opened:
                page.close()
            used.clear_cookies()
            first.evaluate("localStorage.clear()")


@pytest.fixture(scope="session")
def profiles(browser: "Browser", origin: str) -> Profiles:
    return Profiles(browser, origin)


PageFactory = Callable[..., "Page"]


@pytest.fixture
def open_page(profiles: Profiles, transactional_db: None) -> Iterator[PageFactory]:
    """Opens pages, each in its own browser profile, with options of Playwright's `new_context`.

    At the end, no page may have logged an error, including violations of Content-Security-Policy. The line that
    Chromium logs for a requested error page is ignored.
    """
    errors: list[str] = []

    def note(page: "Page", message: "ConsoleMessage") -> None:
        if message.type == "error" and not (
            message.text.startswith("Failed to load resource") and message.location["url"] == page.url
        ):
            errors.append(f"{page.url}: {message.text}")

    def open_(**options: Any) -> "Page":
        page = profiles.empty(**options).new_page()
        page.on("console", lambda message: note(page, message))
        page.on("pageerror", lambda error: errors.append(str(error)))
        return page

    yield open_
    profiles.clear()
    assert not errors, "\n".join(errors)


@pytest.fixture
def page(open_page: PageFactory) -> "Page":
    return open_page()


@pytest.fixture
def member(transactional_db: None, make_member: Callable[..., "Member"]) -> "Member":
    return make_member("ada@example.org", password=PASSWORD, name="Ada", time_zone="Europe/Paris")


@pytest.fixture
def newest_code(mailoutbox: list[Any]) -> Callable[[], str]:
    """The digits of the newest e-mail, once it has been sent."""
    from accounts import mail

    def read() -> str:
        mail.drain()
        return str(mailoutbox[-1].subject[:6])

    return read


@pytest.fixture
def open_signed_in(open_page: PageFactory, member: "Member", origin: str) -> PageFactory:
    """Opens a page, by default the key page, in a browser where Ada is signed in."""
    from django.test import Client

    def open_(path: str = "/keys", **options: Any) -> "Page":
        client = Client()
        client.force_login(member)
        page = open_page(**options)
        page.context.add_cookies([{"name": "sessionid", "value": client.cookies["sessionid"].value, "url": origin}])
        page.goto(path)
        return page

    return open_


class OneApp:
    """An authorization server with a single app."""

    app: "ConnectedApp"
    connected = False

    def connect(self) -> "ConnectedApp":
        from accounts.credentials.connections import ConnectedApp
        from studyservice.operations.declaration import Scope

        self.app = ConnectedApp(
            id=uuid4(),
            name="Study Helper",
            is_named=True,
            verified=False,
            hosts=("helper.example",),
            scopes=frozenset({Scope.READ}),
            connected_at=datetime(2026, 11, 1, 9, 30, tzinfo=UTC),
        )
        self.connected = True
        return self.app

    def connected_apps(self, member: "Member", *, most: int) -> "list[ConnectedApp]":
        return [self.app] if self.connected else []

    def one(self, member: "Member", app_id: UUID) -> "ConnectedApp | None":
        return self.app if self.connected and app_id == self.app.id else None

    def asking(self, target: str) -> None:
        return None

    def disconnect(self, member: Any, app_id: UUID) -> None:
        self.connected = self.connected and app_id != self.app.id


ONE_APP = OneApp()


@pytest.fixture
def connected_app(monkeypatch: pytest.MonkeyPatch) -> "ConnectedApp":
    """The one app, connected for every member."""
    from accounts.credentials.connections import CONNECTED_APPS

    monkeypatch.setattr(CONNECTED_APPS, "registered", [ONE_APP])
    return ONE_APP.connect()


class Landing(BaseHTTPRequestHandler):
    """The app's local callback server, like that of a desktop app."""

    def do_GET(self) -> None:  # the method name that http.server expects
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>The app</title><link rel=icon href=data:,>")

    def log_message(self, *args: Any) -> None:
        """Log nothing."""


@pytest.fixture(scope="session")
def callback() -> Iterator[str]:
    """The redirect URI of an app on this machine."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Landing) as landing:
        thread = Thread(target=landing.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{landing.server_address[1]}/callback"
        landing.shutdown()
        thread.join()


def sign_in(page: "Page", email: str = "ada@example.org") -> None:
    """Sign a member in with the password, from the sign-in page."""
    form = page.locator("form", has=page.get_by_label("Password"))
    form.get_by_label("E-mail address").fill(email)
    form.get_by_label("Password").fill(PASSWORD)
    form.get_by_role("button").click()


def ask_for_code(page: "Page", email: str = "ada@example.org", next_: str = "") -> None:
    """Ask for a code by e-mail."""
    from urllib.parse import quote

    page.goto("/sign-in" + (f"?next={quote(next_, safe='')}" if next_ else ""))
    page.get_by_label("E-mail address").first.fill(email)
    page.get_by_role("button", name="E-mail me a code").click()
    page.wait_for_url("**/sign-in/code**")


def enter_code(page: "Page", code: str) -> None:
    page.get_by_label("Six-digit code").fill(code)
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.wait_for_load_state()


def use_up_attempts(page: "Page") -> None:
    """Use up all sign-in attempts of the client address."""
    token = page.locator("input[name=csrfmiddlewaretoken]").first.input_value()
    for _ in range(15):
        page.request.post("/sign-in", form={"email": "no address", "csrfmiddlewaretoken": token})
