"""Rate limits of credentials."""

from django.http import HttpRequest

from accounts.credentials.resolving import CREDENTIAL, Credential
from studyservice.http.requests import RequestKey
from studyservice.rates.limiter import Rate, Window, hit

WINDOW = RequestKey[Window]("window")
"""The rate limit's state after the request was counted. Missing if it was not counted."""


def count(credential: Credential, amount: int = 1) -> Window:
    """Count `amount` requests of `credential`. Return the window with less remaining.

    A request refused by its own window does not count against its connection's. So one runaway token leaves the others
    their share.
    """
    own = hit(Rate.API, str(credential.id), amount)
    if credential.connection is None or own.exceeded:
        return own
    return min(own, hit(Rate.CONNECTION, str(credential.connection.id), amount), key=_sort_key)


def count_more(request: HttpRequest, amount: int) -> Window | None:
    """Count `amount` further requests in the same HTTP request. None without a credential; nothing is counted then."""
    credential = CREDENTIAL.get(request)
    if credential is None or amount <= 0:
        return None
    window = count(credential, amount)
    WINDOW.set(request, window)
    return window


def _sort_key(window: Window) -> tuple[bool, int, int]:
    """Sort key of windows: exceeded ones first, then by the remaining requests, then the later end first."""
    return (not window.exceeded, window.remaining, -window.reset)
