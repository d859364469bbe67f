"""After an erasure, SQLite's files contain nothing of the member, even while others use the database."""

import json
import sqlite3
import urllib.request
from collections.abc import Iterator
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.support import server as servers

pytestmark = pytest.mark.database("sqlite")

MARKER = "zyxomma"
EMAIL = f"{MARKER}@example.org"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[servers.Server]:
    """A server for this test, with a member whose texts all contain the marker, and another member."""
    with servers.running(tmp_path) as running:
        running.command("createmember", EMAIL, "--name", f"Ada {MARKER}")
        running.command("createmember", "other@example.org")
        yield running


def fill(server: servers.Server) -> None:
    """Over REST, so that the server's own connections have read and written the data."""
    key = server.command("createapikey", EMAIL, MARKER)["api_key"]

    numbers = count()

    def send(method: str, path: str, **body: Any) -> Any:
        headers = {
            "Authorization": f"Bearer {key}",
            "Content-Type": "application/json",
            "Idempotency-Key": f"{MARKER}-{next(numbers)}",
        }
        data = json.dumps(body).encode()
        request = urllib.request.Request(f"{server.url}{path}", data, headers, method=method)  # noqa: S310  # its own
        with urllib.request.urlopen(request) as answer:  # noqa: S310
            return json.loads(answer.read())

    course = send("POST", "/v1/courses", name=f"Course {MARKER}", syllabus_text=f"{MARKER} " * 1000)
    for number in range(40):
        send("POST", f"/v1/courses/{course['id']}/items", title=f"{MARKER} {number}", quote=f"{MARKER} {number}")
    cards = [{"term": f"{MARKER} {number}", "definition": f"{MARKER} " * 20} for number in range(300)]
    send("POST", "/v1/vocab-decks", name=f"Deck {MARKER}", cards=cards)
    database = server.environment["DATABASE_URL"].removeprefix("sqlite:///")
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("PRAGMA wal_checkpoint(FULL)")
    send("PATCH", f"/v1/courses/{course['id']}", name=f"Renamed {MARKER}", code=MARKER)


def places(directory: Path) -> dict[str, int]:
    """Count the marker in each file, by extension."""
    files = {path.name.partition(".")[2]: path.read_bytes() for path in directory.glob("*.sqlite3*")}
    return {name: content.count(MARKER.encode()) for name, content in files.items() if MARKER.encode() in content}


def test_nothing_is_left_in_the_file_and_its_log(server: servers.Server, tmp_path: Path) -> None:
    fill(server)
    assert places(tmp_path).keys() == {"sqlite3", "sqlite3-wal"}
    server.command("erasemember", EMAIL, "--yes")
    assert places(tmp_path) == {}


@pytest.mark.thorough("the other test erases the same rows")
def test_data_kept_for_a_reader_is_cleared_by_the_next_purge(server: servers.Server, tmp_path: Path) -> None:
    """An earlier backup still needs the old log. The erasure ends anyway."""
    fill(server)
    [database] = tmp_path.glob("*.sqlite3")
    with closing(sqlite3.connect(database)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM accounts_member").fetchone()
        server.command("erasemember", EMAIL, "--yes")
        assert places(tmp_path)
    server.command("purgeexpired")
    assert places(tmp_path) == {}
