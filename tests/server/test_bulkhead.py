"""A database server that does not answer blocks its own members and no others."""

import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from threading import Event
from typing import Any
from uuid import UUID

import pytest
from django.conf import settings as django_settings
from django.db import connection

from studyservice.citus import bulkhead as servers
from studyservice.citus.backend.base import DatabaseWrapper
from studyservice.citus.bulkhead import PATIENCE_SECONDS, Bulkhead, ServerHangsError
from studyservice.database.executing import member_known

pytestmark = pytest.mark.database("sqlite", "uses no database")


@contextmanager
def held(bulkhead: Bulkhead, pool: ThreadPoolExecutor, *, asking: bool) -> Iterator[None]:
    """Another thread occupies the only place at `a`."""
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
    """Seconds until a place was free."""
    started = time.monotonic()
    with bulkhead.request():
        bulkhead.enter(server)
    return time.monotonic() - started


def test_calls_to_an_unresponsive_server_fail_and_others_continue() -> None:
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


def test_a_slow_but_working_call_is_waited_for() -> None:
    bulkhead = Bulkhead(1)
    with ThreadPoolExecutor(2) as pool:
        with held(bulkhead, pool, asking=False):
            waiting: Future[float] = pool.submit(entered, bulkhead, "a")
            time.sleep(2 * PATIENCE_SECONDS)
            assert not waiting.done()
        assert waiting.result() > PATIENCE_SECONDS


def test_a_failed_request_frees_its_place() -> None:
    bulkhead = Bulkhead(1)

    def fail() -> None:
        with bulkhead.request():
            bulkhead.enter("a")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(entered, bulkhead, "a").result() < 0.1


def test_a_command_uses_no_place() -> None:
    bulkhead = Bulkhead(1)
    bulkhead.enter("a")
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(entered, bulkhead, "a").result() < 0.1


def test_there_is_no_limit_with_a_single_server() -> None:
    servers.bulkhead.cache_clear()
    assert member_known.send(None, member_id=UUID(int=0)) == []
    assert servers.bulkhead.cache_info().currsize == 0
    assert "studyservice.citus.bulkhead.ServerPlaceMiddleware" not in django_settings.MIDDLEWARE


@pytest.fixture
def one_place(settings: Any) -> Iterator[Bulkhead]:
    """The bulkhead of this process has one place per server."""
    settings.WEB_THREADS = 2
    servers.bulkhead.cache_clear()
    yield servers.bulkhead()
    servers.bulkhead.cache_clear()


@pytest.mark.database("postgresql")
@pytest.mark.django_db
def test_the_backend_measures_the_seconds_of_a_statement(one_place: Bulkhead) -> None:
    there = Event()

    def ask() -> None:
        database = DatabaseWrapper(connection.settings_dict, "citus")
        with one_place.request(), closing(database), database.cursor() as cursor:
            one_place.enter("a")
            there.set()
            cursor.execute(f"SELECT pg_sleep({3 * PATIENCE_SECONDS})")

    with ThreadPoolExecutor(1) as pool:
        asking = pool.submit(ask)
        there.wait(30)
        with pytest.raises(ServerHangsError):
            entered(one_place, "a")
        asking.result()
    assert entered(one_place, "a") < 0.1
