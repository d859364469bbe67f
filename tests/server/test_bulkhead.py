"""A server of members that does not answer keeps its own members waiting, and no others."""

import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event
from uuid import UUID

import pytest
from django.db import connection

from studyservice.database.citus import servers
from studyservice.database.citus.bulkhead import PATIENCE_SECONDS, Bulkhead, ServerHangsError

pytestmark = pytest.mark.database("sqlite", "threads and places, no database")


@contextmanager
def held(bulkhead: Bulkhead, pool: ThreadPoolExecutor, *, asking: bool) -> Iterator[None]:
    """The one place at `a` is held by another thread, which waits for the database or does something else."""
    there, done = Event(), Event()

    def hold() -> None:
        with bulkhead.request():
            bulkhead.enter("a")
            if asking:
                with bulkhead.exchange():
                    there.set()
                    done.wait(30)
            else:
                there.set()
                done.wait(30)

    holding = pool.submit(hold)
    there.wait(30)
    try:
        yield
    finally:
        done.set()
        holding.result()


def entered(bulkhead: Bulkhead, server: str) -> float:
    """Seconds until there was a place."""
    started = time.monotonic()
    with bulkhead.request():
        bulkhead.enter(server)
    return time.monotonic() - started


def test_who_comes_to_a_server_that_hangs_is_told_so_and_others_go_on() -> None:
    bulkhead = Bulkhead(1)
    with ThreadPoolExecutor(1) as pool, held(bulkhead, pool, asking=True):
        started = time.monotonic()
        with pytest.raises(ServerHangsError, match="a does not answer"):
            entered(bulkhead, "a")
        assert PATIENCE_SECONDS * 0.9 < time.monotonic() - started < 1
        again = time.monotonic()
        with pytest.raises(ServerHangsError):
            entered(bulkhead, "a")
        assert time.monotonic() - again < 0.1
        assert entered(bulkhead, "b") < 0.1
    assert entered(bulkhead, "a") < 0.1


def test_work_that_takes_its_time_is_waited_for() -> None:
    bulkhead = Bulkhead(1)
    with ThreadPoolExecutor(2) as pool:
        with held(bulkhead, pool, asking=False):
            waiting: Future[float] = pool.submit(entered, bulkhead, "a")
            time.sleep(2 * PATIENCE_SECONDS)
            assert not waiting.done()
        assert waiting.result() > PATIENCE_SECONDS


def test_a_request_that_failed_leaves_its_place() -> None:
    bulkhead = Bulkhead(1)

    def fail() -> None:
        with bulkhead.request():
            bulkhead.enter("a")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(entered, bulkhead, "a").result() < 0.1


def test_a_command_takes_no_place() -> None:
    bulkhead = Bulkhead(1)
    bulkhead.enter("a")
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(entered, bulkhead, "a").result() < 0.1


def test_where_members_are_on_one_server_there_is_none() -> None:
    servers.bulkhead.cache_clear()
    servers.enter_server_of(UUID(int=0))
    assert servers.bulkhead.cache_info().currsize == 0
    assert getattr(connection.connection, "bulkhead", None) is None
