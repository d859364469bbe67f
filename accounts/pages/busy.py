"""What a page answers while enough passwords are being checked."""

from collections.abc import Callable
from http import HTTPStatus

from django.http import HttpRequest, HttpResponse

from accounts.hashing import HashingBusy
from studyservice.http.error_pages import error_page

RETRY_SECONDS = 1


class HashingBusyMiddleware:
    """Makes `HashingBusy` a page, wherever a password was to be hashed: at sign-in, in the admin."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Go on."""
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """503 with `Retry-After`; nothing was checked or changed."""
        if not isinstance(exception, HashingBusy):
            return None
        return error_page(
            request,
            HTTPStatus.SERVICE_UNAVAILABLE,
            "Many people are signing in",
            "Your password was not checked yet. Wait a moment, then reload this page to send the form again.",
            headers={"Retry-After": str(RETRY_SECONDS)},
        )
