"""All processes count rates in Redis, or separately while Redis is down or hangs."""

import gc
import logging
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import redis as client

from accounts.models import Member
from studyservice.rates import limiter as rates
from studyservice.rates import shared as shared_windows
from studyservice.rates.limiter import DoublingWait, MemoryWindows, Rate, Window
from studyservice.rates.shared import SharedWindows
from tests.support.redis_server import Redis, start_redis, start_silent_redis
from tests.support.world import Call, bearer

pytestmark = pytest.mark.database("sqlite", "windows in memory and in Redis")

ME = Call("GET", "/v1/me")
GONE = "Redis does not answer; counting per process"
BACK = "Redis answers again; counting together"
WATCHDOG_SECONDS = 60

Counting = Callable[[], Window]


def until(happened: Callable[[], Any]) -> None:
    """Wait until `happened()`."""
    deadline = time.monotonic() + WATCHDOG_SECONDS
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def nobody_probes() -> bool:
    return not any(thread.name == "redis-probe" for thread in threading.enumerate())


@pytest.fixture(autouse=True)
def _quick_probes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_windows, "FIRST_PROBE_SECONDS", 0.05)
    monkeypatch.setattr(shared_windows, "LAST_PROBE_SECONDS", 0.1)


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[Redis]:
    """A running Redis for this test. At the end, nobody waits for it any more."""
    with start_redis(tmp_path) as server:
        yield server
        server.kill()
        server.start()
        until(nobody_probes)


@pytest.fixture
def process(redis: Redis) -> Callable[[], Counting]:
    """Return a limiter that counts one request, like that of a separate server process."""

    def start() -> Counting:
        windows = SharedWindows(redis.url)
        return lambda: rates.count(windows, Rate.API, "one", 1)

    return start


class TestTogether:
    def test_two_processes_share_a_window(self, process) -> None:
        first, second = process(), process()
        seen = [count().remaining for _ in range(60) for count in (first, second)]
        assert seen == list(range(119, -1, -1))
        assert first().exceeded
        assert second().exceeded

    def test_the_end_of_a_window_is_rounded_up(self, process, redis: Redis) -> None:
        """`Retry-After` and `RateLimit-Reset`: a client that waits that long is admitted."""
        count, server = process(), client.Redis.from_url(redis.url)
        assert count().reset == 60
        (key,) = server.keys()
        for _ in range(25):
            before = server.pttl(key)
            told = count().reset * 1000
            assert server.pttl(key) < told < before + 1001
            time.sleep(0.04)

    def test_a_window_lasts_as_long_as_announced(self, redis: Redis) -> None:
        windows = SharedWindows(redis.url)
        opened = windows.count("short", 1, 1)
        assert opened == (1, 1.0)
        time.sleep(opened.seconds_left)
        assert windows.count("short", 1, 1) == (1, 1.0)

    def test_each_request_needs_one_round_trip(self, process, redis: Redis) -> None:
        count, server = process(), client.Redis.from_url(redis.url)
        count()
        before = server.info("stats")["total_reads_processed"]
        for _ in range(20):
            count()
        assert server.info("stats")["total_reads_processed"] - before == 20 + 1

    def test_reading_a_counter_opens_no_window(self, process, redis: Redis) -> None:
        count, server, windows = process(), client.Redis.from_url(redis.url), SharedWindows(redis.url)
        assert rates.count(windows, Rate.API, "one", 0) == (120, 120, 1, False)
        assert server.keys() == []
        count()
        assert rates.count(windows, Rate.API, "one", 0) == (120, 119, 60, False)

    def test_a_counter_without_an_expiry_gets_one(self, process, redis: Redis) -> None:
        count, server = process(), client.Redis.from_url(redis.url)
        count()
        (key,) = server.keys()
        server.persist(key)
        assert count() == (120, 118, 60, False)
        assert 0 < server.pttl(key) < 60_000

    def test_a_restarted_redis_gets_the_script_again(self, process, redis: Redis) -> None:
        count, server = process(), client.Redis.from_url(redis.url)
        count()
        server.script_flush()
        assert count().remaining == 118

    def test_a_connection_closed_by_redis_is_reopened(self, process, redis: Redis) -> None:
        count, server = process(), client.Redis.from_url(redis.url)
        count()
        server.client_kill_filter(_type="normal", skipme=True)
        assert (count().remaining, process()().remaining) == (118, 117)

    # The garbage collector closes the connection's socket with its thread, and Python warns about that.
    @pytest.mark.filterwarnings("ignore:Exception ignored in. <socket:pytest.PytestUnraisableExceptionWarning")
    def test_a_thread_has_one_connection_that_ends_with_it(self, redis: Redis) -> None:
        windows, server = SharedWindows(redis.url), client.Redis.from_url(redis.url)
        before = server.info("clients")["connected_clients"]
        open_while_counting: list[int] = []

        def requests() -> None:
            for _ in range(3):
                windows.count("one", 60, 1)
            open_while_counting.append(server.info("clients")["connected_clients"])

        for _ in range(2):
            thread = threading.Thread(target=requests)
            thread.start()
            thread.join()
            gc.collect()  # the client's connections refer to themselves
        assert open_while_counting == [before + 1] * 2
        until(lambda: server.info("clients")["connected_clients"] == before)


@pytest.mark.parametrize("store", ["memory", "redis"])
def test_concurrent_requests_get_different_remainders(redis: Redis, store: str) -> None:
    windows = MemoryWindows() if store == "memory" else SharedWindows(redis.url)
    with ThreadPoolExecutor(8) as pool:
        told = list(pool.map(lambda _: rates.count(windows, Rate.API, "one", 1), range(124)))
    assert sorted(window.remaining for window in told if not window.exceeded) == list(range(120))
    assert [window.remaining for window in told if window.exceeded] == [0] * 4


class TestAlone:
    def test_without_redis_each_process_counts_separately(self, process, redis: Redis) -> None:
        first, second = process(), process()
        assert (first().remaining, second().remaining) == (119, 118)
        redis.kill()
        assert (first().remaining, first().remaining, second().remaining) == (119, 118, 119)

    def test_the_limit_applies_without_redis(self, process, redis: Redis) -> None:
        count = process()
        redis.kill()
        assert [count().exceeded for _ in range(121)] == [False] * 120 + [True]

    def test_the_limit_applies_while_redis_hangs(self, process, redis: Redis) -> None:
        count = process()
        count()
        redis.hang()
        assert [count().exceeded for _ in range(121)] == [False] * 120 + [True]

    def test_the_service_starts_without_redis(self, process, redis: Redis) -> None:
        redis.kill()
        assert process()().remaining == 119

    def test_redis_counts_again_after_a_restart(self, process, redis: Redis) -> None:
        count = process()
        redis.kill()
        assert [count().remaining for _ in range(3)] == [119, 118, 117]
        redis.start()
        until(nobody_probes)
        assert count().remaining == 119
        assert process()().remaining == 118

    def test_redis_counts_again_after_it_hung(self, process, redis: Redis) -> None:
        count, other = process(), process()
        assert count().remaining == 119
        redis.hang()
        assert count().remaining == 119
        redis.go_on()
        until(nobody_probes)
        assert count().remaining < other().remaining + 2 < 120

    def test_one_thread_probes_a_redis_that_hangs(self, tmp_path: Path) -> None:
        with start_silent_redis() as silent:
            windows = SharedWindows(silent.url)
            windows.count("one", 60, 1)
            until(lambda: silent.open == 0)
            silent.most = silent.asked = 0

            def requests(_: int) -> None:
                deadline = time.monotonic() + WATCHDOG_SECONDS
                while silent.asked < 3 and time.monotonic() < deadline:
                    windows.count("one", 60, 1)
                    time.sleep(0.005)

            with ThreadPoolExecutor(8) as pool:
                list(pool.map(requests, range(8)))
            assert (silent.asked, silent.most) == (3, 1)
        with start_redis(tmp_path, silent.port):
            until(nobody_probes)

    def test_the_outage_is_logged_once_per_minute(
        self, process, redis: Redis, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Decisions 3. The minute is shortened here."""
        assert shared_windows._LOG_EVERY_SECONDS == 60
        count = process()
        redis.kill()
        with caplog.at_level(logging.INFO, "studyservice.rates.shared"):
            count()
            time.sleep(1)  # about ten probes
            count()
            assert [record.message for record in caplog.records] == [GONE]
            caplog.clear()
            monkeypatch.setattr(shared_windows, "_LOG_EVERY_SECONDS", 0.5)
            other = process()
            other()
            until(lambda: [record.message for record in caplog.records] == [GONE] * 2)
            redis.start()
            until(nobody_probes)
        assert [record.message for record in caplog.records[-2:]] == [BACK] * 2

    @pytest.mark.django_db
    def test_the_service_works_without_redis(self, redis: Redis, settings, owner_member: Member, make_key) -> None:
        settings.REDIS_URL = redis.url
        rates.windows.cache_clear()
        secret, _ = make_key(owner_member)
        try:
            assert ME.send(**bearer(secret)).headers["RateLimit-Remaining"] == "119"
            redis.kill()
            answers = [ME.send(**bearer(secret)) for _ in range(3)]
            assert [(answer.status_code, answer.headers["RateLimit-Remaining"]) for answer in answers] == [
                (200, "119"),
                (200, "118"),
                (200, "117"),
            ]
        finally:
            rates.windows.cache_clear()

    def test_waits_double_across_processes_and_within_each_without_redis(self, redis: Redis, settings) -> None:
        settings.REDIS_URL = redis.url
        rates.windows.cache_clear()
        try:
            tries = [DoublingWait(rates.Rate.PASSWORDS, "ada").begin() for _ in range(7)]
            assert tries[:6] == [None] * 6
            rates.windows.cache_clear()  # another process
            other = DoublingWait(rates.Rate.PASSWORDS, "ada")
            refused = [tries[6], other.begin()]
            assert [(window.exceeded, window.reset) for window in refused if window] == [(True, 2)] * 2
            other.forget()
            assert other.begin() is None
            redis.kill()
            assert [other.begin() for _ in range(6)] == [None] * 6
            assert other.begin() is not None
        finally:
            rates.windows.cache_clear()
