"""`deploy/backup.sh`: a backup counts only after a restore, nobody else can read it, and its age is reported."""

import os
import sqlite3
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection

from accounts.members.last_runs import LastRun
from studyservice.server.signals import BACKUP
from tests import ROOT
from tests.conftest import MakeMember
from tests.support import postgres

SCRIPT = ROOT / "deploy" / "backup.sh"
POSTGRESQL = [pytest.mark.database("postgresql"), pytest.mark.django_db(transaction=True)]

BackUp = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def backups(tmp_path: Path) -> Path:
    """A directory with two old backups, a stored file, and the record of what is gone."""
    (tmp_path / "data" / "files" / "syllabi").mkdir(parents=True)
    (tmp_path / "data" / "files" / "syllabi" / "one").write_text("Week 1")
    (tmp_path / "data" / "gone.jsonl").write_text("one line\n")
    for day in (1, 2):
        (tmp_path / "backups" / f"2020-01-0{day}T00-00-00Z").mkdir(parents=True)
    return tmp_path / "backups"


@pytest.fixture
def back_up(backups: Path, tmp_path: Path) -> BackUp:
    """Runs the script, which keeps two backups."""

    def run(*arguments: str, path: str = "", **variables: str) -> "subprocess.CompletedProcess[str]":
        environment = {"PATH": f"{path}{os.pathsep}{os.environ['PATH']}", "DATA_DIR": str(tmp_path / "data")}
        environment |= {"BACKUPS": str(backups), "BACKUPS_KEPT": "2"} | variables
        return subprocess.run(
            ["/bin/sh", str(SCRIPT), *arguments],
            env=environment,
            check=False,
            timeout=60,
            capture_output=True,
            text=True,
        )

    return run


def database(form: str = "host={host} user={user} dbname={dbname}") -> str:
    return form.format(**connection.get_connection_params())


def modes(directory: Path) -> dict[bool, set[str]]:
    """The modes of directories (True) and of the files in them."""
    found = [directory, *directory.rglob("*")]
    return {kind: {oct(one.stat().st_mode)[-3:] for one in found if one.is_dir() is kind} for kind in (True, False)}


def names(backups: Path) -> list[str]:
    return sorted(path.name for path in backups.iterdir())


def databases() -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT datname FROM pg_database WHERE datname LIKE 'study_verify_%'")
        return {name for [name] in cursor.fetchall()}


class TestOfPostgreSQL:
    pytestmark = POSTGRESQL

    @pytest.mark.parametrize(
        "form", ["host={host} user={user} dbname={dbname}", "postgres://{user}@/{dbname}?host={host}"]
    )
    def test_a_backup_is_restored_before_it_counts(
        self, make_member: MakeMember, backups: Path, back_up: BackUp, form: str
    ) -> None:
        """By the programs of the tests' PostgreSQL server."""
        make_member("ann@example.org")
        done = back_up(path=str(postgres.programs()), DATABASE_URL=database(form))
        assert done.returncode == 0, done.stderr
        assert "Restored it into a temporary database. Members: 1.\n" in done.stdout
        assert databases() == set()
        older, made = names(backups)
        assert older == "2020-01-02T00-00-00Z"
        assert (backups / made / "files" / "syllabi" / "one").read_text() == "Week 1"
        assert (backups / made / "gone.jsonl").read_text() == "one line\n"
        assert modes(backups / made) == {True: {"700"}, False: {"600"}}
        assert datetime.now(UTC) - LastRun.objects.get(name=BACKUP).finished_at < timedelta(minutes=5)

    def test_an_unrestorable_backup_does_not_count(self, backups: Path, back_up: BackUp, tmp_path: Path) -> None:
        """A `pg_dump` that writes half a file and reports success."""
        program = tmp_path / "pg_dump"
        program.write_text(
            '#!/bin/sh\nfor word; do case "$word" in --file=*) printf PGDMP > "${word#--file=}";; esac; done\n'
        )
        program.chmod(0o700)
        path = f"{tmp_path}{os.pathsep}{postgres.programs()}"
        done = back_up(path=path, DATABASE_URL=database())
        assert done.returncode != 0
        assert "pg_restore: error" in done.stderr
        assert names(backups) == [".unfinished", "2020-01-01T00-00-00Z", "2020-01-02T00-00-00Z"]
        assert databases() == set()
        assert not LastRun.objects.filter(name=BACKUP).exists()

    def test_the_restore_is_skipped_if_the_role_cannot_create_databases(self, backups: Path, back_up: BackUp) -> None:
        done = back_up(path=str(postgres.programs()), DATABASE_URL=database(), BACKUPS_VERIFY="no")
        assert (done.returncode, "Restored" in done.stdout, len(names(backups))) == (0, False, 2)

    def test_a_failed_backup_keeps_the_others(self, backups: Path, back_up: BackUp) -> None:
        done = back_up(path=str(postgres.programs()), DATABASE_URL="postgres://nobody@127.0.0.1:9/none")
        assert done.returncode != 0
        assert names(backups) == [".unfinished", "2020-01-01T00-00-00Z", "2020-01-02T00-00-00Z"]


class TestOfSQLite:
    pytestmark = pytest.mark.database("sqlite", "backs up SQLite")

    @pytest.fixture
    def file(self, tmp_path: Path, backups: Path) -> Path:
        """The database of the tests, at its default path in `DATA_DIR`."""
        file = tmp_path / "data" / "studyservice.sqlite3"
        source = sqlite3.connect(settings.DATA_DIR / "studyservice.sqlite3")
        source.execute("VACUUM INTO ?", [str(file)])
        source.close()
        return file

    def test_the_whole_copy_is_read_before_it_counts(self, file: Path, backups: Path, back_up: BackUp) -> None:
        done = back_up()
        assert done.returncode == 0, done.stderr
        assert "Read all of the copy. Members: 0.\n" in done.stdout
        older, made = names(backups)
        assert older == "2020-01-02T00-00-00Z"
        assert modes(backups / made) == {True: {"700"}, False: {"600"}}
        noted = sqlite3.connect(file).execute("SELECT name FROM accounts_lastrun").fetchall()
        assert noted == [(BACKUP,)]

    def test_without_a_record_of_what_is_gone_the_backup_has_an_empty_one(
        self, file: Path, backups: Path, back_up: BackUp
    ) -> None:
        """So the names of all backups can be given to `redo-gone`."""
        (file.parent / "gone.jsonl").unlink()
        assert back_up().returncode == 0
        assert (backups / names(backups)[1] / "gone.jsonl").read_text() == ""

    def test_without_a_database_there_is_no_backup(self, backups: Path, back_up: BackUp) -> None:
        """The script does not create a database either."""
        done = back_up()
        assert done.returncode != 0
        assert "unable to open database file" in done.stderr
        assert names(backups) == [".unfinished", "2020-01-01T00-00-00Z", "2020-01-02T00-00-00Z"]
        assert not list((backups.parent / "data").glob("*.sqlite3"))

    def test_the_age_of_the_newest_backup_is_reported(self, backups: Path, back_up: BackUp) -> None:
        newest = backups / "2020-01-02T00-00-00Z"
        then = (datetime.now(UTC) - timedelta(hours=30, minutes=5)).timestamp()
        os.utime(newest, (then, then))
        done = back_up("age")
        assert (done.returncode, done.stdout) == (0, f"The newest backup, {newest}, is 30 hours old.\n")
        for backup in backups.iterdir():
            backup.rmdir()
        done = back_up("age")
        assert (done.returncode, done.stdout) == (1, f"There is no backup in {backups}.\n")
