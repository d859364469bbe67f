"""The end of a chunked body, however it is fragmented."""

import pytest

from studyservice.server.bodies import MAX_FRAMING_BYTES, BrokenBody, ChunkedEnd, LengthEnd
from tests.support.cases import each

pytestmark = pytest.mark.database("sqlite", "HTTP framing")

CHUNKED = b"5;name=value\r\nhello\r\n1F\r\n" + b"\r\n" * 15 + b"x\r\n0\r\nX-Trailer: 1\r\n\r\n"
BEHIND = b"GET / HTTP/1.1\r\n\r\n"


@each("step", [1, 2, 3, 7, 1000])
def test_it_ends_after_its_trailers(step: int) -> None:
    sent = CHUNKED + BEHIND
    end, at, behind = ChunkedEnd(), 0, None
    while behind is None:
        behind = end.feed(sent[at : at + step])
        at += step
    assert behind + sent[at:] == BEHIND


@each(
    "sent",
    [b"zz\r\n", b"\r\n", b"-5\r\n", b"0x5\r\n", b"0\r\nno colon\r\n\r\n", b"0\r\n: no name\r\n\r\n", b"1" * 20_000],
)
def test_invalid_chunks_and_trailers_are_rejected(sent: bytes) -> None:
    with pytest.raises(BrokenBody):
        ChunkedEnd().feed(sent)


def test_chunks_may_be_small_but_not_too_many() -> None:
    end = ChunkedEnd()
    assert end.feed(b"1\r\nx\r\n" * (MAX_FRAMING_BYTES // 3 // 2)) is None
    with pytest.raises(BrokenBody):
        end.feed(b"1\r\nx\r\n" * MAX_FRAMING_BYTES)


def test_a_length_is_measured() -> None:
    end = LengthEnd(5)
    assert end.feed(b"hel") is None
    assert end.feed(b"lo" + BEHIND) == BEHIND
    assert LengthEnd(0).feed(BEHIND) == BEHIND
