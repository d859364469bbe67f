"""Count attempts to sign in. Guesses made elsewhere do not slow browsers down in which a member has signed in before.

A signed cookie, set at sign-in and valid for a year, contains a browser id and the hashed accounts. It grants no
access. It only gives the browser its own count of attempts at these accounts (OWASP, Slow Down Online Guessing Attacks
with Device Cookies). Attempts at other accounts count as if there were no cookie. Otherwise anyone with an account
could guess at the others with a fresh count for each browser.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from secrets import token_urlsafe
from typing import Self, TypeVar

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from studyservice.http.error_pages import counted, too_many
from studyservice.http.forms import counts_posts
from studyservice.http.requests import client_address
from studyservice.rates.limiter import DoublingWait, Rate
from studyservice.secrets.generated import sha256
from studyservice.secrets.hashing import HashingBusy

T = TypeVar("T")

TOO_MANY_CODES = "Too many codes for this address"
_TOO_MANY_ATTEMPTS = "Too many sign-in attempts"

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


def _address_or_browser(request: HttpRequest) -> str:
    """Return the key under which a post to a sign-in page is counted, before its form is read."""
    browser = KnownBrowser.of(request)
    return browser.id if browser else client_address(request)


attempts_are_counted = counts_posts(Rate.SIGN_IN, _TOO_MANY_ATTEMPTS, _address_or_browser)


def too_many_attempts(request: HttpRequest) -> HttpResponse | None:
    """Count an attempt that is not a post, like those of `attempts_are_counted`. 429 beyond the rate."""
    return counted(request, Rate.SIGN_IN, _address_or_browser(request), _TOO_MANY_ATTEMPTS)


def too_many_elsewhere(request: HttpRequest, email: str) -> HttpResponse | None:
    """Count an attempt at an account that has not signed in with this known browser. 429 beyond its address's rate."""
    browser = KnownBrowser.of(request)
    if browser is None or browser.knows(email):
        return None
    return counted(request, Rate.SIGN_IN, client_address(request), _TOO_MANY_ATTEMPTS)


def too_many_codes(request: HttpRequest, email: str) -> HttpResponse | None:
    """Count a request for a code to `email`. 429 after too many."""
    return counted(request, Rate.SIGN_IN_CODES, _attempts_at(request, email), TOO_MANY_CODES)


def try_password(request: HttpRequest, email: str, compare: Callable[[], T]) -> T | HttpResponse:
    """Return what `compare` found, which is false for a wrong password. Return the 429 page after too many of those.

    Raises:
        HashingBusy: too many passwords are being compared. The try does not count.
    """
    tries = DoublingWait(Rate.PASSWORDS, _attempts_at(request, email))
    if wait := tries.begin():
        return too_many(request, wait, "Too many wrong passwords", "Or go back and get a code by e-mail instead.")
    try:
        found = compare()
    except HashingBusy:
        tries.withdraw()
        raise
    if found:
        tries.forget()
    return found


def _attempts_at(request: HttpRequest, email: str) -> str:
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
