"""Cache headers (RFC 9111) for every URL except members' pages.

Members' pages set them with Django's `never_cache`, and error pages set their own.
"""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from studyservice.http.paths import is_description_path, is_unstored_path

DESCRIPTION_SECONDS = 300
"""How long a cache may keep an outdated description of the service."""

_UNSTORED = "no-store"
_SHORT = f"public, max-age={DESCRIPTION_SECONDS}"


class CacheControlMiddleware:
    """Sets `Cache-Control`, also on refusals and redirects, unless the view has set it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer, then set the header."""
        response = self.get_response(request)
        if is_unstored_path(request.path_info):
            response.headers.setdefault("Cache-Control", _UNSTORED)
        elif is_description_path(request.path_info):
            response.headers.setdefault("Cache-Control", _SHORT if response.status_code == 200 else _UNSTORED)
        return response
