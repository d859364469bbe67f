"""`deploy/backup.sh`: a backup counts once it was restored, is readable by nobody else, and its age is told."""

import os
import sqlite3
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection

from accounts.members.last_runs import BACKUP, LastRun
from tests import ROOT
from tests.conftest import MakeMember
from tests.support import postgres

SCRIPT = ROOT / "deploy" / "backup.sh"
POSTGRESQL = [pytest.mark.database("postgresql"), pytest.mark.django_db(transaction=True)]

BackUp = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def backups(tmp_path: Path) -> Path:
    """With two old backups, and a file that the service keeps."""
    (tmp_path / "data" / "files" / "syllabi").mkdir(parents=True)
    (tmp_path / "data" / "files" / "syllabi" / "one").write_text("Week 1")
    for day in (1, 2):
        (tmp_path / "backups" / f"2020-01-0{day}T00-00-00Z").mkdir(parents=True)
    return tmp_path / "backups"


@pytest.fixture
def back_up(backups: Path, tmp_path: Path) -> BackUp:
    """Runs the script; two backups stay."""

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
    """Of the directories (True) and of the files in it."""
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
    def test_it_is_restored_before_it_counts(
        self, make_member: MakeMember, backups: Path, back_up: BackUp, form: str
    ) -> None:
        """By the programs that belong to the server of the tests."""
        make_member("ann@example.org")
        done = back_up(path=str(postgres.programs()), DATABASE_URL=database(form))
        assert done.returncode == 0, done.stderr
        assert "Restored it into a temporary database. Members: 1.\n" in done.stdout
        assert databases() == set()
        older, made = names(backups)
        assert older == "2020-01-02T00-00-00Z"
        assert (backups / made / "files" / "syllabi" / "one").read_text() == "Week 1"
        assert modes(backups / made) == {True: {"700"}, False: {"600"}}
        assert datetime.now(UTC) - LastRun.objects.get(name=BACKUP).finished_at < timedelta(minutes=5)

    def test_one_that_cannot_be_restored_does_not_count(self, backups: Path, back_up: BackUp, tmp_path: Path) -> None:
        """A `pg_dump` that writes half a file and says that all is well."""
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

    def test_a_role_that_may_create_no_database_leaves_the_restore_out(self, backups: Path, back_up: BackUp) -> None:
        done = back_up(path=str(postgres.programs()), DATABASE_URL=database(), BACKUPS_VERIFY="no")
        assert (done.returncode, "Restored" in done.stdout, len(names(backups))) == (0, False, 2)

    def test_one_that_fails_leaves_the_others(self, backups: Path, back_up: BackUp) -> None:
        done = back_up(path=str(postgres.programs()), DATABASE_URL="postgres://nobody@127.0.0.1:9/none")
        assert done.returncode != 0
        assert names(backups) == [".unfinished", "2020-01-01T00-00-00Z", "2020-01-02T00-00-00Z"]


class TestOfSQLite:
    pytestmark = pytest.mark.database("sqlite", "what it backs up is SQLite")

    @pytest.fixture
    def file(self, tmp_path: Path, backups: Path) -> Path:
        """The database of the tests, as it is in `DATA_DIR` without `DATABASE_URL`."""
        file = tmp_path / "data" / "studyservice.sqlite3"
        source = sqlite3.connect(settings.DATA_DIR / "studyservice.sqlite3")
        source.execute("VACUUM INTO ?", [str(file)])
        source.close()
        return file

    def test_all_of_the_copy_is_read_before_it_counts(self, file: Path, backups: Path, back_up: BackUp) -> None:
        done = back_up()
        assert done.returncode == 0, done.stderr
        assert "Read all of the copy. Members: 0.\n" in done.stdout
        older, made = names(backups)
        assert older == "2020-01-02T00-00-00Z"
        assert modes(backups / made) == {True: {"700"}, False: {"600"}}
        noted = sqlite3.connect(file).execute("SELECT name FROM accounts_lastrun").fetchall()
        assert noted == [(BACKUP,)]

    def test_without_a_database_nothing_counts(self, backups: Path, back_up: BackUp) -> None:
        """Nor is one made."""
        done = back_up()
        assert done.returncode != 0
        assert "unable to open database file" in done.stderr
        assert names(backups) == [".unfinished", "2020-01-01T00-00-00Z", "2020-01-02T00-00-00Z"]
        assert not list((backups.parent / "data").glob("*.sqlite3"))

    def test_the_age_of_the_newest_is_told(self, backups: Path, back_up: BackUp) -> None:
        newest = backups / "2020-01-02T00-00-00Z"
        then = (datetime.now(UTC) - timedelta(hours=30, minutes=5)).timestamp()
        os.utime(newest, (then, then))
        done = back_up("age")
        assert (done.returncode, done.stdout) == (0, f"The newest backup, {newest}, is 30 hours old.\n")
        for backup in backups.iterdir():
            backup.rmdir()
        done = back_up("age")
        assert (done.returncode, done.stdout) == (1, f"There is no backup in {backups}.\n")
