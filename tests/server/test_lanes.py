"""Which requests wait for each other."""

import pytest
from pytest_django import Settings

from studyservice.server import lanes
from studyservice.server.lanes import MEMBER, Lanes, is_probe

pytestmark = pytest.mark.database("sqlite", "queues in memory")

PEER = "203.0.113.1"


def head(method: str = "GET", target: str = "/v1/me", *lines: str) -> bytes:
    return "\r\n".join((f"{method} {target} HTTP/1.1", "Host: localhost", *lines, "", "")).encode()


def bearer(secret: str) -> str:
    return f"Authorization: Bearer {secret}"


@pytest.fixture
def known() -> Lanes:
    """Four threads; the keys `one` and `two` are Ada's, `other` is Bob's."""
    known = Lanes(4)
    for secret, member in (("one", "ada"), ("two", "ada"), ("other", "bob")):
        known.learn({"HTTP_AUTHORIZATION": f"Bearer {secret}", MEMBER: member})
    return known


def test_the_keys_of_a_member_are_one_lane(known: Lanes) -> None:
    one, two, other = (known.lane(head("GET", "/v1/me", bearer(key)), PEER) for key in ("one", "two", "other"))
    assert one == two != other


def test_the_address_does_not_tell_known_credentials_apart(known: Lanes) -> None:
    sent = head("GET", "/v1/me", bearer("one"))
    assert known.lane(sent, PEER) == known.lane(sent, "203.0.113.2")


def test_an_api_key_header_is_known_too() -> None:
    known = Lanes(4)
    known.learn({"HTTP_X_API_KEY": "one", MEMBER: "ada"})
    assert known.lane(head("GET", "/v1/me", "x-api-key:one "), PEER).name == "reads of ada"


@pytest.mark.parametrize(
    "sent",
    [
        head("POST", "/v1/courses", bearer("one"), "Content-Length: 2"),
        head("DELETE", "/v1/courses/x", bearer("one")),
        head("GET", "/v1/me", bearer("one"), "Content-Length: 900"),
        head("GET", "/v1/me", bearer("one"), "Transfer-Encoding: chunked"),
    ],
)
def test_what_writes_or_sends_a_body_runs_one_at_a_time(known: Lanes, sent: bytes) -> None:
    assert known.lane(sent, PEER) == ("writes of ada", 1)


@pytest.mark.parametrize(("threads", "share"), [(1, 1), (2, 1), (4, 2), (9, 4)])
def test_reads_of_a_member_take_half_of_the_threads(threads: int, share: int) -> None:
    known = Lanes(threads)
    known.learn({"HTTP_AUTHORIZATION": "Bearer one", MEMBER: "ada"})
    assert known.lane(head("GET", "/v1/me", bearer("one")), PEER).share == share


def test_invented_credentials_share_the_lane_of_their_address(known: Lanes) -> None:
    invented = {known.lane(head("GET", "/v1/me", bearer(f"invented {number}")), PEER) for number in range(9)}
    assert invented == {known.lane(head("GET", "/sign-in"), PEER)}
    assert known.lane(head("GET", "/v1/me", bearer("invented")), "203.0.113.2") not in invented


def test_a_refused_credential_is_forgotten(known: Lanes) -> None:
    known.learn({"HTTP_AUTHORIZATION": "Bearer one"})
    assert known.lane(head("GET", "/v1/me", bearer("one")), PEER).name == f"address {PEER}"


def test_the_oldest_credentials_are_forgotten(monkeypatch: pytest.MonkeyPatch, known: Lanes) -> None:
    monkeypatch.setattr(lanes, "MAX_CREDENTIALS", 3)
    known.learn({"HTTP_AUTHORIZATION": "Bearer one", MEMBER: "ada"})
    known.learn({"HTTP_AUTHORIZATION": "Bearer new", MEMBER: "eve"})
    names = [known.lane(head("GET", "/v1/me", bearer(key)), PEER).name for key in ("one", "two", "other", "new")]
    assert names == ["reads of ada", f"address {PEER}", "reads of bob", "reads of eve"]


def test_a_trusted_proxy_tells_the_address(settings: Settings) -> None:
    settings.TRUSTED_PROXIES = 1
    told = Lanes(4).lane(head("GET", "/", "X-Forwarded-For: 192.0.2.9", "X-Forwarded-For: 198.51.100.7"), PEER)
    assert told.name == "address 198.51.100.7"


def test_an_untrusted_proxy_tells_nothing() -> None:
    assert Lanes(4).lane(head("GET", "/", "X-Forwarded-For: 198.51.100.7"), PEER).name == f"address {PEER}"


def test_a_header_in_the_body_tells_nothing(known: Lanes) -> None:
    sent = head("POST", "/v1/courses", "Content-Length: 99") + head("GET", "/v1/me", bearer("one"))
    assert known.lane(sent, PEER).name == f"address {PEER}"


@pytest.mark.parametrize(
    ("sent", "probe"),
    [
        (head("GET", "/health"), True),
        (head("HEAD", "/health?from=proxy"), True),
        (head("POST", "/health"), False),
        (head("GET", "/health", "Content-Length: 900"), False),
        (head("GET", "/healthy"), False),
        (head("GET", "/v1/me?/health"), False),
        (b"GET /health HT", False),
        (b"", False),
    ],
)
def test_a_probe_is_a_whole_head_without_a_body(sent: bytes, *, probe: bool) -> None:
    assert is_probe(sent) is probe
