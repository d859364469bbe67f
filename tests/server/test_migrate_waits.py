"""`migrate` yields to other users of the tables, retries, and reports it."""

import os
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from io import StringIO
from pathlib import Path

import psycopg
import pytest
from django.core.management import CommandError, call_command

from studyservice.management.commands import migrate
from tests.support import databases
from tests.support.forked import ended
from tests.support.server import free_port

pytestmark = pytest.mark.database("postgresql")

BACK = ("accounts", "0001")
"""The following migration alters `TABLE`, which a transaction may be reading."""

TABLE = "accounts_change"
READ = "SELECT count(*) FROM accounts_change"

OLD_INDEX, NEW_INDEX = "item_member_due_course", "item_member_due_courses"
"""Dropped and created by a migration of courses."""

HELD_SECONDS = 1.5
"""How long a transaction holds its locks: three times as long as `migrate` waits for one."""


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    with databases.copied(f"migrate_{tmp_path.name}", tmp_path) as own:
        yield own


def migrated(url: str, *target: str, told: StringIO | None = None) -> None:
    """Run the command on that database, in the calling thread."""
    with databases.connected(url):
        call_command("migrate", *target, verbosity=0, stderr=told)


class Told(StringIO):
    """Output of the command, and whether it has yielded."""

    def __init__(self) -> None:
        super().__init__()
        self.stepped_back = threading.Event()

    def write(self, text: str, /) -> int:
        if "Other transactions hold locks that the migration needs: tried again" in text:
            self.stepped_back.set()
        return super().write(text)


def test_it_yields_to_a_transaction_on_the_table_and_continues_afterwards(url: str) -> None:
    """Others wait for the table about half a second, not until the long transaction ends."""
    migrated(url, *BACK)
    waits: list[float] = []
    told = Told()
    with psycopg.connect(url) as long, psycopg.connect(url, autocommit=True) as caller, ThreadPoolExecutor() as pool:
        long.execute(READ)
        command = pool.submit(migrated, url, told=told)
        while not told.stepped_back.is_set() and not command.done():
            begun = time.monotonic()
            caller.execute(READ)
            waits.append(time.monotonic() - begun)
            time.sleep(0.02)
        assert not command.done()
        long.rollback()
        command.result(timeout=60)
    assert 0.2 < max(waits) < 3
    with psycopg.connect(url) as after:
        found = after.execute("SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = 'change_by_kind'")
        assert "calendar" in found.fetchall()[0][0]


def test_it_gives_up_with_a_remedy(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    migrated(url, *BACK)
    monkeypatch.setattr(migrate, "TRIES", 2)
    monkeypatch.setattr(migrate, "PAUSE_SECONDS", 0.1)
    with psycopg.connect(url) as long:
        long.execute(READ)
        with pytest.raises(CommandError, match="Not migrated: other transactions held a lock"):
            migrated(url, told=StringIO())
    migrated(url)


def test_a_database_that_does_not_answer_is_refused_in_one_line(tmp_path: Path) -> None:
    address = f"postgres://study:hunter2@127.0.0.1:{free_port()}/study"
    done = ended(tmp_path, "manage", "migrate", environment={**os.environ, "DATABASE_URL": address})
    assert (done.returncode, done.stdout) == (1, "")
    [line] = done.stderr.splitlines()
    assert line.startswith("CommandError: Not migrated: the database does not answer. Check that it runs")
    assert "hunter2" not in line


def test_an_index_is_created_and_dropped_beside_open_transactions(url: str) -> None:
    """It waits longer for them than for locks. What an interrupted attempt left does not block the next."""
    migrated(url, "courses", "0022")
    before, told = indexes(url), Told()
    with psycopg.connect(url, autocommit=True) as left:
        left.execute(f"CREATE INDEX {NEW_INDEX} ON courses_item (created_at)")
        left.execute("UPDATE pg_index SET indisvalid = false WHERE indexrelid = to_regclass(%s)", [NEW_INDEX])
    with psycopg.connect(url) as long:
        long.execute("LOCK TABLE courses_item IN ROW EXCLUSIVE MODE")
        threading.Timer(HELD_SECONDS, long.rollback).start()
        migrated(url, "courses", "0023", told=told)
    assert not told.stepped_back.is_set()
    after = indexes(url)
    assert before.keys() - after.keys() == {OLD_INDEX}
    assert after.keys() - before.keys() == {NEW_INDEX}
    assert "due_on" in after[NEW_INDEX]


def test_a_migration_that_is_not_atomic_can_be_repeated(url: str) -> None:
    """It was interrupted after its last operation."""
    migrated(url, "courses", "0023")
    before = indexes(url)
    with psycopg.connect(url) as interrupted:
        interrupted.execute("DELETE FROM django_migrations WHERE app = 'courses' AND name LIKE '0023%'")
    migrated(url, "courses", "0023")
    assert indexes(url) == before


def indexes(url: str) -> dict[str, str]:
    """The complete indexes of items."""
    with psycopg.connect(url) as connection:
        found = connection.execute(
            "SELECT indexrelid::regclass::text, pg_get_indexdef(indexrelid) FROM pg_index "
            "WHERE indrelid = 'courses_item'::regclass AND indisvalid"
        )
        return dict(found.fetchall())
