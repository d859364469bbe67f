"""Forms of pages: their rates and sizes, checked before a form is read, and forms with a file.

Django's check of form tokens reads the whole body before every view; `refusal` runs before that check.
"""

from collections.abc import Callable
from contextlib import ExitStack
from functools import wraps
from http import HTTPStatus
from typing import Any, NamedTuple, TypeVar

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt, csrf_protect

from studyservice.http.error_pages import error_page, too_many
from studyservice.http.requests import ADMIN_ROOT, client_address, is_below
from studyservice.http.uploads import FormUploadHandler
from studyservice.operations.errors import ApiError, NotFound
from studyservice.operations.uploads import Upload
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
    # The admin's forms may be larger, for those who may use it. To find that out costs a query or two.
    is_operators = is_below(request.path_info, ADMIN_ROOT) and getattr(request.user, "is_staff", False)
    most = settings.MAX_UPLOAD_BYTES if is_operators else usual
    return _too_large(request, most) if length > most else None


def _too_large(request: HttpRequest, most: int) -> HttpResponse:
    return error_page(
        request,
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        "That is too much for one form",
        f"Nothing was changed. This form takes at most {most // 1024:,} kB. Go back, shorten what you entered or "
        "choose smaller files, and send it again.",
    )


_Page = Callable[..., HttpResponse]


def takes_file(upload: Upload) -> Callable[[_Page], _Page]:
    """Let the form of a view contain a file, limited by `upload`, with its own queue.

    Place it below the decorator that requires a sign-in, so that only members' files are parsed. The form's token is
    in the body like the file, so it is checked here and not before the view.
    """

    def decorate(view: _Page) -> _Page:
        protected: _Page = csrf_protect(view)

        @csrf_exempt
        @wraps(view)
        def receive(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            if request.method != "POST":
                return protected(request, *args, **kwargs)
            try:
                with ExitStack() as turn:
                    if upload.turn is not None:
                        turn.enter_context(upload.turn())
                    handler = turn.enter_context(FormUploadHandler(request))
                    request.upload_handlers = [handler]
                    return protected(request, *args, **kwargs)
            except NotFound:  # the view's decorators answer it
                raise
            except ApiError as error:
                return error_page(
                    request, error.status, "Your file was not taken", error.message, headers=error.headers
                )

        # decorators around it copy this attribute (`refusal`)
        receive.__dict__["max_body_bytes"] = upload.max_body_bytes
        return receive

    return decorate
