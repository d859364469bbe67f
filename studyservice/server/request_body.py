"""The body of a request as the application reads it: when it wants to, and whole or not at all."""

from typing import Any

from gunicorn.http.errors import ParseException

from studyservice.server.channel import BodyAwaited, Channel

MAX_FRAMING_BYTES = 256 * 1024
"""How much more than its content a chunked body may be, its head included: each chunk costs time, however small.

What gunicorn has read ahead is counted with it; `READ_AHEAD_BYTES` keeps that small.
"""

READ_AHEAD_BYTES = 64 * 1024
"""How much gunicorn's parser takes at once of a body, of which a chunk may be the whole."""

_LENGTH_STEP_BYTES = 1024 * 1024
_CHUNKED_STEP_BYTES = 16 * 1024
_SETTLED_BYTES = 64 * 1024


class BrokenBody(OSError):
    """The body is shorter than was told, not well-formed, or made of too many pieces."""


class RequestBody:
    """`wsgi.input`, and what gunicorn reads to find the next request.

    Args:
        request: gunicorn's, whose body this replaces.
        channel: where it comes from.
    """

    def __init__(self, request: Any, channel: Channel) -> None:
        self._request = request
        self._body = request.body
        self._channel = channel
        lengths = [int(value) for name, value in request.headers if name == "CONTENT-LENGTH"]
        self._chunked = any(name == "TRANSFER-ENCODING" for name, _ in request.headers)
        self._left = lengths[0] if lengths else 0
        self._content = 0
        self.failed = False
        """Whether where it ends is unknown; gunicorn asks."""

    def read(self, size: int | None = None) -> bytes:
        """The next `size` bytes, or all; fewer at the end.

        Raises:
            BodyAwaited: they have not come.
            BrokenBody: they never will.
        """
        wanted = size if size is not None and size >= 0 else None
        parts: list[bytes] = []
        while (wanted is None or wanted > 0) and (part := self._part(wanted)):
            parts.append(part)
            if wanted is not None:
                wanted -= len(part)
        return b"".join(parts)

    def readline(self, size: int | None = None) -> bytes:
        """The next line (PEP 3333)."""
        line = b""
        while (size is None or size < 0 or len(line) < size) and (byte := self.read(1)):
            line += byte
            if byte == b"\n":
                break
        return line

    def settle(self) -> None:
        """Read the rest if it has come; if it has not, the connection ends with the answer."""
        if self.failed or self._channel.continue_due:  # where it ends is unknown, or whether the client sends it now
            self._channel.continue_due = False
            self._request.force_close()
            return
        try:
            if len(self.read(_SETTLED_BYTES)) == _SETTLED_BYTES:
                self._request.force_close()
        except (BodyAwaited, OSError):
            self._request.force_close()

    def _part(self, wanted: int | None) -> bytes:
        if not self._chunked and self._left == 0:
            return b""
        step = _CHUNKED_STEP_BYTES if self._chunked else _LENGTH_STEP_BYTES
        try:
            part: bytes = self._body.read(step if wanted is None else min(wanted, step))
        except (ParseException, OSError) as error:
            self.failed = True
            raise BrokenBody("The body is not well-formed.") from error
        if self._chunked:
            self._content += len(part)
            broken = self._channel.request_bytes() - self._content > MAX_FRAMING_BYTES
        else:
            self._left -= len(part)
            broken = not part and self._left > 0
        if broken:
            self.failed = True
            raise BrokenBody("The body is shorter than its length, or of too many pieces.")
        return part
