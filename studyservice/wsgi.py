"""The WSGI application; it does not start when a system check fails."""

import io
import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

from django.conf import settings
from django.core.management.base import BaseCommand
from django.core.wsgi import get_wsgi_application

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "studyservice.settings")


def with_chunked_bodies(app: "WSGIApplication") -> "WSGIApplication":
    """Give `app` chunked request bodies with a length, which is all that Django reads.

    At most one byte more than the largest accepted body is read, so that a longer one is refused by its length.
    """

    def read_first(environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        if "CONTENT_LENGTH" not in environ and environ.get("wsgi.input_terminated"):
            body = environ["wsgi.input"].read(settings.MAX_BODY_BYTES + 1)
            environ["wsgi.input"] = io.BytesIO(body)
            environ["CONTENT_LENGTH"] = str(len(body))
        return app(environ, start_response)

    return read_first


application = with_chunked_bodies(get_wsgi_application())
BaseCommand().check()
