"""Requests that share a lane, and how many of a lane run at once."""

import asyncio

import pytest
from pytest_django import Settings

from studyservice.server import lanes
from studyservice.server.lanes import MEMBER, Lanes
from tests.support.cases import each

pytestmark = pytest.mark.database("sqlite", "in-memory queues")

PEER = "203.0.113.1"


def sent(secret: str | None = None, peer: str = PEER, method: str = "GET", **more: str) -> dict[str, str]:
    """The relevant part of a request's `META`."""
    credential = {} if secret is None else {"HTTP_AUTHORIZATION": f"Bearer {secret}"}
    return {"REMOTE_ADDR": peer, "REQUEST_METHOD": method} | credential | more


def at_once(lane: asyncio.Semaphore) -> int:
    """How many requests of `lane` run at once."""

    async def enter() -> int:
        number = 0
        while not lane.locked():
            await lane.acquire()
            number += 1
        return number

    return asyncio.run(enter())


@pytest.fixture
def known() -> Lanes:
    """Four threads. The keys `one` and `two` are Ada's, `other` is Bob's."""
    known = Lanes(4)
    for secret, member in (("one", "ada"), ("two", "ada"), ("other", "bob")):
        known.learn({"HTTP_AUTHORIZATION": f"Bearer {secret}", MEMBER: member})
    return known


def test_keys_of_one_member_share_a_lane(known: Lanes) -> None:
    one, two, other = (known.lane(sent(key)) for key in ("one", "two", "other"))
    assert one is two is not other


def test_the_address_does_not_separate_known_credentials(known: Lanes) -> None:
    one = known.lane(sent("one"))
    assert known.lane(sent("one", "203.0.113.2")) is one


def test_an_api_key_header_is_recognized_too() -> None:
    known = Lanes(4)
    known.learn({"HTTP_X_API_KEY": "one", MEMBER: "ada"})
    address = known.lane(sent())
    assert known.lane(sent(HTTP_X_API_KEY="one")) is not address


def test_writes_of_a_member_run_one_at_a_time_beside_reads(known: Lanes) -> None:
    reads, writes = known.lane(sent("one")), known.lane(sent("one", method="POST"))
    assert reads is not writes
    assert at_once(writes) == 1


@each(("threads", "of_a_member", "of_an_address"), [(1, 1, 1), (2, 1, 1), (4, 2, 2), (9, 2, 4), (16, 2, 8)])
def test_two_reads_of_a_member_run_at_once(threads: int, of_a_member: int, of_an_address: int) -> None:
    known = Lanes(threads)
    known.learn({"HTTP_AUTHORIZATION": "Bearer one", MEMBER: "ada"})
    assert at_once(known.lane(sent("one"))) == of_a_member
    assert at_once(known.lane(sent())) == of_an_address


def test_invented_credentials_share_the_lane_of_their_address(known: Lanes) -> None:
    address = known.lane(sent())
    assert {known.lane(sent(f"invented {number}")) for number in range(9)} == {address}
    assert known.lane(sent("invented", "203.0.113.2")) is not address


def test_a_rejected_credential_is_forgotten(known: Lanes) -> None:
    known.learn({"HTTP_AUTHORIZATION": "Bearer one"})
    address = known.lane(sent())
    assert known.lane(sent("one")) is address


def test_the_oldest_credentials_are_forgotten(monkeypatch: pytest.MonkeyPatch, known: Lanes) -> None:
    monkeypatch.setattr(lanes, "MAX_CREDENTIALS", 3)
    known.learn({"HTTP_AUTHORIZATION": "Bearer one", MEMBER: "ada"})
    known.learn({"HTTP_AUTHORIZATION": "Bearer new", MEMBER: "eve"})
    address = known.lane(sent())
    assert [known.lane(sent(key)) is address for key in ("one", "two", "other", "new")] == [False, True, False, False]


def test_a_trusted_proxy_sets_the_address(settings: Settings) -> None:
    settings.TRUSTED_PROXIES = 1
    known = Lanes(4)
    address = known.lane(sent(peer="198.51.100.7"))
    assert known.lane(sent(HTTP_X_FORWARDED_FOR="192.0.2.9,198.51.100.7")) is address


def test_an_untrusted_proxy_is_ignored() -> None:
    known = Lanes(4)
    address = known.lane(sent())
    assert known.lane(sent(HTTP_X_FORWARDED_FOR="198.51.100.7")) is address
