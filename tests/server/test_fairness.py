"""Waiting requests and floods leave threads to others, on a real server."""

import http.client
import json
import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from urllib.parse import urlsplit

import psycopg
import pytest

from tests.support import server as servers

THREADS = 4
"""Fewer than the members of the tests, so that these can occupy all threads."""

WATCHDOG_SECONDS = 15


@pytest.fixture(scope="module")
def own_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[servers.Server]:
    with servers.running(tmp_path_factory.mktemp("fairness"), WEB_THREADS=str(THREADS)) as running:
        yield running


@pytest.fixture(scope="module")
def keys(own_server: servers.Server) -> list[str]:
    """Requests of six members that the server has seen before."""
    made = [
        own_server.command("createmember", f"member{number}@example.org", "--api-key", "k")["api_key"]
        for number in range(6)
    ]
    for key in made:
        assert status_of(asked(own_server, "GET", "/v1/me", key)) == 200
    return made


@contextmanager
def locked_members(server: servers.Server) -> Iterator[None]:
    """Block all writes."""
    url = server.environment["DATABASE_URL"]
    with ExitStack() as stack:
        if url.startswith("sqlite"):
            holder = sqlite3.connect(url.removeprefix("sqlite:///"))
            stack.callback(holder.close)
            holder.execute("BEGIN IMMEDIATE")
        else:
            connection = stack.enter_context(psycopg.connect(url))
            connection.execute("SELECT id FROM accounts_member FOR UPDATE")
        yield


def asked(server: servers.Server, method: str, path: str, key: str = "") -> http.client.HTTPConnection:
    """A connection on which a request was sent."""
    parts = urlsplit(server.url)
    client = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=WATCHDOG_SECONDS)
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    body = json.dumps({"name": "Cell Biology"}) if method == "POST" else None
    client.request(method, path, body, headers | {"Content-Type": "application/json"})
    return client


def status_of(client: http.client.HTTPConnection) -> int:
    with client.getresponse() as answer:
        status = answer.status
    client.close()
    return status


@pytest.mark.same_statements
def test_stuck_writes_of_a_member_leave_free_threads(own_server: servers.Server, keys: list[str]) -> None:
    stuck, other, *_ = keys
    with locked_members(own_server):
        writes = [asked(own_server, "POST", "/v1/courses", stuck) for _ in range(2 * THREADS)]
        assert status_of(asked(own_server, "GET", "/v1/me", other)) == 200
        assert status_of(asked(own_server, "GET", "/v1/me", stuck)) == 200
        assert status_of(asked(own_server, "GET", "/")) == 200
    assert [status_of(write) for write in writes] == [201] * len(writes)


def test_health_is_answered_while_every_thread_is_busy(own_server: servers.Server, keys: list[str]) -> None:
    with locked_members(own_server):
        writes = [asked(own_server, "POST", "/v1/courses", key) for key in keys]
        assert [status_of(asked(own_server, "GET", "/health")) for _ in range(3)] == [200] * 3
    assert [status_of(write) for write in writes] == [201] * len(writes)


def test_parallel_reads_of_a_client_wait_and_are_answered(own_server: servers.Server, keys: list[str]) -> None:
    with ThreadPoolExecutor(8) as pool:
        statuses = list(pool.map(lambda _: status_of(asked(own_server, "GET", "/v1/items", keys[5])), range(24)))
    assert statuses == [200] * 24
