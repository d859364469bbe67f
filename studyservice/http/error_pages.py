"""Pages that explain an error and what to do next."""

from collections.abc import Mapping
from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string

from studyservice.http.request_ids import current_request_id
from studyservice.rates.limiter import Window


def error_page(
    request: HttpRequest,
    status: HTTPStatus,
    title: str,
    text: str,
    *,
    headers: Mapping[str, str] | None = None,
    wrong_account: bool = False,
) -> HttpResponse:
    """Render an error page.

    Args:
        title: the error in a few words.
        text: what to do next.
        wrong_account: whether another user may open the page; then it offers to sign in as them.

    After a server error the page is rendered without the request, because its session may have failed.
    """
    context = {
        "status": status.value,
        "title": title,
        "text": text,
        "wrong_account": wrong_account,
        "request_id": current_request_id(),
    }
    content = render_to_string(
        "studyservice/error.html", context, request if status < HTTPStatus.INTERNAL_SERVER_ERROR else None
    )
    response = HttpResponse(content, status=status, headers=dict(headers or {}))
    response.headers["Cache-Control"] = "no-store"
    return response


def too_many(request: HttpRequest, window: Window, title: str, instead: str = "") -> HttpResponse:
    """Return the 429 page, with `Retry-After`.

    Args:
        instead: a sentence about an alternative.
    """
    seconds = window.reset < 60
    number, unit = (window.reset, "second") if seconds else (-(-window.reset // 60), "minute")
    return error_page(
        request,
        HTTPStatus.TOO_MANY_REQUESTS,
        title,
        f"Wait {number} {unit}{'' if number == 1 else 's'}, then try again. {instead}".strip(),
        headers={"Retry-After": str(window.reset)},
    )
