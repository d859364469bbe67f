"""`migrate` yields to other users of the tables, retries, and reports it."""

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from io import StringIO
from pathlib import Path
from typing import ClassVar

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations import Migration
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations.base import Operation
from django.db.models import Index

from studyservice.database.postgresql.operations import AddIndexAside, DropForeignKeyIndex, DropIndexAside
from studyservice.management.commands import migrate
from tests.support import databases
from tests.support.cases import each

pytestmark = pytest.mark.database("postgresql")

BACK = ("accounts", "0022")
"""The following migration alters `TABLE`, which a transaction may be reading."""

TABLE = "accounts_change"
READ = "SELECT count(*) FROM accounts_change"

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
        found = after.execute(
            "SELECT is_nullable FROM information_schema.columns WHERE column_name = 'by_kind' AND table_name = %s",
            [TABLE],
        ).fetchone()
        assert found == ("YES",)


def test_it_gives_up_with_a_remedy(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    migrated(url, *BACK)
    monkeypatch.setattr(migrate, "TRIES", 2)
    monkeypatch.setattr(migrate, "PAUSE_SECONDS", 0.1)
    with psycopg.connect(url) as long:
        long.execute(READ)
        with pytest.raises(CommandError, match="Not migrated: other transactions held a lock"):
            migrated(url, told=StringIO())
    migrated(url)


def test_an_index_is_created_beside_open_transactions(url: str) -> None:
    """It waits longer for them than for locks. An interrupted attempt does not block the next."""
    with psycopg.connect(url, autocommit=True) as left:
        left.execute("CREATE INDEX apikey_aside ON accounts_apikey (created_at)")
        left.execute("UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'apikey_aside'::regclass")
    with psycopg.connect(url) as long:
        long.execute("INSERT INTO django_content_type (app_label, model) VALUES ('a', 'b')")
        long.execute("LOCK TABLE accounts_apikey IN ROW EXCLUSIVE MODE")
        threading.Timer(HELD_SECONDS, long.rollback).start()
        applied(url, "accounts", AddIndexAside("apikey", Index(fields=["name"], name="apikey_aside")))
    assert "name" in indexed(url, "accounts_apikey")
    assert "created_at" not in indexed(url, "accounts_apikey")


@each(
    ("operation", "column"),
    [
        (DropForeignKeyIndex("syllabusfile", "course"), "course_id"),
        (DropIndexAside("syllabusfile", "syllabusfile_expiry"), "expires_at"),
    ],
)
def test_an_index_is_dropped_beside_open_transactions(url: str, operation: Operation, column: str) -> None:
    before = indexed(url, "courses_syllabusfile")
    assert before >= {"member_id", column}
    with psycopg.connect(url) as long:
        long.execute("LOCK TABLE courses_syllabusfile IN ROW EXCLUSIVE MODE")
        threading.Timer(HELD_SECONDS, long.rollback).start()
        applied(url, "courses", operation)
    assert indexed(url, "courses_syllabusfile") == before - {column}
    applied(url, "courses", operation)


def applied(url: str, app: str, operation: Operation) -> None:
    """Apply a non-atomic migration with the lock timeout of `migrate`."""

    class Later(Migration):
        operations: ClassVar = [operation]

    with databases.connected(url), migrate.lock_timeout("default"), connection.schema_editor(atomic=False) as editor:
        Later("later", app).apply(MigrationLoader(None).project_state(), editor)


def indexed(url: str, table: str) -> set[str]:
    """The indexed columns of a table, except the primary key."""
    with psycopg.connect(url) as connection:
        found = connection.execute(
            "SELECT attname::text FROM pg_index JOIN pg_attribute ON attrelid = indrelid AND attnum = indkey[0] "
            "WHERE indrelid = to_regclass(%s) AND indnatts = 1 AND NOT indisunique AND indisvalid",
            [table],
        )
        return {name for (name,) in found}
