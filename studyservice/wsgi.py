"""The WSGI application; it does not start when a system check fails."""

import io
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import IO, TYPE_CHECKING

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.core.management.base import BaseCommand
from django.core.wsgi import get_wsgi_application

from studyservice import rates

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "studyservice.settings")


_DISCARDED_BYTES = 8 * 1024 * 1024


def with_chunked_bodies(app: "WSGIApplication") -> "WSGIApplication":
    """Give `app` chunked request bodies with a length, which is all that Django reads.

    At most one byte more than the largest accepted body is read, so that a longer one is refused by its length, or when
    a page, whose forms may be longer, reads it.
    """

    def read_first(environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        if "CONTENT_LENGTH" not in environ and environ.get("wsgi.input_terminated"):
            body = environ["wsgi.input"].read(settings.MAX_BODY_BYTES + 1)
            environ["wsgi.input"] = io.BytesIO(body) if len(body) <= settings.MAX_BODY_BYTES else _TooLarge()
            environ["CONTENT_LENGTH"] = str(len(body))
        return app(environ, start_response)

    return read_first


class _TooLarge(io.BytesIO):
    """A body of which only the beginning was read."""

    def read(self, size: int | None = -1) -> bytes:
        """Nothing.

        Raises:
            RequestDataTooBig: always; Django answers 400.
        """
        raise RequestDataTooBig("The chunked body is too large.")

    readline = read


def with_refused_bodies_read(app: "WSGIApplication") -> "WSGIApplication":
    """Read and discard what `app` left of a request body, up to 8 MiB, once its answer was sent.

    A client that is still sending would otherwise lose the connection before it sees why it was refused.
    """

    def discard_after(environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        body: IO[bytes] = environ["wsgi.input"]
        answer = app(environ, start_response)
        if environ.get("CONTENT_LENGTH", "0") in {"", "0"}:
            return answer
        return _Discarding(answer, body)

    return discard_after


class _Discarding:
    """An answer that reads the rest of `body` when it is closed."""

    def __init__(self, answer: Iterable[bytes], body: IO[bytes]) -> None:
        self._answer = answer
        self._body = body

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._answer)

    def close(self) -> None:
        """Close the answer; a body that stops arriving ends with its connection."""
        if hasattr(self._answer, "close"):
            self._answer.close()
        left = 0 if getattr(self._body, "failed", False) else _DISCARDED_BYTES  # gunicorn's: it stalled already
        with suppress(OSError):
            while left > 0 and (read := self._body.read(65_536)):
                left -= len(read)


rates.start()
application = with_refused_bodies_read(with_chunked_bodies(get_wsgi_application()))
BaseCommand().check()
