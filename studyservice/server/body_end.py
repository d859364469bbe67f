"""Whether the whole of a request's body has come: no more than waiting needs; gunicorn's parser judges it later."""

from dataclasses import dataclass, field
from typing import Protocol

_LONGEST_LINE = 16_384
_HEX = frozenset(b"0123456789abcdefABCDEF")


class BodyEnd(Protocol):
    """Is told of the bytes of a body as they come."""

    def feed(self, data: bytes) -> bool:
        """Take the next bytes; whether there is no more to wait for."""


@dataclass(slots=True)
class LengthEnd:
    """The end of a body with a Content-Length."""

    left: int

    def feed(self, data: bytes) -> bool:
        """Count the next bytes."""
        self.left -= len(data)
        return self.left <= 0


@dataclass(slots=True)
class ChunkedEnd:
    """The end of a chunked body (RFC 9112 section 7.1).

    What is not well-formed ends at once, for the parser to refuse.
    """

    _kept: bytearray = field(default_factory=bytearray)
    _skip: int = 0
    _in_trailers: bool = False

    def feed(self, data: bytes) -> bool:
        """Go on to the end of `data`."""
        self._kept += data
        at = 0
        while True:
            if self._skip:
                step = min(self._skip, len(self._kept) - at)
                self._skip -= step
                at += step
                if self._skip:
                    break
            end = self._kept.find(b"\r\n", at)
            if end < 0:
                break
            if self._in_trailers:
                if end == at:
                    return True
            else:
                size = _size(self._kept[at:end])
                if size is None:
                    return True
                self._in_trailers = size == 0
                self._skip = size + 2 if size else 0
            at = end + 2
        del self._kept[:at]
        return len(self._kept) > _LONGEST_LINE


def _size(line: bytearray) -> int | None:
    """The size that begins a chunk; None if there is none."""
    digits = line.partition(b";")[0].rstrip(b" \t")
    return int(digits, 16) if 0 < len(digits) <= 8 and _HEX.issuperset(digits) else None
