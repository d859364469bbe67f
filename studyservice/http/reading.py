"""Public read-only views of the service that answer JSON."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt

from studyservice.http.responses import error_response
from studyservice.operations.errors import MethodNotAllowed

_READ = ("GET", "HEAD")


def read_only(view: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Restrict `view` to GET and HEAD. Other methods get an error in the envelope."""

    @csrf_exempt
    def answer(request: HttpRequest) -> HttpResponse:
        if request.method not in _READ:
            return error_response(MethodNotAllowed(headers={"Allow": ", ".join(_READ)}))
        return view(request)

    return answer
