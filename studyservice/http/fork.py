"""Let API requests bypass the middleware that only pages need.

The order in `MIDDLEWARE`: that of all requests, `ApiFork`, that of pages, an `ApiGate`, that of all requests again. An
API request goes from the fork directly to the gate. The headers that the bypassed middleware would set are the same for
every API answer, so they are computed once.
"""

import io
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from corsheaders.middleware import CorsMiddleware
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.handlers.wsgi import WSGIRequest
from django.http import HttpRequest, HttpResponse
from django.middleware.security import SecurityMiddleware

from studyservice.http.caching import CacheControlMiddleware
from studyservice.http.headers import PreparedHeaders
from studyservice.http.paths import API_ROOTS, is_api_path

_Answer = Callable[[HttpRequest], HttpResponse]


class ApiGate:
    """Middleware that API requests enter directly from the fork, and all others after that of pages."""

    def __init__(self, get_response: _Answer) -> None:
        self.get_response = get_response


class ApiFork:
    """Sends API requests to the gate, and sets the headers common to their answers."""

    def __init__(self, get_response: _Answer) -> None:
        self.get_response = get_response
        self._gate = _gate_behind(get_response)
        self._prepared: dict[tuple[bool, bool, bool], PreparedHeaders] = {}

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not is_api_path(request.path_info):
            return self.get_response(request)
        response = self._gate(request)
        self._headers_for(request).put_on(response)
        return response

    def _headers_for(self, request: HttpRequest) -> PreparedHeaders:
        secure = bool(settings.SECURE_HSTS_SECONDS) and request.is_secure()
        kind = (secure, bool(request.META.get("HTTP_ORIGIN")), request.method == "OPTIONS")
        prepared = self._prepared.get(kind)
        if prepared is None:
            prepared = self._prepared[kind] = prepared_headers(*kind)
        return prepared


def prepared_headers(secure: bool, cross_origin: bool, options: bool) -> PreparedHeaders:
    """Return the headers that the middleware for caching, security and CORS would set on an API answer.

    Args:
        secure: whether the request came over https.
        cross_origin: whether it had an `Origin`.
        options: whether its method is OPTIONS.
    """
    scheme = "https" if secure else "http"
    environ: dict[str, Any] = {
        "REQUEST_METHOD": "OPTIONS" if options else "GET",
        "PATH_INFO": API_ROOTS[0],
        "wsgi.url_scheme": scheme,
        "wsgi.input": io.BytesIO(),
        "HTTP_X_FORWARDED_PROTO": scheme,
    }
    if cross_origin:
        environ["HTTP_ORIGIN"] = "https://any.example"
    answer: Any = _empty_answer
    for middleware in (CorsMiddleware, SecurityMiddleware, CacheControlMiddleware):
        answer = middleware(answer)
    return PreparedHeaders(answer(WSGIRequest(environ)).headers)


def _empty_answer(_request: HttpRequest) -> HttpResponse:
    """Return an answer without headers."""
    response = HttpResponse(status=HTTPStatus.NO_CONTENT)
    del response.headers["Content-Type"]
    return response


def _gate_behind(get_response: Any) -> _Answer:
    """Return the first `ApiGate` of the chain. Django wraps each middleware with functools
    (django.core.handlers.exception).

    Raises:
        ImproperlyConfigured: there is none.
    """
    while not isinstance(middleware := getattr(get_response, "__wrapped__", None), ApiGate):
        get_response = getattr(middleware, "get_response", None)
        if get_response is None:
            raise ImproperlyConfigured("MIDDLEWARE needs an ApiGate after ApiFork.")
    found: _Answer = get_response
    return found
