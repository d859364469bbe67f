"""Browsers that a member has signed in with before, which others' guesses do not slow down.

A signed cookie, which lives for a year and is set by signing in alone, names the browser and, hashed, its accounts. It
opens nothing: it only lets the browser's attempts at these accounts count for themselves (OWASP, Slow Down Online
Guessing Attacks with Device Cookies). Attempts at any other account count as if there were no cookie, or whoever has
an account could guess at the rest with as many counts as browsers.
"""

from dataclasses import dataclass
from datetime import timedelta
from secrets import token_urlsafe
from typing import Self

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from studyservice.http.client_address import client_address
from studyservice.secrets.generated import sha256

LIFETIME = timedelta(days=365)

MAX_ACCOUNTS = 5
"""Accounts that a browser is known to, the newest."""

_SALT = "sign-in"


@dataclass(frozen=True, slots=True)
class KnownBrowser:
    """The contents of the cookie.

    Attributes:
        id: random.
        accounts: hashes of the e-mail addresses that signed in, the newest first.
    """

    id: str
    accounts: tuple[str, ...]

    @classmethod
    def of(cls, request: HttpRequest) -> Self | None:
        """The browser behind `request`, if it has a cookie that we signed within its lifetime."""
        text = request.get_signed_cookie(settings.DEVICE_COOKIE_NAME, default="", salt=_SALT, max_age=LIFETIME)
        name, *accounts = (text or "").split(".")
        return cls(name, tuple(accounts)) if name else None

    def knows(self, email: str) -> bool:
        """Return whether `email` signed in here."""
        return _mark(self.id, email) in self.accounts


def address_or_browser(request: HttpRequest) -> str:
    """Under which name a post to a sign-in page is counted before its form is read."""
    browser = KnownBrowser.of(request)
    return browser.id if browser else client_address(request)


def is_elsewhere(request: HttpRequest, email: str) -> bool:
    """Return whether the browser is known, but not to `email`: its attempt then counts against its address as well."""
    browser = KnownBrowser.of(request)
    return browser is not None and not browser.knows(email)


def attempts_at(request: HttpRequest, email: str) -> str:
    """The bucket for attempts at the account of `email`: a shared one, or one for this browser."""
    browser = KnownBrowser.of(request)
    return f"{sha256(email)}:{browser.id}" if browser and browser.knows(email) else sha256(email)


def remember(request: HttpRequest, response: HttpResponse, email: str) -> None:
    """Make the browser known to `email`, which just signed in."""
    browser = KnownBrowser.of(request) or KnownBrowser(token_urlsafe(16), ())
    mark = _mark(browser.id, email)
    accounts = [mark, *(other for other in browser.accounts if other != mark)][:MAX_ACCOUNTS]
    response.set_signed_cookie(
        settings.DEVICE_COOKIE_NAME,
        ".".join([browser.id, *accounts]),
        salt=_SALT,
        max_age=LIFETIME,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def _mark(browser_id: str, email: str) -> str:
    """An address in the cookie, hashed with the browser's name, so that it means nothing in another browser."""
    return sha256(f"{browser_id}:{email}")[:32]
