"""A request's place at the server of its member, where members are spread over servers."""

from collections.abc import Callable

from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed
from django.http import HttpRequest, HttpResponse

from studyservice.database.citus.servers import bulkhead


class ServerPlaceMiddleware:
    """Frees the place that a request took (`studyservice.database.citus.servers`); elsewhere it is not in use."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        if not settings.DATABASE_DISTRIBUTED:
            raise MiddlewareNotUsed
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer, and leave."""
        with bulkhead().request():
            return self.get_response(request)
