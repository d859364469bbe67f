"""`Idempotency-Key` over two server processes on one database, and after killing one of them."""

import http.client
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
import pytest

from tests.support import databases
from tests.support import server as servers
from tests.support.server import ADA
from tests.support.wire import COURSE, JSON, Response, Wire

pytestmark = pytest.mark.database("postgresql")

WATCHDOG_SECONDS = 60


@dataclass(frozen=True)
class Pair:
    """Two servers on one database. A call with `X-Kill` kills the process of the first."""

    url: str
    wires: tuple[Wire, Wire]

    def create(self, number: int, key: str, *lines: str) -> Response:
        """Create a course at one of them."""
        wire = self.wires[number % 2]
        head = wire.head(
            "POST", "/v1/courses", JSON, f"Content-Length: {len(COURSE)}", f"Idempotency-Key: {key}", *lines
        )
        return wire.ask(head + COURSE)

    def query(self, statement: str) -> Any:
        """The single value of a statement."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            row = connection.execute(statement.encode()).fetchone()
            assert row is not None
            return row[0]


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    directories = [tmp_path_factory.mktemp("server") for _ in range(2)]
    killing = str(Path(servers.__file__).with_name("killing.py"))
    with (
        databases.copied(f"retries_{uuid4().hex[:8]}", directories[0]) as url,
        servers.started(directories[0], url, killing) as first,
        servers.started(directories[1], url) as second,
    ):
        secret = first.command("createmember", ADA, "--api-key", "test")["api_key"]
        yield Pair(url, (Wire.to(first, secret), Wire.to(second, secret)))


def test_24_threads_over_two_processes_create_one_object(pair: Pair) -> None:
    """They meet at the member's lock, held until both processes wait, since each process runs one call per member."""
    for wire in pair.wires:
        assert (
            wire.ask(wire.head("GET", "/v1/me")).status == 200
        )  # from now on, the process knows the member of the key
    made = pair.query("SELECT count(*) FROM courses_course")
    with psycopg.connect(pair.url) as holder, ThreadPoolExecutor(24) as pool:
        holder.execute("SELECT id FROM accounts_member FOR UPDATE")
        calls = [pool.submit(pair.create, number, "together") for number in range(24)]
        deadline = time.monotonic() + WATCHDOG_SECONDS
        while pair.query("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'") < 2:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        holder.rollback()
        answers = [call.result() for call in calls]
    assert {answer.status for answer in answers} == {201}
    assert len({answer.body["id"] for answer in answers}) == 1
    assert [answer.headers["Idempotency-Replayed"] for answer in answers].count(None) == 1
    assert pair.query("SELECT count(*) FROM courses_course") == made + 1


def test_a_call_of_a_process_killed_before_answering_was_carried_out_once(pair: Pair) -> None:
    made = pair.query("SELECT count(*) FROM courses_course")
    with pytest.raises((http.client.HTTPException, ConnectionError)):
        pair.create(0, "killed", "X-Kill: 1")
    assert pair.query("SELECT count(*) FROM courses_course") == made + 1
    answer = pair.create(1, "killed")
    assert (answer.status, answer.headers["Idempotency-Replayed"]) == (201, "true")
    assert pair.query("SELECT count(*) FROM courses_course") == made + 1
