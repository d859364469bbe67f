"""Browsers in which a member has signed in before. Guesses made elsewhere do not slow them down.

A signed cookie, set at sign-in and valid for a year, contains a browser id and the hashed accounts. It grants no
access. It only gives the browser its own count of attempts at these accounts (OWASP, Slow Down Online Guessing Attacks
with Device Cookies). Attempts at other accounts count as if there were no cookie. Otherwise anyone with an account
could guess at the others with a fresh count for each browser.
"""

from dataclasses import dataclass
from datetime import timedelta
from secrets import token_urlsafe
from typing import Self

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from studyservice.http.requests import client_address
from studyservice.secrets.generated import sha256

LIFETIME = timedelta(days=365)

MAX_ACCOUNTS = 5
"""Number of accounts that a browser is known to, the newest."""

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
        """Return the browser of `request`, if it has a cookie that we signed within its lifetime."""
        text = request.get_signed_cookie(settings.DEVICE_COOKIE_NAME, default="", salt=_SALT, max_age=LIFETIME)
        name, *accounts = (text or "").split(".")
        return cls(name, tuple(accounts)) if name else None

    def knows(self, email: str) -> bool:
        """Return whether `email` has signed in with this browser."""
        return _mark(self.id, email) in self.accounts


def address_or_browser(request: HttpRequest) -> str:
    """Return the key under which a post to a sign-in page is counted, before its form is read."""
    browser = KnownBrowser.of(request)
    return browser.id if browser else client_address(request)


def is_elsewhere(request: HttpRequest, email: str) -> bool:
    """Return whether the browser is known, but not for `email`. Its attempt then also counts against its address."""
    browser = KnownBrowser.of(request)
    return browser is not None and not browser.knows(email)


def attempts_at(request: HttpRequest, email: str) -> str:
    """Return the bucket for attempts at the account of `email`: the shared one, or one for this browser."""
    browser = KnownBrowser.of(request)
    return f"{sha256(email)}:{browser.id}" if browser and browser.knows(email) else sha256(email)


def remember(request: HttpRequest, response: HttpResponse, email: str) -> None:
    """Add `email`, which just signed in, to the browser's cookie."""
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
    """Hash an address for the cookie with the browser's id, so that it is useless in another browser."""
    return sha256(f"{browser_id}:{email}")[:32]
