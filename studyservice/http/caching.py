"""Cache headers (RFC 9111) for every URL except members' pages.

Members' pages set them with Django's `never_cache`, and error pages set their own.
"""

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.deprecation import MiddlewareMixin

from studyservice.http.paths import is_description_path, is_unstored_path

DESCRIPTION_SECONDS = 300
"""How long a cache may keep an outdated description of the service."""

_UNSTORED = "no-store"
_SHORT = f"public, max-age={DESCRIPTION_SECONDS}"


class CacheControlMiddleware(MiddlewareMixin):
    """Sets `Cache-Control`, also on refusals and redirects, unless the view has set it."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """Set the header."""
        if is_unstored_path(request.path_info):
            response.headers.setdefault("Cache-Control", _UNSTORED)
        elif is_description_path(request.path_info):
            response.headers.setdefault("Cache-Control", _SHORT if response.status_code == 200 else _UNSTORED)
        return response
