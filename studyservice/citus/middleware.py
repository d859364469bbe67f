"""Release a request's place at the server of its member."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from studyservice.citus.servers import bulkhead


class ServerPlaceMiddleware:
    """Releases the place that a request holds at a server (`studyservice.citus.servers`)."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer, then release the place."""
        with bulkhead().request():
            return self.get_response(request)
