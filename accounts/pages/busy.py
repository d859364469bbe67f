"""The error page while too many passwords are being checked."""

from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.utils.deprecation import MiddlewareMixin

from studyservice.http.error_pages import error_page
from studyservice.secrets.hashing import HashingBusy

RETRY_SECONDS = 1


class HashingBusyMiddleware(MiddlewareMixin):
    """Renders `HashingBusy` as a page wherever a password is hashed, in the admin too."""

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """Return 503 with `Retry-After`. Nothing was checked or changed."""
        if not isinstance(exception, HashingBusy):
            return None
        return error_page(
            request,
            HTTPStatus.SERVICE_UNAVAILABLE,
            "Many people are signing in",
            "Your password was not checked yet. Wait a moment, then reload this page to send the form again.",
            headers={"Retry-After": str(RETRY_SECONDS)},
        )
