"""Django's requests, extended to chunked bodies and to methods in lower case.

Django reads only `Content-Length` bytes, and takes `patch` for PATCH.
"""

from typing import Any, BinaryIO, cast

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.core.handlers.wsgi import WSGIRequest

UNKNOWN = "UNKNOWN"
"""A method that no route has."""


class Request(WSGIRequest):
    """A request that reads a chunked body on demand, up to one byte more than the largest accepted body.

    Its method is `UNKNOWN` if it was sent in lower case, because methods are case-sensitive (RFC 9110 section 9.1).
    """

    def __init__(self, environ: dict[str, Any]) -> None:
        super().__init__(environ)
        if self.method != environ["REQUEST_METHOD"]:
            self.method = UNKNOWN
        self._chunked = "HTTP_TRANSFER_ENCODING" in environ and bool(environ.get("wsgi.input_terminated"))
        if self._chunked:
            self._stream = cast(BinaryIO, _Bounded(environ["wsgi.input"], settings.MAX_BODY_BYTES))

    def bound_body(self, most: int) -> None:
        """Set the most bytes of a chunked body, before any is read."""
        if self._chunked:
            self._stream = cast(BinaryIO, _Bounded(self.environ["wsgi.input"], most))

    def _load_post_and_files(self) -> None:
        """Set the length of the body, which form parsers need."""
        if self._chunked:
            self.META["CONTENT_LENGTH"] = str(len(self.body))
        super()._load_post_and_files()


class _Bounded:
    """A body with a limit of `most` bytes."""

    def __init__(self, body: Any, most: int) -> None:
        self._body = body
        self._left = most

    def read(self, size: int = -1) -> bytes:
        """Return the next `size` bytes, or all.

        Raises:
            RequestDataTooBig: the body exceeds the limit.
        """
        wanted = self._left + 1 if size < 0 else min(size, self._left + 1)
        data: bytes = self._body.read(wanted)
        self._left -= len(data)
        if self._left < 0:
            raise RequestDataTooBig("The chunked body is too large.")
        return data

    def close(self) -> None:
        """Do nothing: the server closes the connection."""
