"""Page forms with a file, which may be larger than other forms."""

from collections.abc import Callable
from contextlib import ExitStack
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt, csrf_protect

from studyservice.http.error_pages import error_page
from studyservice.http.uploads import FormUploadHandler
from studyservice.operations.errors import ApiError
from studyservice.operations.uploads import Upload

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
            except ApiError as error:
                return error_page(
                    request, error.status, "Your file was not taken", error.message, headers=error.headers
                )

        # decorators around it copy this attribute (`page_gate`)
        receive.__dict__["max_body_bytes"] = upload.max_body_bytes
        return receive

    return decorate
