"""The guarded fetcher against HTTPS servers, reached through a test resolver."""

import ssl
import time
from typing import Any

import pytest

from studyservice.fetching.connecting import Fault, FetchError
from studyservice.fetching.guarded import FetchBounds, Fetched, Validators, fetch
from tests.support.internet import OTHER_PUBLIC, PUBLIC, Answer, Internet, answer, dripping, moved

pytestmark = pytest.mark.database("sqlite", "a fetch without a database")

URL = "https://school.example/calendar.ics?student=7"
LIMITS = FetchBounds(seconds=10, size=2000, redirects=3)
SHORT = FetchBounds(seconds=0.6, size=2000)


def refused(url: str = URL, limits: FetchBounds = LIMITS) -> FetchError:
    with pytest.raises(FetchError) as raised:
        fetch(url, limits)
    return raised.value


def test_it_sends_one_request_and_returns_the_content(internet: Internet) -> None:
    described = {"Content_Type": "Text/Calendar; charset=utf-8", "Cache_Control": "no-cache"}
    version = {"ETag": 'W/"1 a"', "Last_Modified": "Mon, 23 Nov 2026 07:00:00 GMT"}
    internet.serve("school.example", answer(b"BEGIN", **described, **version))
    assert fetch(URL, LIMITS, accept="text/calendar") == Fetched(
        unchanged=False,
        body=b"BEGIN",
        media_type="text/calendar",
        cache_control="no-cache",
        validators=Validators('W/"1 a"', "Mon, 23 Nov 2026 07:00:00 GMT"),
    )
    (head,) = internet.requests
    assert head.splitlines()[0] == "GET /calendar.ics?student=7 HTTP/1.1"
    sent = dict(line.split(": ", 1) for line in head.splitlines()[1:] if line)
    assert sent == {
        "Host": "school.example",
        "Accept": "text/calendar",
        "Accept-Encoding": "identity",
        "Connection": "close",
        "User-Agent": "study-data-service",
    }
    assert (internet.looked_up, internet.tried) == (["school.example"], [PUBLIC])


def test_an_unchanged_version_is_not_sent_again(internet: Internet) -> None:
    internet.serve("school.example", answer(status="304 Not Modified", Content_Length=""))
    known = Validators('"1"', "Mon, 23 Nov 2026 07:00:00 GMT")
    again = fetch(URL, LIMITS, validators=known)
    assert (again.unchanged, again.body, again.validators) == (True, b"", known)
    assert 'If-None-Match: "1"' in internet.requests[0]
    assert "If-Modified-Since: Mon, 23 Nov 2026 07:00:00 GMT" in internet.requests[0]
    assert (refused().fault, refused().status) == (Fault.STATUS, 304)


def test_an_unusable_validator_is_ignored(internet: Internet) -> None:
    internet.serve("school.example", answer(b"", ETag='"a\r\n b"', Last_Modified="x" * 501))
    assert fetch(URL, LIMITS).validators == Validators()


@pytest.mark.parametrize("status", [201, 204, 206, 300, 400, 401, 404, 410, 429, 500, 503])
def test_any_other_status_is_a_failure(internet: Internet, status: int) -> None:
    internet.serve("school.example", answer(status=f"{status} Told", Content_Length="" if status == 204 else "0"))
    failed = refused()
    assert (failed.fault, failed.status) == (Fault.STATUS, status)


@pytest.mark.parametrize(
    "start",
    [b"H", b"HTTP/1.1 200 OK\r\nX: ", b"HTTP/1.1 200 OK\r\n\r\n", b"HTTP/1.1 100 Continue\r\n\r\n", b""],
)
def test_a_slow_host_is_aborted_at_the_deadline(internet: Internet, start: bytes) -> None:
    """The connection is then closed, and no further bytes arrive."""
    internet.serve("school.example", dripping(start))
    began = time.monotonic()
    assert refused(limits=SHORT).fault == Fault.TIMED_OUT
    assert 0.5 < time.monotonic() - began < 5
    while not internet.ended:
        time.sleep(0.01)
    assert internet.ended[0] - began < 5


def test_slow_chunks_are_aborted_at_the_deadline(internet: Internet) -> None:
    start = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    internet.serve("school.example", dripping(start, piece=b"1\r\na\r\n"))
    assert refused(limits=SHORT).fault == Fault.TIMED_OUT


def test_a_chain_of_redirects_shares_one_deadline(internet: Internet) -> None:
    def write(head: str, connection: ssl.SSLSocket) -> None:
        time.sleep(0.4)
        moved(URL)(head, connection)

    internet.serve("school.example", write)
    assert refused(limits=FetchBounds(seconds=0.6, size=2000, redirects=3)).fault == Fault.TIMED_OUT
    assert len(internet.requests) < 3


def test_a_slow_name_lookup_is_aborted_at_the_deadline(internet: Internet, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("socket.getaddrinfo", lambda *_, **__: time.sleep(10))
    began = time.monotonic()
    assert refused(limits=SHORT).fault == Fault.TIMED_OUT
    assert time.monotonic() - began < 5


def test_after_a_refused_connection_the_next_address_is_tried(internet: Internet) -> None:
    internet.names = {"school.example": ["2606:4700:4700::1111", OTHER_PUBLIC]}
    internet.serve("school.example", answer(b"BEGIN"))
    assert fetch(URL, LIMITS).body == b"BEGIN"
    assert internet.tried == ["2606:4700:4700::1111", OTHER_PUBLIC, PUBLIC]
    assert internet.looked_up == ["school.example"]


def test_a_silent_address_leaves_time_for_the_next(internet: Internet) -> None:
    internet.serve_in_silence("school.example", OTHER_PUBLIC)
    internet.serve("school.example", answer(b"BEGIN"))
    assert fetch(URL, FetchBounds(seconds=3, size=2000)).body == b"BEGIN"
    assert internet.tried == [OTHER_PUBLIC, PUBLIC]


def test_at_most_four_addresses_are_tried(internet: Internet) -> None:
    internet.names = {"school.example": [f"93.184.216.{number}" for number in range(20)]}
    assert refused().fault == Fault.UNREACHABLE
    assert len(internet.tried) == 4


def test_an_unknown_name_is_unreachable(internet: Internet) -> None:
    assert refused("https://nowhere.example/").fault == Fault.UNREACHABLE
    assert internet.tried == []


@pytest.mark.parametrize("addresses", [["127.0.0.1"], [PUBLIC, "10.0.0.7"], ["fec0::1", PUBLIC]])
def test_every_address_of_a_name_must_be_public(internet: Internet, addresses: list[str]) -> None:
    internet.names = {"school.example": addresses}
    assert refused().fault == Fault.ADDRESS_NOT_PUBLIC
    assert internet.tried == []


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]", "[64:ff9b:1::7f00:1]", "169.254.169.254"])
def test_an_ip_address_is_checked_like_a_name(internet: Internet, host: str) -> None:
    assert refused(f"https://{host}/").fault == Fault.ADDRESS_NOT_PUBLIC
    assert internet.tried == []


def test_the_certificate_must_match_the_name(internet: Internet) -> None:
    internet.serve("school.example", answer(b"BEGIN"), certified="other.example")
    assert refused().fault == Fault.UNREACHABLE
    assert internet.requests == []


def test_the_certificate_must_be_from_a_trusted_authority(internet: Internet) -> None:
    internet.serve("school.example", answer(b"BEGIN"))
    internet.distrust()
    assert refused().fault == Fault.UNREACHABLE
    assert internet.requests == []


@pytest.mark.parametrize("status", ["301 A", "302 B", "303 C", "307 D", "308 E"])
def test_relative_redirects_and_redirects_to_other_hosts_are_followed(internet: Internet, status: str) -> None:
    internet.serve("school.example", moved("https://files.example/a/b?x=1", status))
    internet.serve("files.example", _moved_on, address=OTHER_PUBLIC)
    assert fetch(URL, LIMITS).body == b"BEGIN"
    assert [head.split()[1] for head in internet.requests] == ["/calendar.ics?student=7", "/a/b?x=1", "/a/c"]
    assert internet.looked_up == ["school.example", "files.example", "files.example"]
    assert not any("Cookie" in head for head in internet.requests)


def _moved_on(head: str, connection: ssl.SSLSocket) -> None:
    if "/a/b" in head:
        answer(status="302 Found", Location="c#part", Set_Cookie="a=b")(head, connection)
    else:
        answer(b"BEGIN")(head, connection)


@pytest.mark.parametrize(("redirects", "requests"), [(0, 1), (3, 4)])
def test_further_redirects_are_not_followed(internet: Internet, redirects: int, requests: int) -> None:
    internet.serve("school.example", moved(URL))
    assert refused(limits=FetchBounds(seconds=10, size=2000, redirects=redirects)).fault == Fault.REDIRECTED
    assert len(internet.requests) == requests


@pytest.mark.parametrize(
    ("address", "fault"),
    [
        ("https://inside.example/", Fault.ADDRESS_NOT_PUBLIC),
        ("https://[::1]/", Fault.ADDRESS_NOT_PUBLIC),
        ("http://school.example/", Fault.ADDRESS_INVALID),
        ("file:///etc/passwd", Fault.ADDRESS_INVALID),
        ("https://user@school.example/", Fault.ADDRESS_INVALID),
        ("https://school.example:8443/", Fault.ADDRESS_INVALID),
        ("https://[school.example/", Fault.ADDRESS_INVALID),
        ("https://school.example:99999/", Fault.ADDRESS_INVALID),
    ],
)
def test_each_redirect_is_checked_again(internet: Internet, address: str, fault: Fault) -> None:
    internet.serve("school.example", moved(address))
    internet.names["inside.example"] = ["10.0.0.7"]
    assert refused().fault == fault
    assert internet.tried == [PUBLIC]


@pytest.mark.parametrize(
    "url",
    [
        "",
        "school.example",
        "http://school.example/",
        "https:///calendar.ics",
        "https://@school.example/",
        "https://user:word@school.example/",
        "https://school.example:8443/",
        "https://school.example:0/",
        "https://school.example:x/",
        "https://school..example/",
        f"https://{'a' * 64}.example/",
        "https://[::1/",
    ],
)
def test_invalid_urls_are_not_requested(internet: Internet, url: str) -> None:
    assert refused(url).fault == Fault.ADDRESS_INVALID
    assert internet.looked_up == []


def test_an_allowed_port_is_requested(internet: Internet) -> None:
    internet.serve("school.example", answer(b"BEGIN"))
    assert fetch("https://school.example:8443/", FetchBounds(seconds=10, size=2000, any_port=True)).body == b"BEGIN"
    assert "Host: school.example:8443" in internet.requests[0]


def test_international_names_and_paths_are_encoded(internet: Internet) -> None:
    internet.serve("xn--mnchen-3ya.example", answer(b"BEGIN"))
    assert fetch("https://MÜNCHEN.example/über uns?a=%20ä", LIMITS).body == b"BEGIN"
    assert internet.requests[0].startswith("GET /%C3%BCber%20uns?a=%20%C3%A4 HTTP/1.1\r\n")
    assert "Host: xn--mnchen-3ya.example\r\n" in internet.requests[0]


LONG = b"a" * 2001


@pytest.mark.parametrize(
    "written",
    [
        answer(LONG),
        answer(LONG, Content_Length=""),
        answer(b"%x\r\n%s\r\n0\r\n\r\n" % (len(LONG), LONG), Content_Length="", Transfer_Encoding="chunked"),
        answer(LONG, Content_Length="99999999999"),
    ],
    ids=["counted", "not counted", "chunked", "promised"],
)
def test_a_larger_answer_is_not_read(internet: Internet, written: Answer) -> None:
    internet.serve("school.example", written)
    assert refused().fault == Fault.TOO_LARGE


@pytest.mark.parametrize(
    "written",
    [
        answer(LONG[1:]),
        answer(LONG[1:], Content_Length=""),
        answer(b"%x\r\n%s\r\n0\r\n\r\n" % (2000, LONG[1:]), Content_Length="", Transfer_Encoding="chunked"),
    ],
    ids=["counted", "not counted", "chunked"],
)
def test_an_answer_of_the_maximum_size_is_read(internet: Internet, written: Answer) -> None:
    internet.serve("school.example", written)
    assert fetch(URL, LIMITS).body == LONG[1:]


@pytest.mark.parametrize(
    "written",
    [
        answer(b"BEGIN", Content_Length="6"),
        answer(b"6\r\nBEGIN", Content_Length="", Transfer_Encoding="chunked"),
        answer(b"\r\n" * 20, status="no status"),
        lambda *_: None,
    ],
    ids=["cut", "cut chunk", "no status", "nothing"],
)
def test_a_partial_answer_is_rejected(internet: Internet, written: Answer) -> None:
    internet.serve("school.example", written)
    assert refused().fault == Fault.UNREACHABLE


def test_an_unrequested_encoding_is_rejected(internet: Internet) -> None:
    internet.serve("school.example", answer(b"\x1f\x8b", Content_Encoding="gzip"))
    assert refused().fault == Fault.ENCODED


def test_a_proxy_in_the_environment_is_not_used(internet: Internet, monkeypatch: Any) -> None:
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    internet.serve("school.example", answer(b"BEGIN"))
    assert fetch(URL, LIMITS).body == b"BEGIN"
    assert internet.tried == [PUBLIC]
