"""A stuck database never delays a call or a health check without limit."""

import http.client
import json
import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest
from django.db import connection

from studyservice import __version__
from tests.support import databases
from tests.support import server as servers
from tests.support.forked import ended
from tests.support.frozen import Freezer, freezer
from tests.support.redis_server import start_redis
from tests.support.server import ADA

PATIENCE_SECONDS = 30
"""Seconds after which a call counts as hanging. Each wait in these tests is set to one or two seconds."""


@dataclass(frozen=True)
class Answer:
    status: int
    headers: http.client.HTTPMessage
    body: Any


@dataclass(frozen=True)
class Caller:
    """Calls a server with the key of its member Ada."""

    server: servers.Server
    secret: str = ""

    def call(self, method: str, path: str, body: Any = None, **more: str) -> Answer:
        address = urlsplit(self.server.url)
        with closing(http.client.HTTPConnection(address.hostname or "", address.port, PATIENCE_SECONDS)) as line:
            headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream", **more}
            if self.secret:
                headers["Authorization"] = f"Bearer {self.secret}"
            line.request(method, path, None if body is None else json.dumps(body), headers)
            response = line.getresponse()
            return Answer(response.status, response.headers, json.loads(response.read()))

    def create_course(self, **headers: str) -> Answer:
        return self.call("POST", "/v1/courses", {"name": "Cell Biology"}, **headers)


def is_passing_fault(answer: Answer) -> bool:
    found = (answer.status, answer.body["error"]["type"], answer.headers["Retry-After"])
    return found == (500, "internal_error", "1")


@contextmanager
def serving(directory: Path, url: str, **variables: str) -> Iterator[Caller]:
    with servers.started(directory, url, **variables) as started:
        yield Caller(started, started.command("createmember", ADA, "--api-key", "test")["api_key"])


@contextmanager
def locked(url: str, statement: str) -> Iterator[None]:
    """Another transaction that has executed `statement`. On SQLite it holds the only lock."""
    if url.startswith("sqlite"):
        with closing(sqlite3.connect(urlsplit(url).path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            yield
            other.execute("ROLLBACK")
        return
    with psycopg.connect(url) as transaction:
        transaction.execute(statement.encode())
        yield
        transaction.rollback()


KEYED = {"Idempotency-Key": "first"}
LOCK_MEMBER = "SELECT id FROM accounts_member FOR UPDATE"


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    """The test's own database."""
    with databases.copied(f"waits_{tmp_path.name}", tmp_path) as own:
        yield own


@pytest.fixture
def frozen(url: str) -> Iterator[Freezer]:
    """The same database behind a proxy that can freeze."""
    with freezer(url) as passing:
        yield passing


@pytest.fixture(scope="module")
def impatient(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Caller, str]]:
    """A server that waits one second for locks, and the URL of its database."""
    directory = tmp_path_factory.mktemp("impatient")
    with (
        databases.copied(f"waits_{directory.name}", directory) as url,
        serving(directory, url, DATABASE_LOCK_TIMEOUT="1") as ada,
    ):
        yield ada, url


def test_waiting_for_a_lock_is_limited(impatient: tuple[Caller, str]) -> None:
    ada, url = impatient
    ada.call("GET", "/v1/me")  # records the use of the key
    with locked(url, LOCK_MEMBER):
        assert is_passing_fault(ada.create_course())
        assert ada.call("GET", "/v1/me").status == 200
        waited = ada.create_course(**KEYED)
        assert (waited.status, waited.body["error"]["type"]) == (409, "conflict")
        assert waited.headers["Retry-After"] == "1"
    assert ada.create_course(**KEYED).status == 201
    assert len(ada.call("GET", "/v1/courses").body["data"]) == 1


def test_a_tool_reports_that_it_can_be_called_again(impatient: tuple[Caller, str]) -> None:
    ada, url = impatient
    call = {"name": "create_course", "arguments": {"name": "Cell Biology"}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    with locked(url, LOCK_MEMBER):
        result = ada.call("POST", "/mcp", message).body["result"]
    assert result["isError"] is True
    assert result["content"][0]["text"].startswith("internal_error: ")
    assert "\nWait 1 s before you try again.\n" in result["content"][0]["text"]


def test_an_app_gets_an_oauth_error(impatient: tuple[Caller, str]) -> None:
    ada, url = impatient
    app = {"redirect_uris": ["https://app.example/callback"], "token_endpoint_auth_method": "none"}
    with locked(url, "LOCK TABLE oauthserver_application"):
        answer = ada.call("POST", "/oauth/register", app)
    assert (answer.status, answer.body["error"], answer.headers["Retry-After"]) == (500, "server_error", "1")


@pytest.mark.database("postgresql")
def test_the_duration_of_a_statement_is_limited(tmp_path: Path, url: str) -> None:
    waits = {"DATABASE_LOCK_TIMEOUT": "60", "DATABASE_STATEMENT_TIMEOUT": "1"}
    with serving(tmp_path, url, **waits) as ada:
        with locked(url, "LOCK TABLE accounts_apikey"):
            assert is_passing_fault(ada.call("GET", "/v1/me"))
        assert ada.call("GET", "/v1/me").status == 200


@pytest.mark.database("postgresql")
@pytest.mark.django_db
def test_every_connection_has_the_timeouts() -> None:
    names = ("lock_timeout", "statement_timeout", "idle_in_transaction_session_timeout")
    with connection.cursor() as cursor:
        found = [cursor.execute(f"SHOW {name}").fetchone() for name in names]
    assert found == [("5s",), ("15s",), ("30s",)]


@pytest.mark.database("postgresql")
class TestFrozen:
    """The database is frozen, and TCP does not notice."""

    def test_a_call_ends_and_later_ones_work(self, tmp_path: Path, frozen: Freezer) -> None:
        with serving(tmp_path, frozen.url, DATABASE_STATEMENT_TIMEOUT="1") as ada:
            assert ada.create_course().status == 201
            frozen.freeze()
            assert is_passing_fault(ada.create_course())
            frozen.thaw()
            assert _in_time(lambda: ada.create_course().status == 201)
            assert _in_time(lambda: ada.call("GET", "/v1/courses").status == 200)
            time.sleep(1)  # until every thread can connect again
            assert len(ada.call("GET", "/v1/courses").body["data"]) == 2

    def test_opening_a_new_connection_is_aborted(self, tmp_path: Path, frozen: Freezer) -> None:
        with serving(tmp_path, frozen.url, DATABASE_CONNECT_TIMEOUT="2") as ada:
            frozen.freeze()
            assert is_passing_fault(ada.call("GET", "/v1/me"))
            frozen.thaw()
            assert _in_time(lambda: ada.call("GET", "/v1/me").status == 200)

    def test_health_has_a_shorter_timeout_than_calls(self, tmp_path: Path, frozen: Freezer) -> None:
        waits = {"DATABASE_STATEMENT_TIMEOUT": "3600", "DATABASE_CONNECT_TIMEOUT": "3600"}
        with serving(tmp_path, frozen.url, **waits) as ada:
            assert ada.call("GET", "/health").status == 200
            frozen.freeze()
            down = ada.call("GET", "/health")
            assert (down.status, down.body) == (503, {"status": "down"})
            assert ada.call("GET", "/health/live").status == 200
            checks = ada.call("GET", "/health/ready").body["checks"]
            assert checks == {"database": "down", "migrations": "down", "static_files": "ok"}
            frozen.thaw()
            assert _in_time(lambda: ada.call("GET", "/health").status == 200)


def _in_time(happened: Callable[[], bool]) -> bool:
    """Return whether `happened()` becomes true."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        if happened():
            return True
        time.sleep(1)  # as in Retry-After
    return False


def test_readiness_requires_every_migration(tmp_path: Path, url: str) -> None:
    with serving(tmp_path, url) as ada:
        ready = ada.call("GET", "/health/ready")
        assert (ready.status, ready.body) == (
            200,
            {
                "status": "ok",
                "version": __version__,
                "checks": {"database": "ok", "migrations": "ok", "static_files": "ok"},
            },
        )
        _execute(url, "DELETE FROM django_migrations WHERE app = 'vocab' AND name = '0001_initial'")
        unready = ada.call("GET", "/health/ready")
        assert (unready.status, unready.body) == (
            503,
            {
                "status": "down",
                "version": __version__,
                "checks": {"database": "ok", "migrations": "down", "static_files": "ok"},
            },
        )
        assert ada.call("GET", "/health").status == 200


def test_readiness_requires_redis(tmp_path: Path, url: str) -> None:
    with start_redis(tmp_path) as redis, serving(tmp_path, url, REDIS_URL=redis.url) as ada:
        ready = ada.call("GET", "/health/ready")
        assert (ready.status, ready.body["checks"]["redis"]) == (200, "ok")
        redis.kill()
        unready = ada.call("GET", "/health/ready")
        assert (unready.status, unready.body["checks"]["redis"]) == (503, "down")
        assert ada.call("GET", "/health").status == 200


def _execute(url: str, statement: str) -> None:
    if url.startswith("sqlite"):
        with closing(sqlite3.connect(urlsplit(url).path)) as other, other:
            other.execute(statement)
        return
    with psycopg.connect(url) as transaction:
        transaction.execute(statement.encode())


@pytest.mark.database("postgresql")
def test_timeouts_can_be_set_by_role(tmp_path: Path, url: str) -> None:
    """The timeouts also apply to a connection that sets none, as through a pooler."""
    printed = _manage(tmp_path, url, "databasetimeouts", DATABASE_LOCK_TIMEOUT="7")
    with psycopg.connect(url) as plain:
        database = plain.info.dbname
        assert plain.execute("SHOW lock_timeout").fetchone() == ("0",)
    assert printed == "".join(
        f'ALTER ROLE "postgres" IN DATABASE "{database}" SET "{name}" = \'{value}\';\n'
        for name, value in (
            ("lock_timeout", "7s"),
            ("statement_timeout", "15s"),
            ("idle_in_transaction_session_timeout", "30s"),
        )
    )
    assert _manage(tmp_path, url, "databasetimeouts", "--apply", DATABASE_LOCK_TIMEOUT="7") == printed
    with psycopg.connect(url) as plain:
        assert plain.execute("SHOW lock_timeout").fetchone() == ("7s",)


@pytest.mark.database("postgresql")
def test_commands_have_longer_timeouts(tmp_path: Path, url: str) -> None:
    show = "from django.db import connection as c; print(c.cursor().execute('SHOW statement_timeout').fetchone())"
    shown = _manage(tmp_path, url, "shell", "--no-imports", "--command", show, COMMAND_STATEMENT_TIMEOUT="7200")
    assert shown == "('2h',)\n"


def _manage(directory: Path, url: str, *arguments: str, **variables: str) -> str:
    """The output of a command."""
    environment = os.environ | {"DATABASE_URL": url, "DATA_DIR": str(directory)} | variables
    done = ended(directory, "manage", *arguments, environment=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout
