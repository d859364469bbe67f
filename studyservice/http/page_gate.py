"""Check the rate and the size of a page's request before its form is read.

Django's check of form tokens reads the whole body before every view; this runs before that check.
"""

from collections.abc import Callable
from http import HTTPStatus
from typing import Any, NamedTuple, TypeVar

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from studyservice.http.client_address import client_address
from studyservice.http.error_pages import error_page, too_many
from studyservice.http.paths import ADMIN_ROOT, is_below
from studyservice.rates.limiter import Rate, hit

_View = TypeVar("_View", bound=Callable[..., Any])


class PageRate(NamedTuple):
    """The rate of posts to a page."""

    rate: Rate
    title: str
    """The title of the refusal page."""
    key: Callable[[HttpRequest], str]
    """Returns the key to count by, without reading a form."""


def counts_posts(
    rate: Rate, title: str, key: Callable[[HttpRequest], str] = client_address
) -> Callable[[_View], _View]:
    """Count each post to the view, by default against its client address, and answer 429 beyond the rate."""

    def mark(view: _View) -> _View:
        view.__dict__["page_rate"] = PageRate(rate, title, key)  # decorators around it copy this attribute
        return view

    return mark


def refusal(request: HttpRequest, view: Any) -> HttpResponse | None:
    """Return 429 for a post to `view` beyond its rate, 413 for one that is too large, or None."""
    counted: PageRate | None = getattr(view, "page_rate", None)
    if counted is not None and request.method == "POST":
        window = hit(counted.rate, counted.key(request))
        if window.exceeded:
            return too_many(request, window, counted.title)
    told: str = request.META.get("CONTENT_LENGTH") or ""
    length = int(told) if told.isascii() and told.isdecimal() else 0
    usual: int = getattr(view, "max_body_bytes", settings.MAX_FORM_BYTES)
    if length <= usual:
        return None
    most = settings.MAX_UPLOAD_BYTES if _is_operators(request) else usual
    return _too_large(request, most) if length > most else None


def _is_operators(request: HttpRequest) -> bool:
    """Return whether the request is for the admin, by somebody who may use it. Costs a query or two."""
    return is_below(request.path_info, ADMIN_ROOT) and bool(getattr(request.user, "is_staff", False))


def _too_large(request: HttpRequest, most: int) -> HttpResponse:
    return error_page(
        request,
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        "That is too much for one form",
        f"Nothing was changed. This form takes at most {most // 1024:,} kB. Go back, shorten what you entered or "
        "choose smaller files, and send it again.",
    )
