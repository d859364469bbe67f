"""Requests that share a lane."""

import pytest
from pytest_django import Settings

from studyservice.server import lanes
from studyservice.server.lanes import MEMBER, Lanes
from tests.support.cases import each

pytestmark = pytest.mark.database("sqlite", "in-memory queues")

PEER = "203.0.113.1"


def sent(secret: str | None = None, peer: str = PEER, **more: str) -> dict[str, str]:
    """The relevant part of a request's WSGI environment."""
    credential = {} if secret is None else {"HTTP_AUTHORIZATION": f"Bearer {secret}"}
    return {"REMOTE_ADDR": peer} | credential | more


@pytest.fixture
def known() -> Lanes:
    """Four threads. The keys `one` and `two` are Ada's, `other` is Bob's."""
    known = Lanes(4)
    for secret, member in (("one", "ada"), ("two", "ada"), ("other", "bob")):
        known.learn({"HTTP_AUTHORIZATION": f"Bearer {secret}", MEMBER: member})
    return known


def test_keys_of_one_member_share_a_lane(known: Lanes) -> None:
    one, two, other = (known.lane(sent(key), reads=True) for key in ("one", "two", "other"))
    assert one == two != other


def test_the_address_does_not_separate_known_credentials(known: Lanes) -> None:
    assert known.lane(sent("one"), reads=True) == known.lane(sent("one", "203.0.113.2"), reads=True)


def test_an_api_key_header_is_recognized_too() -> None:
    known = Lanes(4)
    known.learn({"HTTP_X_API_KEY": "one", MEMBER: "ada"})
    assert known.lane(sent(HTTP_X_API_KEY="one"), reads=True).name == "reads of ada"


def test_writes_run_one_at_a_time(known: Lanes) -> None:
    assert known.lane(sent("one"), reads=False) == ("writes of ada", 1)


@each(("threads", "of_a_member", "of_an_address"), [(1, 1, 1), (2, 1, 1), (4, 2, 2), (9, 2, 4), (16, 2, 8)])
def test_two_reads_of_a_member_run_at_once(threads: int, of_a_member: int, of_an_address: int) -> None:
    known = Lanes(threads)
    known.learn({"HTTP_AUTHORIZATION": "Bearer one", MEMBER: "ada"})
    assert known.lane(sent("one"), reads=True).share == of_a_member
    assert known.lane(sent(), reads=True).share == of_an_address


def test_invented_credentials_share_the_lane_of_their_address(known: Lanes) -> None:
    invented = {known.lane(sent(f"invented {number}"), reads=True) for number in range(9)}
    assert invented == {known.lane(sent(), reads=True)}
    assert known.lane(sent("invented", "203.0.113.2"), reads=True) not in invented


def test_a_rejected_credential_is_forgotten(known: Lanes) -> None:
    known.learn({"HTTP_AUTHORIZATION": "Bearer one"})
    assert known.lane(sent("one"), reads=True).name == f"address {PEER}"


def test_the_oldest_credentials_are_forgotten(monkeypatch: pytest.MonkeyPatch, known: Lanes) -> None:
    monkeypatch.setattr(lanes, "MAX_CREDENTIALS", 3)
    known.learn({"HTTP_AUTHORIZATION": "Bearer one", MEMBER: "ada"})
    known.learn({"HTTP_AUTHORIZATION": "Bearer new", MEMBER: "eve"})
    names = [known.lane(sent(key), reads=True).name for key in ("one", "two", "other", "new")]
    assert names == ["reads of ada", f"address {PEER}", "reads of bob", "reads of eve"]


def test_a_trusted_proxy_sets_the_address(settings: Settings) -> None:
    settings.TRUSTED_PROXIES = 1
    told = Lanes(4).lane(sent(HTTP_X_FORWARDED_FOR="192.0.2.9,198.51.100.7"), reads=True)
    assert told.name == "address 198.51.100.7"


def test_an_untrusted_proxy_is_ignored() -> None:
    assert Lanes(4).lane(sent(HTTP_X_FORWARDED_FOR="198.51.100.7"), reads=True).name == f"address {PEER}"
