"""`migrate` beside others who use the tables: it steps back, tries again, and says so."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests import ROOT
from tests.support import databases

pytestmark = pytest.mark.postgresql

BACK = ("vocab", "0010")
"""To go on from there drops constraints of tables that a transaction may be reading."""


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    with databases.copied(f"migrate_{tmp_path.name}", tmp_path) as own:
        yield own


def started(directory: Path, url: str, *arguments: str) -> "subprocess.Popen[str]":
    environment = os.environ | {"DATABASE_URL": url, "DATA_DIR": str(directory)}
    command = [sys.executable, "manage.py", *arguments]
    return subprocess.Popen(
        command, env=environment, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )


def migrated(directory: Path, url: str, *target: str) -> None:
    with started(directory, url, "migrate", *target) as command:
        _, errors = command.communicate(timeout=60)
    assert command.returncode == 0, errors


def seen(command: "subprocess.Popen[str]", stepped_back: threading.Event) -> None:
    assert command.stderr is not None
    for line in command.stderr:
        if "Other transactions hold what the migration needs: tried again" in line:
            stepped_back.set()


def test_it_steps_back_for_who_holds_a_table_and_goes_on_afterwards(tmp_path: Path, url: str) -> None:
    """Who asks for the table meanwhile waits half a second and a little, not until the long transaction ends."""
    migrated(tmp_path, url, *BACK)
    waits: list[float] = []
    with psycopg.connect(url) as long:
        long.execute("SELECT count(*) FROM vocab_review")
        with started(tmp_path, url, "migrate") as command, psycopg.connect(url, autocommit=True) as caller:
            stepped_back = threading.Event()
            reading = threading.Thread(target=seen, args=(command, stepped_back), daemon=True)
            reading.start()
            deadline = time.monotonic() + 60
            while not stepped_back.is_set() and time.monotonic() < deadline:
                begun = time.monotonic()
                caller.execute("SELECT count(*) FROM vocab_review")
                waits.append(time.monotonic() - begun)
                time.sleep(0.02)
            assert stepped_back.is_set()
            long.rollback()
            assert command.wait(timeout=60) == 0
            reading.join()
    assert 0.2 < max(waits) < 3
    with psycopg.connect(url) as after:
        assert after.execute("SELECT count(*) FROM django_migrations WHERE app = 'vocab'").fetchone() == (12,)


def test_it_gives_up_with_what_to_do(tmp_path: Path, url: str) -> None:
    migrated(tmp_path, url, *BACK)
    program = (
        "from studyservice.management.commands import migrate; migrate.TRIES, migrate.PAUSE_SECONDS = 2, 0.1; "
        "from django.core.management import call_command; call_command('migrate')"
    )
    with psycopg.connect(url) as long:
        long.execute("SELECT count(*) FROM vocab_review")
        with started(tmp_path, url, "shell", "--no-imports", "--command", program) as command:
            _, errors = command.communicate(timeout=30)
    assert command.returncode != 0
    assert "Not migrated: other transactions held a table" in errors
    migrated(tmp_path, url)


def test_an_index_is_made_beside_open_transactions(tmp_path: Path, url: str) -> None:
    """It waits longer for them than for locks, and what an ended attempt left does not stop the next."""
    migrated(tmp_path, url, "courses", "0004")
    with psycopg.connect(url, autocommit=True) as left:
        left.execute("CREATE INDEX item_course_due ON courses_item (course_id)")
        left.execute("UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'item_course_due'::regclass")
    with psycopg.connect(url) as long:
        long.execute("INSERT INTO django_content_type (app_label, model) VALUES ('a', 'b')")
        long.execute("LOCK TABLE courses_item IN ROW EXCLUSIVE MODE")
        threading.Timer(3, long.rollback).start()
        migrated(tmp_path, url, "courses", "0005")
    with psycopg.connect(url) as after:
        valid = after.execute(
            "SELECT indisvalid FROM pg_index WHERE indexrelid = 'item_course_due'::regclass"
        ).fetchone()
    assert valid == (True,)


def test_an_index_is_dropped_beside_open_transactions(tmp_path: Path, url: str) -> None:
    migrated(tmp_path, url, "vocab", "0011")
    assert indexed(url, "vocab_card") == {"deck_id"}
    with psycopg.connect(url) as long:
        long.execute("LOCK TABLE vocab_card IN ROW EXCLUSIVE MODE")
        threading.Timer(3, long.rollback).start()
        migrated(tmp_path, url, "vocab", "0012")
    assert indexed(url, "vocab_card") == set()


def indexed(url: str, table: str) -> set[str]:
    """The columns of a table that have an index of their own, but for the key."""
    with psycopg.connect(url) as connection:
        found = connection.execute(
            "SELECT attname::text FROM pg_index JOIN pg_attribute ON attrelid = indrelid AND attnum = indkey[0] "
            "WHERE indrelid = to_regclass(%s) AND indnatts = 1 AND NOT indisunique AND indisvalid",
            [table],
        )
        return {name for (name,) in found}
