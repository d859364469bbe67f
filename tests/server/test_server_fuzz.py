"""Random streams of requests to the running server, with checks of each answer and of side effects.

Complete and broken heads, bodies in every framing, pipelines in random pieces, clients that disconnect in the middle,
and smuggled requests. Each answer is the correct one of its request, or the error that the request deserves.
"""

from collections.abc import Iterator
from itertools import accumulate, count, cycle
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import server as servers
from tests.support.databases import copied
from tests.support.properties import examples
from tests.support.streams import JSON, SMUGGLED, Message, Writer, answers, conversation, cut
from tests.support.wire import Wire
from tools.bench import machine

pytestmark = [
    pytest.mark.database("sqlite", "server connections"),
    pytest.mark.thorough("random streams; test_live_server.py and test_bodies.py send chosen ones"),
]

MEMBERS = 60
"""Each has 120 calls a minute, and streams use them in turn."""

QUICK = "guard.SWEEP_SECONDS, guard.CUT_SECONDS = 0.05, 0.3"
"""How soon the server notices that a client has ended a request early, or sends no further one."""

OK = frozenset({200})
UNREADABLE = frozenset({400, 429})
"""429 if not even the client's address is readable: all such requests count against the proxy's."""


class Target:
    """The server under test, and members who take turns."""

    def __init__(self, server: servers.Server, directory: Path) -> None:
        self._log = directory / "server.log"
        self.port = urlsplit(server.url).port or 0
        self._secrets = [
            server.command("createmember", f"m{number}@example.org", "--api-key", "fuzz")["api_key"]
            for number in range(MEMBERS)
        ]
        self._turn = cycle(self._secrets)
        self._addresses = count(1)
        self._pids = machine.children(server.process.pid)
        self._server = server

    def writer(self) -> Writer:
        """The next member, at another address. All names are equally long so that drawn positions stay valid."""
        number = next(self._addresses)
        return Writer(next(self._turn), f"198.18.{100 + number // 100 % 100}.{100 + number % 100}")

    def check(self) -> None:
        """Check that the process is the same, had no internal error, and executed no smuggled request."""
        assert machine.children(self._server.process.pid) == self._pids
        log = self._log.read_text()
        assert "Traceback" not in log
        for secret in self._secrets:
            courses = Wire(self.port, secret).ask(Writer(secret, "203.0.113.9").head("GET", "/v1/courses")).body["data"]
            assert SMUGGLED not in [course["name"] for course in courses]


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    directory = tmp_path_factory.mktemp("fuzz")
    config = directory / "gunicorn.py"
    config.write_text(f"from studyservice.gunicorn import *\nfrom studyservice.server import guard\n{QUICK}\n")
    with (
        copied("fuzz", directory) as url,
        servers.started(directory, url, str(config), TRUSTED_PROXIES="1") as server,
    ):
        yield Target(server, directory)


@pytest.fixture(autouse=True)
def _came_through(target: Target) -> Iterator[None]:
    """Check the target after all examples of each test."""
    yield
    target.check()


names = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=30)
sizes = st.lists(st.integers(1, 40), max_size=6)
cuts = st.lists(st.integers(1, 400), max_size=5)
odd_lines = st.sampled_from(
    [
        "X-Empty:",
        "X-Spaces: \t a \t ",
        "X-Twice: 1\r\nX-Twice: 2",
        "Transfer_Encoding: chunked",
        "Content_Length: 7",
        "Connection: keep-alive",
        "Connection: Upgrade\r\nUpgrade: h2c",
        "TE: trailers",
        "Accept: \xe9\xff",
        "X-Long: " + "x" * 4000,
    ]
)


@st.composite
def messages(draw: st.DrawFn, writer: Writer) -> Message:
    """A well-formed request and its answer."""
    lines = draw(st.lists(odd_lines, max_size=2, unique=True))
    if draw(st.booleans()):
        return writer.renamed(draw(names), draw(st.none() | sizes), *lines, asks_first=draw(st.booleans()))
    stranger = Writer("svc_sk_wrong", writer.address)
    body = draw(st.binary(min_size=1, max_size=60))
    framed = (JSON, f"Content-Length: {len(body)}", *lines)
    query = draw(st.sampled_from(["", "?a=%zz", "?b=%ff", "?%00"]))
    return draw(
        st.sampled_from(
            [
                Message(writer.head("GET", f"/v1/me{query}", *lines), OK),
                Message(writer.head("HEAD", "/v1/me", *lines), OK, is_head=True),
                Message(writer.head("GET", "/v1/nowhere/%2e%2e//x", *lines), frozenset({404})),
                Message(writer.head("PUT", "/v1/me", "Content-Length: 0", *lines), frozenset({405})),
                # Methods are case-sensitive (RFC 9110 section 9.1), so this one is well-formed and unknown.
                Message(writer.head("get", "/v1/me", *lines), frozenset({405})),
                Message(writer.head("PATCH", "/v1/me", *framed) + b"7" * len(body), frozenset({422})),
                Message(writer.head("PATCH", "/v1/me", *framed) + b"\xff" * len(body), frozenset({400})),
                Message(stranger.head("PATCH", "/v1/me", *framed) + body, frozenset({401})),
            ]
        )
    )


def check(target: Target, sent: list[Message], received: bytes) -> None:
    """Check that each request of `sent` has its answer, up to one that closed the connection."""
    waiting = iter(sent)
    ended = False
    for answer in answers(received, sent):
        assert not ended, received
        next(waiting).check(answer)
        ended = answer.ends
    assert ended, (received, sent)


@examples(300, database=None)
@given(data=st.data())
def test_each_request_of_a_pipeline_has_its_answer(target: Target, data: st.DataObject) -> None:
    """However it is fragmented."""
    writer = target.writer()
    sent = [*data.draw(st.lists(messages(writer), min_size=1, max_size=5)), writer.last()]
    pieces = cut(b"".join(message.raw for message in sent), data.draw(cuts))
    check(target, sent, conversation(target.port, pieces))


AMBIGUOUS = [
    "Content-Length: 5\r\nTransfer-Encoding: chunked",
    "Transfer-Encoding: chunked\r\nContent-Length: 5",
    "Content-Length: 5\r\nContent-Length: 6",
    "Content-Length: 5\r\nContent-Length: 5",
    "Content-Length: 5, 5",
    "Content-Length: +5",
    "Content-Length: -5",
    "Content-Length: 0x5",
    "Content-Length: 5 5",
    "Content-Length: 5_0",
    "Content-Length: \xb2",
    "Content-Length:",
    "Content-Length: " + "9" * 400,
    "Content-Length : 5",
    "Transfer-Encoding : chunked",
    "Transfer-Encoding: xchunked",
    "Transfer-Encoding: chunked, identity",
    "Transfer-Encoding: chunked, chunked",
    "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
    "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity",
    "Transfer-Encoding:\x0bchunked",
    "Transfer-Encoding: \x00chunked",
    "X-Folded: a\r\n Transfer-Encoding: chunked",
    "X-Bare: a\nTransfer-Encoding: chunked",
    "X-Bare: a\rTransfer-Encoding: chunked",
    "X-Nul: a\x00b",
    "Host: example.org",
    "No colon",
    ": no name",
    "X(Y): 1",
    "X-Many: 1\r\n" * 120 + "X-Last: 1",
]
"""Headers that a proxy in front may interpret differently."""

REQUEST_LINES = [
    "GET  /v1/me HTTP/1.1",
    "GET /v1/me  HTTP/1.1",
    "GET /v1/me HTTP/1.1 x",
    "GET /v1/me",
    "GET",
    "G(T /v1/me HTTP/1.1",
    "GET /v1/me HTTP/2.0",
    "GET /v1/me HTTP/1.10",
    "GET /v1/me http/1.1",
    "GET\t/v1/me HTTP/1.1",
    "GET /v1/\x00me HTTP/1.1",
    "GET /" + "x" * 9000 + " HTTP/1.1",
]

BROKEN_CHUNKS = [
    b"zz\r\n",
    b"-5\r\nhello\r\n0\r\n\r\n",
    b"+5\r\nhello\r\n0\r\n\r\n",
    b"0x5\r\nhello\r\n0\r\n\r\n",
    b"5_0\r\nhello\r\n0\r\n\r\n",
    b" 5\r\nhello\r\n0\r\n\r\n",
    b"\r\nhello\r\n0\r\n\r\n",
    b"5\nhello\n0\n\n",
    b"5\r\nhelloXX0\r\n\r\n",
    b"5\r\nhello0\r\n\r\n",
    b"5\rX\nhello\r\n0\r\n\r\n",
]


@st.composite
def broken(draw: st.DrawFn, writer: Writer) -> Message:
    """A request that must be rejected, with another hidden behind its framing."""
    kind = draw(st.sampled_from(["header", "line", "chunk", "no host"]))
    if kind == "header":
        lines = [JSON, draw(st.sampled_from(AMBIGUOUS))]
        raw = writer.head("POST", "/v1/courses", *draw(st.permutations(lines))) + draw(
            st.sampled_from([b"", b"0\r\n\r\n"])
        )
    elif kind == "line":
        _, _, rest = writer.head("GET", "/").partition(b"\r\n")
        raw = draw(st.sampled_from(REQUEST_LINES)).encode("latin-1") + b"\r\n" + rest
    elif kind == "chunk":
        head = writer.head("POST", "/v1/courses", JSON, "Transfer-Encoding: chunked")
        raw = head + draw(st.sampled_from(BROKEN_CHUNKS))
    else:
        raw = writer.head("GET", "/v1/me", host=draw(st.sampled_from(["X-No-Host: 1", "Host:"])))
    return Message(raw + writer.smuggled(), UNREADABLE, ends=True)


@examples(400, database=None)
@given(data=st.data())
def test_ambiguous_requests_are_rejected_and_hide_nothing(target: Target, data: st.DataObject) -> None:
    """A request that follows in the same bytes is never carried out: another reader may have read it as a body."""
    writer = target.writer()
    sent = [*data.draw(st.lists(messages(writer), max_size=2)), data.draw(broken(writer))]
    pieces = cut(b"".join(message.raw for message in sent), data.draw(cuts))
    check(target, sent, conversation(target.port, pieces))


@examples(300, database=None)
@given(data=st.data())
def test_requests_before_a_disconnection_are_answered(target: Target, data: st.DataObject) -> None:
    """Complete requests are answered. Incomplete ones are rejected or dropped."""
    writer = target.writer()
    sent = data.draw(st.lists(messages(writer), min_size=1, max_size=4))
    raw = b"".join(message.raw for message in sent)
    at = data.draw(st.integers(0, len(raw) - 1))
    pieces = cut(raw[:at], data.draw(cuts))
    if data.draw(st.booleans()):
        conversation(target.port, pieces, reset=True)
        return
    found = list(answers(conversation(target.port, pieces, half_close=True), sent))
    whole = [message for message, end in zip(sent, accumulate(len(one.raw) for one in sent), strict=True) if end <= at]
    for message, answer in zip(whole, found, strict=False):
        message.check(answer)
    assert len(found) >= len(whole) or found[-1].ends, (found, sent)
    for answer in found[len(whole) :]:
        assert answer.status in sent[len(whole)].statuses | UNREADABLE, (answer, sent)
        assert len(found) == len(whole) + 1, found


EDITS = st.tuples(st.integers(0, 10_000), st.sampled_from(["put", "set", "cut"]), st.binary(min_size=1, max_size=2))


@examples(400, database=None)
@given(data=st.data())
def test_every_answer_is_well_formed_for_any_bytes(target: Target, data: st.DataObject) -> None:
    """Requests with a few bytes changed anywhere."""
    writer = target.writer()
    sent = data.draw(st.lists(messages(writer).filter(lambda one: not one.is_head), min_size=1, max_size=2))
    raw = b"".join(message.raw for message in sent)
    for place, how, new in data.draw(st.lists(EDITS, min_size=1, max_size=4)):
        at = place % len(raw)
        raw = raw[:at] + (b"" if how == "cut" else new) + raw[at + (0 if how == "put" else len(new)) :]
    received = conversation(target.port, cut(raw, data.draw(cuts)), half_close=True)
    found = list(answers(received, pages=True))
    assert len(found) <= raw.count(b"\n\r\n") + 1
    assert not [answer for answer in found[:-1] if answer.ends], received
